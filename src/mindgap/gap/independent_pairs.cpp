#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/base/check.h"
#include "mindgap/gap/criterion.h"
#include "mindgap/gap/pvv.h"

namespace mindgap::gap {
namespace {

class Separable final : public Criterion {
 public:
  Separable(const PvvWeights& weights, const Precision& prior, Block block, std::span<const double> credit);

  std::size_t size() const override { return reward_.size(); }
  double value(std::span<const double> n) const override;
  double derivatives(std::span<const double> n, std::span<double> gradient,
                     std::span<double> curvature) const override;
  std::vector<double> shared_curvature(std::span<const double>,
                                       std::span<const std::span<const double>>) const override {
    return {};
  }
  std::unique_ptr<const Around> around(std::span<const double> n) const override;
  void worth_of_one_more(std::span<const double> n, std::span<double> worth) const override;
  std::vector<std::int32_t> relevant() const override;
  std::vector<double> contributions(std::span<const double> n) const override;
  std::vector<double> reducible(std::span<const double> n) const override;

 private:
  double contribution(std::size_t pair, double n) const {
    return reward_[pair].weight / (reward_[pair].base + reward_[pair].rate * n) +
           transition_[pair].weight / (transition_[pair].base + transition_[pair].rate * n);
  }

  // Each pair's contribution at n is computed once.
  class AroundCounts final : public Around {
   public:
    AroundCounts(const Separable& all, std::vector<double> now) : all_(all), now_(std::move(now)) {}

    double change(std::span<const std::int32_t> pairs, std::span<const double> after) const override {
      double sum = 0;
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto k = static_cast<std::size_t>(pairs[i]);
        sum += all_.contribution(k, after[i]) - now_[k];
      }
      return sum;
    }

   private:
    const Separable& all_;
    std::vector<double> now_;
  };

  // Each term is weight / (base + rate n).
  struct Term {
    double weight = 0, base = 1, rate = 0;
  };
  std::vector<Term> reward_, transition_;
};

Separable::Separable(const PvvWeights& weights, const Precision& prior, Block block,
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

double Separable::value(std::span<const double> n) const {
  double sum = 0;
  for (std::size_t k = 0; k < size(); ++k) sum += contribution(k, n[k]);
  return sum;
}

double Separable::derivatives(std::span<const double> n, std::span<double> gradient,
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

std::unique_ptr<const Criterion::Around> Separable::around(std::span<const double> n) const {
  return std::make_unique<AroundCounts>(*this, contributions(n));
}

std::vector<std::int32_t> Separable::relevant() const {
  std::vector<double> gradient(size());
  derivatives(std::vector<double>(size(), 0.0), gradient, {});
  std::vector<std::int32_t> result;
  for (std::size_t k = 0; k < size(); ++k) {
    if (gradient[k] != 0) result.push_back(static_cast<std::int32_t>(k));
  }
  return result;
}

std::vector<double> Separable::contributions(std::span<const double> n) const {
  base::check_size("Objective::contributions", "n", n.size(), size());
  std::vector<double> terms(size());
  for (std::size_t k = 0; k < size(); ++k) terms[k] = contribution(k, n[k]);
  return terms;
}

std::vector<double> Separable::reducible(std::span<const double> n) const {
  std::vector<double> terms = contributions(n);
  for (std::size_t k = 0; k < size(); ++k) {
    if (reward_[k].rate == 0) terms[k] -= reward_[k].weight / reward_[k].base;
  }
  return terms;
}

void Separable::worth_of_one_more(std::span<const double> n, std::span<double> worth) const {
  for (std::size_t k = 0; k < size(); ++k) {
    worth[k] = 0;
    for (const Term* term : {&reward_[k], &transition_[k]}) {
      const double below = term->base + term->rate * n[k];
      worth[k] += term->weight / below * (term->rate / (below + term->rate));
    }
  }
}

double reward_term(const PvvWeights& weights, const Precision& precision, std::size_t k, double n) {
  const double variance = precision.reward_variance[k];
  if (weights.reward[k] == 0 || variance == 0) return 0;
  if (n == 0) return weights.reward[k] * variance;
  return weights.reward[k] / (1 / variance + precision.observation_precision[k] * n);
}

double transition_term(const PvvWeights& weights, const Precision& precision, std::size_t k, double n) {
  return weights.transition[k] == 0 ? 0 : weights.transition[k] / (precision.transition_strength[k] + n);
}

class IndependentPairs final : public Dependence {
 public:
  bool needs_loads() const override { return false; }
  std::shared_ptr<const Criterion> criterion(const PvvWeights& weights, const Precision& precision,
                                             Block block, std::span<const double> credit) const override {
    return std::make_shared<Separable>(weights, precision, block, credit);
  }

  Terms terms(const PvvWeights& weights, const Precision& precision,
              std::span<const double> counts) const override {
    Terms result{std::vector<double>(weights.reward.size()), std::vector<double>(weights.reward.size())};
    for (std::size_t k = 0; k < weights.reward.size(); ++k) {
      const double n = counts.empty() ? 0 : counts[k];
      result.reward[k] = reward_term(weights, precision, k, n);
      result.transition[k] = transition_term(weights, precision, k, n);
    }
    return result;
  }
};

}  // namespace

std::shared_ptr<const Dependence> independent_pairs() {
  static const std::shared_ptr<const Dependence> kPairs = std::make_shared<IndependentPairs>();
  return kPairs;
}

}  // namespace mindgap::gap
