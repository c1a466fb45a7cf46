#include "mindgap/planner/replanner.h"

#include <utility>

namespace mindgap::planner {

std::span<const std::int32_t> Replanner::plan(const mdp::Mdp& model) {
  mdp::Solution solution = mdp::solve(model, options_);
  options_.initial_value = std::move(solution.value);
  policy_ = std::move(solution.policy);
  return policy_.pair_of_state();
}

}  // namespace mindgap::planner
