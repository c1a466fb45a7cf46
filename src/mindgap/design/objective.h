#pragma once

#include <span>
#include <vector>

#include "mindgap/gap/pvv.h"

namespace mindgap::design {

enum class Block { rewards, transitions, both };  // Fisher-SEP-R, Fisher-SEP-T, the full criterion

/// What a pilot is to make small, as a function of the expected numbers of observations n(s,a) per pair:
///   f(n) = sum_k W_r / (1/sigma^2 + tau n) + W_p / (alpha + n),
/// convex, decreasing, and separable. Terms without weight, or of what is known (sigma = 0), are 0.
class Objective {
 public:
  /// `weights.reward` and `.transition` and `prior` as gap::pvv_weights and gap::precision_of give them, all
  /// per pair. `credit` (empty: none) is what will be observed anyway: it is added to n in every term. A
  /// noiseless reward (infinite tau) counts as one whose first look removes all but 1e-9 of its variance.
  /// Throws InvalidArgument where sizes or domains do not fit.
  Objective(const gap::PvvWeights& weights, const gap::Precision& prior, Block block = Block::both,
            std::span<const double> credit = {});

  std::size_t size() const { return reward_.size(); }
  double value(std::span<const double> n) const;
  /// What one pair contributes to f where it is observed n times.
  double contribution(std::size_t pair, double n) const {
    return reward_[pair].weight / (reward_[pair].base + reward_[pair].rate * n) +
           transition_[pair].weight / (transition_[pair].base + transition_[pair].rate * n);
  }
  /// The same of every pair: sums to value(n). And without what no observation reduces, rewards whose
  /// observations have precision 0.
  std::vector<double> contributions(std::span<const double> n) const;
  std::vector<double> reducible(std::span<const double> n) const;
  /// f and its derivatives by each n; the diagonal of the second ones in `curvature` (may be empty).
  double derivatives(std::span<const double> n, std::span<double> gradient,
                     std::span<double> curvature = {}) const;

  /// What one whole observation more of each pair alone would take off f: f(n) - f(n + 1 at k).
  void worth_of_one_more(std::span<const double> n, std::span<double> worth) const;

 private:
  // Each term is weight / (base + rate n).
  struct Term {
    double weight = 0, base = 1, rate = 0;
  };
  std::vector<Term> reward_, transition_;
};

}  // namespace mindgap::design
