#include "mindgap/decide/situation.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/planner/planner.h"

namespace mindgap::decide {

void Situation::validate() const {
  base::check_range("decide", "units", static_cast<double>(units()), 1, 1e7);
  base::check_range("decide", "horizon", static_cast<double>(horizon), 1, 1e7);
  const std::int32_t states = belief().simulator().states();
  for (std::size_t u = 0; u < unit_state.size(); ++u) {
    if (unit_state[u] < 0 || unit_state[u] >= states)
      throw InvalidArgument(
          fmt::format("decide: unit {} is in state {}, but there are {} states", u, unit_state[u], states));
  }
  if (belief().simulator().discount() == 1) {
    throw InvalidArgument(
        "decide: the model's discount is 1, but policies are found for one below 1: state it in the model "
        "(undiscounted totals are unaffected)");
  }
  if (knowledge.variance.empty()) belief::ask_for_variance("a decision");
}

std::vector<Plan> default_plans(const Situation& situation) {
  return default_plans(situation.units(), situation.horizon, situation.belief().ensemble() != nullptr);
}

std::int64_t replanning_of(const Situation& situation, const SimulationOptions& options) {
  if (options.replan_every > 0) return options.replan_every;
  return planner::default_replanning(situation.belief().simulator(), situation.horizon);
}

}  // namespace mindgap::decide
