#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mindgap/base/random.h"
#include "mindgap/belief/kernel.h"

// Mean rewards that are correlated between states.
namespace mindgap::belief {

/// What was observed, per state: `count` (0: not visited; the two others then say nothing), the mean of the
/// observations, and the variance of one observation around the state's true mean.
struct FieldObservations {
  std::span<const double> count;
  std::span<const double> mean;
  std::span<const double> variance;
};

/// theta ~ N(mean, K) over the states, before or after observations. Copies share the matrix.
class GaussianProcess {
 public:
  /// InvalidArgument where a number is not finite, a variance is negative or the matrix is not symmetric;
  /// NumericalError where it is not positive semidefinite beyond rounding. Both name a state by its number.
  GaussianProcess(std::vector<double> mean, Kernel covariance);

  std::int64_t states() const { return covariance_->states; }
  std::span<const double> mean() const { return mean_; }
  const Kernel& covariance() const { return *covariance_; }
  /// The largest variance before any observation; rounding errors of the covariance are relative to it.
  double scale() const { return scale_; }
  std::vector<double> variances() const;
  /// The sum of the variances of these states.
  double trace(std::span<const std::int64_t> states) const;

  /// After the observations (eq:hier-post-cov, which gives the unvisited block). With V the visited states
  /// and S = diag(variance/count):
  ///   mean' = mean + K_.V (K_VV + S)^-1 (observed - mean_V),  K' = K - K_.V (K_VV + S)^-1 K_V.
  /// One Cholesky factorisation, of the visited block. Exact; as counts grow K' goes to the Schur complement
  /// of the visited block, which is 0 only where the visited states determine the others. Observations may
  /// come in any order and number of parts. NumericalError with the state where K_VV + S is singular:
  /// observations without noise of a state that the others already determine.
  GaussianProcess posterior(const FieldObservations& observations) const;

  /// The variances after so many observations, whatever they will be; cheaper than posterior().
  std::vector<double> posterior_variances(std::span<const double> count,
                                          std::span<const double> variance) const;

 private:
  GaussianProcess() = default;
  std::vector<double> mean_;
  std::shared_ptr<const Kernel> covariance_;
  double scale_ = 0;
};

/// Draws whole fields. Factors the covariance once, by a pivoted Cholesky that stops at the rank: a state
/// that is known, or determined by others, is no difficulty.
class FieldSampler {
 public:
  explicit FieldSampler(const GaussianProcess& process);
  /// One value per state. As many words of the stream as the rank.
  void sample(base::Stream& stream, std::span<double> out) const;
  std::int64_t rank() const { return rank_; }

 private:
  std::vector<double> mean_;
  std::vector<double> root_;  // states x rank, column by column
  std::int64_t rank_ = 0;
};

}  // namespace mindgap::belief
