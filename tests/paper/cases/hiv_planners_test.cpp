#include "paper/cases/hiv/planners.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "paper/cases/hiv/dynamic_belief.h"

namespace mindgap::cases::hiv {
namespace hiv_planners_test {

struct Setting {
  HivOptions options;
  Geography geography;
  Known known;

  explicit Setting(HivOptions given = {}) : options(std::move(given)), geography(options) {
    const Maps maps = draw_maps(options, geography, 0);
    known = known_to_planners(options, geography, maps.simulator, 0);
  }
};

HivOptions noiseless() {
  HivOptions options;
  options.prevalence_sd = options.simulated_a_sd = options.simulated_b_sd = 0;
  return options;
}

// spec/hiv.md 8: means .125 and .100, sd .0917 and .0832; golden prior variances.
TEST(HivBelief, Prior) {
  const Setting setting(noiseless());
  const std::vector<belief::BetaShape> shapes = prior_shapes(setting.known);
  EXPECT_NEAR(belief::mean(shapes[0]), .125, 1e-12);
  EXPECT_NEAR(belief::mean(shapes[39]), .1, 1e-12);
  EXPECT_NEAR(belief::variance(shapes[0]), .00841346, 1e-8);
  EXPECT_NEAR(belief::variance(shapes[39]), .00692308, 1e-8);
}

TEST(HivBelief, ColdTestsCountForLessWhereCorrected) {
  const Setting setting(noiseless());
  ZoneBelief plain(setting.known, BeliefForm::plain), corrected(setting.known, BeliefForm::corrected);
  const std::vector<TeamDay> day = {{0, 39, 10, 1}, {1, 39, 10, 0}, {2, 0, 10, 1}};
  plain.observe(day);
  corrected.observe(day);
  // Zone 39: a = 1.2, b = 10.8 before. Corrected: b += max(0, .2 * 10 - 1) + max(0, .2 * 10).
  EXPECT_NEAR(plain.at(39).negative, 10.8 + 9 + 10, 1e-12);
  EXPECT_NEAR(corrected.at(39).negative, 10.8 + 1 + 2, 1e-12);
  EXPECT_NEAR(corrected.at(39).positive, 2.2, 1e-12);
  EXPECT_EQ(corrected.at(0), plain.at(0));
  // One day with two teams is one day.
  EXPECT_EQ(corrected.warm_up().missing(39), 2);
  EXPECT_EQ(corrected.warm_up().missing(0), 0);
}

// spec/hiv.md, golden numbers.
TEST(HivFisher, GoldenGradientAndPvv) {
  const Setting setting(noiseless());
  const ZoneBelief belief(setting.known, BeliefForm::plain);
  const std::vector<double> gradient = value_gradient(setting.known, belief.means());
  EXPECT_NEAR(gradient[0], 90.87051, 1e-4);
  EXPECT_NEAR(gradient[18], 91.30733, 1e-4);
  EXPECT_NEAR(gradient[19], 91.32187, 1e-4);
  EXPECT_NEAR(gradient[20], 91.41119, 1e-4);
  EXPECT_NEAR(gradient[39], 90.95955, 1e-4);
  const std::vector<double> pvv = zone_pvv(setting.known, belief);
  double total = 0, in_b = 0;
  for (Zone j = 0; j < 40; ++j) {
    total += pvv[static_cast<std::size_t>(j)];
    if (setting.geography.in_b(j)) in_b += pvv[static_cast<std::size_t>(j)];
  }
  EXPECT_NEAR(total, 2549.5189, 1e-3);
  EXPECT_NEAR(in_b / total, .45198, 1e-5);
}

// Where everything is known, nobody explores: both go to the highest posterior means, as A-SOP does.
TEST(HivPriced, WhatIsKnownIsNotExplored) {
  HivOptions options;
  options.prior_strength = 1e8;
  const Setting setting(options);
  for (const auto& make : {make_adaptive_fisher, make_ids}) {
    const auto planner = make(setting.known);
    const auto passive = make_asop(setting.known);
    std::vector<Zone> position = {0, 1, 2, 3, 8, 9, 10, 11}, next(8), usual(8);
    for (std::int64_t day = 0; day < 12; ++day) {
      planner->decide(day, position, next);
      passive->decide(day, position, usual);
      ASSERT_EQ(next, usual) << day;
      position = next;
    }
  }
}

// With the prior of the case, teams on expeditions walk by shortest paths into region B; one after the other.
TEST(HivPriced, ExpeditionsReachRegionB) {
  const Setting setting;
  const auto planner = make_adaptive_fisher(setting.known);
  std::vector<Zone> position = {0, 1, 2, 3, 8, 9, 10, 11}, next(8);
  bool crossed = false;
  for (std::int64_t day = 0; day < 60; ++day) {
    planner->decide(day, position, next);
    std::vector<TeamDay> tests;
    for (std::int32_t team = 0; team < 8; ++team) {
      const Zone from = position[static_cast<std::size_t>(team)], to = next[static_cast<std::size_t>(team)];
      ASSERT_LE(setting.geography.distance(from, to), 1);
      tests.push_back({team, to, 8, setting.geography.in_b(to) ? 0 : 1});
      crossed = crossed || setting.geography.in_b(to);
    }
    planner->observe(tests);
    position = next;
  }
  EXPECT_TRUE(crossed);
}

// Without spread the gradient is that of 8 sum of .95^t over t = 0 .. 15, exactly.
TEST(HivFisher, WithoutSpreadTheGradientIsTheSumOfTheDiscounts) {
  HivOptions options = noiseless();
  options.within = options.between = 0;
  const Setting setting(options);
  const ZoneBelief belief(setting.known, BeliefForm::plain);
  const double sum = 8 * (1 - std::pow(.95, 16)) / .05;
  for (const double g : value_gradient(setting.known, belief.means())) EXPECT_NEAR(g, sum, 1e-9);
}

// Two zones, both Beta(1, 1): after one test the mean is 2/3 or 1/3, each with probability 1/2, so
// E max(1/2, .) = 7/12 and the gradient 1/12. Of more tests it is larger; of a zone that is known, 0.
TEST(HivKg, HandValue) {
  HivOptions options;
  options.rows = 2;
  options.columns = 2;
  options.wall = 1;
  options.corridors = {0};
  options.teams = 2;
  options.prior_strength = 0;
  const Setting setting(options);
  ZoneBelief belief(setting.known, BeliefForm::plain);
  EXPECT_NEAR(knowledge_gradient(belief, belief.means(), 0, 1), 1.0 / 12, 1e-12);
  EXPECT_GT(knowledge_gradient(belief, belief.means(), 0, 8), 1.0 / 12);
  belief.observe(std::vector<TeamDay>{{0, 0, 1000000, 100000}});
  EXPECT_NEAR(knowledge_gradient(belief, belief.means(), 0, 8), 0, 1e-9);
}

// Against the definition: the highest entry of what is left, again and again.
TEST(HivTai, PairsAreTheGreedyOnes) {
  base::Stream stream({1, base::Purpose::test});
  for (int round = 0; round < 50; ++round) {
    std::vector<double> score(5 * 9), left;
    for (double& x : score) x = std::floor(8 * base::uniform(stream));
    left = score;
    std::vector<Zone> wanted(5, -1);
    for (;;) {
      const auto best = static_cast<std::size_t>(std::max_element(left.begin(), left.end()) - left.begin());
      if (left[best] <= 0) break;
      wanted[best / 9] = static_cast<Zone>(best % 9);
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (i / 9 == best / 9 || i % 9 == best % 9) left[i] = -1;
      }
    }
    EXPECT_EQ(best_pairs(score, 5, 9), wanted);
  }
}

TEST(HivDynamicBelief, WithoutTestsTheMeansFollowTheSpread) {
  const Setting setting;
  DynamicBelief belief(setting.known, true);
  std::vector<double> means, nobody(40, 0.0), share(40);
  for (const belief::BetaShape& shape : prior_shapes(setting.known)) means.push_back(belief::mean(shape));
  const double sd = belief.standard_deviation(39);
  for (int day = 0; day < 60; ++day) {
    belief.observe({});
    spread_one_day(setting.geography, setting.known.transmission, nobody, means, share);
  }
  for (std::size_t j = 0; j < 40; ++j) EXPECT_NEAR(belief.mean(j), means[j], 1e-9);
  // Nearby truths move apart while few are infected (slope 1 - F + (1 - p) within > 1).
  EXPECT_GT(belief.standard_deviation(39), sd);
}

// Two teams stay in zones of 500 people at a prevalence of .5 for 150 days, in either world; the belief of
// that world predicts better and comes to the truth.
TEST(HivDynamicBelief, TheTestsTellWhetherCasesDeplete) {
  for (const bool depletes : {false, true}) {
    HivOptions options = noiseless();
    options.prevalence_a = .5;
    options.teams = 2;
    options.depletion = depletes;
    const Setting setting(options);
    World world(setting.options, setting.geography, draw_maps(setting.options, setting.geography, 1), 1);
    DynamicBelief right(setting.known, depletes), wrong(setting.known, !depletes);
    const std::vector<Zone> stay(world.position().begin(), world.position().end());
    for (int day = 0; day < 150; ++day) {
      const std::span<const TeamDay> tests = world.live_one_day(stay);
      right.observe(tests);
      wrong.observe(tests);
    }
    EXPECT_GT(right.log_evidence(), wrong.log_evidence() + 10) << depletes;
    EXPECT_NEAR(right.mean(0), world.prevalence()[0], .06) << depletes;
    EXPECT_GT(std::abs(wrong.mean(0) - world.prevalence()[0]), .1) << depletes;
  }
}

// The oracle's teams end on the four zones of the cluster and on four of A.
TEST(HivOracle, GoesToTheCluster) {
  const Setting setting;
  World world(setting.options, setting.geography, draw_maps(setting.options, setting.geography, 0), 0);
  const std::unique_ptr<HivPlanner> oracle = make_oracle(world);
  run_days(world, *oracle, 12, [](const World&) {});
  std::vector<Zone> in_b(world.position().begin(), world.position().begin() + 4);
  EXPECT_EQ(in_b[0], 39);
  std::sort(in_b.begin(), in_b.end());
  EXPECT_EQ(in_b, (std::vector<Zone>{30, 31, 38, 39}));
  for (std::size_t team = 4; team < 8; ++team) EXPECT_FALSE(setting.geography.in_b(world.position()[team]));
}

// SEP's explorers go to the last corner, on the way of the golden path; its other teams stay in A.
TEST(HivSep, ThreeTeamsGoToTheCorner) {
  const Setting setting;
  World world(setting.options, setting.geography, draw_maps(setting.options, setting.geography, 0), 0);
  const std::unique_ptr<HivPlanner> sep = make_planner("sep", setting.known);
  run_days(world, *sep, 25, [](const World&) {});
  for (std::size_t team = 0; team < 3; ++team) EXPECT_EQ(world.position()[team], 39);
  for (std::size_t team = 3; team < 8; ++team) EXPECT_FALSE(setting.geography.in_b(world.position()[team]));
}

TEST(HivSop, IsTheSimulatorsTopEight) {
  const Setting setting;
  World world(setting.options, setting.geography, draw_maps(setting.options, setting.geography, 0), 0);
  const std::unique_ptr<HivPlanner> sop = make_planner("sop", setting.known);
  run_days(world, *sop, 20, [](const World&) {});
  const std::vector<Zone> wanted = top_zones(setting.known.simulator, 8);
  EXPECT_EQ(std::vector<Zone>(world.position().begin(), world.position().end()), wanted);
}

TEST(HivPlanners, UnknownNames) {
  const Setting setting;
  EXPECT_THROW(make_planner("tia", setting.known), InvalidArgument);
  EXPECT_THROW(make_planner("oracle", setting.known), InvalidArgument);  // it needs the world
  EXPECT_EQ(planner_names().front().name, "oracle");
}

}  // namespace hiv_planners_test
}  // namespace mindgap::cases::hiv
