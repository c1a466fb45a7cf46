#include "mindgap/decide/tipping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "decide/situations.h"
#include "mindgap/base/error.h"

namespace mindgap::decide {
namespace tipping_test {

// Staying home pays 1 for certain; the far place pays .5 by the simulator, and how far that may be off is
// what the map is about.
Situation far_away(double far_sd, std::int64_t horizon = 20) {
  const mdp::Mdp mdp = corridor(1, .5);
  belief::Prior prior = even_prior(mdp, .01, 1000);
  prior.reward_sd[5] = far_sd;
  return situation_of(mdp, prior, .1, {0, 0, 0, 0}, horizon);
}

TippingMap map_of(const Situation& situation, const DecideOptions& options, std::vector<double> settings,
                  const TippingOptions& how) {
  return tipping_map(
      situation, options, TippingAxis::prior_width, std::move(settings), 1,
      [&](double width) { return widened(situation.knowledge, width); }, how);
}

DecideOptions few_plans() {
  return quick(plans_named({"sop", "asop", "pilot-4x4"}));
}

TEST(Widened, ScalesThePriorAndKeepsTheRest) {
  Situation situation = far_away(.5);
  situation.knowledge.now.observe(0, 2, 0);
  situation.knowledge.odds = 3;
  const belief::Knowledge wide = widened(situation.knowledge, 2);
  EXPECT_DOUBLE_EQ(wide.now.prior().reward_sd[5], 1);
  EXPECT_DOUBLE_EQ(wide.now.prior().reward_sd[0], .02);
  EXPECT_DOUBLE_EQ(wide.before.prior().transition_strength[0], 250);
  EXPECT_EQ(wide.odds, 3);
  EXPECT_EQ(wide.variance, situation.knowledge.variance);
  // What was seen stays: sd .02, one reward 2 of variance .1 around 1: 1 + .0004/(.0004 + .1).
  EXPECT_NEAR(wide.now.reward_mean(0), 1 + .0004 / .1004, 1e-12);
  EXPECT_EQ(wide.before.reward_mean(0), 1);
  EXPECT_THROW(widened(situation.knowledge, 0), InvalidArgument);
  EXPECT_THROW(widened(situation.knowledge, -1), InvalidArgument);
  EXPECT_THROW(widened(situation.knowledge, std::nan("")), InvalidArgument);
}

TEST(TippingMap, HasACellForEverySettingAndHorizon) {
  const TippingMap map = map_of(far_away(1), few_plans(), {2, .5}, {.worlds = 40, .refinements = 0});
  EXPECT_EQ(map.settings, (std::vector<double>{.5, 2}));
  // Shares .1 .14 .2 .3 .4 .55 .75 1 1.25 1.6 2 of 20 steps.
  EXPECT_EQ(map.horizons, (std::vector<std::int64_t>{2, 3, 4, 6, 8, 11, 15, 20, 25, 32, 40}));
  ASSERT_EQ(map.cells.size(), 22U);
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    EXPECT_EQ(map.cells[i].setting, map.settings[i / 11]);
    EXPECT_EQ(map.cells[i].horizon, map.horizons[i % 11]);
    EXPECT_LE(map.cells[i].gain_interval.lower, map.cells[i].gain);
    if (map.cells[i].verdict) {
      EXPECT_EQ(*map.cells[i].verdict, map.cells[i].leaning);
    }
  }
}

// The setting 1 is the situation itself: every cell is what a plain simulation of the same worlds says.
TEST(TippingMap, WidthOneIsThePlainSimulation) {
  const Situation situation = far_away(2);
  const DecideOptions options = few_plans();
  const TippingMap map = map_of(situation, options, {1}, {.worlds = 60, .more_worlds = 0, .refinements = 0});
  Situation longer = situation;
  longer.horizon = 40;
  SimulationOptions how = options.simulation;
  how.replan_every = replanning_of(situation, how);
  const Simulation simulation(longer, options.plans, how);
  const std::vector<std::size_t> all = {0, 1, 2};
  const Outcomes out = simulation.run(all, 0, 60, std::numeric_limits<double>::infinity(), "", map.horizons);
  for (const TippingCell& cell : map.cells) {
    const auto point = static_cast<std::size_t>(std::find(out.steps.begin(), out.steps.end(), cell.horizon) -
                                                out.steps.begin());
    std::vector<std::vector<double>> values = {out.values_at(0, point), out.values_at(1, point)};
    std::vector<Kind> kinds = {Kind::deploy, Kind::learn};
    if (cell.horizon >= 10) {  // 4 steps are two fifths of 10
      values.push_back(out.values_at(2, point));
      kinds.push_back(Kind::experiment);
    }
    const Verdict verdict = settle(values, kinds, options.indifference, 1 - (1 - options.level) / 2);
    EXPECT_EQ(cell.leaning, verdict.kind) << cell.horizon;
    EXPECT_EQ(cell.verdict.has_value(), verdict.settled) << cell.horizon;
  }
}

TEST(TippingMap, RefinesOnlyBetweenNeighboursThatDiffer) {
  const TippingMap coarse =
      map_of(far_away(1), few_plans(), {.01, .02, 8, 16}, {.worlds = 200, .refinements = 0});
  const TippingMap fine =
      map_of(far_away(1), few_plans(), {.01, .02, 8, 16}, {.worlds = 200, .refinements = 1});
  const auto row = [](const TippingMap& map, std::size_t i) {
    std::vector<Kind> kinds;
    for (std::size_t h = 0; h < map.horizons.size(); ++h)
      kinds.push_back(map.cells[i * map.horizons.size() + h].leaning);
    return kinds;
  };
  std::vector<double> wanted;
  for (std::size_t i = 0; i < coarse.settings.size(); ++i) {
    wanted.push_back(coarse.settings[i]);
    if (i + 1 < coarse.settings.size() && row(coarse, i) != row(coarse, i + 1))
      wanted.push_back(std::sqrt(coarse.settings[i] * coarse.settings[i + 1]));
  }
  EXPECT_EQ(fine.settings, wanted);
  // A certain home and an unknown far place: nothing to learn at .01, everything at 8.
  EXPECT_EQ(row(coarse, 0), row(coarse, 1));
  EXPECT_NE(row(coarse, 1), row(coarse, 2));
  EXPECT_EQ(row(coarse, 0)[7], Kind::deploy);
  EXPECT_EQ(row(coarse, 2)[7], Kind::experiment);
  EXPECT_NE(std::find(wanted.begin(), wanted.end(), std::sqrt(.16)), wanted.end());
}

TEST(TippingMap, PilotsAloneLeaveOutTheHorizonsTheyDoNotEndBefore) {
  const TippingMap map =
      map_of(far_away(1), quick(plans_named({"pilot-4x12"})), {1}, {.worlds = 4, .refinements = 1});
  EXPECT_EQ(map.horizons, (std::vector<std::int64_t>{15, 20, 25, 32, 40}));
  for (const TippingCell& cell : map.cells) EXPECT_EQ(cell.verdict, Kind::experiment);
}

TEST(TippingMap, IsTheSameForAnyNumberOfThreads) {
  DecideOptions one = few_plans(), three = few_plans();
  one.simulation.run.threads = 1;
  three.simulation.run.threads = 3;
  const TippingMap a = map_of(far_away(1), one, {.5, 2}, {.worlds = 40}),
                   b = map_of(far_away(1), three, {.5, 2}, {.worlds = 40});
  ASSERT_EQ(a.settings, b.settings);
  for (std::size_t i = 0; i < a.cells.size(); ++i) {
    EXPECT_EQ(a.cells[i].verdict, b.cells[i].verdict);
    EXPECT_EQ(a.cells[i].gain, b.cells[i].gain);
  }
}

TEST(TippingMap, RefusesWhatItCannotDo) {
  const Situation situation = far_away(1);
  DecideOptions discounted = few_plans();
  discounted.objective = Objective::discounted;
  EXPECT_THROW(map_of(situation, discounted, {1}, {}), InvalidArgument);
  EXPECT_THROW(map_of(situation, few_plans(), {0}, {}), InvalidArgument);
  EXPECT_THROW(map_of(situation, few_plans(), {-1}, {}), InvalidArgument);
  EXPECT_THROW(map_of(situation, few_plans(), {1}, {.worlds = 1}), InvalidArgument);
}

TEST(TippingMap, OutOfTimeItHasAtLeastTheSituationItself) {
  const TippingMap map =
      map_of(far_away(1), few_plans(), {.25, .5, 1, 2}, {.worlds = 4, .refinements = 1, .most_work = 1});
  EXPECT_EQ(map.settings, (std::vector<double>{.5, 1}));
  EXPECT_EQ(map.left_out, (std::vector<double>{.25, 2}));
}

// No clock has a part in it: a map that was cut by its budget is the same again, and says what it lacks.
TEST(TippingMap, TheSameBudgetGivesTheSameMap) {
  const auto once = [] {
    return map_of(far_away(1), few_plans(), {.25, .5, 1, 2},
                  {.worlds = 8, .more_worlds = 64, .refinements = 1, .most_work = 4e6});
  };
  const TippingMap first = once(), second = once();
  EXPECT_FALSE(first.left_out.empty() && first.cut_short.empty());
  EXPECT_EQ(first.settings, second.settings);
  EXPECT_EQ(first.left_out, second.left_out);
  EXPECT_EQ(first.cut_short, second.cut_short);
  EXPECT_EQ(first.worlds, second.worlds);
  for (std::size_t i = 0; i < first.cells.size(); ++i) EXPECT_EQ(first.cells[i].gain, second.cells[i].gain);
  const TippingMap whole =
      map_of(far_away(1), few_plans(), {.5, 1}, {.worlds = 8, .more_worlds = 16, .refinements = 0});
  EXPECT_TRUE(whole.left_out.empty() && whole.cut_short.empty());
}

TEST(TippingPoints, AreTheNearestFlipsAtTheHorizonOfTheDecision) {
  TippingMap map{TippingAxis::prior_width, 1, {.25, .5, 1, 2}, {10, 20}, {}};
  map.horizon = 20;
  const Kind at_20[] = {Kind::deploy, Kind::learn, Kind::experiment, Kind::experiment};
  for (const Kind kind : at_20) {
    map.cells.push_back({0, 10, {}, Kind::deploy});
    map.cells.push_back({0, 20, {}, kind});
  }
  const auto points = tipping_points(map);
  ASSERT_TRUE(points);
  EXPECT_EQ(points->here, Kind::experiment);
  ASSERT_TRUE(points->below);
  EXPECT_EQ(points->below->to, Kind::learn);
  EXPECT_DOUBLE_EQ(points->below->setting, std::sqrt(.5));
  EXPECT_FALSE(points->above);
  map.here = 3;
  EXPECT_FALSE(tipping_points(map));
}

TEST(TippingMap, StopsWhenAsked) {
  DecideOptions options = few_plans();
  options.simulation.run.listener.stop = [] { return true; };
  const TippingMap map = map_of(far_away(1), options, {1, 2}, {});
  EXPECT_TRUE(map.settings.empty());
  EXPECT_EQ(map.left_out, (std::vector<double>{1, 2}));
}

}  // namespace tipping_test
}  // namespace mindgap::decide
