#include "mindgap/planner/ids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/base/distributions.h"
#include "planner/small_models.h"

namespace mindgap::planner {
namespace ids_test {

using Pairs = std::vector<std::int32_t>;

// Candidates (regret 1, information 0) and (3, 4): with q on the first, a = 3, b = -2, c = 4, d = -4:
// q = (3*(-4) - 2*(-2)*4) / ((-2)(-4)) = 4/8 = .5; there regret 2, information 2, ratio 2 (the second alone:
// 9/4).
TEST(InformationRatio, HandValue) {
  const Mixture best = least_information_ratio(std::vector<double>{1, 3}, std::vector<double>{0, 4});
  EXPECT_EQ(best.first, 0u);
  EXPECT_EQ(best.second, 1u);
  EXPECT_NEAR(best.share, .5, 1e-15);
  EXPECT_NEAR(best.ratio, 2, 1e-15);
}

TEST(InformationRatio, LimitCases) {
  const double inf = std::numeric_limits<double>::infinity();
  const Mixture nothing = least_information_ratio(std::vector<double>{2, 1}, std::vector<double>{0, 0});
  EXPECT_EQ(nothing.first, 1u);
  EXPECT_EQ(nothing.share, 1);
  EXPECT_EQ(nothing.ratio, inf);
  const Mixture free = least_information_ratio(std::vector<double>{2, 0}, std::vector<double>{5, 0});
  EXPECT_EQ(free.first, 1u);
  EXPECT_EQ(free.ratio, 0);
  EXPECT_EQ(least_information_ratio(std::vector<double>{3}, std::vector<double>{1}).ratio, 9);
}

// No mixture on a grid over all pairs is better.
TEST(InformationRatio, BeatsAGrid) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    base::Stream stream({42, base::Purpose::test, i});
    std::vector<double> regret(5), information(5);
    for (double& x : regret) x = base::uniform(stream);
    for (double& x : information) x = base::uniform(stream);
    const Mixture best = least_information_ratio(regret, information);
    const auto ratio = [&](std::size_t a, std::size_t b, double q) {
      return std::pow(q * regret[a] + (1 - q) * regret[b], 2) /
             (q * information[a] + (1 - q) * information[b]);
    };
    EXPECT_NEAR(best.ratio, ratio(best.first, best.second, best.share), 1e-12);
    for (std::size_t a = 0; a < 5; ++a) {
      for (std::size_t b = 0; b < 5; ++b) {
        for (int q = 0; q <= 100; ++q) EXPECT_GE(ratio(a, b, q / 100.0), best.ratio - 1e-12);
      }
    }
  }
}

Setting arm_setting(const std::vector<double>& reward, const std::vector<double>& sd) {
  const mdp::Mdp mdp = arms(reward);
  const std::size_t arms = reward.size();
  Setting setting{
      .belief = belief::Belief(mdp, {sd, std::vector<double>(arms, 1)}, std::vector<double>(arms, 1)),
      .units = 200,
      .horizon = 100};
  setting.options.replan_every = 1;
  setting.options.draws = 200;
  return setting;
}

// Arm 0 is known to pay 0, arm 1 is N(-.5, 1). Arm 0 has the regret E max(X, 0) = psi(.5) = .19780 and no
// information, arm 1 the regret .19780 + .5 and all of it. With a share q on arm 1 the ratio is proportional
// to
// (.19780 + .5 q)^2 / q, least at q = .19780 / .5 = .3956. From 200 models the share is off by .12 or so (the
// sd of the mean of max(X, 0) is .03, that of the mean of X .07), the count of 200 units by 7.
TEST(Ids, SomeUnitsPayForInformation) {
  Driven planner("ids", arm_setting({0, -.5}, {0, 1}));
  const Pairs chosen = planner.choose(Pairs(200, 0));
  EXPECT_NEAR(static_cast<double>(std::count(chosen.begin(), chosen.end(), 1)), 200 * .3956, 50);
}

// An arm that cannot be the best (-5 with sd .1) is nobody's optimum and so no candidate.
TEST(Ids, NeverTakesWhatIsOptimalInNoModel) {
  Driven planner("ids", arm_setting({0, 0, -5}, {.5, .5, .1}));
  for (int t = 0; t < 5; ++t) {
    const Pairs chosen = planner.choose(Pairs(200, 0));
    EXPECT_EQ(std::count(chosen.begin(), chosen.end(), 2), 0);
    planner.observe(std::vector<double>(200, 0), Pairs(200, 0));
  }
}

TEST(Ids, NothingOpenMeansTheOptimum) {
  Driven planner("ids", arm_setting({.1, .3}, {0, 0}));
  EXPECT_EQ(planner.choose(Pairs(200, 0)), Pairs(200, 1));
}

// After 200 looks at each arm the belief is sharp, the better arm all but certain.
TEST(Ids, SettlesOnTheBetterArm) {
  Driven planner("ids", arm_setting({0, 0}, {.5, .5}));
  for (int t = 0; t < 20; ++t) {
    const Pairs chosen = planner.choose(Pairs(200, 0));
    std::vector<double> reward;
    for (const std::int32_t k : chosen) reward.push_back(k == 1 ? 1 : 0);
    planner.observe(reward, Pairs(200, 0));
  }
  const Pairs chosen = planner.choose(Pairs(200, 0));
  EXPECT_EQ(std::count(chosen.begin(), chosen.end(), 1), 200);
}

}  // namespace ids_test
}  // namespace mindgap::planner
