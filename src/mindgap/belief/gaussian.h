#pragma once

#include "mindgap/base/random.h"

// A mean reward seen through noise of known variance.
namespace mindgap::belief {

/// theta ~ N(mean, 1/precision). precision = infinity: theta is the mean, whatever is observed.
/// precision = 0: flat, nothing known; the mean then says nothing and the first observation replaces it.
struct Gaussian {
  double mean = 0;
  double precision = 1;

  bool operator==(const Gaussian&) const = default;
};

/// From a standard deviation: 0 gives precision infinity, infinity gives 0 (so do sds whose square over- or
/// underflows).
Gaussian gaussian_from_sd(double mean, double sd);

/// Throws InvalidArgument unless the mean is finite and the precision is 0 or more and not NaN.
void check(const Gaussian& belief);

/// After one observation x ~ N(theta, variance), variance > 0:
///   precision' = precision + 1/variance,   mean' = mean + (x - mean) / (variance precision').
Gaussian update(const Gaussian& belief, double observation, double variance);

/// After `count` >= 0 observations of which only the mean is known; the same as one by one, up to rounding.
/// A count need not be whole: a weighted or an expected one is fine.
Gaussian update(const Gaussian& belief, double count, double observed_mean, double variance);

/// 1/precision: 0 where theta is known, infinity where the belief is flat.
double variance(const Gaussian& belief);

/// One draw of theta; one word of the stream. A flat belief cannot be drawn from: InvalidArgument.
double sample(const Gaussian& belief, base::Stream& stream);

}  // namespace mindgap::belief
