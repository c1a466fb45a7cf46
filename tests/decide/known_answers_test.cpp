#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "decide/bandits.h"
#include "decide/situations.h"
#include "mindgap/stats/moments.h"
#include "paper/cases/treasure/model.h"

// Situations whose answer is known.
namespace mindgap::decide {
namespace known_answers_test {

gap::StatelessProblem problem(double kappa, double discount = .9) {
  return {.units = 100, .discount = discount, .prior_mean = kappa, .prior_sd = 1, .observation_variance = 1};
}

std::string verdict_of(const Decision& decision) {
  return decision.verdict ? std::string(name_of(*decision.verdict)) : "undecided";
}

// At n = 100 and gamma .9 the best net value is 0 at kappa 1.0304 (spec/tabular.md 1).
TEST(Bandit, AnExperimentPaysBelowTheThresholdAndNotAbove) {
  EXPECT_EQ(verdict_of(decide(bandit(problem(.6)), bandit_options({2, 5, 10}, 0))), "experiment");
  EXPECT_EQ(verdict_of(decide(bandit(problem(1.6)), bandit_options({1, 2, 5}, 0))), "deploy");
}

void expect_value(const gap::StatelessProblem& stated, std::int64_t pilot, std::int64_t worlds) {
  const Decision decision = decide(bandit(stated), bandit_options({pilot}, worlds));
  const double wanted = gap::experiment_value(stated, 2.0 * static_cast<double>(pilot));
  EXPECT_EQ(decision.plans[0].value, 0);
  EXPECT_EQ(decision.plans[1].value, 0);
  ASSERT_TRUE(decision.pilot_price);
  const Comparison& price = *decision.pilot_price;  // the pilot against asop, on fresh worlds
  const double error = (price.gain_interval.upper - price.gain_interval.lower) / 2 / 1.96;
  EXPECT_NEAR(price.gain, wanted, 4 * error) << "kappa " << stated.kappa() << ", pilot " << pilot;
  EXPECT_NEAR(decision.plans[2].value, wanted, 4 * decision.plans[2].standard_error);
  // The pilot's step: m units on an arm that is worse by d0 in the mean.
  const double cost_error = (price.cost_interval.upper - price.cost_interval.lower) / 2 / 1.96;
  EXPECT_NEAR(price.cost, static_cast<double>(pilot) * stated.prior_mean, 4 * cost_error);
}

TEST(Bandit, ThePilotsValueIsTheClosedForm) {
  expect_value(problem(.5), 5, 1000);       // spec/tabular.md 1: (10, .9, .5) 10.505860899804
  expect_value(problem(.1, .5), 25, 1000);  // (50, .5, .1) 14.297674477144
  expect_value(problem(1.2), 3, 1000);
}

TEST(BanditLong, ThePilotsValueIsTheClosedForm) {
  for (const double discount : {.5, .9}) {
    for (const double kappa : {.1, .5, 1.0, 1.5}) {
      for (const std::int64_t pilot : {1, 5, 50}) expect_value(problem(kappa, discount), pilot, 5000);
    }
  }
}

// Both sides as near to the zero as the worlds allow: max DeltaV over even n_e is .9 at kappa .9, below 0
// from 1.03 on.
TEST(BanditLong, AnExperimentPaysBelowTheThresholdAndNotAbove) {
  for (const double kappa : {.3, .5, .7, .8, .9})
    EXPECT_EQ(verdict_of(decide(bandit(problem(kappa)), bandit_options({2, 3, 4, 5, 7}, 0))), "experiment")
        << kappa;
  for (const double kappa : {1.15, 1.25, 1.5, 2.0})
    EXPECT_EQ(verdict_of(decide(bandit(problem(kappa)), bandit_options({1, 2, 3, 5}, 0))), "deploy") << kappa;
}

// 1,000 intervals of 95 % on both sides of everything: between 93 % and 97 % hold the closed form (3 standard
// deviations of a count of 1,000 at .95 are 2.07 %).
TEST(BanditLong, TheIntervalsHoldTheClosedForm) {
  int covered = 0, all = 0;
  for (const double kappa : {.1, .4, .7, 1.0}) {
    const gap::StatelessProblem stated = problem(kappa);
    for (std::uint64_t seed = 1; seed <= 250; ++seed) {
      const Decision decision = decide(bandit(stated), bandit_options({5}, 512, seed));
      const stats::Interval& interval = decision.pilot_price->gain_interval;
      const double wanted = gap::experiment_value(stated, 10);
      covered += interval.lower <= wanted && wanted <= interval.upper ? 1 : 0;
      ++all;
    }
  }
  RecordProperty("covered", covered);
  EXPECT_NEAR(covered, .95 * all, 3 * std::sqrt(.95 * .05 * all)) << covered << " of " << all;
}

// History saw every pair ten thousand times: whatever is left is noise that no pilot is worth.
TEST(KnownAnswers, AFullyCoveredSimulatorNeedsNoExperiment) {
  for (const double far : {.5, 1.5}) {
    const mdp::Mdp mdp = corridor(1, far);
    const auto pairs = static_cast<std::size_t>(mdp.pairs());
    const std::vector<double> variance(pairs, 1.0), count(pairs, 1e4);
    const belief::Prior prior = belief::prior_from_coverage(mdp, variance, count, even_prior(mdp, 5, 1));
    const Decision decision =
        decide(situation_of(mdp, prior, 1, std::vector<std::int32_t>(8, 0), 50), quick({}));
    ASSERT_TRUE(decision.verdict) << far;
    EXPECT_NE(*decision.verdict, Kind::experiment) << far;
  }
}

// The hidden treasure's grid, history in region A alone: sd .05 there, .4 in B (spec/tabular.md 0.2).
Situation treasure(std::int64_t units, std::int64_t horizon) {
  const mdp::Mdp mdp = cases::treasure::grid(cases::treasure::simulated_rewards());
  belief::Prior prior = even_prior(mdp, .05, 1e6);
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    if (cases::treasure::in_b(mdp.state_of_pair(k))) prior.reward_sd[static_cast<std::size_t>(k)] = .4;
  }
  return situation_of(mdp, prior, .25, std::vector<std::int32_t>(static_cast<std::size_t>(units), 0),
                      horizon);
}

// (2,2) is state 14 and (2,3) state 15: whoever gets into B came this way.
std::int64_t routes_through_the_corridor(const Decision& decision, const mdp::Mdp& mdp) {
  std::int64_t through = 0;
  for (std::size_t i = 0; i < decision.pilot_members.size(); ++i) {
    const auto way = design::likely_way(mdp, decision.pilot->routes[decision.pilot->route_of_unit[i]],
                                        decision.pilot->unit_state[i]);
    for (std::size_t t = 0; t + 1 < way.size(); ++t) {
      if (way[t].state == 14 && way[t + 1].state == 15) {
        ++through;
        break;
      }
    }
  }
  return through;
}

TEST(KnownAnswers, HiddenTreasureIsWorthAPilotThroughTheCorridor) {
  const Situation situation = treasure(20, 90);
  DecideOptions options = quick(plans_named({"sop", "asop", "pilot-4x18", "pilot-20x18"}), 64);
  options.simulation.target = {design::TargetKind::ensemble, 16};
  const Decision decision = decide(situation, options);
  EXPECT_EQ(verdict_of(decision), "experiment");
  EXPECT_GT(routes_through_the_corridor(decision, situation.belief().simulator()), 0);
}

// Who explores without routes gets there later and is dropped on the way. What that costs is stated all the
// same, from 128 fresh models: about what 2,000 others give.
TEST(KnownAnswers, RoutesToTheTreasureArePricedAgainstPlansThatWereDropped) {
  const Situation situation = treasure(20, 60);
  DecideOptions options = quick({}, 1'100);
  options.indifference = 0;
  options.simulation.target = {design::TargetKind::ensemble, 16};
  const Decision decision = decide(situation, options);
  for (const PlanResult& result : decision.plans) {
    if (result.plan.is_undirected()) {
      EXPECT_TRUE(result.screened) << result.plan.name;
      EXPECT_LT(result.worlds, 1'100) << result.plan.name;
      EXPECT_FALSE(result.share_best) << result.plan.name;
    }
  }
  ASSERT_TRUE(decision.over_undirected);
  const Comparison& routes = *decision.over_undirected;
  EXPECT_EQ(decision.recommended, routes.plan);
  EXPECT_TRUE(routes_pay(decision));
  EXPECT_EQ(decision.against->worlds, 1'100);
  EXPECT_EQ(routes.worlds, 128);
  const std::vector<Plan> both = {decision.plans[routes.plan].plan, decision.plans[routes.other].plan};
  EXPECT_TRUE(both[1].is_undirected());
  const Outcomes other =
      Simulation(situation, both, options.simulation_options())
          .run(std::vector<std::size_t>{0, 1}, 100'000, 2'000, std::numeric_limits<double>::infinity(), "");
  const double gain =
      stats::mean(other.values(0, Objective::total)) - stats::mean(other.values(1, Objective::total));
  EXPECT_GT(gain, 0);
  EXPECT_NEAR(routes.gain, gain, 2 * (routes.gain_interval.upper - routes.gain));  // four errors
}

TEST(KnownAnswersLong, HiddenTreasureWithAHundredUnits) {
  const Situation situation = treasure(100, 90);
  DecideOptions options = quick({});
  options.information_draws = 64;
  const Decision decision = decide(situation, options);
  EXPECT_EQ(verdict_of(decision), "experiment");
  const std::int64_t through = routes_through_the_corridor(decision, situation.belief().simulator());
  EXPECT_GE(2 * through, static_cast<std::int64_t>(decision.pilot_members.size()));
  EXPECT_GT(decision.information.reach.mean, decision.information.local.mean);
}

// A combination lock: at each state one of two actions advances and the other ends the unit's run, and the
// simulator may have them swapped: as rows, each action advances with probability 1 - error by the simulator
// for action 0, `error` for action 1, and a weak prior lets the truth be either way round. The end pays.
mdp::Mdp lock(std::int32_t length, double error) {
  mdp::MdpBuilder builder(1 - 1.0 / length, length + 2, 2);
  const std::int32_t end = length, lost = length + 1;
  for (std::int32_t s = 0; s < length + 2; ++s) {
    for (std::int32_t a = 0; a < 2; ++a) {
      builder.set_reward(s, a, s == end ? 1 : 0);
      if (s >= length) {
        builder.add_transition(s, a, s == end ? end : lost, 1);
        continue;
      }
      const double advance = a == 0 ? 1 - error : error;
      builder.add_transition(s, a, s + 1, advance);
      builder.add_transition(s, a, lost, 1 - advance);
    }
  }
  return builder.build();
}

// Units that end are lost for good and all run at once, so what a first unit learns helps those who still
// wait: only the pilot has the others wait, and there is nobody to wait: 10 units start together. Whatever
// the verdict, deploying must not be called better than learning, which does the same until something is
// seen.
TEST(KnownAnswers, CombinationLock) {
  const mdp::Mdp mdp = lock(4, .2);
  belief::Prior prior = even_prior(mdp, 0, .02);  // all or nothing
  for (std::int32_t k = 2 * 4; k < mdp.pairs(); ++k)
    prior.transition_strength[static_cast<std::size_t>(k)] = 1e6;
  // Where each of 12 units is: three at each state of the chain.
  std::vector<std::int32_t> at;
  at.reserve(12);
  for (std::int32_t u = 0; u < 12; ++u) at.push_back(u % 4);
  const Situation situation = situation_of(mdp, prior, .01, at, 12);
  const Decision decision = decide(situation, quick(plans_named({"sop", "asop", "pilot-3x1", "pilot-12x2"})));
  ASSERT_TRUE(decision.verdict);
  EXPECT_NE(*decision.verdict, Kind::deploy);
  EXPECT_GT(decision.plans[1].value, decision.plans[0].value);
}

// The far place may pay a little more, and home pays well: whoever goes loses 4 steps of 1, and the horizon
// has 5.
TEST(KnownAnswers, APilotThatTheHorizonCannotRepayIsNotRun) {
  const mdp::Mdp mdp = corridor(1, .8);
  belief::Prior prior = even_prior(mdp, .01, 1e4);
  prior.reward_sd[5] = .3;
  const Decision decision = decide(situation_of(mdp, prior, .1, {0, 0, 0, 0}, 5),
                                   quick(plans_named({"sop", "asop", "pilot-4x3", "pilot-1x3"})));
  EXPECT_EQ(verdict_of(decision), "deploy");
  // The same place with more to gain and time to gain it.
  prior.reward_sd[5] = 2;
  const Decision longer = decide(situation_of(mdp, prior, .1, {0, 0, 0, 0}, 60),
                                 quick(plans_named({"sop", "asop", "pilot-4x3", "pilot-1x3"})));
  EXPECT_EQ(verdict_of(longer), "experiment");
}

// A treasure in one of 200 drawn worlds: the far place pays 400 there and nothing elsewhere, on the average 2
// against 1 at home. What a pilot gains, it gains in those worlds only.
Situation rare(double chance, double pays) {
  mdp::MdpBuilder builder(.9, 4, 2);  // home, gate, treasure, nothing
  const auto pair = [&](std::int32_t s, std::int32_t a, double reward, std::int32_t to) {
    builder.set_reward(s, a, reward);
    if (to >= 0) builder.add_transition(s, a, to, 1);
  };
  pair(0, 0, 1, 0);
  pair(0, 1, 0, 1);
  for (std::int32_t a = 0; a < 2; ++a) {
    pair(1, a, 0, -1);
    builder.add_transition(1, a, 2, chance);
    builder.add_transition(1, a, 3, 1 - chance);
    pair(2, a, pays, 0);
    pair(3, a, 0, 0);
  }
  const mdp::Mdp mdp = builder.build();
  belief::Prior prior = even_prior(mdp, 0, 1e9);
  // Dirichlet(.001 p): the row is one corner or the other but for a share of about .001 log(...).
  for (const std::int32_t k : {2, 3}) prior.transition_strength[static_cast<std::size_t>(k)] = .001;
  return situation_of(mdp, prior, .01, std::vector<std::int32_t>(4, 0), 40);
}

struct RareVerdicts {
  int experiment = 0, deploy = 0, other = 0, intervals_that_hold = 0;
  double gain = 0;
};

RareVerdicts rare_verdicts(double chance, double pays, std::uint64_t seeds) {
  const Situation situation = rare(chance, pays);
  const std::vector<Plan> plans = plans_named({"sop", "asop", "pilot-1x3"});
  const Decision truth = decide(situation, quick(plans, 40'000, 1));
  RareVerdicts seen;
  seen.gain = truth.plans[2].value - truth.plans[0].value;
  for (std::uint64_t seed = 2; seed < 2 + seeds; ++seed) {
    const Decision decision = decide(situation, quick(plans, 0, seed));
    seen.experiment += decision.verdict == Kind::experiment ? 1 : 0;
    seen.deploy += decision.verdict == Kind::deploy ? 1 : 0;
    seen.other += !decision.verdict || decision.verdict == Kind::learn ? 1 : 0;
    const stats::Interval& interval = decision.pilot_price->gain_interval;
    seen.intervals_that_hold += interval.lower <= seen.gain && seen.gain <= interval.upper ? 1 : 0;
  }
  return seen;
}

// The weak spot of any verdict by samples: where no drawn world has the treasure, the numbers show a small
// and certain loss, and at the first look of 1,024 worlds that is .995^1024 = .6 % of all cases. A known
// limit, stated here: the verdict is wrong as often as that and no more.
TEST(KnownAnswersLong, ATreasureInOneOfTwoHundredWorldsIsMissedWhereNoWorldHasIt) {
  constexpr int kSeeds = 100;
  const RareVerdicts seen = rare_verdicts(.005, 400, kSeeds);
  std::printf("gain %.2f: experiment %d, deploy %d, other %d; intervals that hold it %d\n", seen.gain,
              seen.experiment, seen.deploy, seen.other, seen.intervals_that_hold);
  EXPECT_GT(seen.gain, 50);
  const double missed = std::pow(.995, kFirstWorlds) * kSeeds;
  EXPECT_NEAR(seen.deploy, missed, 4 * std::sqrt(missed));
}

}  // namespace known_answers_test
}  // namespace mindgap::decide
