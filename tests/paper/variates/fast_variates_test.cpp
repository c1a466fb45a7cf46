// Samplers on a FastStream against the distribution functions of Boost.Math, at fixed seeds. A correct
// sampler fails one of the fits here with probability 1e-6.
#include "paper/variates/fast_variates.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <limits>
#include <vector>

#include "base/goodness_of_fit.h"
#include "mindgap/base/error.h"

namespace mindgap::variates {
namespace fast_variates_test {

namespace bm = boost::math;
using Policy = bm::policies::policy<bm::policies::promote_double<false>>;

constexpr double kFails = 1e-6;

FastStream stream_of(std::uint64_t trial) {
  return FastStream(base::StreamKey{.seed = 20240607, .purpose = base::Purpose::test, .trial = trial});
}

// Every layer has the area of the first, which is half the normal's sqrt(pi/2) over 256 layers, up to the
// part of the rectangles that lies above the curve: so compare layers with each other, and the last with the
// top 1.
TEST(FastNormal, LayersAreOfOneArea) {
  const NormalZiggurat& z = kNormalZiggurat;
  const double area = z.edge[0] * z.height[1];
  for (std::size_t i = 1; i < NormalZiggurat::kLayers; ++i) {
    EXPECT_NEAR(z.edge[i] * (z.height[i + 1] - z.height[i]), area, 1e-12) << i;
    EXPECT_LT(z.edge[i + 1], z.edge[i]);
  }
  EXPECT_EQ(z.height[NormalZiggurat::kLayers], 1);
  // r f(r) and the tail beyond r.
  const bm::normal_distribution<double, Policy> law;
  const double r = z.edge[1], tail = bm::cdf(bm::complement(law, r)) * std::sqrt(2 * std::acos(-1.0));
  EXPECT_NEAR(r * z.height[1] + tail, area, 1e-14);
}

void normal_fits(int n) {
  FastStream stream = stream_of(1);
  std::vector<double> values;
  int beyond = 0;
  for (int i = 0; i < n; ++i) {
    values.push_back(fast_normal(stream));
    beyond += std::abs(values.back()) > kNormalZiggurat.edge[1] ? 1 : 0;
  }
  const bm::normal_distribution<double, Policy> law;
  EXPECT_GT(base::ks_p_value(values, [&](double x) { return bm::cdf(law, x); }), kFails);
  const double tail = 2 * n * bm::cdf(bm::complement(law, kNormalZiggurat.edge[1]));
  EXPECT_NEAR(beyond, tail, 5 * std::sqrt(tail) + 1);
}

TEST(FastNormal, Fits) {
  normal_fits(50'000);
}

TEST(FastNormalLong, Fits) {
  normal_fits(3'000'000);
}

// Where a draw lies in the narrow parts: 40 cells of equal probability in each of the two tails beyond 2.5.
TEST(FastNormal, TailsFit) {
  FastStream stream = stream_of(2);
  const bm::normal_distribution<double, Policy> law;
  const double share = bm::cdf(bm::complement(law, 2.5));
  std::vector<double> above;
  for (int i = 0; i < 1'000'000; ++i) {
    const double x = std::abs(fast_normal(stream));
    if (x > 2.5) above.push_back(x);
  }
  const auto cdf = [&](double x) { return 1 - bm::cdf(bm::complement(law, x)) / share; };
  EXPECT_GT(base::ks_p_value(above, cdf), kFails);
}

// Means of z, z^2, z^3, z^4 are 0, 1, 0, 3 with variances 1, 2, 15, 96 (within 5 standard errors).
TEST(FastNormal, Moments) {
  constexpr int kDraws = 200'000;
  FastStream stream = stream_of(3);
  double sums[4] = {};
  for (int i = 0; i < kDraws; ++i) {
    const double z = fast_normal(stream);
    sums[0] += z;
    sums[1] += z * z;
    sums[2] += z * z * z;
    sums[3] += z * z * z * z;
  }
  const double means[4] = {0, 1, 0, 3}, variances[4] = {1, 2, 15, 96};
  for (int k = 0; k < 4; ++k)
    EXPECT_NEAR(sums[k] / kDraws, means[k], 5 * std::sqrt(variances[k] / kDraws)) << k;
}

// Shapes of the HIV case (1.2 and 10.8 for a zone of B), the least ones, and far larger; drawn `together` at
// a time, so that blocks begin and end everywhere.
void betas_fit(int n, std::size_t together) {
  std::uint64_t trial = 10;
  for (const auto& [a, b] : std::vector<std::pair<double, double>>{{1, 1},
                                                                   {1, 5},
                                                                   {1.2, 10.8},
                                                                   {1.5, 10.5},
                                                                   {1.34, 1.01},
                                                                   {3, 40},
                                                                   {60, 500},
                                                                   {1, 1e5},
                                                                   {500, 1},
                                                                   {1e7, 1e7}}) {
    FastStream stream = stream_of(++trial);
    std::vector<double> values, shapes(together, a), others(together, b), out(together);
    while (values.size() < static_cast<std::size_t>(n)) {
      fast_betas(stream, shapes, others, out);
      values.insert(values.end(), out.begin(), out.end());
    }
    const auto cdf = [&, shape = a, other = b](double x) { return bm::ibeta(shape, other, x, Policy{}); };
    EXPECT_GT(base::ks_p_value(values, cdf), kFails) << a << " " << b << " " << together;
  }
}

TEST(FastBetas, Fit) {
  for (const std::size_t together : {1, 40, 67}) betas_fit(10'000, together);
}

TEST(FastBetasLong, Fit) {
  betas_fit(300'000, 40);
}

// Mean a/(a+b) and variance ab/((a+b)^2 (a+b+1)) of each of 40 that are drawn together with other shapes.
TEST(FastBetas, EachHasItsOwnShape) {
  constexpr int kDraws = 5000;
  std::vector<double> a, b, out(40), sums(40), squares(40);
  for (int i = 0; i < 40; ++i) {
    a.push_back(1 + i * .7);
    b.push_back(1 + (39 - i) * 3);
  }
  FastStream stream = stream_of(4);
  for (int draw = 0; draw < kDraws; ++draw) {
    fast_betas(stream, a, b, out);
    for (std::size_t i = 0; i < 40; ++i) {
      const double off = out[i] - a[i] / (a[i] + b[i]);
      sums[i] += off;
      squares[i] += off * off;
    }
  }
  for (std::size_t i = 0; i < 40; ++i) {
    const double mean = a[i] / (a[i] + b[i]), variance = mean * (1 - mean) / (a[i] + b[i] + 1);
    EXPECT_NEAR(sums[i] / kDraws, 0, 5 * std::sqrt(variance / kDraws)) << i;
    // The kurtosis of these is at most 9, so the variance's standard error is below 3 variance / sqrt(n).
    EXPECT_NEAR(squares[i] / kDraws, variance, 15 * variance / std::sqrt(kDraws)) << i;
  }
}

TEST(FastBetas, BadShapes) {
  FastStream stream = stream_of(5);
  std::vector<double> fine(9, 2.0), out(9);
  for (const double bad : {.99, 0.0, -1.0, 2e100, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    for (const std::size_t place : {0, 5, 8}) {
      std::vector<double> shapes = fine;
      shapes[place] = bad;
      EXPECT_THROW(fast_betas(stream, shapes, fine, out), InvalidArgument) << bad;
      EXPECT_THROW(fast_betas(stream, fine, shapes, out), InvalidArgument) << bad;
    }
  }
  EXPECT_THROW(fast_betas(stream, fine, std::span(fine).first(8), out), InvalidArgument);
  EXPECT_THROW(fast_betas(stream, fine, fine, std::span(out).first(8)), InvalidArgument);
  EXPECT_NO_THROW(fast_betas(stream, {}, {}, {}));
}

}  // namespace fast_variates_test
}  // namespace mindgap::variates
