// Each sampler against the distribution function of Boost.Math, at fixed seeds. A correct sampler fails one
// of the checks here with probability 1e-6.
#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <numeric>
#include <vector>

#include "base/goodness_of_fit.h"
#include "mindgap/base/distributions.h"

namespace mindgap::base {
namespace fit_test {

namespace bm = boost::math;
using Policy = bm::policies::policy<bm::policies::promote_double<false>>;

constexpr int kShort = 20'000;
constexpr int kLong = 1'000'000;
constexpr double kFails = 1e-6;

// n draws from the stream of the given trial number.
template <typename Draw>
auto sample(std::uint64_t trial, int n, Draw draw) {
  Stream stream({.seed = 20240607, .purpose = Purpose::test, .trial = trial});
  std::vector<decltype(draw(stream))> values;
  values.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) values.push_back(draw(stream));
  return values;
}

void uniform_fits(int n) {
  EXPECT_GT(ks_p_value(sample(1, n, uniform), [](double x) { return x; }), kFails);
}

void uniform_index_fits(int n) {
  for (const std::int64_t size : {2, 3, 10, 1000}) {
    const auto values = sample(2, n, [=](Stream& stream) { return uniform_index(stream, size); });
    const auto cdf = [=](std::int64_t k) {
      return std::min(1.0, static_cast<double>(k + 1) / static_cast<double>(size));
    };
    EXPECT_GT(count_p_value(values, cdf), kFails) << size;
  }
  // 2^64 / (3 * 2^61) = 8/3: without the rejection some indices would have 3 words and others 2, in a
  // pattern that their residues mod 3 show.
  const std::int64_t large = 3LL << 61;
  auto values = sample(3, n, [=](Stream& stream) { return uniform_index(stream, large) % 3; });
  EXPECT_GT(count_p_value(values, [](std::int64_t k) { return std::min(1.0, double(k + 1) / 3); }), kFails);
}

void normal_fits(int n) {
  const bm::normal_distribution<double, Policy> law;
  EXPECT_GT(ks_p_value(sample(4, n, normal), [&](double x) { return bm::cdf(law, x); }), kFails);
}

void exponential_fits(int n) {
  const auto cdf = [](double x) { return -std::expm1(-x); };
  EXPECT_GT(ks_p_value(sample(5, n, exponential), cdf), kFails);
}

// P(log X <= y) = P(a, e^y); far below 0, where e^y underflows, e^(a y) / Gamma(a+1) (1 - O(e^y)).
double log_gamma_cdf(double shape, double y) {
  if (y < -600) return std::exp(shape * y - std::lgamma(shape + 1));
  return bm::gamma_p(shape, std::exp(y), Policy());
}

// P(a, x) for large a by Temme's uniform expansion, DLMF 8.12.3 with the leading coefficient of 8.12.9:
// P = erfc(-eta sqrt(a/2))/2 - e^(-a eta^2/2) / sqrt(2 pi a) (-1/3 + eta/12), eta^2/2 = x/a - 1 - log(x/a),
// eta with the sign of x - a. Within 1e-9 for a >= 1e6.
double large_gamma_cdf(double a, double x) {
  const double mu = (x - a) / a;
  const double eta = std::copysign(std::sqrt(2 * (mu - std::log1p(mu))), mu);
  const double density = std::exp(-a * eta * eta / 2) / std::sqrt(2 * 3.14159265358979324 * a);
  return std::erfc(-eta * std::sqrt(a / 2)) / 2 - density * (-1.0 / 3 + eta / 12);
}

// P(a, x). Boost 1.74 itself takes a series of a million terms for large a < x and gives up.
double gamma_cdf(double a, double x) {
  return a > 1.1e6 ? large_gamma_cdf(a, x) : bm::gamma_p(a, x, Policy());
}

TEST(SamplerFit, OraclesForGammaAgree) {
  for (const double z : {-5.0, -2.0, -0.1, 0.0, 0.1, 2.0, 5.0}) {
    const double a = 1e6, x = a + z * std::sqrt(a);
    EXPECT_NEAR(large_gamma_cdf(a, x), bm::gamma_p(a, x, Policy()), 1e-9) << z;
  }
}

void gamma_fits(int n) {
  for (const double shape : {0.5, 0.999, 1.0, 3.0, 50.0, 1e6, 1e12}) {
    const auto values = sample(6, n, [=](Stream& stream) { return gamma(stream, shape); });
    EXPECT_GT(ks_p_value(values, [=](double x) { return gamma_cdf(shape, x); }), kFails) << shape;
  }
}

void log_gamma_fits(int n) {
  for (const double shape : {1e-8, 1e-3, 0.1, 0.5, 1.0, 3.0, 1e6}) {
    const auto values = sample(7, n, [=](Stream& stream) { return log_gamma_draw(stream, shape); });
    EXPECT_GT(ks_p_value(values, [=](double y) { return log_gamma_cdf(shape, y); }), kFails) << shape;
  }
}

// Edges that reach where a beta variate of tiny shapes lies; rounding puts atoms at 0 and 1.
const std::vector<double> kBetaEdges = {1e-300, 1e-200, 1e-100, 1e-50, 1e-20, 1e-10, 1e-5,     1e-3,    0.01,
                                        0.1,    0.25,   0.5,    0.75,  0.9,   0.99,  1 - 1e-3, 1 - 1e-7};

void beta_fits(int n) {
  struct Shapes {
    double a, b;
  };
  for (const Shapes& shapes : {Shapes{1e-3, 1e-3}, Shapes{1e-3, 2}, Shapes{1e-8, 3e-8}}) {
    const double a = shapes.a, b = shapes.b;
    const auto values = sample(8, n, [=](Stream& stream) { return beta(stream, a, b); });
    const auto cdf = [=](double x) { return bm::ibeta(a, b, x, Policy()); };
    EXPECT_GT(chi_square_p_value(values, kBetaEdges, cdf), kFails) << a << " " << b;
  }
  for (const Shapes& shapes :
       {Shapes{0.5, 0.5}, Shapes{1e4, 1}, Shapes{1, 1}, Shapes{2, 5}, Shapes{1e6, 3e6}}) {
    const double a = shapes.a, b = shapes.b;
    const auto values = sample(9, n, [=](Stream& stream) { return beta(stream, a, b); });
    EXPECT_GT(ks_p_value(values, [=](double x) { return bm::ibeta(a, b, x, Policy()); }), kFails)
        << a << " " << b;
  }
}

// Entry i of a Dirichlet is Beta(alpha_i, sum of the others), and so is a sum of entries.
void dirichlet_fits(int n) {
  const std::vector<std::vector<double>> shapes = {
      {0.5, 2, 3.5}, {1, 1, 1, 1}, {1e-3, 2e-3, 5e-3}, {1e-8, 3e-8}, {40, 0, 1000, 0.2}};
  for (const auto& alpha : shapes) {
    const double total = std::accumulate(alpha.begin(), alpha.end(), 0.0);
    std::vector<double> entry(alpha.size());
    const auto draws = sample(10, n, [&](Stream& stream) {
      dirichlet(stream, alpha, entry);
      return entry;
    });
    const auto check = [&](double a, auto value_of) {
      std::vector<double> values;
      values.reserve(draws.size());
      for (const auto& draw : draws) values.push_back(value_of(draw));
      const auto cdf = [=](double x) { return bm::ibeta(a, total - a, x, Policy()); };
      const double p = a < 0.01 ? chi_square_p_value(values, kBetaEdges, cdf) : ks_p_value(values, cdf);
      EXPECT_GT(p, kFails) << a << " of " << total;
    };
    for (std::size_t i = 0; i < alpha.size(); ++i)
      if (alpha[i] > 0) check(alpha[i], [i](const auto& draw) { return draw[i]; });
    if (alpha.size() > 2) check(alpha[0] + alpha[1], [](const auto& draw) { return draw[0] + draw[1]; });
  }
}

// Neighbouring counts have nearly equal probability when the standard deviation is large: their last binary
// digits must be uniform. Shows what rounding a proposal of size 1e12 would do.
double last_digits_p_value(const std::vector<std::int64_t>& values) {
  std::vector<double> counts(16), expected(16, static_cast<double>(values.size()) / 16);
  for (const std::int64_t value : values) ++counts[static_cast<std::size_t>(value % 16)];
  return chi_square_p_value(counts, expected);
}

void poisson_fits(int n) {
  for (const double mean : {0.01, 0.5, 5.0, 9.99, 10.0, 10.5, 50.0, 1e3, 1e6, 1e9, 1e12}) {
    const auto values = sample(11, n, [=](Stream& stream) { return poisson(stream, mean); });
    const auto cdf = [=](std::int64_t k) { return 1 - gamma_cdf(static_cast<double>(k) + 1, mean); };
    EXPECT_GT(count_p_value(values, cdf), kFails) << mean;
    if (mean >= 1e6) {
      EXPECT_GT(last_digits_p_value(values), kFails) << mean;
    }
  }
}

void binomial_fits(int n) {
  struct Trials {
    std::int64_t n;
    double p;
  };
  const std::vector<Trials> cases = {{1, 0.3},
                                     {10, 0.5},
                                     {1'000'000'000, 1e-9},
                                     {1'000, 0.999},
                                     {20, 0.5},
                                     {100, 0.1},
                                     {100, 0.9},
                                     {1'000'000, 0.3},
                                     {1'000'000'000, 2e-8},
                                     {1'000'000'000, 1 - 2e-8},
                                     {1'000'000'000'000, 1e-12},
                                     {1'000'000'000'000, 0.3},
                                     {1'000'000'000'000, 0.7}};
  for (const Trials& trials : cases) {
    const std::int64_t size = trials.n;
    const double p = trials.p;
    const auto values = sample(12, n, [=](Stream& stream) { return binomial(stream, size, p); });
    const auto cdf = [=](std::int64_t k) {
      return k >= size ? 1 : bm::ibetac(static_cast<double>(k) + 1, static_cast<double>(size - k), p);
    };
    EXPECT_GT(count_p_value(values, cdf), kFails) << size << " " << p;
    if (static_cast<double>(size) * p * (1 - p) > 1e5) {
      EXPECT_GT(last_digits_p_value(values), kFails) << size << " " << p;
    }
  }
}

void categorical_fits(int n) {
  const std::vector<std::vector<double>> weights = {
      {1, 1}, {1, 2, 3, 4}, {0, 5, 0, 1e-3, 2}, {1e300, 1e308, 1e308}, {1e-310, 3e-310}};
  for (const auto& w : weights) {
    const Categorical categorical(w);
    const double largest = *std::max_element(w.begin(), w.end());
    const auto values = sample(13, n, [&](Stream& stream) { return categorical.draw(stream); });
    std::vector<double> counts(w.size()), expected(w.size());
    for (const std::int64_t value : values) ++counts[static_cast<std::size_t>(value)];
    double sum = 0;
    for (const double weight : w) sum += weight / largest;
    for (std::size_t i = 0; i < w.size(); ++i) {
      expected[i] = n * (w[i] / largest / sum);
      if (w[i] == 0) {
        EXPECT_EQ(counts[i], 0);
      }
    }
    EXPECT_GT(chi_square_p_value(counts, expected), kFails) << w[0] << " " << w[1];
  }
}

// clang-format off
TEST(SamplerFit, Uniform) { uniform_fits(kShort); }
TEST(SamplerFit, UniformIndex) { uniform_index_fits(kShort); }
TEST(SamplerFit, Normal) { normal_fits(kShort); }
TEST(SamplerFit, Exponential) { exponential_fits(kShort); }
TEST(SamplerFit, Gamma) { gamma_fits(kShort); }
TEST(SamplerFit, LogGamma) { log_gamma_fits(kShort); }
TEST(SamplerFit, Beta) { beta_fits(kShort); }
TEST(SamplerFit, Dirichlet) { dirichlet_fits(kShort); }
TEST(SamplerFit, Poisson) { poisson_fits(kShort); }
TEST(SamplerFit, Binomial) { binomial_fits(kShort); }
TEST(SamplerFit, Categorical) { categorical_fits(kShort); }

TEST(SamplerFitLong, Uniform) { uniform_fits(kLong); }
TEST(SamplerFitLong, UniformIndex) { uniform_index_fits(kLong); }
TEST(SamplerFitLong, Normal) { normal_fits(kLong); }
TEST(SamplerFitLong, Exponential) { exponential_fits(kLong); }
TEST(SamplerFitLong, Gamma) { gamma_fits(kLong); }
TEST(SamplerFitLong, LogGamma) { log_gamma_fits(kLong); }
TEST(SamplerFitLong, Beta) { beta_fits(kLong); }
TEST(SamplerFitLong, Dirichlet) { dirichlet_fits(kLong); }
TEST(SamplerFitLong, Poisson) { poisson_fits(kLong); }
TEST(SamplerFitLong, Binomial) { binomial_fits(kLong); }
TEST(SamplerFitLong, Categorical) { categorical_fits(kLong); }
// clang-format on

// The checks above can fail: each is given a sample from a law that is slightly off.
TEST(SamplerFit, WrongDistributionsAreNoticed) {
  const bm::normal_distribution<double, Policy> wider(0, 1.1);
  EXPECT_LT(ks_p_value(sample(20, kShort, normal), [&](double x) { return bm::cdf(wider, x); }), kFails);

  const auto gammas = sample(21, kShort, [](Stream& stream) { return log_gamma_draw(stream, 1e-3); });
  EXPECT_LT(ks_p_value(gammas, [](double y) { return log_gamma_cdf(1.1e-3, y); }), kFails);

  const auto betas = sample(22, kShort, [](Stream& stream) { return beta(stream, 1e-3, 1e-3); });
  const auto beta_cdf = [](double x) { return bm::ibeta(1e-3, 1.2e-3, x); };
  EXPECT_LT(chi_square_p_value(betas, kBetaEdges, beta_cdf), kFails);

  const auto poissons = sample(23, kShort, [](Stream& stream) { return poisson(stream, 50); });
  const auto poisson_cdf = [](std::int64_t k) { return bm::gamma_q(static_cast<double>(k) + 1, 50.5); };
  EXPECT_LT(count_p_value(poissons, poisson_cdf), kFails);

  const auto even = sample(24, kShort, [](Stream& stream) { return poisson(stream, 1e6) / 2 * 2; });
  EXPECT_LT(last_digits_p_value(even), kFails);
}

// A good test's p-value is itself uniform: among 200 of them, the smallest is rarely below 1e-4.
TEST(SamplerFit, RightDistributionsGiveUniformPValues) {
  std::vector<double> ks, chi;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    ks.push_back(ks_p_value(sample(1000 + trial, 1000, uniform), [](double x) { return x; }));
    const auto counts = sample(2000 + trial, 1000, [](Stream& stream) { return poisson(stream, 20); });
    chi.push_back(count_p_value(counts, [](std::int64_t k) { return bm::gamma_q(double(k) + 1, 20.0); }));
  }
  EXPECT_GT(ks_p_value(ks, [](double x) { return x; }), kFails);
  EXPECT_GT(ks_p_value(chi, [](double x) { return x; }), kFails);
}

}  // namespace fit_test
}  // namespace mindgap::base
