#include "mindgap/base/tails.h"

#include <gtest/gtest.h>

#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

#include "mindgap/base/error.h"

namespace mindgap::base {
namespace tails_test {

using Wide = boost::multiprecision::cpp_bin_float_50;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double relative_error(double value, const Wide& reference) {
  return static_cast<double>(abs((Wide(value) - reference) / reference));
}

// P(|Z| >= z) = 2 phi(z) / (z + 1/(z + 2/(z + 3/(z + ...)))), Laplace's continued fraction in 50 digits.
Wide wide_normal_two_sided(double z) {
  Wide tail = z;
  for (int k = 4000; k > 0; --k) tail = z + k / tail;
  return 2 * exp(-Wide(z) * z / 2) / boost::math::constants::root_two_pi<Wide>() / tail;
}

// Whole degrees of freedom: with a = atan(t / sqrt df), P(|T| < t) is a finite sum (Abramowitz and Stegun
// 26.7.3-4):  odd df: 2/pi (a + sin a (cos a + 2/3 cos^3 a + ... )),  even df: sin a (1 + 1/2 cos^2 a + ...).
// 50 digits leave enough of 1 minus it.
Wide wide_student_two_sided(double t, int df) {
  const Wide root = sqrt(Wide(df)), cosine = 1 / sqrt(1 + Wide(t) * t / df), sine = t / root * cosine;
  Wide sum = 0;
  if (df % 2 == 0) {
    Wide term = 1;
    for (int k = 1; k <= df / 2; ++k) {
      sum += term;
      term *= cosine * cosine * (2 * k - 1) / (2 * k);
    }
    return 1 - sine * sum;
  }
  Wide term = cosine;
  for (int k = 1; k <= (df - 1) / 2; ++k) {
    sum += term;
    term *= cosine * cosine * (2 * k) / (2 * k + 1);
  }
  return 1 - 2 / boost::math::constants::pi<Wide>() * (atan(Wide(t) / root) + sine * sum);
}

// Sums the probabilities of from..to one by one.
Wide wide_binomial(std::int64_t from, std::int64_t to, std::int64_t n, double p) {
  Wide term = pow(1 - Wide(p), n), sum = 0;
  for (std::int64_t k = 0; k <= to; ++k) {
    if (k >= from) sum += term;
    term *= Wide(p) * (n - k) / ((1 - Wide(p)) * (k + 1));
  }
  return sum;
}

TEST(Tails, NormalAgainstFiftyDigits) {
  for (const double z : {1.0, 1.96, 3.0, 5.0, 10.0, 20.0, 30.0, 37.0}) {
    EXPECT_LT(relative_error(normal_two_sided(z), wide_normal_two_sided(z)), 1e-12) << z;
    EXPECT_EQ(normal_two_sided(z), normal_two_sided(-z));
  }
}

TEST(Tails, NormalLimits) {
  EXPECT_EQ(normal_two_sided(0), 1);
  EXPECT_EQ(normal_two_sided(kInfinity), 0);
  EXPECT_EQ(normal_two_sided(-kInfinity), 0);
  EXPECT_THROW(normal_two_sided(std::nan("")), InvalidArgument);
}

TEST(Tails, StudentAgainstFiftyDigits) {
  for (const int df : {1, 2, 3, 7, 30, 101, 1000}) {
    for (const double t : {1e-3, .5, 1.0, 2.5, 6.0, 10.0}) {
      EXPECT_LT(relative_error(student_two_sided(t, df), wide_student_two_sided(t, df)), 1e-12)
          << "t " << t << " df " << df;
    }
  }
}

// df = 1 is Cauchy, 2/pi atan(1/t); df = 2 is 1 - t/sqrt(2+t^2) = 2 / (sqrt(2+t^2) (sqrt(2+t^2) + t)).
TEST(Tails, StudentClosedFormsFarOut) {
  for (const double t : {1e3, 1e8, 1e12}) {
    EXPECT_NEAR(student_two_sided(t, 1) / (std::atan(1 / t) * 2 / std::acos(-1.0)), 1, 1e-12) << t;
    const double root = std::sqrt(2 + t * t);
    EXPECT_NEAR(student_two_sided(-t, 2) / (2 / (root * (root + t))), 1, 1e-12) << t;
  }
}

TEST(Tails, StudentTendsToTheNormal) {
  for (const double t : {.5, 2.0, 5.0}) {
    EXPECT_EQ(student_two_sided(t, kInfinity), normal_two_sided(t));
    // The first term of the expansion in 1/df: 2 phi(t) (t^3 + t) / (4 df).
    const double density = std::exp(-t * t / 2) / std::sqrt(2 * std::acos(-1.0));
    const double excess = student_two_sided(t, 1e6) - normal_two_sided(t);
    EXPECT_NEAR(excess / (2 * density * (t * t * t + t) / 4e6), 1, 1e-3) << t;
  }
}

TEST(Tails, StudentLimits) {
  EXPECT_EQ(student_two_sided(0, 3), 1);
  EXPECT_EQ(student_two_sided(kInfinity, 3), 0);
  EXPECT_THROW(student_two_sided(std::nan(""), 3), InvalidArgument);
  EXPECT_THROW(student_two_sided(1, 0), InvalidArgument);
  EXPECT_THROW(student_two_sided(1, -1), InvalidArgument);
  EXPECT_THROW(student_two_sided(1, std::nan("")), InvalidArgument);
}

// n = 4, p = 1/2: probabilities 1 4 6 4 1 sixteenths.
TEST(Tails, BinomialByHand) {
  EXPECT_NEAR(binomial_lower_tail(1, 4, .5), 5.0 / 16, 1e-15);
  EXPECT_NEAR(binomial_upper_tail(3, 4, .5), 5.0 / 16, 1e-15);
  EXPECT_NEAR(binomial_two_sided(1, 4, .5), 10.0 / 16, 1e-15);
  EXPECT_EQ(binomial_two_sided(2, 4, .5), 1);
  EXPECT_NEAR(binomial_two_sided(4, 4, .5), 2.0 / 16, 1e-15);
}

TEST(Tails, BinomialAgainstSummation) {
  for (const std::int64_t n : {1, 5, 40, 1000}) {
    for (const double p : {1e-6, .01, .3, .5, .97}) {
      for (const std::int64_t x : {std::int64_t{0}, n / 7, n / 2, n - 1, n}) {
        const auto place = ::testing::Message() << "x " << x << " n " << n << " p " << p;
        const Wide lower = wide_binomial(0, x, n, p), upper = wide_binomial(x, n, n, p);
        if (lower > 1e-290) {
          EXPECT_LT(relative_error(binomial_lower_tail(x, n, p), lower), 1e-12) << place;
        }
        if (upper > 1e-290) {
          EXPECT_LT(relative_error(binomial_upper_tail(x, n, p), upper), 1e-12) << place;
        }
      }
    }
  }
}

TEST(Tails, BinomialLimits) {
  EXPECT_EQ(binomial_lower_tail(-1, 3, .5), 0);
  EXPECT_EQ(binomial_lower_tail(3, 3, .5), 1);
  EXPECT_EQ(binomial_upper_tail(0, 3, .5), 1);
  EXPECT_EQ(binomial_upper_tail(4, 3, .5), 0);
  EXPECT_EQ(binomial_two_sided(0, 0, .5), 1);
  EXPECT_EQ(binomial_two_sided(0, 9, 0), 1);  // certain outcomes
  EXPECT_EQ(binomial_two_sided(9, 9, 1), 1);
  EXPECT_EQ(binomial_two_sided(1, 9, 0), 0);  // impossible ones
  EXPECT_EQ(binomial_two_sided(8, 9, 1), 0);
  EXPECT_THROW(binomial_lower_tail(0, -1, .5), InvalidArgument);
  EXPECT_THROW(binomial_upper_tail(0, 1, 1.5), InvalidArgument);
  EXPECT_THROW(binomial_two_sided(2, 1, .5), InvalidArgument);
  EXPECT_THROW(binomial_two_sided(-1, 1, .5), InvalidArgument);
  EXPECT_THROW(binomial_two_sided(0, 1, std::nan("")), InvalidArgument);
}

// P(p-value <= u) <= u at every u that can occur, by summing over all outcomes.
TEST(Tails, BinomialTwoSidedIsSuperUniform) {
  for (const std::int64_t n : {1, 4, 23}) {
    for (const double p : {.05, .5, .83}) {
      for (std::int64_t x = 0; x <= n; ++x) {
        const double u = binomial_two_sided(x, n, p);
        Wide chance = 0;
        for (std::int64_t y = 0; y <= n; ++y) {
          if (binomial_two_sided(y, n, p) <= u) chance += wide_binomial(y, y, n, p);
        }
        EXPECT_LE(static_cast<double>(chance), u * (1 + 1e-12)) << "x " << x << " n " << n << " p " << p;
      }
    }
  }
}

}  // namespace tails_test
}  // namespace mindgap::base
