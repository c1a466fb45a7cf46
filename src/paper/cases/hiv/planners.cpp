#include "paper/cases/hiv/planners.h"

#include <algorithm>
#include <iterator>

#include "mindgap/base/error.h"
#include "mindgap/base/suggest.h"

namespace mindgap::cases::hiv {
namespace {

struct Entry {
  trial::PlannerName name;
  std::unique_ptr<HivPlanner> (*make)(const Known& known);
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> kAll = {
      {{"sop", "the simulator's highest prevalences, for good"}, make_sop},
      {{"epsilon", "sop, and now and then a random step"}, make_epsilon},
      {{"asop", "the highest posterior means, every 10 days"}, make_asop},
      {{"thompson", "the highest of one posterior draw, every 5 days"}, make_thompson},
      {{"kg", "step by step by the knowledge gradient and the simulator's value"}, make_kg},
      {{"sep", "three teams to the far corner first (it is told where), then as asop"}, make_sep},
      {{"fisher", "Fisher-SEP-T: variance of the value decides who explores region B"}, make_fisher},
      {{"adaptive-fisher", "expeditions to the highest variance of the value, while they pay"},
       make_adaptive_fisher},
      {{"ids", "information-directed sampling on the value, every 5 days"}, make_ids},
      {{"ucrl2", "optimism in every team, without the simulator"}, make_ucrl2},
      {{"ucbvi", "the same with a bonus in place of sets of models"}, make_ucbvi},
      {{"routes", "a designed pilot by routes, then the highest posterior means"}, make_routes},
      {{"tai", "travel-aware index: what a zone may yield, less the way and the warm-up"}, make_tai},
      {{"tai-dynamic", "the same with a belief that follows spread and depletion"}, make_tai_dynamic},
  };
  return kAll;
}

class Oracle : public HivPlanner {
 public:
  explicit Oracle(const World& world) : world_(world), orders_(world.position().size()) {}

  void decide(std::int64_t, std::span<const Zone> position, std::span<Zone> next) override {
    const Geography& geography = world_.geography();
    const std::size_t teams = position.size(), in_b = (teams + 1) / 2;
    orders_.send(0, top_zones(world_.prevalence(), geography.region_b(), in_b), Navigation::shortest);
    orders_.send(in_b, top_zones(world_.prevalence(), geography.region_a(), teams - in_b),
                 Navigation::shortest);
    orders_.step(geography, position, next);
  }

 private:
  const World& world_;
  Orders orders_;
};

}  // namespace

const std::vector<trial::PlannerName>& planner_names() {
  static const std::vector<trial::PlannerName> kNames = [] {
    std::vector<trial::PlannerName> all = {
        {"oracle", "half of the teams on B's highest true prevalences, half on A's"}};
    for (const Entry& entry : entries()) all.push_back(entry.name);
    return all;
  }();
  return kNames;
}

std::unique_ptr<HivPlanner> make_planner(std::string_view name, const Known& known) {
  for (const Entry& entry : entries()) {
    if (entry.name.name == name) return entry.make(known);
  }
  std::vector<std::string> names;
  for (const Entry& entry : entries()) names.push_back(entry.name.name);
  throw InvalidArgument(base::unknown_name("planner", name, names));
}

std::unique_ptr<HivPlanner> make_oracle(const World& world) {
  return std::make_unique<Oracle>(world);
}

void Orders::send(std::size_t first, std::span<const Zone> zones, Navigation how) {
  for (std::size_t i = 0; i < zones.size() && first + i < target.size(); ++i) {
    target[first + i] = zones[i];
    navigation[first + i] = how;
  }
}

void Orders::step(const Geography& geography, std::span<const Zone> position, std::span<Zone> next) const {
  for (std::size_t team = 0; team < position.size(); ++team) {
    const Zone to = target[team];
    next[team] = to < 0 ? position[team] : geography.step(navigation[team], position[team], to);
  }
}

}  // namespace mindgap::cases::hiv
