#include "mindgap/belief/prior.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/belief/transition_belief.h"

namespace mindgap::belief {
namespace {

using mdp::Mdp;

std::vector<double> per_pair(const std::vector<double>& stated, std::optional<double> for_all,
                             double otherwise, std::size_t pairs) {
  return stated.empty() ? std::vector<double>(pairs, for_all.value_or(otherwise)) : stated;
}

// The limits of mdp/model_values.h, for what comes from elsewhere than a file.
constexpr double kLargestSd = 1e100;

void check_sd(const char* name, double sd) {
  base::check_nonnegative("prior", name, sd);
  base::check_range("prior", name, sd, 0, kLargestSd);
}

void check_strength(double strength) {
  base::check_positive("prior", "transition_strength", strength);
  base::check_range("prior", "transition_strength", strength, 1e-12, 1e100);
}

void check_odds(const char* function, double odds) {
  base::check_range(function, "odds", odds, 1, std::numeric_limits<double>::max());
}

// alpha_M of prior_from_coverage; infinite without confounding, 0 where the row is certain anyway.
double bias_strength(double odds, double mean_square) {
  if (odds == 1) return std::numeric_limits<double>::infinity();
  const double bound = transition_bias_bound(odds);
  return std::max(0.0, 8 * (1 - mean_square) / (bound * bound) - 1);
}

// What n > 0 historical observations leave of the doubt about a row, given the weak prior's strength.
double covered_strength(std::span<const double> row, double n, double weak, double odds) {
  double mean_square = 0;
  for (const double p : row) mean_square += p * p;
  const double bias = bias_strength(odds, mean_square);
  if (row.size() == 1 && odds > 1) return weak;
  const double sampled = std::max(weak, 1 / (1 / n));
  return std::isinf(bias) ? sampled : std::max(1 / (1 / sampled + 1 / bias), std::min(weak, 1.0));
}

}  // namespace

void check_prior(const Mdp& mdp, const Prior& prior) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  base::check_size("prior", "reward_sd", prior.reward_sd.size(), pairs);
  base::check_size("prior", "transition_strength", prior.transition_strength.size(), pairs);
  base::check_nonnegative("prior", "reward_sd", prior.reward_sd);
  for (const double sd : prior.reward_sd) check_sd("reward_sd", sd);
  for (const double strength : prior.transition_strength) {
    base::check_positive("prior", "transition_strength", strength);
  }
}

void check_stated(const mdp::PriorSpec& spec) {
  if (spec.reward_sd) check_sd("reward_sd", *spec.reward_sd);
  base::check_nonnegative("prior", "reward_sd", spec.pair_reward_sd);
  for (const double sd : spec.pair_reward_sd) check_sd("reward_sd", sd);
  if (spec.transition_strength) check_strength(*spec.transition_strength);
  for (const double strength : spec.pair_transition_strength) check_strength(strength);
  check_odds("prior", spec.odds);
  check_sd("drift_sd", spec.drift_sd);
  if (spec.reward_min) base::check_finite("prior", "reward_min", *spec.reward_min);
  if (spec.reward_max) base::check_finite("prior", "reward_max", *spec.reward_max);
  UnseenOptions{.share = spec.unseen, .strength = spec.unseen_strength}.validate();
  if (spec.shared.group_sd) check_sd("the sd of shared errors", *spec.shared.group_sd);
  if (spec.shared.kernel) {
    check_sd("the sd of shared errors", spec.shared.kernel->sd);
    base::check_positive("prior", "the length of shared errors", spec.shared.kernel->length);
  }
}

std::int64_t constant_rewards(const mdp::Model& model) {
  const mdp::PriorSpec spec = model.prior.value_or(mdp::PriorSpec{});
  const std::int64_t pairs = model.mdp.pairs();
  if (spec.reward_sd || !spec.pair_reward_sd.empty() || spec.rewards == mdp::RewardKind::bernoulli ||
      model.mdp.states() < 2 || pairs < kFewestPairs)
    return 0;
  std::vector<double> values;
  for (const double r : model.mdp.reward()) {
    if (std::find(values.begin(), values.end(), r) != values.end()) continue;
    values.push_back(r);
    if (static_cast<std::int64_t>(values.size()) > kMostValues) return 0;
  }
  const auto found = static_cast<std::int64_t>(values.size());
  return found >= kFewestValues && pairs >= kPairsPerValue * found ? found : 0;
}

Prior stated_prior(const mdp::Model& model) {
  const mdp::PriorSpec spec = model.prior.value_or(mdp::PriorSpec{});
  check_stated(spec);
  const auto pairs = static_cast<std::size_t>(model.mdp.pairs());
  const bool bernoulli = spec.rewards == mdp::RewardKind::bernoulli;
  const double wide = constant_rewards(model) > 0 ? 0 : bernoulli ? .5 : model.mdp.reward_max();
  Prior prior{per_pair(spec.pair_reward_sd, spec.reward_sd, wide, pairs),
              per_pair(spec.pair_transition_strength, spec.transition_strength, 1, pairs)};
  for (double& sd : prior.reward_sd) sd = std::max(sd, spec.drift_sd);
  return prior;
}

std::vector<double> observation_variance(const mdp::Model& model) {
  if (!model.variance.empty() || !model.reward_variance) return model.variance;
  return std::vector<double>(static_cast<std::size_t>(model.mdp.pairs()), *model.reward_variance);
}

double reward_bias_bound(double odds, double variance) {
  check_odds("reward_bias_bound", odds);
  base::check_nonnegative("reward_bias_bound", "variance", variance);
  return (odds - 1) / std::sqrt(odds) * std::sqrt(variance);
}

double transition_bias_bound(double odds) {
  check_odds("transition_bias_bound", odds);
  return 2 * (odds - 1) / (odds + 1);
}

Prior prior_from_coverage(const Mdp& mdp, std::span<const double> variance, std::span<const double> count,
                          const Prior& wide, const CoverageOptions& options) {
  const char* function = "prior_from_coverage";
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  check_prior(mdp, wide);
  base::check_size(function, "variance", variance.size(), pairs);
  base::check_size(function, "count", count.size(), pairs);
  base::check_nonnegative(function, "variance", variance);
  base::check_nonnegative(function, "count", count);
  check_odds(function, options.odds);
  base::check_nonnegative(function, "drift_sd", options.drift_sd);

  Prior prior = wide;
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    const double n = count[k];
    if (n > 0) {
      const double bias = reward_bias_bound(options.odds, variance[k]) / 2;
      if (wide.reward_sd[k] > 0)
        prior.reward_sd[k] = std::hypot(std::min(wide.reward_sd[k], std::sqrt(variance[k] / n)), bias);
      prior.transition_strength[k] =
          covered_strength(mdp.row(k).probability, n, wide.transition_strength[k], options.odds);
    }
    prior.reward_sd[k] = std::max(prior.reward_sd[k], options.drift_sd);
  }
  return prior;
}

Prior prior_around_samples(const Mdp& mdp, std::span<const double> variance, std::span<const double> count,
                           const Prior& stated) {
  const char* function = "prior_around_samples";
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  check_prior(mdp, stated);
  base::check_size(function, "variance", variance.size(), pairs);
  base::check_size(function, "count", count.size(), pairs);
  base::check_nonnegative(function, "variance", variance);
  base::check_nonnegative(function, "count", count);

  Prior prior = stated;
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    if (count[k] == 0) continue;
    const double n = std::max(count[k], 1.0), alpha = stated.transition_strength[k];
    prior.reward_sd[k] = std::hypot(stated.reward_sd[k], std::sqrt(variance[k] / n));
    if (mdp.row(k).probability.size() > 1) prior.transition_strength[k] = alpha / (1 + (alpha + 1) / n);
  }
  return prior;
}

}  // namespace mindgap::belief
