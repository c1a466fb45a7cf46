#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mindgap/base/random.h"

// The rate of a demand that drifts and is seen only up to what was in stock.
namespace mindgap::belief {

struct DemandFilterOptions {
  double lowest_rate = 0.03;  // the grid: `points` rates, evenly spaced on the log scale
  double highest_rate = 250;
  std::int32_t points = 72;
  double prior_sd = 0.7;            // of the log rate around the rate given
  double drift_sd = 0.05;           // of the daily change of the log rate; 0: none
  double jump_probability = 0.002;  // per day, to a point of the grid drawn uniformly
  double dispersion = 15;           // r >= 1e-3 of the negative binomial demand; infinity: Poisson

  void validate() const;
};

/// The belief about the rate of a slot, on a grid (docs/math/beliefs.md). Each day the log rate takes a step,
/// then the day's sales are observed: predict(), observe(), predict(), ... A day without an observation (a
/// machine that is down) is a predict() alone.
///
/// The step on the grid is the random walk in continuous time with rate t = drift_sd^2/spacing^2: it moves by
/// j points with probability e^-t I_j(t) (I the modified Bessel function; Lindeberg's discrete Gaussian), so
/// its variance is drift_sd^2 exactly however coarse the grid, where a Gaussian sampled at the points would
/// have half of it at the defaults (spacing .127, sd .05), and two days are one of twice the variance. At the
/// ends of the grid it is reflected: mass stays 1 and a uniform belief stays uniform, where cutting off and
/// renormalising would push the belief inwards day by day.
///
/// Without drift and jumps the order of the observations does not matter. No step allocates.
class DemandFilter {
 public:
  /// The log rate is normal around log(rate), cut to the grid; rate must lie inside the grid.
  explicit DemandFilter(double rate, const DemandFilterOptions& options = {});

  /// One day passes.
  void predict();

  /// `sales` in 0 .. 1e6 were seen. Demand has mean rate * exposure (> 0). Censored: the stock ran out, so
  /// the demand was `sales` or more; else it was exactly that.
  void observe(std::int64_t sales, bool censored, double exposure = 1);

  /// Of the rate at exposure 1.
  double mean() const;
  /// The smallest rate of the grid that the true one does not exceed with at least this probability.
  double quantile(double probability) const;
  /// A rate of the grid. One word.
  double sample(base::Stream& stream) const;

  std::span<const double> rates() const { return rates_; }                // increasing
  std::span<const double> probabilities() const { return probability_; }  // one per rate, sum 1
  const DemandFilterOptions& options() const { return options_; }

 private:
  void normalise();
  double walk(std::int64_t point) const;

  DemandFilterOptions options_;
  std::vector<double> rates_;
  std::vector<double> kernel_;  // probability to move by j points up, j = 0, 1, ...; the same down
  std::vector<double> log_weight_, probability_;
};

/// log P(D >= stock) of a demand with the given mean and dispersion >= 1e-3 (infinity: Poisson), stock in
/// 0 .. 1e6.
/// Accurate in relative terms in both tails: from incomplete gamma and beta functions, never 1 - cdf, and
/// where those underflow from the first term of the sum of the probabilities and the ratios of the others.
double log_probability_at_least(std::int64_t stock, double mean, double dispersion);

}  // namespace mindgap::belief
