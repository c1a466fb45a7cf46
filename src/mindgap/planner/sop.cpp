#include "mindgap/planner/sop.h"

#include "mindgap/mdp/solve.h"
#include "mindgap/planner/learning_planner.h"

namespace mindgap::planner {

std::unique_ptr<Planner> make_sop(const Setting& setting) {
  const mdp::Mdp& simulator = check_setting(setting).belief.simulator();
  return follow_policy(simulator, mdp::solve(simulator, {.threads = 1}).policy, setting.seed, setting.trial);
}

}  // namespace mindgap::planner
