#include "mindgap/decide/simulation.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "decide/shift.h"
#include "decide/situations.h"
#include "mindgap/base/error.h"
#include "mindgap/decide/drawn_world.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/planner/planner.h"
#include "mindgap/planner/replanner.h"
#include "mindgap/stats/moments.h"

namespace mindgap::decide {
namespace simulation_test {

constexpr double kForEver = std::numeric_limits<double>::infinity();
const std::vector<std::string> kNames = {"sop", "asop", "thompson", "pilot-2x3", "pilot-4x5"};
const std::vector<std::size_t> kAll = {0, 1, 2, 3, 4};

Situation far_away(std::int64_t horizon = 12) {
  const mdp::Mdp mdp = corridor(1, .5);
  belief::Prior prior = even_prior(mdp, .05, 20);
  prior.reward_sd[5] = 3;  // nobody knows what the far place pays
  return situation_of(mdp, prior, .5, {0, 0, 1, 0}, horizon);
}

Simulation simulation(int threads = 1, std::uint64_t seed = 42, std::int64_t horizon = 12) {
  SimulationOptions options;
  options.run.threads = threads;
  options.run.seed = seed;
  return {far_away(horizon), plans_named(kNames), options};
}

void expect_equal(const Outcomes& a, const Outcomes& b) {
  EXPECT_EQ(a.worlds, b.worlds);
  EXPECT_EQ(a.plans, b.plans);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.gathered, b.gathered);
  EXPECT_EQ(a.discounted, b.discounted);
}

TEST(Simulation, TheSameForAnyNumberOfThreads) {
  const Outcomes one = simulation(1).run(kAll, 0, 70, kForEver, "");
  for (const int threads : {2, 3}) {
    const Outcomes more = simulation(threads).run(kAll, 0, 70, kForEver, "");
    expect_equal(one, more);
    EXPECT_EQ(one.mean_gathered, more.mean_gathered);
  }
}

// Looks are made together where models are small: what is earned in a world does not depend on those beside
// it, nor on whether there are any.
TEST(Simulation, AWorldByItselfIsTheSameAsAmongOthers) {
  Situation refuted = far_away();  // then every look changes all rows
  refuted.knowledge.now.observe(0, 1, 2);
  ASSERT_FALSE(refuted.belief().learns_row_by_row());
  for (const Situation& situation : {far_away(), refuted}) {
    SimulationOptions options;
    options.run.threads = 1;
    const Simulation simulated(situation, plans_named({"asop", "beb-1", "pilot-2x3", "beb-0.5"}), options);
    const belief::Belief& belief = simulated.situation().belief();
    ASSERT_GT(planner::Together::most(belief, planner::beginning_of(belief, options.tolerance).get()), 1u);
    const std::vector<std::size_t> all = {0, 1, 2, 3};
    const Outcomes together = simulated.run(all, 3, 21, kForEver, "");
    Outcomes alone;
    for (std::int64_t world = 3; world < 24; ++world)
      append(alone, simulated.run(all, world, 1, kForEver, ""));
    expect_equal(together, alone);
  }
}

TEST(Simulation, TheSameInAnyNumberOfRuns) {
  const Simulation simulated = simulation();
  const Outcomes whole = simulated.run(kAll, 5, 70, kForEver, "");
  for (const std::vector<std::int64_t>& parts :
       {std::vector<std::int64_t>{1, 69}, std::vector<std::int64_t>{33, 36, 1}}) {
    Outcomes pieces;
    std::int64_t first = 5;
    for (const std::int64_t part : parts) {
      append(pieces, simulated.run(kAll, first, part, kForEver, ""));
      first += part;
    }
    expect_equal(whole, pieces);
    for (std::size_t i = 0; i < whole.mean_gathered.size(); ++i)
      EXPECT_NEAR(pieces.mean_gathered[i], whole.mean_gathered[i], 1e-9);
  }
}

// What a plan earns does not depend on which others are run, nor in which order.
TEST(Simulation, PlansDoNotTouchEachOther) {
  const Simulation simulated = simulation();
  const Outcomes all = simulated.run(kAll, 0, 20, kForEver, "");
  const std::vector<std::size_t> some = {4, 1};
  const Outcomes two = simulated.run(some, 0, 20, kForEver, "");
  EXPECT_EQ(two.values(0, Objective::total), all.values(4, Objective::total));
  EXPECT_EQ(two.values(1, Objective::total), all.values(1, Objective::total));
  EXPECT_EQ(two.values(0, Objective::discounted), all.values(4, Objective::discounted));
}

TEST(Simulation, AnotherSeedIsOtherWorlds) {
  EXPECT_NE(simulation(1, 42).run(kAll, 0, 3, kForEver, "").gathered,
            simulation(1, 43).run(kAll, 0, 3, kForEver, "").gathered);
}

// Curves rise by what is earned: the last point is the total, the discounted sum is made of the same rewards.
TEST(Simulation, CurvesTotalsAndMeansAgree) {
  const Outcomes out = simulation().run(kAll, 0, 40, kForEver, "");
  ASSERT_EQ(out.steps.size(), 12U);  // every step
  EXPECT_EQ(out.steps.back(), 12);
  for (std::size_t p = 0; p < kAll.size(); ++p) {
    for (std::int64_t w = 0; w < out.worlds; ++w) {
      double discounted = 0, before = 0;
      for (std::size_t t = 0; t < 12; ++t) {
        const double now = out.values_at(p, t)[static_cast<std::size_t>(w)];
        discounted += std::pow(.9, static_cast<double>(t)) * (now - before);
        before = now;
      }
      EXPECT_EQ(before, out.total(w, p));
      EXPECT_NEAR(out.values(p, Objective::discounted)[static_cast<std::size_t>(w)], discounted, 1e-9);
    }
    for (std::size_t t = 0; t < 12; ++t) {
      const std::vector<double> values = out.values_at(p, t);
      EXPECT_NEAR(out.mean_gathered[p * 12 + t], std::accumulate(values.begin(), values.end(), 0.0) / 40,
                  1e-9);
    }
  }
}

// 300 steps: 100 points evenly, where pilots end, and what is asked for.
TEST(Simulation, LongCurvesHaveAHundredPointsAndTheEndsOfPilots) {
  const Simulation simulated(far_away(300), plans_named({"sop", "pilot-2x7"}), {.run = {.threads = 1}});
  const std::vector<std::size_t> both = {0, 1};
  const std::vector<std::int64_t> more = {31};
  const Outcomes out = simulated.run(both, 0, 1, kForEver, "", more);
  EXPECT_EQ(out.steps.size(), 102U);
  EXPECT_TRUE(std::is_sorted(out.steps.begin(), out.steps.end()));
  for (const std::int64_t wanted : {3, 7, 31, 300})
    EXPECT_TRUE(std::binary_search(out.steps.begin(), out.steps.end(), wanted)) << wanted;
}

// Deploying in a drawn world earns, on the average over its luck, what the policy is worth in it: over many
// worlds the mean is that of the exact values.
TEST(Simulation, DeployingEarnsWhatThePolicyIsWorthInTheDrawnModels) {
  const mdp::Mdp mdp = corridor(1, .5);
  const Situation situation = situation_of(mdp, even_prior(mdp, .5, 5), .5, {0, 1, 2, 2}, 6);
  const Simulation simulated(situation, plans_named({"sop"}), {.run = {.threads = 1}});
  const std::vector<std::size_t> sop = {0};
  const std::int64_t worlds = 3000;
  const std::vector<double> values = simulated.run(sop, 0, worlds, kForEver, "").values(0, Objective::total);
  // The luck's part alone is left: the difference has mean 0.
  double sum = 0, squares = 0;
  for (std::int64_t w = 0; w < worlds; ++w) {
    const mdp::Mdp truth =
        situation.belief().sample(42, (std::uint64_t{1} << 62) + static_cast<std::uint64_t>(w));
    std::vector<double> now = {1, 1, 2};
    double exact = 0;
    for (int t = 0; t < 6; ++t) {
      std::vector<double> next(3, 0.0);
      for (std::int32_t s = 0; s < 3; ++s) {
        const std::int32_t k = simulated.deployed().pair_of_state()[s];
        exact += now[s] * truth.reward()[k];
        for (std::int64_t i = truth.row_begin()[k]; i < truth.row_begin()[k + 1]; ++i)
          next[truth.next_state()[i]] += now[s] * truth.probability()[i];
      }
      now = next;
    }
    const double luck = values[static_cast<std::size_t>(w)] - exact;
    sum += luck;
    squares += luck * luck;
  }
  const double n = static_cast<double>(worlds), error = std::sqrt(squares) / n;
  EXPECT_GT(error, 0);
  EXPECT_LT(std::abs(sum / n), 4 * error);
}

TEST(Simulation, PilotsHaveTheirMembersAndRoutes) {
  const Simulation simulated = simulation();
  const PreparedPlan& pilot = simulated.plans()[3];
  ASSERT_TRUE(pilot.design && pilot.pilot);
  EXPECT_EQ(pilot.pilot_members, (std::vector<std::int32_t>{0, 2}));  // every second unit
  EXPECT_EQ(pilot.pilot->steps, 3);
  EXPECT_EQ(pilot.design->unit_state, (std::vector<std::int32_t>{0, 1}));
  for (std::size_t u = 0; u < 4; ++u) {
    const bool member = u % 2 == 0;
    EXPECT_EQ(pilot.pilot->route_of_unit[u] >= 0, member) << u;
  }
  EXPECT_FALSE(simulated.plans()[1].design);
}

TEST(Simulation, StopsAtItsDeadlineAndWhenAskedButRunsAtLeastOneWorld) {
  const Outcomes late = simulation().run(kAll, 0, 1000, 0, "");
  EXPECT_GE(late.worlds, 1);
  EXPECT_LT(late.worlds, 1000);
  SimulationOptions impatient{.run = {.threads = 1}};
  impatient.run.listener.stop = [] { return true; };
  const Simulation simulated(far_away(), plans_named(kNames), impatient);
  // It was asked for before the second pilot was designed.
  ASSERT_EQ(simulated.plans().size(), 4U);
  EXPECT_EQ(simulated.plans()[3].plan.name, "pilot-2x3");
  const std::vector<std::size_t> four = {0, 1, 2, 3};
  const Outcomes stopped = simulated.run(four, 0, 1000, kForEver, "");
  EXPECT_EQ(stopped.worlds, mdp::DirectLanes::kLanes);  // one batch: those that go side by side
  const Simulation prepared(far_away(), plans_named({"sop", "asop", "thompson", "pilot-2x3"}),
                            {.run = {.threads = 1}});
  const Outcomes same = prepared.run(four, 0, stopped.worlds, kForEver, "");
  expect_equal(stopped, same);
}

TEST(Simulation, PilotsWithoutTimeAreLeftOutButTheFirst) {
  SimulationOptions options{.run = {.threads = 1}};
  options.design_time = 0;
  const Simulation simulated(far_away(), plans_named({"pilot-4x5", "sop", "pilot-2x3", "asop"}), options);
  ASSERT_EQ(simulated.plans().size(), 3U);
  EXPECT_EQ(simulated.plans()[0].plan.name, "pilot-4x5");
  EXPECT_EQ(simulated.plans()[2].plan.name, "asop");
}

TEST(Simulation, RefusesWhatDoesNotFit) {
  const auto make = [](const Situation& situation, const std::vector<std::string>& names) {
    return Simulation(situation, plans_named(names), {.run = {.threads = 1}});
  };
  EXPECT_THROW(make(far_away(), {"pilot-5x3"}), InvalidArgument);
  EXPECT_THROW(make(far_away(), {"pilot-2x12"}), InvalidArgument);
  Situation none = far_away();
  none.unit_state.clear();
  EXPECT_THROW(make(none, {"sop"}), InvalidArgument);
  Situation nowhere = far_away();
  nowhere.unit_state[1] = 3;
  EXPECT_THROW(make(nowhere, {"sop"}), InvalidArgument);
  Situation no_time = far_away(0);
  EXPECT_THROW(make(no_time, {"sop"}), InvalidArgument);
  Situation no_variance = far_away();
  no_variance.knowledge.variance.clear();
  EXPECT_THROW(make(no_variance, {"sop"}), InvalidArgument);
}

TEST(Replanning, IsAsAskedOrThePlanners) {
  const Situation situation = far_away(100);
  EXPECT_EQ(replanning_of(situation, {.replan_every = 7}), 7);
  EXPECT_EQ(replanning_of(situation, {}), planner::default_replanning(situation.belief().simulator(), 100));
  EXPECT_EQ(replanning_of(situation, {}), 1);  // a small model: at every step
}

TEST(TargetOfPilots, IsALargerEnsembleInSmallModels) {
  const mdp::Mdp mdp = corridor(1, .5);
  EXPECT_EQ(target_of_pilots(mdp, {}).members, 256);
  EXPECT_EQ(target_of_pilots(mdp, {design::TargetKind::ensemble, 32}).members, 32);
  EXPECT_EQ(target_of_pilots(mdp, {design::TargetKind::difference, 64}).members, 64);
  mdp::MdpBuilder many(.9, 1'000, 1);
  for (std::int32_t s = 0; s < 1'000; ++s) {
    many.set_reward(s, 0, 1);
    many.add_transition(s, 0, s, 1);
  }
  EXPECT_EQ(target_of_pilots(many.build(), {}).members, 64);
}

// Observations are noisy, so that more explorers learn more.
TEST(Simulation, FollowsEveryPlanThereIs) {
  const mdp::Mdp mdp = corridor(1, .5);
  belief::Prior prior = even_prior(mdp, .05, 20);
  prior.reward_sd[5] = 3;
  const Situation situation = situation_of(mdp, prior, 25, std::vector<std::int32_t>(12, 0), 12);
  const std::vector<std::string> names = {
      "thompson-shared", "beb-0.01", "beb-2", "improvement", "ids", "beb", "adaptive-12x3", "adaptive-1x3"};
  const Simulation simulated(situation, plans_named(names), {.run = {.threads = 1}});
  std::vector<std::size_t> all(names.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Outcomes out = simulated.run(all, 0, 8, kForEver, "");
  // The bonus and the number of explorers are the plan's.
  EXPECT_NE(out.values(1, Objective::total), out.values(2, Objective::total));
  EXPECT_NE(out.values(6, Objective::total), out.values(7, Objective::total));
  ASSERT_EQ(out.seconds.size(), names.size());
  for (const double seconds : out.seconds) EXPECT_GT(seconds, 0);
  EXPECT_THROW(Simulation(situation, plans_named({"adaptive-13x3"}), {.run = {.threads = 1}})
                   .run(std::vector<std::size_t>{0}, 0, 1, kForEver, ""),
               InvalidArgument);
}

TEST(Simulation, SomePlansOfAllAreThoseRunAlone) {
  Simulation simulated = simulation();
  simulated.count_by({.count = 2,
                      .state = std::vector<std::int32_t>(
                          static_cast<std::size_t>(simulated.situation().belief().simulator().states()), 1)});
  const std::vector<std::size_t> some = {3, 1};
  const Outcomes chosen = only(simulated.run(kAll, 0, 20, kForEver, ""), some);
  const Outcomes alone = simulated.run(some, 0, 20, kForEver, "");
  expect_equal(chosen, alone);
  EXPECT_EQ(chosen.mean_gathered, alone.mean_gathered);
  EXPECT_EQ(chosen.groups, 2u);
  EXPECT_EQ(chosen.by_group, alone.by_group);
}

TEST(Simulation, SaysOnceAboutHowLongItWillTake) {
  std::vector<double> said;
  simulation().run(kAll, 0, 40, kForEver, "", {}, [&](double seconds) { said.push_back(seconds); });
  ASSERT_EQ(said.size(), 1U);
  EXPECT_GT(said[0], 0);
}

// Too large for policies to be found directly: each thread rolls its own on.
TEST(Simulation, LargerModelsAreTheSameForAnyNumberOfThreads) {
  const std::vector<Plan> plans = plans_named({"sop", "asop", "thompson", "beb-1", "pilot-6x8"});
  const auto simulated = [&](int threads) {
    SimulationOptions options;
    options.run.threads = threads;
    return Simulation(half_known(30), plans, options).run(kAll, 0, 6, kForEver, "");
  };
  const Outcomes one = simulated(1);
  for (const int threads : {2, 3}) expect_equal(one, simulated(threads));
}

// What plans gain over asop and over sop with policies found up to the tolerance, against policies that are
// found as exactly as can be.
void expect_gains_to_hardly_depend_on_the_tolerance(const std::vector<std::string>& names, double exact,
                                                    std::int64_t worlds) {
  const std::vector<Plan> plans = plans_named(names);
  std::vector<std::size_t> all(plans.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const belief::Belief belief = half_known(30).belief();
  ASSERT_FALSE(planner::beginning_of(belief, 1e-4)->solution.is_direct());
  std::array<Outcomes, 2> found;
  for (const bool is_exact : {false, true}) {
    SimulationOptions options;
    options.run.threads = 2;
    if (is_exact) options.tolerance = exact;
    found[is_exact] = Simulation(half_known(30), plans, options).run(all, 0, worlds, kForEver, "");
  }
  // The tolerance makes a difference at all, but for sop, which does not learn.
  EXPECT_EQ(found[0].values(0, Objective::total), found[1].values(0, Objective::total));
  EXPECT_NE(found[0].gathered, found[1].gathered);
  for (std::size_t plan = 1; plan < plans.size(); ++plan) {
    for (std::size_t other = 0; other < 2 && other < plan; ++other) {
      std::array<std::vector<double>, 2> gain;
      for (const std::size_t i : {0, 1}) {
        const auto ours = found[i].values(plan, Objective::total);
        const auto theirs = found[i].values(other, Objective::total);
        for (std::size_t w = 0; w < ours.size(); ++w) gain[i].push_back(ours[w] - theirs[w]);
      }
      expect_small_shift(gain[0], gain[1], names[plan] + " over " + names[other]);
    }
  }
}

TEST(Simulation, GainsHardlyDependOnTheToleranceOfPolicies) {
  expect_gains_to_hardly_depend_on_the_tolerance({"sop", "asop", "thompson", "beb-1", "pilot-6x8"}, 1e-11,
                                                 32);
}

// Enough worlds to see a shift of a fifth of a standard error; the test above sees large ones only.
TEST(SimulationLong, GainsHardlyDependOnTheToleranceOfPolicies) {
  expect_gains_to_hardly_depend_on_the_tolerance({"sop", "asop", "beb-1", "pilot-6x8"}, 1e-9, 8'192);
}

}  // namespace simulation_test
}  // namespace mindgap::decide
