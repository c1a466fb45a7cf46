#include "decide/bayes_optimal.h"

#include <array>
#include <cmath>

#include "decide/follow.h"
#include "mindgap/stats/moments.h"
#include "mindgap/trial/loop.h"

namespace mindgap::decide {
namespace {

using MakeFollower = std::function<std::unique_ptr<planner::Planner>(std::uint64_t trial)>;

// What the plan falls short of the optimal value by, in each trial.
std::vector<double> given_up(BeliefTree& tree, const BayesOptions& options, std::uint64_t number,
                             const MakeFollower& make) {
  const std::array<std::int64_t, 1> horizon = {tree.model().horizon};
  std::vector<double> all;
  for (std::uint64_t trial = 0; trial < options.trials; ++trial) {
    UrnWorld world(tree, options.seed + 1'000 + number, trial);
    trial::run_trial(world, *make(trial), horizon);
    all.push_back(world.given_up());
  }
  return all;
}

}  // namespace

BayesResult against_bayes_optimal(const BayesOptions& options, std::uint64_t number) {
  const TreeProblem problem = draw_tree_problem(options.seed, number, options.most_pulls, options.most_steps);
  BeliefTree tree(problem.model);
  const Situation situation = situation_of(problem.model);
  DecideOptions how;
  how.worlds = options.worlds;
  how.information_draws = 0;
  how.simulation.seed = options.seed + number;
  const Decision decision = decide(situation, how);
  BayesResult result{number, problem.family, decision.plans[decision.recommended].plan.name,
                     problem.model.horizon, tree.value()};
  const auto lost = given_up(tree, options, number, [&](std::uint64_t trial) {
    return follow_recommended(situation, how, decision, trial);
  });
  const auto deployed = given_up(tree, options, number, [&](std::uint64_t trial) {
    return follow_plan(situation, how, plan_from_string("sop"), trial);
  });
  result.share = 1 - stats::mean(lost) / result.optimal;
  result.standard_error =
      stats::standard_deviation(lost) / std::sqrt(static_cast<double>(lost.size())) / result.optimal;
  result.deployed = 1 - stats::mean(deployed) / result.optimal;
  return result;
}

std::vector<BayesResult> against_bayes_optimal(const BayesOptions& options,
                                               const std::function<void(const BayesResult&)>& on_result) {
  std::vector<BayesResult> results;
  for (std::uint64_t number = 0; number < options.problems; ++number) {
    results.push_back(against_bayes_optimal(options, number));
    if (on_result) on_result(results.back());
  }
  return results;
}

}  // namespace mindgap::decide
