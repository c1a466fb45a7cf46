#include "mindgap/base/log_pmf.h"

#include <array>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

#include "mindgap/base/check.h"

namespace mindgap::base {
namespace {

constexpr double kLogTwoPi = 1.837877066409345483560659;

// delta(n) = log n! - [(n + 1/2) log n - n + log(2 pi)/2], n >= 1: what Stirling's formula leaves out.
// Loader (2000), "Fast and accurate computation of binomial probabilities": the exact values up to 15
// (computed with 50 digits), then the series 1/(12 n) - 1/(360 n^3) + 1/(1260 n^5) - 1/(1680 n^7) +
// 1/(1188 n^9), whose first term left out is below 2e-16 for n > 15.
double stirling_error(double n) {
  static constexpr std::array<double, 16> kExact = {0,  // not used
                                                    0.08106146679532725822,
                                                    0.041340695955409294094,
                                                    0.027677925684998339149,
                                                    0.020790672103765093112,
                                                    0.016644691189821192163,
                                                    0.013876128823070747999,
                                                    0.011896709945891770095,
                                                    0.010411265261972096497,
                                                    0.0092554621827127329,
                                                    0.0083305634333628712565,
                                                    0.007573675487951840795,
                                                    0.0069428401072095298657,
                                                    0.0064089941880042070684,
                                                    0.0059513701127588477356,
                                                    0.005554733551962801371};
  if (n <= 15) return kExact[static_cast<std::size_t>(n)];
  const double r = 1 / (n * n);
  return (1 / 12.0 - (1 / 360.0 - (1 / 1260.0 - (1 / 1680.0 - r / 1188.0) * r) * r) * r) / n;
}

// Not std::lgamma: that one writes the sign of Gamma to a global variable, which threads would share.
double log_gamma_function(double x) {
  return boost::math::lgamma(x,
                             boost::math::policies::policy<boost::math::policies::promote_double<false>>());
}

// The same for any real x > 0; up to 15 from its definition, where log Gamma(x+1) is below 28.
double real_stirling_error(double x) {
  if (x > 15 || x == std::floor(x)) return stirling_error(x);
  return log_gamma_function(x + 1) - ((x + 0.5) * std::log(x) - x + 0.5 * kLogTwoPi);
}

// D(x, m) = x log(x/m) + m - x >= 0, the deviance part, for x, m > 0. Loader (2000): near x = m the terms
// cancel; with v = (x-m)/(x+m), log(x/m) = 2 atanh(v) gives D = (x-m) v + 2 x (v^3/3 + v^5/5 + ...).
double deviance(double x, double m) {
  const double d = x - m;
  if (std::abs(d) >= 0.1 * (x + m)) {
    const double log_ratio = m < 1e-280 ? std::log(x) - std::log(m) : std::log(x / m);  // x / m may overflow
    return x * log_ratio - d;
  }
  const double v = d / (x + m);
  double sum = d * v;
  double term = 2 * x * v;
  for (int j = 3;; j += 2) {
    term *= v * v;
    const double next = sum + term / j;
    if (next == sum) return sum;
    sum = next;
  }
}

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

}  // namespace

// log p(k) = -delta(k) - D(k, mean) - log(2 pi k)/2 for k >= 1 (Loader 2000); -mean at k = 0.
double poisson_log_pmf(std::int64_t k, double mean) {
  check_nonnegative("poisson_log_pmf", "mean", mean);
  if (k < 0) return kImpossible;
  if (k == 0) return -mean;
  if (mean == 0) return kImpossible;
  const auto x = static_cast<double>(k);
  return -stirling_error(x) - deviance(x, mean) - 0.5 * (kLogTwoPi + std::log(x));
}

// log p(k) = delta(n) - delta(k) - delta(n-k) - D(k, np) - D(n-k, nq) + log(n / (2 pi k (n-k)))/2 for
// 0 < k < n (Loader 2000); n log q at k = 0 and n log p at k = n. Departure: what rounding took from np and
// nq is put back to first order, dD(x, m)/dm = (m - x)/m; for n = 1e15 it would cost 1e-9.
double binomial_log_pmf(std::int64_t k, std::int64_t n, double p) {
  check_nonnegative("binomial_log_pmf", "n", static_cast<double>(n));
  check_probability("binomial_log_pmf", "p", p);
  if (k < 0 || k > n) return kImpossible;
  const auto size = static_cast<double>(n);
  const auto x = static_cast<double>(k);
  const auto y = static_cast<double>(n - k);
  if (n == 0) return 0;
  if (k == 0) return p == 1 ? kImpossible : size * std::log1p(-p);
  if (p == 0) return kImpossible;
  if (k == n) return size * std::log(p);
  if (p == 1) return kImpossible;
  const double q = 1 - p;
  const double np = size * p;
  const double nq = size * q;
  const double lost_np = std::fma(size, p, -np);
  const double lost_nq = std::fma(size, q, -nq) + size * ((1 - q) - p);
  const double deviances =
      (deviance(x, np) + lost_np * ((np - x) / np)) + (deviance(y, nq) + lost_nq * ((nq - y) / nq));
  return stirling_error(size) - stirling_error(x) - stirling_error(y) - deviances +
         0.5 * (std::log(size / x / y) - kLogTwoPi);
}

// With N = k + r and factorials of real numbers, p(k) = r/N C(N, k) (1-q)^k q^r: the binomial form above with
// n = N and p = 1-q (Loader 2000), for k >= 1. At k = 0: -r log(1 + mean/r).
double negative_binomial_log_pmf(std::int64_t k, double mean, double dispersion) {
  if (dispersion == std::numeric_limits<double>::infinity()) return poisson_log_pmf(k, mean);
  check_nonnegative("negative_binomial_log_pmf", "mean", mean);
  check_positive("negative_binomial_log_pmf", "dispersion", dispersion);
  if (k < 0) return kImpossible;
  if (mean == 0) return k == 0 ? 0 : kImpossible;
  const double r = dispersion;
  if (k == 0) return -r * std::log1p(mean / r);
  const auto x = static_cast<double>(k);
  const double size = x + r;
  const double deviances = deviance(x, size * (mean / (r + mean))) + deviance(r, size * (r / (r + mean)));
  return real_stirling_error(size) - stirling_error(x) - real_stirling_error(r) - deviances +
         0.5 * (std::log(r / x / size) - kLogTwoPi);
}

double log_rising(double a, double n) {
  constexpr double kFewFactors = 8,
                   kFactorsFit = 1e30;  // a product of 8 factors below 1e30 does not overflow
  if (n == 0) return 0;
  if (n <= kFewFactors && n == std::floor(n) && a < kFactorsFit && a > 1 / kFactorsFit) {
    double product = a;
    for (double i = 1; i < n; ++i) product *= a + i;
    return std::log(product);
  }
  if (a <= 15) return log_gamma_function(a + n) - log_gamma_function(a);
  return (a - .5) * std::log1p(n / a) + n * (std::log(a + n) - 1) + stirling_error(a + n) - stirling_error(a);
}

}  // namespace mindgap::base
