#include <fmt/format.h>

#include <algorithm>

#include "mindgap/decide/decide.h"
#include "mindgap/decide/work.h"

namespace mindgap::decide {
namespace {

std::string where_history_looked(const belief::Knowledge& knowledge) {
  const auto unseen = std::count(knowledge.coverage.begin(), knowledge.coverage.end(), 0.0);
  return fmt::format(
      "History has {} of {} pairs of state and action; the other {} have the wide prior that the model "
      "states: there the simulator may be far off.",
      static_cast<std::int64_t>(knowledge.coverage.size()) - unseen, knowledge.coverage.size(), unseen);
}

// Default plans that there is no time for.
std::string slow_plans(const Situation& situation, const DecideOptions& options) {
  if (!options.plans.empty()) return {};
  std::string names;
  for (const Plan& plan : default_plans(situation.units(), situation.horizon)) {
    if (!is_affordable(plan, situation, options.simulation_options()))
      names += (names.empty() ? "" : ", ") + plan.name;
  }
  return names;
}

}  // namespace

std::vector<std::string> assumptions_of(const Situation& situation, const DecideOptions& options) {
  const belief::Knowledge& knowledge = situation.knowledge;
  std::vector<std::string> said;
  said.push_back(
      "The true model is one of those that the prior allows, as likely as the prior says. Every number here "
      "is a mean over such models, not over the simulator.");
  if (knowledge.source == belief::PriorSource::coverage) {
    said.push_back(where_history_looked(knowledge));
    said.push_back(
        knowledge.odds > 1
            ? fmt::format("Behind what history shows, a hidden state may have moved the odds of an "
                          "action by up to {:g} times either way (--odds).",
                          knowledge.odds)
            : std::string("Where history looked it is taken at its word: no hidden state moved both "
                          "actions and outcomes (odds 1). Say --odds 2 or more if one may have."));
  } else {
    said.push_back(
        "How far the simulator may be off is as its prior states; no coverage of history was given.");
  }
  said.push_back(
      knowledge.drift_sd > 0
          ? fmt::format("Mean rewards may have drifted since: a standard deviation of at least {:g} "
                        "everywhere.",
                        knowledge.drift_sd)
          : std::string("The world has not drifted since the history (drift_sd 0)."));
  said.push_back(
      "Moves that the simulator calls impossible are impossible, and nothing changes within the "
      "horizon but by the actions.");
  said.push_back(fmt::format(
      "Units ({}) do not disturb each other; what any of them sees is shared, and plans that learn "
      "look at it after every {} of the {} steps.",
      situation.units(), replanning_of(situation, options.simulation), situation.horizon));
  said.push_back(options.objective == Objective::total
                     ? "A reward counts the same whenever it comes (--objective discounted otherwise)."
                     : "A reward counts less the later it comes, by the model's discount.");
  if (const std::string slow = slow_plans(situation, options); !slow.empty()) {
    said.push_back(fmt::format(
        "No better plan is among those left out because following them in enough drawn worlds would take too "
        "long: {}. A longer time limit may take them in, and naming them among the plans does.",
        slow));
  }
  return said;
}

}  // namespace mindgap::decide
