#pragma once

#include <limits>

#include "mindgap/base/random.h"

// A normal law of which it is known that the variate lies in an interval.
namespace mindgap::belief {

/// Where a mean reward can lie. Infinite: no bound on that side.
struct RewardBounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();

  bool operator==(const RewardBounds&) const = default;
};

/// Whether there is a bound at all.
bool bounded(const RewardBounds& bounds);

struct TruncatedMoments {
  double mean = 0;
  double variance = 0;
};

/// Mean and variance of X ~ N(mean, sd^2) given lower <= X <= upper:
///   E f(X) = integral of f(x) exp(-(x-mean)^2/(2 sd^2)) over the interval, divided by that of f = 1,
/// by Gauss-Legendre quadrature on the part of the interval where the integrand is above e^-45 of its largest
/// value. Nothing cancels, however far the interval lies in a tail. sd >= 0, lower < upper. A bound more than
/// 10 sd away changes nothing that a double can hold: then the moments are exactly mean and sd^2. For sd = 0
/// the nearest point of the interval.
TruncatedMoments truncated_moments(double mean, double sd, const RewardBounds& bounds);

/// One draw of that law, by its inverse distribution function: one word, nondecreasing in it, inside the
/// bounds. In the tails the inverse comes from Newton's method on the logarithm of the survival function.
/// Where no bound is within 10 sd the draw is that of the normal law, bit by bit.
double sample_truncated(double mean, double sd, const RewardBounds& bounds, base::Stream& stream);

}  // namespace mindgap::belief
