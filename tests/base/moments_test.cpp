// Mean and variance of each sampler within 5 standard errors of the textbook's, at fixed seeds.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "mindgap/base/distributions.h"

namespace mindgap::base {
namespace moments_test {

struct Moments {
  double mean, variance;
  double excess;  // kurtosis: fourth central moment / variance^2, less 3
};

// The standard error of the mean is sqrt(variance/n), that of the sample variance about
// variance sqrt((excess + 2)/n).
template <typename Draw>
void expect_moments(const std::string& name, std::uint64_t trial, int n, const Moments& moments, Draw draw) {
  Stream stream({.seed = 20240608, .purpose = Purpose::test, .trial = trial});
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double deviation = static_cast<double>(draw(stream)) - moments.mean;
    sum += deviation;
    squares += deviation * deviation;
  }
  EXPECT_LT(std::abs(sum / n), 5 * std::sqrt(moments.variance / n)) << name;
  EXPECT_LT(std::abs(squares / n - moments.variance),
            5 * moments.variance * std::sqrt((moments.excess + 2) / n))
      << name;
}

Moments beta_moments(double a, double b) {
  const double s = a + b;
  return {a / s, a * b / (s * s * (s + 1)),
          6 * ((a - b) * (a - b) * (s + 1) - a * b * (s + 2)) / (a * b * (s + 2) * (s + 3))};
}

void continuous_moments(int n) {
  expect_moments("uniform", 1, n, {0.5, 1 / 12.0, -1.2}, uniform);
  expect_moments("normal", 2, n, {0, 1, 0}, normal);
  expect_moments("exponential", 3, n, {1, 1, 6}, exponential);
  for (const double shape : {0.1, 0.5, 1.0, 3.0, 1e6, 1e12}) {
    expect_moments("gamma " + std::to_string(shape), 4, n, {shape, shape, 6 / shape},
                   [=](Stream& stream) { return gamma(stream, shape); });
  }
  for (const double a : {1e-3, 0.5, 2.0, 1e4}) {
    for (const double b : {1e-3, 0.5, 1.0, 1e4}) {
      if (std::min(a, b) < 0.1 && std::max(a, b) > 0.1) continue;  // too skewed for a normal approximation
      expect_moments("beta " + std::to_string(a) + " " + std::to_string(b), 5, n, beta_moments(a, b),
                     [=](Stream& stream) { return beta(stream, a, b); });
    }
  }
}

// Each entry's moments, and the covariance -alpha_i alpha_j / (s^2 (s+1)) through the variance of a sum.
void dirichlet_moments(int n) {
  const std::vector<double> alpha = {0.5, 2, 0, 3.5};
  std::vector<double> out(4);
  for (const std::size_t i : {0u, 1u, 3u}) {
    expect_moments("entry", 6, n, beta_moments(alpha[i], 6 - alpha[i]), [&, i](Stream& stream) {
      dirichlet(stream, alpha, out);
      return out[i];
    });
  }
  expect_moments("sum of two entries", 7, n, beta_moments(2.5, 3.5), [&](Stream& stream) {
    dirichlet(stream, alpha, out);
    return out[0] + out[1];
  });
}

void count_moments(int n) {
  for (const double mean : {0.5, 5.0, 9.99, 10.0, 50.0, 1e6, 1e12, 1e15}) {
    expect_moments("poisson " + std::to_string(mean), 8, n, {mean, mean, 1 / mean},
                   [=](Stream& stream) { return poisson(stream, mean); });
  }
  for (const double size : {10.0, 1000.0, 1e6, 1e9, 1e12, 1e15}) {
    for (const double p : {1e-9, 0.3, 0.5, 0.999}) {
      const double variance = size * p * (1 - p);
      if (variance < 0.5) continue;  // too skewed for a normal approximation
      expect_moments("binomial " + std::to_string(size) + " " + std::to_string(p), 9, n,
                     {size * p, variance, (1 - 6 * p * (1 - p)) / variance},
                     [=](Stream& stream) { return binomial(stream, static_cast<std::int64_t>(size), p); });
    }
  }
  expect_moments("uniform_index", 10, n, {499.5, (1e6 - 1) / 12, -1.2},
                 [](Stream& stream) { return uniform_index(stream, 1000); });
  // 0, 1, 2 with weights 1, 1, 2: mean 5/4, E x^2 = 9/4, variance 11/16, fourth central moment 197/256
  const Categorical categorical(std::vector<double>{1, 1, 2});
  expect_moments("categorical", 11, n, {1.25, 11 / 16.0, 197 / 121.0 - 3},
                 [&](Stream& stream) { return categorical.draw(stream); });
}

// clang-format off
TEST(Moments, Continuous) { continuous_moments(20'000); }
TEST(Moments, Dirichlet) { dirichlet_moments(20'000); }
TEST(Moments, Counts) { count_moments(20'000); }
TEST(MomentsLong, Continuous) { continuous_moments(2'000'000); }
TEST(MomentsLong, Dirichlet) { dirichlet_moments(2'000'000); }
TEST(MomentsLong, Counts) { count_moments(2'000'000); }
// clang-format on

}  // namespace moments_test
}  // namespace mindgap::base
