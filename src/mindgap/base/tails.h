#pragma once

#include <cstdint>

// Tail probabilities behind p-values, accurate in relative terms far into the tail: none of them is computed
// as 1 minus something near 1. Each throws InvalidArgument outside the domain given with it.
namespace mindgap::base {

/// P(|Z| >= |z|) of a standard normal Z: erfc(|z| / sqrt 2). 1 at z = 0, 0 at +-infinity; underflows to 0
/// beyond |z| of about 38. z must not be NaN.
double normal_two_sided(double z);

/// P(|T| >= |t|) of Student's t with the given degrees of freedom > 0 (infinity: the normal):
/// I_x(df/2, 1/2) at x = df / (df + t^2), the regularised incomplete beta function. t must not be NaN.
double student_two_sided(double t, double degrees_of_freedom);

/// P(X <= x) and P(X >= x) of the number X of successes in n >= 0 trials of probability p in [0, 1] each:
/// I_{1-p}(n-x, x+1) and I_p(x, n-x+1), exact in the sense that no approximation of the law is made. Any x:
/// below 0 and above n the tails are 0 or 1.
double binomial_lower_tail(std::int64_t x, std::int64_t n, double p);
double binomial_upper_tail(std::int64_t x, std::int64_t n, double p);

/// min(1, 2 min(P(X <= x), P(X >= x))): a p-value against "the probability is p" that is at most u with
/// chance at most u at every n (Clopper and Pearson 1934). 0 <= x <= n.
double binomial_two_sided(std::int64_t x, std::int64_t n, double p);

}  // namespace mindgap::base
