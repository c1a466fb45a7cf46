#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/planner/planner.h"

namespace mindgap::planner {

void PlannerOptions::validate() const {
  const char* function = "PlannerOptions";
  base::check_range(function, "replan_every", static_cast<double>(replan_every), 1, 1e9);
  base::check_probability(function, "epsilon", epsilon);
  base::check_probability(function, "epsilon_decay", epsilon_decay);
  base::check_range(function, "pilot_steps", static_cast<double>(pilot_steps), 0, 1e9);
  base::check_probability(function, "explorer_share", explorer_share);
  base::check_range(function, "explore_steps", static_cast<double>(explore_steps), 0, 1e6);
  base::check_probability(function, "explore_probability", explore_probability);
  base::check_nonnegative(function, "reexplore_threshold", reexplore_threshold);
  base::check_range(function, "window", static_cast<double>(window), 1, 1e5);
  base::check_range(function, "members of the target", target.members, 1, 1e6);
  base::check_range(function, "members of the adaptive target", adaptive_target.members, 1, 1e6);
  base::check_range(function, "draws", draws, 2, 1e6);
  base::check_range(function, "confidence", confidence, 1e-300, 1);
  base::check_nonnegative(function, "optimism", optimism);
  base::check_range(function, "seeds", seeds, 1, 1e6);
  base::check_range(function, "seed_steps", static_cast<double>(seed_steps), kSeedStepsByUnits, 1e9);
  base::check_range(function, "drift", drift, 0, .999);
  base::check_nonnegative(function, "bonus", bonus);
  base::check_positive(function, "tolerance", tolerance);
}

std::int64_t default_replanning(const mdp::Mdp& mdp, std::int64_t horizon) {
  base::check_range("default_replanning", "horizon", static_cast<double>(horizon), 0, 1e15);
  constexpr double kCheap = 2e6;
  const double work = static_cast<double>(mdp.nonzeros()) * static_cast<double>(horizon);
  const auto rarest = std::clamp<std::int64_t>(horizon / 20, 1, 5);
  if (work >= kCheap * static_cast<double>(rarest)) return rarest;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(work / kCheap)));
}

}  // namespace mindgap::planner
