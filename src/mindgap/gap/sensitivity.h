#pragma once

#include <span>
#include <vector>

// How much conclusions can change where an input was guessed.
namespace mindgap::gap {

/// A range that a ratio lies in.
struct RatioBounds {
  double lower = 1;
  double upper = 1;
};

/// Var_beh(R|s,a) / Var_do(a)(R|s) where the historical actions followed a hidden state h with
/// w(h) = P(a|s,h) / P(a|s) in [1/M, M]: the ratio lies in [1/M, M]. Proof: historical expectations are
/// E_do[w f], so Var_beh <= E_beh (R - m)^2 = E_do w (R - m)^2 <= M Var_do with m the mean under do(a); and
/// the same with 1/w the other way. Both ends are attained (by R = -1, 0, 1 with w = M at the outer two).
/// Speaks of confounding alone: h must be distributed as in history. Domain: odds = M >= 1.
RatioBounds variance_ratio_bounds(double odds);

/// The paper's range for the same ratio, [1/M^2, M^2] (eq. bpo-sensitivity-bound): valid, but never attained.
RatioBounds variance_ratio_bounds_paper(double odds);

/// A criterion sum_k W_k / (i0_k + tau_k n_k) of counts n: what is left of the variance of a target's value
/// when pair k is observed n_k times.
struct PrecisionProblem {
  std::vector<double> weight;           // W >= 0
  std::vector<double> prior_precision;  // i0 = 1 / prior variance, >= 0
  std::vector<double> precision;        // tau = 1 / variance of one observation, > 0

  /// Throws InvalidArgument where sizes differ or a number is out of its domain.
  void validate() const;
};

/// The criterion at `counts` (>= 0, one per pair). Infinite where a pair with weight has neither prior nor
/// observations; pairs of weight 0 count nothing.
double remaining_variance(const PrecisionProblem& problem, std::span<const double> counts);

/// The counts >= 0 with the given total that minimise it, by water-filling: with one level lambda for all
///   n_k = max(0, sqrt(W_k / (lambda tau_k)) - i0_k / tau_k).
/// Pairs enter in the order of W tau / i0^2, so lambda is found by one pass over the sorted pairs. A total of
/// 0, or only weights of 0, gives 0 everywhere.
std::vector<double> best_counts(const PrecisionProblem& problem, double total);

/// What a wrong observation precision costs: a design made for `guess` and judged by the truth.
/// With M = max_k max(guess_k/true_k, true_k/guess_k),
///   remaining_variance(designed) <= M^2 remaining_variance(best)  under the true precision
/// (paper, prop. tau-obs-rank-stability) for any set of designs, provided `designed` is best in that set
/// under the guess.
struct RankStability {
  double precision_ratio = 1;  // M
  double bound = 1;            // M^2
  double designed = 0;         // remaining variance of the design made for the guess
  double best = 0;             // of the one made for the truth
  double ratio = 1;            // designed / best; 1 where both are 0
};

/// `problem` has the true precision. The counts are those of the two designs, however found.
RankStability rank_stability(const PrecisionProblem& problem, std::span<const double> guessed_precision,
                             std::span<const double> designed_counts, std::span<const double> best_counts);

}  // namespace mindgap::gap
