#pragma once

#include <cstdint>

// Log probabilities of counts, accurate in relative terms where the textbook form (a difference of lgamma
// values of size n log n) has lost every digit.
namespace mindgap::base {

/// log of mean^k e^-mean / k!, for mean >= 0. mean = 0: 0 at k = 0, else -infinity. k < 0: -infinity.
double poisson_log_pmf(std::int64_t k, double mean);

/// log of C(n, k) p^k (1-p)^(n-k), for n >= 0 and p in [0, 1], with 0^0 = 1. k outside 0..n: -infinity.
double binomial_log_pmf(std::int64_t k, std::int64_t n, double p);

/// log of Gamma(k+r) / (Gamma(r) k!) q^r (1-q)^k, q = r/(r + mean): a Poisson count whose own mean is drawn
/// from a gamma law, of variance mean + mean^2/r. mean >= 0, dispersion r > 0; r = infinity is the Poisson.
/// mean = 0: 0 at k = 0, else -infinity. k < 0: -infinity.
double negative_binomial_log_pmf(std::int64_t k, double mean, double dispersion);

/// log of Gamma(a+n) / Gamma(a) = log of a (a+1) ... (a+n-1) for whole n: what one entry adds to a
/// Dirichlet-multinomial probability. a > 0, n >= 0, whole or not; 0 at n = 0. Small whole n: the product. a
/// above 15: Stirling's formula for both, with what is common to them taken out,
///   (a - 1/2) log(1 + n/a) + n (log(a+n) - 1) + delta(a+n) - delta(a).
double log_rising(double a, double n);

}  // namespace mindgap::base
