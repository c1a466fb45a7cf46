#include "mindgap/design/target.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/files/policy_file.h"
#include "mindgap/gap/member_models.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::design {
namespace {

using gap::PvvWeights;
using mdp::Mdp;
using mdp::Policy;

Policy softmax(const Mdp& mdp, std::span<const double> value, double temperature) {
  std::vector<double> pi = mdp::action_values(mdp, value);
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    const auto row = base::part_of(std::span(pi), mdp.pairs_of(s));
    const double best = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (double& p : row) sum += p = std::exp((p - best) / temperature);
    for (double& p : row) p /= sum;
  }
  return Policy::stochastic(mdp, std::move(pi));
}

mdp::Solution solved(const Mdp& mdp, const TargetOptions& options) {
  return mdp::solve(mdp, {.tolerance = options.tolerance, .threads = options.run.threads});
}

PvvWeights uniform_weights(const Mdp& mdp, const TargetOptions& options) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs()), states = static_cast<std::size_t>(mdp.states());
  PvvWeights weights;
  weights.reward.assign(pairs, 1.0);
  weights.transition.assign(pairs, options.uniform_transition);
  if (options.weights.loads) {
    weights.loads.assign(pairs, std::vector<double>(pairs));
    for (std::size_t k = 0; k < pairs; ++k) weights.loads[k][k] = 1;
    if (options.weights.member_models) weights.member_loads = options.weights.member_models->reward_loads();
  }
  weights.visitation.assign(states, 0.0);
  weights.value.assign(states, 0.0);
  return weights;
}

TargetWeights drawn_weights(const belief::Belief& belief, const Mdp& mean, const Target& target,
                            const TargetOptions& options) {
  const mdp::Solution now = solved(mean, options);
  const std::vector<Member> members = draw_members(belief, target.members, now.value, options);
  TargetWeights result;
  result.members = target.members;
  result.distinct = static_cast<std::int32_t>(members.size());
  result.weights = target.kind == TargetKind::ensemble
                       ? ensemble_weights(mean, members, options)
                       : difference_weights(mean, members, now.policy, options);
  return result;
}

// The one policy of a target that has one.
Policy policy_of(const belief::Belief& belief, const Mdp& mean, const Target& target,
                 const TargetOptions& options) {
  switch (target.kind) {
    case TargetKind::simulator_optimal:
      return solved(belief.simulator(), options).policy;
    case TargetKind::posterior_optimal:
      return solved(mean, options).policy;
    case TargetKind::softmax:
      base::check_positive("target_weights", "temperature", target.temperature);
      return softmax(mean, solved(mean, options).value, target.temperature);
    case TargetKind::explorer:
      return options.policy ? *options.policy : Policy::uniform(mean);
    default:
      return options.policy ? *options.policy : files::read_policy(target.file, mean);
  }
}

}  // namespace

void TargetOptions::validate() const {
  const char* function = "target_weights";
  weights.validate();
  base::check_nonnegative(function, "uniform_transition", uniform_transition);
  base::check_range(function, "member_probes", member_probes, 2, 1'000'000);
  base::check_positive(function, "tolerance", tolerance);
}

TargetWeights target_weights(const belief::Belief& belief, const Target& target, const TargetOptions& given) {
  given.validate();
  TargetOptions options = given;
  options.weights = gap::for_belief(std::move(options.weights), belief);
  const Mdp mean =
      options.start.empty() ? belief.mean() : belief.mean().with_start(std::vector<double>(options.start));
  if (target.kind == TargetKind::uniform) return {uniform_weights(mean, options)};
  if (mean.discount() == 1)
    throw InvalidArgument(
        "the model's discount is 1, but a design needs one below 1: what it makes precise is the value of a "
        "policy over an infinite horizon");
  if (target.kind == TargetKind::ensemble || target.kind == TargetKind::difference) {
    return drawn_weights(belief, mean, target, options);
  }
  gap::WeightsOptions how = options.weights;
  how.run.threads = options.run.threads;
  return {gap::pvv_weights(mean, policy_of(belief, mean, target, options), how)};
}

std::vector<double> expected_observations(const Mdp& mdp, const Policy& policy,
                                          std::span<const double> positions, std::int64_t steps) {
  const char* function = "expected_observations";
  base::check_size(function, "positions", positions.size(), static_cast<std::size_t>(mdp.states()));
  base::check_nonnegative(function, "positions", positions);
  base::check_range(function, "steps", static_cast<double>(steps), 0, 1e15);
  const std::vector<double> pi = policy.probability_of_pair(mdp);
  std::vector<double> now(positions.begin(), positions.end()), next(now.size()), visits(now.size());
  for (std::int64_t step = 0; step < steps; ++step) {
    for (std::size_t s = 0; s < now.size(); ++s) visits[s] += now[s];
    mdp::step_distribution(mdp, pi, now, next);
    std::swap(now, next);
  }
  std::vector<double> counts(pi);
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    for (const std::int32_t k : mdp.pairs_of(s)) counts[k] *= visits[s];
  }
  return counts;
}

std::vector<double> credit(const belief::Belief& belief, std::span<const double> positions,
                           std::int64_t steps, int threads) {
  const Mdp mean = belief.mean();
  const Policy policy = mdp::solve(mean, {.threads = threads}).policy;
  return expected_observations(mean, policy, positions, steps);
}

}  // namespace mindgap::design
