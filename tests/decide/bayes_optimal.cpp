#include "decide/bayes_optimal.h"

#include <array>
#include <cmath>

#include "decide/follow.h"
#include "mindgap/base/distributions.h"
#include "mindgap/stats/moments.h"
#include "mindgap/trial/loop.h"

namespace mindgap::decide {
namespace {

using MakeFollower = std::function<std::unique_ptr<planner::Planner>(std::uint64_t trial)>;

// What the plan falls short of the optimal value by, in each trial.
template <typename WorldOfTree>
std::vector<double> given_up(BeliefTree& tree, const BayesOptions& options, std::uint64_t number,
                             std::int64_t steps, const MakeFollower& make) {
  const std::array<std::int64_t, 1> horizon = {steps};
  std::vector<double> all;
  for (std::uint64_t trial = 0; trial < options.trials; ++trial) {
    WorldOfTree world(tree, options.seed + 1'000 + number, trial);
    trial::run_trial(world, *make(trial), horizon);
    all.push_back(world.given_up());
  }
  return all;
}

template <typename WorldOfTree>
BayesResult judged(const std::string& family, BeliefTree& tree, const Situation& situation,
                   const BayesOptions& options, std::uint64_t number) {
  DecideOptions how;
  how.plans = options.plans;
  how.worlds = options.worlds;
  how.information_draws = 0;
  how.simulation.run.seed = options.seed + number;
  const Decision decision = decide(situation, how);
  BayesResult result{number, family, decision.plans[decision.recommended].plan.name, situation.horizon,
                     tree.value()};
  const auto lost = given_up<WorldOfTree>(tree, options, number, situation.horizon, [&](std::uint64_t trial) {
    return follow_recommended(situation, how, decision, trial);
  });
  const auto deployed = given_up<WorldOfTree>(
      tree, options, number, situation.horizon,
      [&](std::uint64_t trial) { return follow_plan(situation, how, plan_from_string("sop"), trial); });
  result.share = 1 - stats::mean(lost) / result.optimal;
  result.standard_error =
      stats::standard_deviation(lost) / std::sqrt(static_cast<double>(lost.size())) / result.optimal;
  result.deployed = 1 - stats::mean(deployed) / result.optimal;
  return result;
}

}  // namespace

BayesResult against_bayes_optimal(const BayesOptions& options, std::uint64_t number) {
  const TreeProblem problem = draw_tree_problem(options.seed, number, options.most_pulls, options.most_steps);
  BeliefTree tree(problem.model);
  return judged<UrnWorld>(problem.family, tree, situation_of(problem.model), options, number);
}

BayesResult arms_against_bayes_optimal(const BayesOptions& options, std::uint64_t number) {
  base::Stream stream({options.seed, base::Purpose::test, number, 4});
  std::vector<BetaArm> arms;
  for (std::uint64_t i = 0; i < 2 + number % 2; ++i) {
    const double mean = .2 + .6 * base::uniform(stream), strength = 2 * std::pow(15, base::uniform(stream));
    arms.push_back({strength * mean, strength * (1 - mean)});
  }
  const std::int64_t least = (options.most_pulls + 4) / 5;
  const std::int64_t pulls = least + base::uniform_index(stream, options.most_pulls - least + 1);
  BeliefTree tree(bandit_tree(arms, pulls));
  return judged<ArmsWorld>("arms of 0 or 1", tree, situation_of_arms(arms, pulls), options, number);
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
