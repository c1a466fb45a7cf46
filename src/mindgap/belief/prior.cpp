#include "mindgap/belief/prior.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/belief/transition_belief.h"

namespace mindgap::belief {
namespace {

using mdp::Mdp;

constexpr double kLargestSd = 1e100;  // its square must be a number, and what is added up of them

std::vector<double> per_pair(const std::vector<double>& stated, std::optional<double> for_all,
                             double otherwise, std::size_t pairs) {
  return stated.empty() ? std::vector<double>(pairs, for_all.value_or(otherwise)) : stated;
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

}  // namespace

void check_prior(const Mdp& mdp, const Prior& prior) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  base::check_size("check_prior", "reward_sd", prior.reward_sd.size(), pairs);
  base::check_size("check_prior", "transition_strength", prior.transition_strength.size(), pairs);
  for (const double sd : prior.reward_sd) base::check_range("check_prior", "reward_sd", sd, 0, kLargestSd);
  for (const double strength : prior.transition_strength) {
    base::check_positive("check_prior", "transition_strength", strength);
  }
}

void check_stated(const mdp::PriorSpec& spec) {
  if (spec.reward_sd) base::check_nonnegative("prior", "reward_sd", *spec.reward_sd);
  base::check_nonnegative("prior", "reward_sd", spec.pair_reward_sd);
  if (spec.transition_strength)
    base::check_positive("prior", "transition_strength", *spec.transition_strength);
  for (const double strength : spec.pair_transition_strength)
    base::check_positive("prior", "transition_strength", strength);
  check_odds("prior", spec.odds);
  base::check_nonnegative("prior", "drift_sd", spec.drift_sd);
  UnseenOptions{.share = spec.unseen, .strength = spec.unseen_strength}.validate();
}

Prior stated_prior(const mdp::Model& model) {
  const mdp::PriorSpec spec = model.prior.value_or(mdp::PriorSpec{});
  check_stated(spec);
  const auto pairs = static_cast<std::size_t>(model.mdp.pairs());
  Prior prior{per_pair(spec.pair_reward_sd, spec.reward_sd, model.mdp.reward_max(), pairs),
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
  for (std::size_t k = 0; k < pairs; ++k) {
    const double n = count[k];
    if (n > 0) {
      const double bias = reward_bias_bound(options.odds, variance[k]) / 2;
      prior.reward_sd[k] = std::min(wide.reward_sd[k], std::hypot(std::sqrt(variance[k] / n), bias));
      double mean_square = 0;
      for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
        mean_square += mdp.probability()[i] * mdp.probability()[i];
      }
      const double strength = 1 / (1 / n + 1 / bias_strength(options.odds, mean_square));
      prior.transition_strength[k] = std::max(wide.transition_strength[k], strength);
    }
    prior.reward_sd[k] = std::max(prior.reward_sd[k], options.drift_sd);
  }
  return prior;
}

}  // namespace mindgap::belief
