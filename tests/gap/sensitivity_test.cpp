#include "mindgap/gap/sensitivity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"

namespace mindgap::gap {
namespace sensitivity_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One pair: a law of the hidden state, how the action followed it, and a reward with its own spread.
struct HiddenCase {
  std::vector<double> hidden, propensity, mean, variance;

  double odds() const {
    double marginal = 0, odds = 1;
    for (std::size_t h = 0; h < hidden.size(); ++h) marginal += hidden[h] * propensity[h];
    for (const double p : propensity) odds = std::max({odds, p / marginal, marginal / p});
    return odds;
  }
  double variance_under(const std::vector<double>& law) const {
    double total = 0, first = 0, second = 0;
    for (std::size_t h = 0; h < law.size(); ++h) {
      total += law[h];
      first += law[h] * mean[h];
      second += law[h] * (variance[h] + mean[h] * mean[h]);
    }
    return second / total - first / total * (first / total);
  }
  // Where the historical data come from: the hidden state given that the action was taken.
  double behaviour_variance() const {
    std::vector<double> law = hidden;
    for (std::size_t h = 0; h < law.size(); ++h) law[h] *= propensity[h];
    return variance_under(law);
  }
  double variance_ratio() const { return behaviour_variance() / variance_under(hidden); }
};

TEST(VarianceRatio, HoldsOnRandomHiddenStates) {
  base::Stream stream({11, base::Purpose::test});
  double closest = 0;
  for (int trial = 0; trial < 100'000; ++trial) {
    const auto size = static_cast<std::size_t>(2 + base::uniform_index(stream, 4));
    HiddenCase drawn;
    for (std::size_t h = 0; h < size; ++h) {
      drawn.hidden.push_back(base::exponential(stream));
      drawn.propensity.push_back(.02 + .98 * base::uniform(stream));
      drawn.mean.push_back(base::normal(stream));
      drawn.variance.push_back(trial % 2 == 0 ? 0.0 : .1 * base::exponential(stream));
    }
    const double sum = std::accumulate(drawn.hidden.begin(), drawn.hidden.end(), 0.0);
    for (double& p : drawn.hidden) p /= sum;
    const RatioBounds bounds = variance_ratio_bounds(drawn.odds());
    const double ratio = drawn.variance_ratio();
    ASSERT_GE(ratio, bounds.lower * (1 - 1e-9)) << trial;
    ASSERT_LE(ratio, bounds.upper * (1 + 1e-9)) << trial;
    closest = std::max({closest, ratio / bounds.upper, bounds.lower / ratio});
  }
  EXPECT_GT(closest, .5);
}

// R = -1, 0, 1 by a hidden state with probabilities e, 1 - 2e, e; the action is M times as likely as usual at
// the outer two. Then Var_do = 2e and Var_beh = 2eM exactly. w(0) = (1 - 2eM)/(1 - 2e) >= 1/M for small e.
TEST(VarianceRatio, UpperEndIsAttained) {
  for (const double odds : {1.5, 2.0, 10.0}) {
    const double e = .01;
    const HiddenCase extreme{{e, 1 - 2 * e, e},
                             {.05 * odds, .05 * (1 - 2 * e * odds) / (1 - 2 * e), .05 * odds},
                             {-1, 0, 1},
                             {0, 0, 0}};
    EXPECT_NEAR(extreme.odds(), odds, 1e-12);
    EXPECT_NEAR(extreme.variance_ratio(), variance_ratio_bounds(odds).upper, 1e-11);
  }
}

// The same with w = 1/M at the outer two: Var_beh = 2e/M.
TEST(VarianceRatio, LowerEndIsAttained) {
  for (const double odds : {1.5, 2.0, 10.0}) {
    const double e = .01;
    const HiddenCase extreme{{e, 1 - 2 * e, e},
                             {.05 / odds, .05 * (1 - 2 * e / odds) / (1 - 2 * e), .05 / odds},
                             {-1, 0, 1},
                             {0, 0, 0}};
    EXPECT_NEAR(extreme.odds(), odds, 1e-12);
    EXPECT_NEAR(extreme.variance_ratio(), variance_ratio_bounds(odds).lower, 1e-12);
  }
}

// Actions that ignore the hidden state (M = 1), but a hidden state that was nearly constant in history and is
// even now: variance .0099 then and .25 now, though the bounds say the ratio is 1.
TEST(VarianceRatio, DoesNotCoverDrift) {
  const HiddenCase history{{.99, .01}, {.5, .5}, {0, 1}, {0, 0}};
  EXPECT_EQ(history.odds(), 1);
  const double now = history.variance_under({.5, .5});
  EXPECT_LT(history.behaviour_variance() / now, .05 * variance_ratio_bounds(history.odds()).lower);
}

TEST(VarianceRatio, PaperIsTheSquare) {
  EXPECT_DOUBLE_EQ(variance_ratio_bounds(4).lower, .25);
  EXPECT_DOUBLE_EQ(variance_ratio_bounds(4).upper, 4);
  EXPECT_DOUBLE_EQ(variance_ratio_bounds_paper(4).lower, 1.0 / 16);
  EXPECT_DOUBLE_EQ(variance_ratio_bounds_paper(4).upper, 16);
  EXPECT_EQ(variance_ratio_bounds(1).lower, 1);
  EXPECT_THROW(variance_ratio_bounds(.5), InvalidArgument);
  EXPECT_THROW(variance_ratio_bounds_paper(std::nan("")), InvalidArgument);
}

// W = (4, 1), i0 = (1, 1), tau = 1: with 4 observations i0 + n are in the proportion 2 : 1 and sum to 6, so
// n = (3, 1) and what is left is 4/4 + 1/2. With 1/2 observation all goes to the first.
TEST(BestCounts, ByHand) {
  const PrecisionProblem problem{{4, 1}, {1, 1}, {1, 1}};
  const std::vector<double> counts = best_counts(problem, 4);
  EXPECT_NEAR(counts[0], 3, 1e-14);
  EXPECT_NEAR(counts[1], 1, 1e-14);
  EXPECT_NEAR(remaining_variance(problem, counts), 1.5, 1e-14);
  EXPECT_EQ(best_counts(problem, .5), (std::vector<double>{.5, 0}));
  EXPECT_EQ(best_counts(problem, 0), (std::vector<double>{0, 0}));
  EXPECT_EQ(best_counts({{0, 0}, {1, 1}, {1, 1}}, 3), (std::vector<double>{0, 0}));
}

// W = (1, 100), i0 = (1, 2): the first gains are 1 and 100/4, so little goes to the second alone.
TEST(BestCounts, TheLargestFirstGainComesFirst) {
  EXPECT_EQ(best_counts({{1, 100}, {1, 2}, {1, 1}}, .5), (std::vector<double>{0, .5}));
}

TEST(BestCounts, PairsWithoutPriorComeFirst) {
  const PrecisionProblem problem{{1, 100, 0}, {0, 1, 0}, {1, 1, 1}};
  EXPECT_EQ(remaining_variance(problem, std::vector<double>{0, 1, 0}), kInfinity);
  const std::vector<double> counts = best_counts(problem, 1e-3);
  EXPECT_GT(counts[0], 0);
  EXPECT_EQ(counts[2], 0);
  EXPECT_LT(remaining_variance(problem, counts), kInfinity);
}

PrecisionProblem random_problem(base::Stream& stream, std::size_t size) {
  PrecisionProblem problem;
  for (std::size_t k = 0; k < size; ++k) {
    problem.weight.push_back(base::exponential(stream));
    problem.prior_precision.push_back(std::exp(2 * base::normal(stream)));
    problem.precision.push_back(std::exp(base::normal(stream)));
  }
  return problem;
}

// The conditions of Karush, Kuhn and Tucker, which are sufficient as the criterion is convex: equal marginal
// gains W tau/(i0 + tau n)^2 where n > 0, no larger one elsewhere, and the total is spent.
TEST(BestCounts, AreOptimal) {
  base::Stream stream({12, base::Purpose::test});
  for (int trial = 0; trial < 500; ++trial) {
    const PrecisionProblem problem = random_problem(stream, static_cast<std::size_t>(1 + trial % 12));
    const double total = std::exp(3 * base::normal(stream));
    const std::vector<double> counts = best_counts(problem, total);
    EXPECT_NEAR(std::accumulate(counts.begin(), counts.end(), 0.0), total, 1e-10 * total) << trial;
    double low = kInfinity, high = 0, unused = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      const double left = problem.prior_precision[k] + problem.precision[k] * counts[k];
      const double gain = problem.weight[k] * problem.precision[k] / (left * left);
      if (counts[k] > 0) {
        low = std::min(low, gain);
        high = std::max(high, gain);
      } else {
        unused = std::max(unused, gain);
      }
    }
    EXPECT_NEAR(high / low, 1, 1e-9) << trial;
    EXPECT_LE(unused, low * (1 + 1e-9)) << trial;
  }
}

// Paper, prop. tau-obs-rank-stability.
TEST(RankStability, NeverExceedsTheBound) {
  base::Stream stream({13, base::Purpose::test});
  double worst = 0;
  for (int trial = 0; trial < 5'000; ++trial) {
    const PrecisionProblem problem = random_problem(stream, static_cast<std::size_t>(2 + trial % 7));
    const double wanted = 1 + 3 * base::uniform(stream);
    PrecisionProblem guess = problem;
    for (double& tau : guess.precision) tau *= base::uniform(stream) < .5 ? wanted : 1 / wanted;
    const double total = std::exp(2 * base::normal(stream));
    const std::vector<double> best = best_counts(problem, total);
    const RankStability result = rank_stability(problem, guess.precision, best_counts(guess, total), best);
    EXPECT_NEAR(result.precision_ratio, wanted, 1e-12);
    EXPECT_GE(result.ratio, 1 - 1e-12) << trial;
    EXPECT_LE(result.ratio, result.bound) << trial;
    worst = std::max(worst, result.ratio / result.bound);
  }
  EXPECT_LE(worst, 1);
}

// Without priors a factor common to all pairs changes no design.
TEST(RankStability, CommonFactorWithoutPriorsCostsNothing) {
  const PrecisionProblem problem{{4, 1, 9}, {0, 0, 0}, {1, 2, 3}};
  const PrecisionProblem guess{{4, 1, 9}, {0, 0, 0}, {2, 4, 6}};
  const RankStability result =
      rank_stability(problem, guess.precision, best_counts(guess, 5), best_counts(problem, 5));
  EXPECT_DOUBLE_EQ(result.precision_ratio, 2);
  EXPECT_DOUBLE_EQ(result.bound, 4);
  EXPECT_NEAR(result.ratio, 1, 1e-14);
}

TEST(RankStability, NothingToLearnIsARatioOfOne) {
  const PrecisionProblem problem{{0, 0}, {1, 1}, {1, 1}};
  EXPECT_EQ(
      rank_stability(problem, problem.precision, std::vector<double>{1, 0}, std::vector<double>{0, 1}).ratio,
      1);
}

TEST(RankStability, BadArguments) {
  const PrecisionProblem good{{1, 1}, {1, 1}, {1, 1}};
  const std::vector<double> two{1, 1}, one{1}, negative{1, -1}, zero{1, 0};
  EXPECT_THROW(best_counts({{1, 1}, {1}, {1, 1}}, 1), InvalidArgument);
  EXPECT_THROW(best_counts({{1, 1}, {1, 1}, {1}}, 1), InvalidArgument);
  EXPECT_THROW(best_counts({{1, -1}, {1, 1}, {1, 1}}, 1), InvalidArgument);
  EXPECT_THROW(best_counts({{1, 1}, {1, -1}, {1, 1}}, 1), InvalidArgument);
  EXPECT_THROW(best_counts({{1, 1}, {1, 1}, {1, 0}}, 1), InvalidArgument);
  EXPECT_THROW(best_counts(good, -1), InvalidArgument);
  EXPECT_THROW(remaining_variance(good, one), InvalidArgument);
  EXPECT_THROW(remaining_variance(good, negative), InvalidArgument);
  EXPECT_THROW(rank_stability(good, one, two, two), InvalidArgument);
  EXPECT_THROW(rank_stability(good, zero, two, two), InvalidArgument);
  EXPECT_THROW(rank_stability(good, two, one, two), InvalidArgument);
  EXPECT_THROW(rank_stability(good, two, two, negative), InvalidArgument);
}

}  // namespace sensitivity_test
}  // namespace mindgap::gap
