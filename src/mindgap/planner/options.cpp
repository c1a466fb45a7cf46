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
}

}  // namespace mindgap::planner
