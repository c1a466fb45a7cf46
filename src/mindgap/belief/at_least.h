#pragma once

#include "mindgap/belief/gaussian.h"

// A reward of which only a bound was seen. At least: the stock ran out, the count was cut off. At most: a
// cost or a duration that had not ended (its reward is the negative of it).
namespace mindgap::belief {

/// The hazard of a standard normal beyond a, and how far it lies above a:
///   rate = phi(a) / (1 - Phi(a)),   excess = rate - a > 0.
/// Any finite a: below 5 from erfc, above by the continued fraction
///   excess = 1/(a + 2/(a + 3/(a + ...)))  (Abramowitz and Stegun 26.2.14),
/// where the difference would cancel. rate -> 0 for a -> -infinity.
struct NormalHazard {
  double rate = 0, excess = 0;
};
NormalHazard normal_hazard(double a);

/// After learning that x ~ N(theta, variance) was at least `bound`: the Gaussian with the mean and the
/// variance of the exact posterior (which is no Gaussian: a skew normal). With prior variance
/// t = 1/precision, s^2 = t + variance, a = (bound - mean)/s and the hazard above,
///   mean' = mean + (t/s) rate,   1/precision' = t (1 - (t/s^2) rate excess).
/// rate excess lies in (0, 1), so the mean never falls and the precision never does either. A known theta
/// stays as it is; a flat belief cannot be updated by a bound (its posterior is no distribution):
/// InvalidArgument. variance > 0, bound finite.
Gaussian update_at_least(const Gaussian& belief, double bound, double variance);

/// The same where x was at most `bound`: the mirror image, -x at least -bound. The mean never rises.
Gaussian update_at_most(const Gaussian& belief, double bound, double variance);

}  // namespace mindgap::belief
