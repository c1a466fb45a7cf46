#include "mindgap/belief/truncated_normal.h"

#include <gtest/gtest.h>

#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <numbers>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"

namespace mindgap::belief {
namespace truncated_normal_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

base::Stream stream_of(std::uint64_t trial) {
  return base::Stream({.seed = 7, .purpose = base::Purpose::test, .trial = trial});
}

// The integral of f over [from, to] against the standard normal density relative to its largest value there,
// in `pieces`, by another rule than the library's.
template <typename Function>
double integral(double from, double to, double nearest, Function f) {
  boost::math::quadrature::tanh_sinh<double> rule;
  double sum = 0;
  constexpr int kPieces = 24;
  for (int i = 0; i < kPieces; ++i) {
    const double a = from + (to - from) * i / kPieces, b = from + (to - from) * (i + 1) / kPieces;
    sum += rule.integrate([&](double z) { return f(z) * std::exp((nearest * nearest - z * z) / 2); }, a, b);
  }
  return sum;
}

// By hand: N(0, 1) above 0 has mean sqrt(2/pi) and variance 1 - 2/pi.
TEST(TruncatedNormal, HalfNormalByHand) {
  for (const double sign : {1.0, -1.0}) {
    const RewardBounds half = sign > 0 ? RewardBounds{0, kInfinity} : RewardBounds{-kInfinity, 0};
    const TruncatedMoments found = truncated_moments(0, 1, half);
    EXPECT_NEAR(found.mean, sign * std::sqrt(2 / std::numbers::pi), 1e-14);
    EXPECT_NEAR(found.variance, 1 - 2 / std::numbers::pi, 1e-14);
  }
}

TEST(TruncatedNormal, MomentsByQuadrature) {
  for (const double a : {-6.0, -1.0, 0.0, .3, 4.0, 12.0}) {
    for (const double width : {.01, .5, 3.0, 8.0}) {
      const double b = a + width, nearest = std::max(0.0, a);
      const double mass = integral(a, b, nearest, [](double) { return 1.0; });
      const double mean = integral(a, b, nearest, [](double z) { return z; }) / mass;
      const double variance =
          integral(a, b, nearest, [&](double z) { return (z - mean) * (z - mean); }) / mass;
      // x = 3 + 2 z, and its mirror image
      const TruncatedMoments found = truncated_moments(3, 2, {3 + 2 * a, 3 + 2 * b});
      EXPECT_NEAR(found.mean, 3 + 2 * mean, 1e-11) << a << " " << width;
      EXPECT_NEAR(found.variance, 4 * variance, 1e-9 * 4 * variance) << a << " " << width;
      const TruncatedMoments mirrored = truncated_moments(-3, 2, {-3 - 2 * b, -3 - 2 * a});
      EXPECT_NEAR(mirrored.mean, -found.mean, 1e-13);
      EXPECT_NEAR(mirrored.variance, found.variance, 1e-12 * found.variance);
    }
  }
}

// Far out in a tail the law above a is exponential with rate a: mean a + 1/a - 2/a^3 + ..., variance about
// 1/a^2. Doubles cannot hold the tail's probability there.
TEST(TruncatedNormal, FarInATail) {
  const TruncatedMoments found = truncated_moments(0, 1, {200, kInfinity});
  EXPECT_NEAR(found.mean, 200 + 1 / 200. - 2 / 8e6, 1e-9);
  EXPECT_NEAR(found.variance, 1 / 4e4 * (1 - 6 / 4e4), 1e-12);
  base::Stream stream = stream_of(1);
  double sum = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = sample_truncated(0, 1, {200, 201}, stream);
    ASSERT_GE(x, 200);
    ASSERT_LE(x, 201);
    sum += x - 200;
  }
  EXPECT_NEAR(sum / kDraws, 1 / 200., 5 / 200. / std::sqrt(kDraws));
}

// A draw is the inverse distribution function at its uniform word: the probability below it, by quadrature,
// is that word.
TEST(TruncatedNormal, ADrawIsTheQuantileOfItsWord) {
  for (const auto& [a, b] : {std::pair{-.5, 2.0},
                             {-2.0, .5},
                             {-3.0, kInfinity},
                             {0.0, 1.0},
                             {1.5, 9.0},
                             {6.0, 6.5},
                             {-7.0, -6.0},
                             {-kInfinity, -4.0},
                             {.2, .2 + 1e-6}}) {
    for (std::uint64_t trial = 0; trial < 40; ++trial) {
      base::Stream stream = stream_of(trial), same = stream_of(trial);
      const double u = base::uniform(same), x = sample_truncated(0, 1, {a, b}, stream);
      const double lower = std::max(a, -12.0), upper = std::min(b, 12.0);
      const double nearest = std::clamp(0.0, lower, upper);
      const auto one = [](double) { return 1.0; };
      const double below = integral(lower, x, nearest, one), all = integral(lower, upper, nearest, one);
      EXPECT_NEAR(below / all, u, b - a < 1e-5 ? 1e-7 : 1e-11) << a << " " << b;
      EXPECT_EQ(stream.next(), same.next());  // one word
    }
  }
}

TEST(TruncatedNormal, FarBoundsChangeNoBit) {
  EXPECT_EQ(truncated_moments(1, .5, {-100, 100}).mean, 1);
  EXPECT_EQ(truncated_moments(1, .5, {-100, 100}).variance, .25);
  base::Stream one = stream_of(3), two = stream_of(3);
  EXPECT_EQ(sample_truncated(1, .5, {-100, 100}, one), 1 + .5 * base::normal(two));
}

TEST(TruncatedNormal, WithoutSpreadTheNearestPoint) {
  base::Stream stream = stream_of(4);
  EXPECT_EQ(truncated_moments(2, 0, {0, 1}).mean, 1);
  EXPECT_EQ(truncated_moments(2, 0, {0, 1}).variance, 0);
  EXPECT_EQ(sample_truncated(.25, 0, {0, 1}, stream), .25);
}

TEST(TruncatedNormal, BadArguments) {
  base::Stream stream = stream_of(5);
  EXPECT_THROW(truncated_moments(0, 1, {1, 1}), InvalidArgument);
  EXPECT_THROW(truncated_moments(0, -1, {0, 1}), InvalidArgument);
  EXPECT_THROW(truncated_moments(std::nan(""), 1, {0, 1}), InvalidArgument);
  EXPECT_THROW(sample_truncated(0, 1, {1, 0}, stream), InvalidArgument);
}

}  // namespace truncated_normal_test
}  // namespace mindgap::belief
