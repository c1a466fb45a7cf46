#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "mindgap/design/objective.h"
#include "mindgap/design/occupancy.h"

// What the minimisers of f over the counts a pilot can have share: their result, and its certificate.
namespace mindgap::design {

enum class MinimumStatus {
  converged,        // the gap is as small as was asked
  iteration_limit,  // stopped early; counts and gap are valid, but the gap is wider than asked
  time_limit,       // likewise
  precision_limit,  // likewise: rounding in double precision allows no further step
};

std::string_view to_string(MinimumStatus status);

/// A policy, what it observes, and how far from the best it may be: value - gap <= min f <= value.
struct Minimum {
  MinimumStatus status = MinimumStatus::converged;
  /// The probability of pair k in its state: [step * pairs + k] for a finite pilot, [k] for the discounted
  /// form.
  std::vector<double> pi;
  std::vector<double> counts;  // n per pair
  double value = 0;            // f(counts)
  double gap = 0;
  double relative_gap = 0;  // gap / value; 0 where the value is 0
  std::int64_t iterations = 0;
  double seconds = 0;
};

/// Lower bounds on f over all counts a pilot can have. f is convex, so for any n >= 0, feasible or not,
///   f(n') >= f(n) - <grad f, n> - max_n' <-grad f, n'>  (docs/math/design.md),
/// and the largest such bound is kept. The max is a solve of the model with reward -grad f, bounded above.
class Certificate {
 public:
  /// Both must outlive the certificate. Throws InvalidArgument where their numbers of pairs differ.
  Certificate(const Objective& objective, const Occupancy& occupancies, int threads = 0);

  /// f at n, and into `price` -grad f, with 0 where no policy ever comes; into `curvature` (may be empty) the
  /// second derivatives.
  double price(std::span<const double> n, std::span<double> price, std::span<double> curvature = {}) const;
  /// Takes up the bound at n, with the max to about `accuracy` (in units of f; always on the safe side).
  /// `value`, of the discounted form, is a first guess of the value of the price per state; may be empty.
  void raise(std::span<const double> n, double accuracy, std::span<const double> value = {});
  /// The largest bound so far; never below 0, which f cannot pass.
  double lower_bound() const { return lower_; }
  /// value - lower bound, and the same as a share of the value.
  double gap(double value) const;
  double relative_gap(double value) const;
  /// 1 where some policy comes.
  std::span<const std::uint8_t> reachable() const { return reachable_; }

 private:
  double best_worth(std::span<const double> price, double accuracy, std::span<const double> value) const;

  const Objective& objective_;
  const Occupancy& occupancies_;
  int threads_;
  std::vector<std::uint8_t> reachable_;  // per state
  double lower_ = 0;
};

}  // namespace mindgap::design
