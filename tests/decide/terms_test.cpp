#include "mindgap/decide/terms.h"

#include <gtest/gtest.h>

#include <cmath>

#include "decide/situations.h"
#include "mindgap/base/error.h"
#include "mindgap/decide/decide.h"
#include "mindgap/voi/tail.h"

namespace mindgap::decide {
namespace terms_test {

Situation far_away(std::int64_t horizon = 20) {
  const mdp::Mdp mdp = corridor(1, .5);
  belief::Prior prior = even_prior(mdp, .05, 50);
  prior.reward_sd[5] = 3;
  return situation_of(mdp, prior, .25, {0, 0, 0, 0}, horizon);
}

Outcomes outcomes_of(const Situation& situation, const std::vector<std::string>& plans, const Terms& terms,
                     std::int64_t worlds = 64) {
  SimulationOptions options = quick(plans_named(plans)).simulation;
  options.terms = terms;
  const Simulation simulation(situation, plans_named(plans), options);
  std::vector<std::size_t> all(plans.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return simulation.run(all, 0, worlds, 1e9, "test");
}

const std::vector<std::string> kPlans = {"sop", "asop", "thompson", "pilot-2x4"};

// Costs are taken from what is earned and change nothing else: by hand for each plan.
TEST(Terms, CostsFallOnExperimentsAlone) {
  const Situation situation = far_away();
  const Outcomes free = outcomes_of(situation, kPlans, {});
  Terms terms{.pilot_cost = 10, .unit_cost = 3, .unit_step_cost = .5};
  const Outcomes paid = outcomes_of(situation, kPlans, terms);
  // Thompson: 4 units for 20 steps; the pilot: 2 units for 4 steps.
  const double cost[] = {0, 0, 10 + 4 * 3 + .5 * 80, 10 + 2 * 3 + .5 * 8};
  for (std::size_t p = 0; p < 4; ++p) {
    for (std::int64_t w = 0; w < free.worlds; ++w) {
      EXPECT_NEAR(free.total(w, p) - paid.total(w, p), cost[p], 1e-9) << kPlans[p];
      EXPECT_NEAR(paid.cost[static_cast<std::size_t>(w) * 4 + p], cost[p], 1e-9);
    }
  }
}

TEST(Terms, PairCostsAreCountedWhereTheyAreUsed) {
  const Situation situation = far_away();
  const auto pairs = static_cast<std::size_t>(situation.belief().simulator().pairs());
  // A cost of 1 for every pair is a cost of 1 a step of a unit.
  const Outcomes each = outcomes_of(situation, kPlans, {.pair_cost = std::vector<double>(pairs, 1.0)});
  const Outcomes step = outcomes_of(situation, kPlans, {.unit_step_cost = 1});
  EXPECT_EQ(each.cost, step.cost);
}

// Nobody follows: a learner earns what the deployment earns; a pilot's units still go their ways.
TEST(Terms, WithoutUptakeLearningIsDeploying) {
  const Situation situation = far_away();
  const Outcomes none = outcomes_of(situation, kPlans, {.uptake = 0});
  const Outcomes plain = outcomes_of(situation, kPlans, {});
  for (std::int64_t w = 0; w < none.worlds; ++w) {
    EXPECT_DOUBLE_EQ(none.total(w, 1), none.total(w, 0));
    EXPECT_DOUBLE_EQ(none.total(w, 2), none.total(w, 0));
    EXPECT_DOUBLE_EQ(none.total(w, 0), plain.total(w, 0));
  }
  // In between: less than all of the gain, more than none.
  const Outcomes half = outcomes_of(situation, kPlans, {.uptake = .5}, 256);
  const Outcomes all = outcomes_of(situation, kPlans, {}, 256);
  const auto gain = [](const Outcomes& o) { return gap::estimate(o.sums(3, Objective::total)).mean; };
  EXPECT_LT(gain(half), gain(all));
  EXPECT_GT(gain(half), gain(outcomes_of(situation, kPlans, {.uptake = 0}, 256)));
}

// What is held back for the rest of the horizon is never used: after the pilot everybody does as deployed (or
// as passive learning says). With a delay of 0 nothing changes.
TEST(Terms, DelayHoldsBackWhatThePilotSaw) {
  const Situation situation = far_away();
  const Outcomes at_once = outcomes_of(situation, kPlans, {.pilot_cost = 1});
  const Outcomes late = outcomes_of(situation, kPlans, {.pilot_cost = 1, .delay = 6});
  const Outcomes never = outcomes_of(situation, kPlans, {.pilot_cost = 1, .delay = 1'000});
  const auto mean = [](const Outcomes& o, std::size_t p) {
    return gap::estimate(o.sums(p, Objective::total)).mean;
  };
  EXPECT_GT(mean(at_once, 3), mean(late, 3));
  EXPECT_GT(mean(late, 3), mean(never, 3));
  for (const std::size_t p : {0, 1, 2}) EXPECT_EQ(mean(at_once, p), mean(never, p)) << kPlans[p];
  // Where all units are in the pilot, nothing differs until it ends.
  const auto until = [&](std::int64_t delay) {
    return outcomes_of(situation, {"pilot-4x4"}, {.pilot_cost = 1, .delay = delay}).values_at(0, 3);
  };
  EXPECT_EQ(until(0), until(1'000));
}

TEST(Terms, RefusesWhatIsOutOfItsDomain) {
  const Situation situation = far_away();
  const auto refused = [&](const Terms& terms) {
    DecideOptions options = quick(plans_named({"sop", "asop"}));
    options.simulation.terms = terms;
    EXPECT_THROW(decide(situation, options), InvalidArgument);
  };
  refused({.pilot_cost = -1});
  refused({.unit_cost = std::nan("")});
  refused({.unit_step_cost = -1});
  refused({.pair_cost = {1, 2}});
  refused({.delay = -1});
  refused({.uptake = 1.5});
}

// A cost beyond any gain turns the verdict, and only then is the net value of every pilot below 0.
TEST(Terms, CostsTurnTheVerdict) {
  DecideOptions options = quick(plans_named({"sop", "asop", "pilot-2x4", "pilot-4x4"}));
  options.worlds = 256;
  const Decision free = decide(far_away(), options);
  EXPECT_EQ(free.verdict, Kind::experiment);
  options.simulation.terms.pilot_cost = 1'000;
  const Decision dear = decide(far_away(), options);
  ASSERT_TRUE(dear.verdict);
  EXPECT_NE(*dear.verdict, Kind::experiment);
  ASSERT_TRUE(free.curve && dear.curve);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(free.curve->sizes[i].net.mean - 1'000, dear.curve->sizes[i].net.mean, 1e-6);
    EXPECT_NEAR(free.curve->sizes[i].worth->mean, dear.curve->sizes[i].worth->mean, 1e-6);
    EXPECT_NEAR(free.curve->sizes[i].forgone->mean, dear.curve->sizes[i].forgone->mean, 1e-6);
    const PilotSize& size = dear.curve->sizes[i];
    EXPECT_NEAR(size.net.mean, size.worth->mean - size.forgone->mean - size.cost.mean, 1e-9);
  }
}

// The worst tenth of worlds: a pilot whose worth lies in few worlds is worth less there.
TEST(TailObjective, JudgesByTheWorstWorlds) {
  DecideOptions options = quick(plans_named({"sop", "asop", "pilot-4x4"}));
  options.worlds = 400;
  const Decision mean = decide(far_away(), options);
  options.objective = {Objective::total, .1};
  const Decision worst = decide(far_away(), options);
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_LT(worst.plans[p].value, mean.plans[p].value);
    EXPECT_NEAR(worst.plans[p].value, voi::tail_mean(mean.draws.values[p], .1), 1e-9);
    EXPECT_EQ(worst.plans[p].range.lower, mean.plans[p].range.lower);
  }
  ASSERT_TRUE(worst.verdict || worst.worlds_needed > 0);
  // Where the far place pays less than home, which is most worlds, the trip only costs.
  EXPECT_EQ(mean.leaning, Kind::experiment);
  EXPECT_NE(worst.leaning, Kind::experiment);
}

}  // namespace terms_test
}  // namespace mindgap::decide
