#include "mindgap/base/log_pmf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

#include "mindgap/base/error.h"

namespace mindgap::base {
namespace log_pmf_test {

using Wide = boost::multiprecision::cpp_bin_float_50;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The textbook forms with 50 digits, where nothing is lost to cancellation.
Wide log_gamma(Wide x) {
  Wide shift = 0;
  for (; x < 60; x += 1) shift += log(x);  // log Gamma(x) = log Gamma(x+1) - log x
  Wide sum = (x - Wide(0.5)) * log(x) - x + log(2 * boost::math::constants::pi<Wide>()) / 2;
  // B_2k / (2k (2k-1) x^(2k-1)), k = 1..12: the first term left out is below 1e-37 at x = 60
  const Wide bernoulli[] = {Wide(1) / 6,         -Wide(1) / 30,      Wide(1) / 42,
                            -Wide(1) / 30,       Wide(5) / 66,       -Wide(691) / 2730,
                            Wide(7) / 6,         -Wide(3617) / 510,  Wide(43867) / 798,
                            -Wide(174611) / 330, Wide(854513) / 138, -Wide(236364091) / 2730};
  Wide power = x;
  for (int k = 1; k <= 12; ++k, power *= x * x) sum += bernoulli[k - 1] / (2 * k * (2 * k - 1)) / power;
  return sum - shift;
}

Wide log_factorial(std::int64_t n) {
  return log_gamma(Wide(n) + 1);
}

double exact_poisson(std::int64_t k, double mean) {
  return static_cast<double>(k * log(Wide(mean)) - Wide(mean) - log_factorial(k));
}

double exact_binomial(std::int64_t k, std::int64_t n, double p) {
  return static_cast<double>(log_factorial(n) - log_factorial(k) - log_factorial(n - k) + k * log(Wide(p)) +
                             (n - k) * log(1 - Wide(p)));
}

// p(k) = (r/(r+m))^r (m/(r+m))^k prod_j (j-1+r)/j: no gamma function at all.
double exact_negative_binomial(std::int64_t k, double mean, double dispersion) {
  const Wide m = mean, r = dispersion;
  Wide product = 1;
  for (std::int64_t j = 1; j <= k; ++j) product *= (j - 1 + r) / j;
  return static_cast<double>(log(product) + r * log(r / (r + m)) + k * log(m / (r + m)));
}

// log(2^3 e^-2 / 3!) = log(4/3) - 2 and log(C(4,1) (1/4) (3/4)^3) = log(27/64)
TEST(LogPmf, ByHand) {
  EXPECT_DOUBLE_EQ(poisson_log_pmf(3, 2), std::log(4.0 / 3) - 2);
  EXPECT_DOUBLE_EQ(binomial_log_pmf(1, 4, 0.25), std::log(27.0 / 64));
}

TEST(LogPmf, PoissonAgreesWithFiftyDigits) {
  for (const double mean : {1e-3, 0.7, 10.0, 14.5, 1e3, 1e6, 1e9, 1e12, 1e15}) {
    for (const double sds : {-6.0, -1.0, 0.0, 0.01, 2.0, 7.0}) {
      const auto k = static_cast<std::int64_t>(std::max(0.0, std::round(mean + sds * std::sqrt(mean))));
      const double expected = exact_poisson(k, mean);
      EXPECT_NEAR(poisson_log_pmf(k, mean), expected, 4e-15 * std::abs(expected)) << k << " " << mean;
    }
  }
}

TEST(LogPmf, BinomialAgreesWithFiftyDigits) {
  for (const double n : {2.0, 17.0, 1e3, 1e6, 1e9, 1e12, 1e15}) {
    for (const double p : {1e-12, 1e-3, 0.3, 0.5, 0.999}) {
      const double sd = std::sqrt(n * p * (1 - p));
      for (const double sds : {-6.0, -1.0, 0.0, 0.01, 2.0, 7.0}) {
        const double x = std::clamp(std::round(n * p + sds * sd), 0.0, n);
        const double expected = exact_binomial(static_cast<std::int64_t>(x), static_cast<std::int64_t>(n), p);
        EXPECT_NEAR(binomial_log_pmf(static_cast<std::int64_t>(x), static_cast<std::int64_t>(n), p), expected,
                    4e-15 * std::max(1.0, std::abs(expected)))
            << x << " " << n << " " << p;
      }
    }
  }
}

// r = 1 is the geometric law: (1/(1+m)) (m/(1+m))^k; r = 2, m = 2, k = 3: 4 (1/2)^2 (1/2)^3 = 1/8.
TEST(LogPmf, NegativeBinomialByHand) {
  EXPECT_NEAR(negative_binomial_log_pmf(4, 3, 1), std::log(0.25) + 4 * std::log(0.75), 1e-15);
  EXPECT_NEAR(negative_binomial_log_pmf(3, 2, 2), std::log(0.125), 1e-15);
}

TEST(LogPmf, NegativeBinomialAgreesWithFiftyDigits) {
  for (const double dispersion : {1e-6, 0.3, 1.0, 7.5, 15.0, 15.5, 1e3, 1e9}) {
    for (const double mean : {1e-3, 0.7, 14.5, 250.0, 1e4}) {
      const double sd = std::sqrt(mean + mean * mean / dispersion);
      for (const double sds : {-6.0, -1.0, 0.0, 0.01, 2.0, 7.0}) {
        const auto k = static_cast<std::int64_t>(std::clamp(std::round(mean + sds * sd), 0.0, 2e4));
        const double expected = exact_negative_binomial(k, mean, dispersion);
        EXPECT_NEAR(negative_binomial_log_pmf(k, mean, dispersion), expected,
                    1e-14 * std::max(1.0, std::abs(expected)))
            << k << " " << mean << " " << dispersion;
      }
    }
  }
}

// The terms that differ from Poisson are (k - (k-m)^2)/(2r) + O(r^-2).
TEST(LogPmf, NegativeBinomialOfLargeDispersionIsPoisson) {
  EXPECT_NEAR(negative_binomial_log_pmf(7, 5, 1e13), poisson_log_pmf(7, 5), 2e-13);
  EXPECT_EQ(negative_binomial_log_pmf(7, 5, kInfinity), poisson_log_pmf(7, 5));
}

// Gamma(a+n)/Gamma(a) by hand: 2 * 3 * 4 = 24; and with 50 digits, small and large, whole and not.
TEST(LogPmf, LogRising) {
  EXPECT_NEAR(log_rising(2, 3), std::log(24), 1e-15);
  EXPECT_EQ(log_rising(.3, 0), 0);
  for (const double a : {1e-12, .01, .7, 3.0, 14.9, 15.1, 40.0, 1e4, 1e9}) {
    for (const double n : {.25, 1.0, 2.0, 5.5, 8.0, 9.0, 30.0, 1234.5, 1e6}) {
      const auto wanted = static_cast<double>(log_gamma(Wide(a) + Wide(n)) - log_gamma(Wide(a)));
      EXPECT_NEAR(log_rising(a, n), wanted, 1e-14 * std::max({1.0, std::abs(wanted), n})) << a << " " << n;
    }
  }
}

TEST(LogPmf, LimitCases) {
  EXPECT_EQ(poisson_log_pmf(0, 0), 0);
  EXPECT_EQ(poisson_log_pmf(1, 0), -kInfinity);
  EXPECT_EQ(poisson_log_pmf(-1, 2), -kInfinity);
  EXPECT_EQ(poisson_log_pmf(0, 3), -3);
  EXPECT_NEAR(poisson_log_pmf(1, 1e-300), std::log(1e-300), 1e-12);
  EXPECT_EQ(negative_binomial_log_pmf(0, 0, 2), 0);
  EXPECT_EQ(negative_binomial_log_pmf(1, 0, 2), -kInfinity);
  EXPECT_EQ(negative_binomial_log_pmf(-1, 2, 2), -kInfinity);
  EXPECT_EQ(binomial_log_pmf(0, 0, 0.5), 0);
  EXPECT_EQ(binomial_log_pmf(0, 5, 0), 0);
  EXPECT_EQ(binomial_log_pmf(1, 5, 0), -kInfinity);
  EXPECT_EQ(binomial_log_pmf(5, 5, 1), 0);
  EXPECT_EQ(binomial_log_pmf(4, 5, 1), -kInfinity);
  EXPECT_EQ(binomial_log_pmf(0, 5, 1), -kInfinity);
  EXPECT_EQ(binomial_log_pmf(5, 5, 0), -kInfinity);
  EXPECT_EQ(binomial_log_pmf(6, 5, 0.5), -kInfinity);
  EXPECT_EQ(binomial_log_pmf(-1, 5, 0.5), -kInfinity);
}

TEST(LogPmf, BadArgumentsThrow) {
  for (const double mean : {-1.0, kInfinity, std::nan("")}) {
    EXPECT_THROW(poisson_log_pmf(1, mean), InvalidArgument);
  }
  for (const double bad : {-1.0, kInfinity, std::nan("")}) {
    EXPECT_THROW(negative_binomial_log_pmf(1, bad, 2), InvalidArgument);
  }
  for (const double bad : {-1.0, 0.0, -kInfinity, std::nan("")}) {
    EXPECT_THROW(negative_binomial_log_pmf(1, 2, bad), InvalidArgument);
  }
  EXPECT_THROW(binomial_log_pmf(0, -1, 0.5), InvalidArgument);
  for (const double p : {-0.1, 1.1, std::nan("")}) {
    EXPECT_THROW(binomial_log_pmf(0, 1, p), InvalidArgument);
  }
}

}  // namespace log_pmf_test
}  // namespace mindgap::base
