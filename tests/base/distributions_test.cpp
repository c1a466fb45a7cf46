#include "mindgap/base/distributions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::base {
namespace distributions_test {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Stream test_stream(std::uint64_t trial = 0) {
  return Stream({.seed = 42, .purpose = Purpose::test, .trial = trial});
}

// The first three draws of a fresh stream.
template <typename Draw>
auto first_three(Draw draw) {
  Stream stream = test_stream();
  using Value = decltype(draw(stream));
  const Value a = draw(stream), b = draw(stream), c = draw(stream);
  return std::vector<Value>{a, b, c};
}

template <typename Draw>
void expect_near(Draw draw, const std::vector<double>& expected) {
  const std::vector<double> values = first_three(draw);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(values[i], expected[i], 1e-14 * std::abs(expected[i]));
}

// The first word for the zero key is 0x16554d9eca36314c (Random123's vector): k = 0x16554d9eca363, and
// (k + 1/2) 2^-52 = 0x0.16554d9eca3638.
TEST(Normal, ManyAtOnceAreTheSameBits) {
  Stream stream({1, Purpose::test}), again({1, Purpose::test});
  std::vector<std::uint64_t> words(10'001);
  stream.fill(words);
  std::vector<double> all(words.size());
  to_normals(words, all);
  for (const double z : all) ASSERT_EQ(z, normal(again));
  const std::vector<std::uint64_t> ends = {0, ~std::uint64_t{0}};
  std::vector<double> two(2), three(3);
  to_normals(ends, two);
  EXPECT_EQ(two[0], -two[1]);
  EXPECT_NEAR(two[1], 8.2, .1);
  EXPECT_THROW(to_normals(ends, three), InvalidArgument);
}

TEST(Uniform, ByHand) {
  Stream stream({0, Purpose{0}});
  EXPECT_EQ(uniform(stream), 0x0.16554d9eca3638p0);
}

TEST(Uniform, StaysInsideTheInterval) {
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  static_assert(to_unit_interval(0) == 0x1p-53);
  static_assert(to_unit_interval(kOnes) == 1 - 0x1p-53);
  Stream stream = test_stream();
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t word = stream.next();
    EXPECT_EQ(to_unit_interval(word) + to_unit_interval(~word), 1);
  }
}

// Results of today. A change here changes published numbers: say so in CHANGELOG under "Numbers changed".
TEST(Pinned, WithoutLibm) {
  EXPECT_EQ(first_three(uniform),
            (std::vector{0x1.cef8f3c0d551ep-2, 0x1.fb74350b22394p-3, 0x1.756c717fd521bp-1}));
  EXPECT_EQ(first_three(normal),
            (std::vector{-0x1.ecc2de9d10fc7p-4, -0x1.5cec776892596p-1, 0x1.38be552413a9p-1}));
  using Counts = std::vector<std::int64_t>;
  EXPECT_EQ(first_three([](Stream& s) { return uniform_index(s, 1000); }), (Counts{452, 247, 729}));
  const Categorical categorical(std::vector<double>{1, 0, 2, 3});
  EXPECT_EQ(first_three([&](Stream& s) { return categorical.draw(s); }), (Counts{3, 3, 2}));
  // All of these are accepted by the squeeze with a normal from the middle: no log is taken.
  EXPECT_EQ(first_three([](Stream& s) { return gamma(s, 3); }),
            (std::vector{0x1.3cccb733f72acp+1, 0x1.e597601549d05p+1, 0x1.0b918681c7f87p+1}));
  EXPECT_EQ(first_three([](Stream& s) { return gamma(s, 1e6); }),
            (std::vector{0x1.e838ebca99501p+19, 0x1.e89453c7317a7p+19, 0x1.e8183a13deb5ap+19}));
}

TEST(Pinned, Continuous) {
  expect_near(exponential, {0.60170182709101838, 0.28472676553791554, 1.3069028764742512});
  expect_near([](Stream& s) { return gamma(s, 0.5); },
              {0.55401095399018663, 1.5137422347942482, 0.23524328573447381});
  expect_near([](Stream& s) { return log_gamma_draw(s, 1e-3); },
              {-316.16610643831132, -290.68547159373492, -1288.4136708468095});
  expect_near([](Stream& s) { return log_gamma_draw(s, 3); },
              {0.90623935579215609, 1.3333370799955122, 0.73734518991105502});
  expect_near([](Stream& s) { return beta(s, 0.5, 2); },
              {0.13919300115036501, 0.18053127104395436, 0.64515394194503395});
}

TEST(Pinned, Dirichlet) {
  Stream stream = test_stream();
  std::vector<double> out(4, kNan);
  dirichlet(stream, std::vector<double>{0.5, 0, 2, 3}, out);
  const std::vector<double> expected = {0.070228615930832905, 0, 0.43431267099039345, 0.49545871307877365};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(out[i], expected[i], 1e-14 * expected[i]);
}

TEST(Pinned, Counts) {
  using Counts = std::vector<std::int64_t>;
  EXPECT_EQ(first_three([](Stream& s) { return poisson(s, 5); }), (Counts{5, 3, 6}));
  EXPECT_EQ(first_three([](Stream& s) { return poisson(s, 50); }), (Counts{49, 55, 47}));
  EXPECT_EQ(first_three([](Stream& s) { return poisson(s, 1e12); }),
            (Counts{999999865563, 1000000686700, 999999570509}));
  EXPECT_EQ(first_three([](Stream& s) { return binomial(s, 10, 0.5); }), (Counts{5, 4, 6}));
  EXPECT_EQ(first_three([](Stream& s) { return binomial(s, 1'000'000, 0.3); }),
            (Counts{299938, 300315, 299803}));
  EXPECT_EQ(first_three([](Stream& s) { return binomial(s, 1'000'000, 0.7); }),
            (Counts{700062, 699685, 700197}));
}

// Boost's quantile is another algorithm (erfc_inv), computed here in long double.
TEST(NormalQuantile, AgreesWithBoost) {
  const boost::math::normal_distribution<long double> law;
  const auto check = [&](double p) {
    const auto expected = static_cast<double>(boost::math::quantile(law, static_cast<long double>(p)));
    EXPECT_NEAR(normal_quantile(p), expected, 1e-15 * std::abs(expected)) << p;
  };
  for (int i = 1; i < 2000; ++i) check(i / 2000.0);
  for (double p = 0.01; p > 1e-300; p *= 0.37) {
    check(p);
    check(1 - p < 1 ? 1 - p : 0.5);
  }
  for (const double edge : {0.075, 0.925, std::exp(-25.0)})
    for (const double p : {std::nextafter(edge, 0), edge, std::nextafter(edge, 1)}) check(p);
  check(std::nextafter(0.5, 1));
}

TEST(NormalQuantile, LimitsAndSymmetry) {
  EXPECT_EQ(normal_quantile(0), -kInfinity);
  EXPECT_EQ(normal_quantile(1), kInfinity);
  EXPECT_EQ(normal_quantile(0.5), 0);
  for (int i = 1; i < 512; ++i) EXPECT_EQ(normal_quantile(i / 1024.0), -normal_quantile(1 - i / 1024.0));
}

TEST(Gamma, IsTheExponentialOfTheLogDrawFromTheSameWords) {
  for (const double shape : {1e-3, 0.5, 1.0, 7.5, 1e6}) {
    Stream a = test_stream(), b = test_stream();
    for (int i = 0; i < 200; ++i) {
      const double value = gamma(a, shape);
      EXPECT_NEAR(value, std::exp(log_gamma_draw(b, shape)), 1e-13 * value);
    }
    EXPECT_EQ(a.next(), b.next());
  }
}

TEST(LogGammaDraw, IsFiniteForEveryShape) {
  Stream stream = test_stream();
  for (const double shape : {5e-324, 1e-310, 1e-300, 1e-8, 1e8, 1e15, 1e300}) {
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(std::isfinite(log_gamma_draw(stream, shape))) << shape;
  }
}

TEST(Beta, IsNeverOutsideTheIntervalNorNan) {
  Stream stream = test_stream();
  for (const double a : {5e-324, 1e-310, 1e-8, 1e-3, 1.0, 1e12}) {
    for (const double b : {5e-324, 1e-310, 1e-8, 1e-3, 1.0, 1e12}) {
      for (int i = 0; i < 100; ++i) {
        const double value = beta(stream, a, b);
        EXPECT_TRUE(value >= 0 && value <= 1) << a << " " << b << " " << value;
      }
    }
  }
}

// With shapes next to 0 the draw is a vertex, entry i with probability alpha_i / sum: here 1/4 and 3/4.
TEST(Dirichlet, TinyShapesGiveVertices) {
  for (const double size : {1e-8, 1e-100, 1e-250, 1e-307, 1e-312}) {
    Stream stream = test_stream();
    const std::vector<double> alpha = {size, 3 * size};
    std::vector<double> out(2);
    int first = 0;
    for (int i = 0; i < 4000; ++i) {
      dirichlet(stream, alpha, out);
      check_simplex("test", "out", out, 1e-15);
      if (out[0] > 0.5) ++first;
    }
    EXPECT_NEAR(first, 1000, 5 * std::sqrt(4000 * 0.25 * 0.75)) << size;
  }
}

TEST(Dirichlet, IsASimplexWithZerosWhereAlphaIsZero) {
  Stream stream = test_stream();
  const std::vector<std::vector<double>> cases = {{1e-3, 1e-3, 1e-3}, {1e-8, 0, 1e-8, 5},     {7},
                                                  {1e-310, 2, 0},     {1e15, 1e-310, 1, 1e8}, {0, 1e-320, 0}};
  for (const auto& alpha : cases) {
    for (int i = 0; i < 500; ++i) {
      std::vector<double> out(alpha.size(), kNan);
      dirichlet(stream, alpha, out);
      check_simplex("test", "out", out, 1e-14);
      for (std::size_t j = 0; j < alpha.size(); ++j) EXPECT_TRUE(alpha[j] > 0 || out[j] == 0);
    }
  }
}

TEST(Counts, LimitCases) {
  Stream stream = test_stream();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(poisson(stream, 0), 0);
    EXPECT_EQ(binomial(stream, 0, 0.5), 0);
    EXPECT_EQ(binomial(stream, 1'000'000'000'000, 0), 0);
    EXPECT_EQ(binomial(stream, 1'000'000'000'000, 1), 1'000'000'000'000);
    EXPECT_EQ(binomial(stream, 1000, 1e-300), 0);
    EXPECT_EQ(uniform_index(stream, 1), 0);
  }
}

TEST(Counts, StayInTheirRange) {
  Stream stream = test_stream();
  for (const std::int64_t n : {1LL, 25LL, 1'000'000LL, 1'000'000'000'000'000LL}) {
    for (const double p : {1e-15, 0.01, 0.5, 0.99, 1 - 1e-15}) {
      for (int i = 0; i < 200; ++i) {
        const std::int64_t k = binomial(stream, n, p);
        EXPECT_TRUE(k >= 0 && k <= n) << n << " " << p << " " << k;
      }
    }
  }
  for (int i = 0; i < 200; ++i) EXPECT_NEAR(static_cast<double>(poisson(stream, 1e15)), 1e15, 8 * 3.2e7);
}

// One word each, and a larger word never gives a smaller count, also where failures are counted.
TEST(Counts, InversionIsMonotoneInTheWord) {
  std::vector<Stream> streams;
  for (std::uint64_t trial = 0; trial < 2000; ++trial) streams.push_back(test_stream(trial));
  const auto first_word = [](Stream stream) { return stream.next(); };
  std::sort(streams.begin(), streams.end(),
            [&](const Stream& a, const Stream& b) { return first_word(a) < first_word(b); });
  const auto check = [&](auto draw) {
    std::int64_t last = 0;
    for (const Stream& stream : streams) {
      Stream used = stream, one_word = stream;
      const std::int64_t k = draw(used);
      EXPECT_GE(k, last);
      last = k;
      one_word.next();
      EXPECT_EQ(used.next(), one_word.next());
    }
    EXPECT_GT(last, 0);
  };
  check([](Stream& s) { return poisson(s, 2); });
  check([](Stream& s) { return binomial(s, 12, 0.3); });
  check([](Stream& s) { return binomial(s, 12, 0.7); });
}

TEST(Categorical, OneEntryAndZeros) {
  Stream stream = test_stream();
  const Categorical one(std::vector<double>{2.5}), middle(std::vector<double>{0, 0, 1e-300, 0});
  EXPECT_EQ(middle.size(), 4);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(one.draw(stream), 0);
    EXPECT_EQ(middle.draw(stream), 2);
  }
}

// Rounding leaves columns over when the table is built; zero weights must not be among those that keep
// themselves.
TEST(Categorical, ZeroWeightsAreNeverDrawnFromLargeTables) {
  Stream stream = test_stream();
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::vector<double> weights(101);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = i % 2 == 0 ? 0 : gamma(stream, 0.1);
    const Categorical categorical(weights);
    for (int i = 0; i < 2000; ++i) EXPECT_GT(weights[static_cast<std::size_t>(categorical.draw(stream))], 0);
  }
}

// What the InvalidArgument says, or "" when nothing is thrown.
std::string message(const std::function<void(Stream&)>& call) {
  Stream stream = test_stream(), untouched = test_stream();
  try {
    call(stream);
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(stream.next(), untouched.next()) << "words were used before the check";
    return error.what();
  }
  return "";
}

TEST(BadArguments, NameFunctionArgumentAndValue) {
  EXPECT_EQ(message([](Stream& s) { uniform_index(s, 0); }), "uniform_index: n is 0, but must be positive");
  EXPECT_EQ(message([](Stream&) { normal_quantile(-0.1); }),
            "normal_quantile: p is -0.1, but must be from 0 to 1");
  EXPECT_EQ(message([](Stream& s) { gamma(s, 0); }), "gamma: shape is 0, but must be positive");
  EXPECT_EQ(message([](Stream& s) { log_gamma_draw(s, -1); }),
            "log_gamma_draw: shape is -1, but must be positive");
  EXPECT_EQ(message([](Stream& s) { beta(s, 0, 1); }), "beta: a is 0, but must be positive");
  EXPECT_EQ(message([](Stream& s) { beta(s, 1, kNan); }), "beta: b is nan, but must be positive");
  EXPECT_EQ(message([](Stream& s) { poisson(s, -2); }),
            "poisson: mean is -2, but must be from 0 to 1000000000000000");
  EXPECT_EQ(message([](Stream& s) { binomial(s, -1, 0.5); }),
            "binomial: n is -1, but must be from 0 to 1000000000000000");
  EXPECT_EQ(message([](Stream& s) { binomial(s, 3, 1.5); }), "binomial: p is 1.5, but must be from 0 to 1");
}

TEST(BadArguments, EveryOtherOneThrows) {
  for (const double bad : {kNan, kInfinity, -kInfinity, -1.0}) {
    EXPECT_NE(message([=](Stream&) { normal_quantile(bad); }), "");
    EXPECT_NE(message([=](Stream& s) { gamma(s, bad); }), "");
    EXPECT_NE(message([=](Stream& s) { log_gamma_draw(s, bad); }), "");
    EXPECT_NE(message([=](Stream& s) { beta(s, bad, 1); }), "");
    EXPECT_NE(message([=](Stream& s) { beta(s, 1, bad); }), "");
    EXPECT_NE(message([=](Stream& s) { poisson(s, bad); }), "");
    EXPECT_NE(message([=](Stream& s) { binomial(s, 5, bad); }), "");
    std::vector<double> out(2);
    EXPECT_NE(message([&](Stream& s) { dirichlet(s, std::vector<double>{1, bad}, out); }), "");
    EXPECT_NE(message([=](Stream&) { Categorical(std::vector<double>{1, bad}); }), "");
  }
  EXPECT_NE(message([](Stream& s) { uniform_index(s, -5); }), "");
  EXPECT_NE(message([](Stream& s) { poisson(s, 2e15); }), "");
  EXPECT_NE(message([](Stream& s) { binomial(s, 2'000'000'000'000'000, 0.5); }), "");
}

TEST(BadArguments, OfVectors) {
  std::vector<double> out(3);
  EXPECT_EQ(message([&](Stream& s) {
              dirichlet(s, std::vector<double>{1, 2, -3}, out);
            }),
            "dirichlet: alpha[2] is -3, but must be zero or more");
  EXPECT_EQ(message([&](Stream& s) {
              dirichlet(s, std::vector<double>{1, 2}, out);
            }),
            "dirichlet: out has 3 entries, but must have 2");
  EXPECT_EQ(message([&](Stream& s) {
              dirichlet(s, std::vector<double>{0, 0, 0}, out);
            }),
            "dirichlet: the largest of alpha is 0, but must be positive");
  EXPECT_NE(message([&](Stream& s) { dirichlet(s, {}, {}); }), "");
  EXPECT_EQ(message([](Stream&) {
              Categorical(std::vector<double>{0, -1});
            }),
            "Categorical: weights[1] is -1, but must be zero or more");
  EXPECT_EQ(message([](Stream&) {
              Categorical(std::vector<double>{0, 0});
            }),
            "Categorical: the largest of weights is 0, but must be positive");
  EXPECT_NE(message([](Stream&) { Categorical({}); }), "");
}

}  // namespace distributions_test
}  // namespace mindgap::base
