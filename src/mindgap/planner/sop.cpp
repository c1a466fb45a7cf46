#include "mindgap/planner/sop.h"

#include "mindgap/mdp/solve.h"

namespace mindgap::planner {

std::unique_ptr<Planner> make_sop(const Setting& setting) {
  const mdp::Mdp& simulator = setting.belief.simulator();
  return follow_policy(simulator, mdp::solve(simulator, {.threads = 1}).policy, setting.seed, setting.trial);
}

}  // namespace mindgap::planner
