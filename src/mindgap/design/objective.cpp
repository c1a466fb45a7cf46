#include "mindgap/design/objective.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/base/check.h"

namespace mindgap::design {
namespace {

constexpr double kNoiseless = 1e9;  // tau sigma^2 of a reward without noise

}  // namespace

Objective::Objective(const gap::PvvWeights& weights, const gap::Precision& prior, Block block,
                     std::span<const double> credit)
    : reward_(weights.reward.size()), transition_(weights.reward.size()) {
  const char* function = "Objective";
  base::check_size(function, "transition weights", weights.transition.size(), size());
  base::check_size(function, "reward_variance", prior.reward_variance.size(), size());
  base::check_size(function, "observation_precision", prior.observation_precision.size(), size());
  base::check_size(function, "transition_strength", prior.transition_strength.size(), size());
  if (!credit.empty()) base::check_size(function, "credit", credit.size(), size());
  base::check_nonnegative(function, "credit", credit);
  base::check_nonnegative(function, "reward weights", weights.reward);
  base::check_nonnegative(function, "transition weights", weights.transition);
  base::check_nonnegative(function, "reward_variance", prior.reward_variance);
  for (std::size_t k = 0; k < size(); ++k) {
    const double already = credit.empty() ? 0 : credit[k], variance = prior.reward_variance[k];
    if (block != Block::transitions && weights.reward[k] > 0 && variance > 0) {
      base::check_range(function, "observation_precision", prior.observation_precision[k], 0,
                        std::numeric_limits<double>::infinity());
      const double tau = std::min(prior.observation_precision[k], kNoiseless / variance);
      reward_[k] = {weights.reward[k], 1 / variance + tau * already, tau};
    }
    const double strength = prior.transition_strength[k];
    if (block != Block::rewards && weights.transition[k] > 0 && std::isfinite(strength)) {
      base::check_positive(function, "transition_strength", strength);
      transition_[k] = {weights.transition[k], strength + already, 1};
    }
  }
}

double Objective::value(std::span<const double> n) const {
  double sum = 0;
  for (std::size_t k = 0; k < size(); ++k) {
    sum += reward_[k].weight / (reward_[k].base + reward_[k].rate * n[k]) +
           transition_[k].weight / (transition_[k].base + transition_[k].rate * n[k]);
  }
  return sum;
}

double Objective::derivatives(std::span<const double> n, std::span<double> gradient,
                              std::span<double> curvature) const {
  double sum = 0;
  for (std::size_t k = 0; k < size(); ++k) {
    double slope = 0, bend = 0;
    for (const Term* term : {&reward_[k], &transition_[k]}) {
      const double below = term->base + term->rate * n[k], value = term->weight / below;
      const double relative = term->rate / below;
      sum += value;
      slope -= value * relative;
      bend += 2 * value * relative * relative;
    }
    gradient[k] = slope;
    if (!curvature.empty()) curvature[k] = bend;
  }
  return sum;
}

std::vector<double> Objective::contributions(std::span<const double> n) const {
  base::check_size("Objective::contributions", "n", n.size(), size());
  std::vector<double> terms(size());
  for (std::size_t k = 0; k < size(); ++k) terms[k] = contribution(k, n[k]);
  return terms;
}

std::vector<double> Objective::reducible(std::span<const double> n) const {
  std::vector<double> terms = contributions(n);
  for (std::size_t k = 0; k < size(); ++k) {
    if (reward_[k].rate == 0) terms[k] -= reward_[k].weight / reward_[k].base;
  }
  return terms;
}

void Objective::worth_of_one_more(std::span<const double> n, std::span<double> worth) const {
  for (std::size_t k = 0; k < size(); ++k) {
    worth[k] = 0;
    for (const Term* term : {&reward_[k], &transition_[k]}) {
      const double below = term->base + term->rate * n[k];
      worth[k] += term->weight / below * (term->rate / (below + term->rate));
    }
  }
}

}  // namespace mindgap::design
