#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/base/tails.h"
#include "mindgap/stats/paired.h"
#include "stats/samples.h"
#include "stats/scipy_values.h"

namespace mindgap::stats {
namespace wilcoxon_test {

using Values = std::vector<double>;

double two_sided(const Values& differences) {
  return wilcoxon_signed_rank(differences).p_value;
}

// Differences 1..n with the signs that make W+ = sum: the largest ranks that fit are positive.
Values with_statistic(int n, int sum) {
  Values differences;
  for (int rank = n; rank > 0; --rank) {
    const bool positive = rank <= sum;
    differences.push_back(positive ? rank : -rank);
    if (positive) sum -= rank;
  }
  return differences;
}

// Twice the mid-ranks by counting: those smaller, those equal, and one half.
std::vector<int> doubled_ranks(const Values& nonzero) {
  std::vector<int> ranks;
  for (const double d : nonzero) {
    int doubled = 1;
    for (const double other : nonzero) {
      if (std::abs(other) < std::abs(d)) doubled += 2;
      if (std::abs(other) == std::abs(d)) doubled += 1;
    }
    ranks.push_back(doubled);
  }
  return ranks;
}

// All 2^n signs.
double by_brute_force(const Values& differences) {
  Values nonzero;
  for (const double d : differences) {
    if (d != 0) nonzero.push_back(d);
  }
  const std::vector<int> ranks = doubled_ranks(nonzero);
  int observed = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) observed += nonzero[i] > 0 ? ranks[i] : 0;
  double below = 0, above = 0;
  const unsigned all = 1U << ranks.size();
  for (unsigned signs = 0; signs < all; ++signs) {
    int sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) sum += (signs >> i & 1U) != 0 ? ranks[i] : 0;
    if (sum <= observed) ++below;
    if (sum >= observed) ++above;
  }
  return std::min(1.0, 2 * std::min(below, above) / all);
}

// P(W+ <= w) 2^n is the number of sets of different numbers from 1..n with a sum of at most w: for n = 5 and
// w = 0 one of 32; for n = 10 and w = 8: 1 + 1 + 1 + 2 + 2 + 3 + 4 + 5 + 6 = 25 of 1024.
TEST(Wilcoxon, HandValues) {
  EXPECT_EQ(two_sided(with_statistic(5, 0)), 2.0 / 32);
  EXPECT_EQ(two_sided(with_statistic(10, 8)), 50.0 / 1024);
  const Wilcoxon test = wilcoxon_signed_rank(Values{1.5, -.5, 0, 2.5, .5, 0});
  EXPECT_EQ(test.statistic, 1.5 + 3 + 4);  // ranks 1.5 twice, 3, 4
  EXPECT_EQ(test.nonzero, 4);
  EXPECT_EQ(test.method, "exact");
  EXPECT_EQ(test.p_value, 6.0 / 16);  // W- = 1.5: no sign, or one of the two tied, of 16
}

// The largest W that is significant, two-sided, at .05 and at .01, of the tables in every textbook (e.g.
// Wilcoxon, Katti and Wilcox 1970, Selected Tables in Mathematical Statistics 1); -1 where there is none.
TEST(Wilcoxon, CriticalValues) {
  struct Row {
    int n, five_percent, one_percent;
  };
  const std::vector<Row> table{{5, -1, -1},  {6, 0, -1},     {7, 2, -1},    {8, 3, 0},    {9, 5, 1},
                               {10, 8, 3},   {11, 10, 5},    {12, 13, 7},   {13, 17, 9},  {14, 21, 12},
                               {15, 25, 15}, {16, 29, 19},   {17, 34, 23},  {18, 40, 27}, {19, 46, 32},
                               {20, 52, 37}, {21, 58, 42},   {22, 65, 48},  {23, 73, 54}, {24, 81, 61},
                               {25, 89, 68}, {30, 137, 109}, {50, 434, 373}};
  for (const auto& [n, five_percent, one_percent] : table) {
    if (five_percent >= 0) {
      EXPECT_LE(two_sided(with_statistic(n, five_percent)), .05) << n;
    }
    EXPECT_GT(two_sided(with_statistic(n, five_percent + 1)), .05) << n;
    if (one_percent >= 0) {
      EXPECT_LE(two_sided(with_statistic(n, one_percent)), .01) << n;
    }
    EXPECT_GT(two_sided(with_statistic(n, one_percent + 1)), .01) << n;
  }
}

TEST(Wilcoxon, BruteForceWithTiesAndZeros) {
  auto stream = samples::stream(5);
  for (std::size_t size = 1; size <= 12; ++size) {
    for (const std::int64_t largest : {1, 3, 8, 1000}) {
      const Values differences = samples::whole_numbers(stream, size, largest);
      EXPECT_DOUBLE_EQ(two_sided(differences), by_brute_force(differences)) << size << " " << largest;
    }
  }
}

TEST(Wilcoxon, SciPyExact) {
  for (const auto& [data, statistic, p_value] : scipy::kExactWithoutTies) {
    const Wilcoxon test = wilcoxon_signed_rank(data);
    EXPECT_EQ(test.statistic, statistic);
    EXPECT_EQ(test.method, "exact");
    EXPECT_NEAR(test.p_value / p_value, 1, 1e-12) << data.size();
  }
}

TEST(Wilcoxon, SciPyApproximate) {
  for (const auto& [data, statistic, p_value] : scipy::kApproximate) {
    const Wilcoxon test = wilcoxon_signed_rank(data);
    EXPECT_EQ(test.statistic, statistic);
    EXPECT_EQ(test.method, "normal approximation");
    EXPECT_NEAR(test.p_value / p_value, 1, 1e-11) << data.size();
  }
}

// All positive: one sign in 2^n on each side, at every n.
TEST(Wilcoxon, FarTail) {
  for (int n = 1; n <= kExactWilcoxon; ++n) {
    EXPECT_EQ(two_sided(with_statistic(n, 0)), std::ldexp(1.0, 1 - n)) << n;
  }
}

// All of one size: W+ counts signs, and the test is the sign test, a binomial one.
TEST(Wilcoxon, EqualSizesAreTheSignTest) {
  for (const std::int64_t n : {3, 40, 200}) {
    for (std::int64_t positive = 0; positive <= n; positive += 1 + n / 20) {
      Values differences(static_cast<std::size_t>(n), -2.5);
      std::fill_n(differences.begin(), positive, 2.5);
      const double p = base::binomial_two_sided(positive, n, .5);
      EXPECT_NEAR(two_sided(differences) / p, 1, 1e-11) << n << " " << positive;
    }
  }
}

// The exact p-value and the approximation, worked out here, at the largest n of the former. The excess
// kurtosis of W+ is about -3.6 / n (fourth cumulant -sum r^4 / 8, variance sum r^2 / 4), which moves both
// tails together by 2 (3.6 / n) / 24 |z^3 - 3z| phi(z) (Edgeworth), at most 8.3e-4 at n = 200.
TEST(Wilcoxon, ApproximationIsCloseWhereItTakesOver) {
  const int n = kExactWilcoxon;
  const double mean = n * (n + 1) / 4.0, deviation = std::sqrt(n * (n + 1.0) * (2 * n + 1) / 24);
  for (const int w : {6000, 7500, 8500, 9000, 9500, 10'000}) {
    const double approximate = base::normal_two_sided((mean - w - .5) / deviation);
    EXPECT_NEAR(two_sided(with_statistic(n, w)), approximate, 1e-3) << w;
  }
}

TEST(Wilcoxon, LimitCases) {
  const Wilcoxon zeros = wilcoxon_signed_rank(Values{0, -0.0, 0});
  EXPECT_EQ(zeros.nonzero, 0);
  EXPECT_EQ(zeros.statistic, 0);
  EXPECT_EQ(zeros.p_value, 1);
  EXPECT_EQ(zeros.method, "exact");
  EXPECT_EQ(two_sided(Values{3}), 1);
  Values balanced(400);
  for (std::size_t i = 0; i < 400; ++i) balanced[i] = i % 2 == 0 ? 1 : -1;
  EXPECT_EQ(two_sided(balanced), 1);  // W+ is its mean
  // Zeros do not count towards the limit.
  Values padded = with_statistic(kExactWilcoxon, 9000);
  const double p = two_sided(padded);
  padded.resize(1000, 0.0);
  EXPECT_EQ(wilcoxon_signed_rank(padded).method, "exact");
  EXPECT_EQ(two_sided(padded), p);
}

RC_GTEST_PROP(WilcoxonProperty, SignsScalesAndOrderDoNotMatter, ()) {
  const auto numbers = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-30, 30)));
  const Values differences(numbers.begin(), numbers.end());
  const Wilcoxon plain = wilcoxon_signed_rank(differences);
  const Wilcoxon flipped = wilcoxon_signed_rank(samples::times(differences, -1));
  RC_ASSERT(plain.p_value > 0 && plain.p_value <= 1);
  RC_ASSERT(flipped.p_value == plain.p_value);
  RC_ASSERT(flipped.statistic + plain.statistic ==
            static_cast<double>(plain.nonzero * (plain.nonzero + 1)) / 2);
  RC_ASSERT(two_sided(samples::times(differences, 1e-3)) == plain.p_value);
  Values reversed(differences.rbegin(), differences.rend());
  RC_ASSERT(two_sided(reversed) == plain.p_value);
}

TEST(Wilcoxon, SignsAndScalesDoNotMatterAboveTheLimit) {
  auto stream = samples::stream(6);
  const Values differences = samples::whole_numbers(stream, 700, 60);
  const double p = two_sided(differences);
  EXPECT_EQ(two_sided(samples::times(differences, -1)), p);
  EXPECT_EQ(two_sided(samples::times(differences, 1e200)), p);
}

TEST(Wilcoxon, BadArguments) {
  EXPECT_THROW(wilcoxon_signed_rank(Values{}), InvalidArgument);
  EXPECT_THROW(wilcoxon_signed_rank(Values{1, std::nan("")}), InvalidArgument);
  EXPECT_THROW(wilcoxon_signed_rank(Values{std::numeric_limits<double>::infinity(), 1}), InvalidArgument);
}

// Under the null a p-value is at most u with chance at most u, and the exact one of normals nearly that: its
// law has steps below 1e-3 at n = 30. Tolerance: 4 standard errors of a share and a step.
TEST(WilcoxonLong, RejectsAsOftenAsItSays) {
  const std::uint64_t repetitions = 40'000;
  double rejected = 0;
  for (std::uint64_t i = 0; i < repetitions; ++i) {
    auto stream = samples::stream(7, i);
    if (two_sided(samples::normals(stream, 30)) <= .05) ++rejected;
  }
  const double error = std::sqrt(.05 * .95 / repetitions);
  EXPECT_NEAR(rejected / repetitions, .05, 4 * error + 1e-3);
}

}  // namespace wilcoxon_test
}  // namespace mindgap::stats
