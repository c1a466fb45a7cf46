#include "paper/cases/lock/rule.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/suggest.h"

namespace mindgap::cases::lock {
namespace {

struct Entry {
  trial::PlannerName name;
  Rule rule;
};

/// Follows what is known, else the simulator.
constexpr UnitRule kAsop = {};

/// The other action with probability epsilon/2, whatever is known.
UnitRule with_coin(double epsilon, bool learns) {
  return {.known = 1 - epsilon / 2,
          .simulator_right = 1 - epsilon / 2,
          .simulator_wrong = epsilon / 2,
          .learns = learns,
          .contrary = epsilon / 2};
}

UnitRule sep(Reading reading, const Lock& lock, std::int64_t unit) {
  const bool honest = reading == Reading::honest;
  if (unit < explorers(lock))
    return {.simulator_right = .5, .simulator_wrong = .5, .counted = honest, .enters = true};
  return {.learns = honest};
}

UnitRule fisher(Reading reading, const Lock& lock, std::int64_t unit) {
  if (unit >= explorers(lock)) return kAsop;
  if (reading == Reading::paper)
    return {.simulator_right = kFisherRightAction, .simulator_wrong = kFisherRightAction, .enters = true};
  const bool trusts = lock.error_probability() <= .5;
  return {.simulator_right = trusts ? 1. : 0., .simulator_wrong = trusts ? 0. : 1., .enters = true};
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> kAll = {
      {{"oracle", "knows the right action everywhere"},
       [](Reading, const Lock&, std::int64_t) { return UnitRule{.simulator_wrong = 1, .told = true}; }},
      {{"sop", "does what the simulator says and never learns"},
       [](Reading, const Lock&, std::int64_t) { return UnitRule{.learns = false}; }},
      {{"asop", "does what is known to be right, else what the simulator says"},
       [](Reading, const Lock&, std::int64_t) { return kAsop; }},
      {{"asop-pilot", "the first 3 units act at random, the others as asop"},
       [](Reading, const Lock&, std::int64_t unit) {
         return unit < kPilotUnits
                    ? UnitRule{.known = .5, .simulator_right = .5, .simulator_wrong = .5, .contrary = .5}
                    : kAsop;
       }},
      {{"epsilon", "as sop, but at random with probability .1 at each state"},
       [](Reading, const Lock&, std::int64_t) { return with_coin(kEpsilon, false); }},
      {{"learning-epsilon", "as asop, but at random with probability .1 at each state"},
       [](Reading, const Lock&, std::int64_t) { return with_coin(kEpsilon, true); }},
      {{"adaptive-epsilon", "as learning-epsilon, with probability .2 .95^i for unit i"},
       [](Reading, const Lock&, std::int64_t unit) {
         return with_coin(kAdaptiveEpsilon * std::pow(kAdaptiveDecay, static_cast<double>(unit)), true);
       }},
      {{"kg", "tries action 0 where nothing is known, which is right everywhere"},
       [](Reading, const Lock&, std::int64_t) { return UnitRule{.simulator_wrong = 1}; }},
      {{"sep", "a tenth of the units acts at random where nothing is known, the others use what they saw"},
       sep},
      {{"fisher", "a tenth of the units explores by design, the others act as asop"}, fisher},
  };
  return kAll;
}

}  // namespace

void Lock::validate() const {
  base::check_range("lock", "chain length", static_cast<double>(length), 1, 1e6);
  base::check_range("lock", "units", static_cast<double>(units), 1, 1e6);
  base::check_probability("lock", "outside", outside);
  base::check_probability("lock", "eta", eta);
  base::check_range("lock", "errors", errors, 0, static_cast<double>(length));
}

std::int64_t explorers(const Lock& lock) {
  return std::min(lock.length + 1, lock.units / kUnitsPerExplorer);
}

const std::vector<trial::PlannerName>& planners() {
  static const std::vector<trial::PlannerName> kNames = [] {
    std::vector<trial::PlannerName> all;
    for (const Entry& entry : entries()) all.push_back(entry.name);
    return all;
  }();
  return kNames;
}

Rule find_rule(std::string_view planner) {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (entry.name.name == planner) return entry.rule;
    names.push_back(entry.name.name);
  }
  throw InvalidArgument("lock: " + base::unknown_name("planner", planner, names));
}

}  // namespace mindgap::cases::lock
