#include "mindgap/gap/regret_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"

namespace mindgap::gap {
namespace regret_bound_test {

RegretProblem problem() {
  RegretProblem one;
  one.pairs = 4;
  one.units = 1000;
  one.explorers = .2;
  one.reward_span = 1;
  one.discount = .95;
  return one;
}

// By hand: h = 20, m = .2 x 1000 x 50 / 4 = 2500 looks a pair, e = sqrt(log(160)/5000) = .031860.
TEST(RegretBound, ByHand) {
  RegretProblem one = problem();
  one.reward_error = .01;
  one.transition_error = .002;
  const RegretBound bound = regret_bound(one, 50);
  EXPECT_DOUBLE_EQ(bound.exploration, 50);
  EXPECT_NEAR(bound.misranking, 2 * 20 * std::sqrt(std::log(160.) / 5000), 1e-12);
  EXPECT_NEAR(bound.residual, 2 * 20 * .01 + 2 * .95 * 400 * .002, 1e-12);
  EXPECT_NEAR(bound.total, bound.exploration + bound.misranking + bound.residual, 1e-12);
  const RegretBound paper = regret_bound_paper(one, 50);
  EXPECT_DOUBLE_EQ(paper.exploration, 20);
  EXPECT_NEAR(paper.misranking, 400 * std::sqrt(4 * std::log(80.) / 10), 1e-9);
}

// Rewards in other units: everything but the number of steps scales with them. The paper's residual does not.
TEST(RegretBound, ScalesWithRewards) {
  RegretProblem one = problem();
  one.reward_error = .01;
  one.transition_error = .002;
  RegretProblem ten = one;
  ten.reward_span *= 10;
  ten.reward_error *= 10;
  EXPECT_NEAR(regret_bound(ten, 30).total, 10 * regret_bound(one, 30).total, 1e-9);
  EXPECT_NEAR(best_pilot_length(ten).steps, best_pilot_length(one).steps, 1e-9);
  EXPECT_NEAR(regret_bound_paper(ten, 30).residual, 100 * regret_bound_paper(one, 30).residual, 1e-9);
}

// The least over a fine grid, with and without a horizon.
TEST(RegretBound, BestLengthAgainstAGrid) {
  for (const std::int64_t horizon : {0, 400, 5000}) {
    RegretProblem one = problem();
    if (horizon > 0) one.horizon = horizon;
    const PilotLength found = best_pilot_length(one);
    double best = 1e300;
    for (double steps = .01; steps < 400; steps *= 1.002)
      best = std::min(best, regret_bound(one, steps).total);
    EXPECT_NEAR(found.bound.total, best, 1e-4 * best);
    EXPECT_FALSE(found.says_nothing);
    EXPECT_LT(found.bound.total, found.without);
  }
  // T* = (h s)^(2/3), s^2 = P log(2 P/delta) / (2 f n), by hand: (20 x .22529)^(2/3).
  EXPECT_NEAR(best_pilot_length(problem()).steps, std::pow(20 * std::sqrt(4 * std::log(160.) / 400), 2. / 3),
              1e-9);
}

// The paper's own minimum, against a grid of its own bound.
TEST(RegretBound, PaperLengthAgainstAGrid) {
  const PilotLength found = best_pilot_length(problem());
  double best = 1e300;
  for (double steps = .1; steps < 1e5; steps *= 1.002)
    best = std::min(best, regret_bound_paper(problem(), steps).total);
  EXPECT_NEAR(found.paper.total, best, 1e-4 * best);
}

// Few units and many pairs: no pilot can prove anything, and that is said.
TEST(RegretBound, SaysWhereItSaysNothing) {
  RegretProblem one = problem();
  one.pairs = 200;
  one.units = 4;
  const PilotLength found = best_pilot_length(one);
  EXPECT_TRUE(found.says_nothing);
  EXPECT_NEAR(found.without, 20, 1e-9);
}

// Against simulation: two actions of one state, Bernoulli outcomes with means .5 and .5 - gap, 50 of 100
// units exploring both equally for 8 steps. What is lost afterwards, by whoever believes the higher mean, and
// while the pilot runs, stays below the bound for every gap.
TEST(RegretBound, HoldsInSimulation) {
  RegretProblem one;
  one.pairs = 2;
  one.units = 100;
  one.explorers = .5;
  one.reward_span = 1;
  one.discount = .9;
  const RegretBound bound = regret_bound(one, 8);
  for (const double gap : {.02, .05, .1, .2, .4}) {
    int mistakes = 0;
    constexpr int kDraws = 500;
    for (int draw = 0; draw < kDraws; ++draw) {
      base::Stream stream({11, base::Purpose::test, static_cast<std::uint64_t>(draw)});
      int better = 0, worse = 0;
      for (int look = 0; look < 200; ++look) {
        better += base::uniform(stream) < .5;
        worse += base::uniform(stream) < .5 - gap;
      }
      mistakes += worse > better;
    }
    EXPECT_LT(10 * gap * mistakes / kDraws, bound.misranking);
    EXPECT_LT(8 * gap, bound.exploration);
  }
}

TEST(RegretBound, Refusals) {
  const auto refused = [](const std::function<void(RegretProblem&)>& spoil) {
    RegretProblem bad = problem();
    spoil(bad);
    EXPECT_THROW(best_pilot_length(bad), InvalidArgument);
  };
  refused([](auto& p) { p.pairs = 0; });
  refused([](auto& p) { p.units = 0; });
  refused([](auto& p) { p.explorers = 0; });
  refused([](auto& p) { p.explorers = 1.1; });
  refused([](auto& p) { p.reward_span = 0; });
  refused([](auto& p) { p.discount = 1; });
  refused([](auto& p) { p.delta = 0; });
  refused([](auto& p) { p.horizon = 0; });
  refused([](auto& p) { p.reward_error = -1; });
  EXPECT_THROW(regret_bound(problem(), -1), InvalidArgument);
}

}  // namespace regret_bound_test
}  // namespace mindgap::gap
