#include "mindgap/design/contributions.h"

#include <algorithm>

#include "mindgap/base/check.h"

namespace mindgap::design {
namespace {

constexpr double kNoiseless = 1e9;  // as in Objective: tau sigma^2 of a reward without noise

}  // namespace

Contributions::Contributions(const gap::PvvWeights& weights, const gap::Precision& prior, Block block,
                             std::span<const double> credit)
    : prior_(prior), credit_(credit.begin(), credit.end()) {
  const Objective checked(weights, prior, block, credit);
  weights_.reward = weights.reward;
  weights_.transition = weights.transition;
  if (block == Block::transitions) std::fill(weights_.reward.begin(), weights_.reward.end(), 0.0);
  if (block == Block::rewards) std::fill(weights_.transition.begin(), weights_.transition.end(), 0.0);
  for (std::size_t k = 0; k < weights_.reward.size(); ++k) {
    const double variance = prior_.reward_variance[k];
    if (variance > 0) {
      prior_.observation_precision[k] = std::min(prior_.observation_precision[k], kNoiseless / variance);
    }
  }
}

std::vector<double> Contributions::all(std::span<const double> n) const {
  return values(n, false);
}

std::vector<double> Contributions::reducible(std::span<const double> n) const {
  return values(n, true);
}

std::vector<double> Contributions::values(std::span<const double> n, bool reducible_only) const {
  base::check_size("Contributions", "n", n.size(), weights_.reward.size());
  std::vector<double> counts(n.begin(), n.end());
  for (std::size_t k = 0; k < credit_.size(); ++k) counts[k] += credit_[k];
  if (!reducible_only) return gap::pvv_contributions(weights_, prior_, counts);
  gap::PvvWeights weights = weights_;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (prior_.observation_precision[k] == 0) weights.reward[k] = 0;
  }
  return gap::pvv_contributions(weights, prior_, counts);
}

}  // namespace mindgap::design
