#include "mindgap/decide/decide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "decide/shift.h"
#include "decide/situations.h"
#include "mdp/engines.h"
#include "mindgap/base/error.h"

namespace mindgap::decide {
namespace decide_test {

Situation far_away(double far_sd = 3, std::int64_t horizon = 20) {
  const mdp::Mdp mdp = corridor(1, .5);
  belief::Prior prior = even_prior(mdp, .05, 50);
  prior.reward_sd[5] = far_sd;
  return situation_of(mdp, prior, .25, {0, 0, 0, 0}, horizon);
}

bool mentions(const std::vector<std::string>& lines, const std::string& wanted) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(wanted) != std::string::npos; });
}

// The plans that a note of this kind names; none: there is no such note.
std::optional<std::vector<std::string>> noted(const Decision& decision, Note::What what) {
  for (const Note& note : decision.notes) {
    if (note.what == what) return note.plans;
  }
  return std::nullopt;
}

// A seed is a sample of worlds; which routes a pilot takes does not depend on it.
TEST(Decide, AnotherSeedComparesTheSamePilots) {
  DecideOptions options = quick(plans_named({"asop", "pilot-2x6"}));
  const Decision one = decide(far_away(), options);
  options.simulation.run.seed += 1;
  const Decision other = decide(far_away(), options);
  ASSERT_TRUE(one.pilot && other.pilot);
  EXPECT_NE(one.against->gain, other.against->gain);
  EXPECT_EQ(one.pilot->counts, other.pilot->counts);
  EXPECT_EQ(one.pilot->after_rounding, other.pilot->after_rounding);
}

// beb-1 and a bonus that is nearly the same cannot be told apart: whichever is recommended, the stated
// interval is that of both. Beside a plan that is surely behind it is the plan's own.
TEST(Decide, TheStatedIntervalCoversPlansThatCannotBeToldApart) {
  const Decision alike = decide(far_away(), quick(plans_named({"asop", "beb-1", "beb-1.01"})));
  ASSERT_TRUE(alike.against);
  const Comparison& stated = *alike.against;
  EXPECT_LE(stated.gain_interval.lower, stated.sampling_interval.lower);
  EXPECT_GE(stated.gain_interval.upper, stated.sampling_interval.upper);
  for (const char* only : {"beb-1", "beb-1.01"}) {
    const Decision alone = decide(far_away(), quick(plans_named({"asop", only})));
    EXPECT_EQ(alone.against->gain_interval.lower, alone.against->sampling_interval.lower);
    EXPECT_LE(stated.gain_interval.lower, alone.against->gain_interval.lower) << only;
    EXPECT_GE(stated.gain_interval.upper, alone.against->gain_interval.upper) << only;
  }
}

TEST(Decide, APlaceThatMayPayFarMoreIsWorthAnExperiment) {
  DecideOptions options = quick({});
  options.information_draws = 64;
  const Decision decision = decide(far_away(), options);
  EXPECT_EQ(decision.verdict, Kind::experiment);
  EXPECT_FALSE(decision.nothing_to_learn);
  ASSERT_TRUE(decision.against && decision.pilot && decision.pilot_plan && decision.pilot_price);
  ASSERT_TRUE(decision.over_learning && decision.over_undirected);
  const Plan& recommended = decision.plans[decision.recommended].plan;
  EXPECT_EQ(recommended.kind, Kind::experiment);
  EXPECT_TRUE(decision.plans[*decision.pilot_plan].plan.is_pilot());
  EXPECT_GT(decision.against->gain_interval.lower, 0);
  EXPECT_EQ(decision.against->plan, decision.recommended);
  EXPECT_NE(decision.plans[decision.against->other].plan.kind, Kind::experiment);
  EXPECT_GT(decision.pilot_price->gain_interval.lower, 0);
  EXPECT_FALSE(decision.stopping);  // it was not asked for
  EXPECT_GT(decision.information.total.mean, decision.against->gain);
  EXPECT_GT(decision.information.reach.mean, decision.information.local.mean);
  EXPECT_EQ(decision.pilot_members.size(),
            static_cast<std::size_t>(decision.plans[*decision.pilot_plan].plan.pilot_units));
  // Fresh worlds, as many as the plans were compared on.
  EXPECT_EQ(decision.against->worlds, decision.worlds);
  // All but two of each exploration were dropped early, and say so.
  std::size_t designed = 0, undirected = 0;
  for (const PlanResult& result : decision.plans) {
    if (result.screened) {
      EXPECT_LE(result.worlds, std::end(kRaceWorlds)[-1]);
    } else {
      EXPECT_EQ(result.worlds, decision.worlds);
    }
    designed += result.plan.is_designed() && !result.screened ? 1 : 0;
    undirected += result.plan.is_undirected() && !result.screened ? 1 : 0;
    EXPECT_LE(result.range.lower, result.value);
    EXPECT_GE(result.range.upper, result.value);
  }
  for (const std::size_t kept : {designed, undirected}) {
    EXPECT_GE(kept, 1U);
    EXPECT_LE(kept, kKeptOfEach);
  }
}

// Who must keep to limits can only follow routes that were designed for them.
TEST(Decide, PilotsKeepToLimits) {
  DecideOptions options = quick({});
  const Decision free = decide(far_away(), options);
  ASSERT_TRUE(free.pilot);
  const std::vector<double>& counts = free.pilot->counts;
  const auto far =
      static_cast<std::size_t>(std::max_element(counts.begin() + 2, counts.end()) - counts.begin());
  ASSERT_GT(counts[far], 0);
  options.simulation.limits.forbidden.assign(counts.size(), 0);
  options.simulation.limits.forbidden[far] = 1;
  options.simulation.leave_out_infeasible = true;
  const Decision kept = decide(far_away(), options);
  ASSERT_TRUE(kept.pilot);
  EXPECT_EQ(kept.pilot->counts[far], 0);
  ASSERT_TRUE(noted(kept, Note::What::unlimited));
  EXPECT_EQ(noted(kept, Note::What::unlimited)->front(), "thompson");
  for (const PlanResult& result : kept.plans) EXPECT_FALSE(result.plan.is_undirected()) << result.plan.name;
}

// No pilot earns a million more than the policy in force: it is left out, or an error.
TEST(Decide, PilotsThatCannotKeepToLimits) {
  Situation situation = far_away();
  DecideOptions options = quick(plans_named({"sop", "asop", "pilot-4x1"}));
  options.simulation.limits.max_loss = -1e6;
  EXPECT_THROW(decide(situation, options), InvalidArgument);
  options.simulation.leave_out_infeasible = true;
  const Decision decision = decide(situation, options);
  EXPECT_EQ(noted(decision, Note::What::infeasible), std::vector<std::string>{"pilot-4x1"});
  EXPECT_EQ(decision.plans.size(), 2U);
}

// Exploring over waiting is the recommended experiment against asop; routes over no routes the best designed
// one against the best undirected. The designed one is recommended only where it is surely better by more
// than the indifference.
TEST(Decide, RoutesMustBeWorthTheirTrouble) {
  const std::vector<Plan> plans = plans_named({"sop", "asop", "thompson", "pilot-4x4"});
  for (const double indifference : {0.0, .01, .5}) {
    DecideOptions options = quick(plans, 300);
    options.indifference = indifference;
    const Decision decision = decide(far_away(6), options);
    ASSERT_EQ(decision.leaning, Kind::experiment) << indifference;
    ASSERT_TRUE(decision.over_learning && decision.over_undirected);
    EXPECT_EQ(decision.plans[decision.over_undirected->plan].plan.name, "pilot-4x4");
    EXPECT_EQ(decision.plans[decision.over_undirected->other].plan.name, "thompson");
    EXPECT_EQ(decision.plans[decision.over_learning->other].plan.name, "asop");
    EXPECT_EQ(decision.over_learning->plan, decision.recommended);
    EXPECT_EQ(decision.against->plan, decision.recommended);
    EXPECT_EQ(decision.over_undirected->worlds, 300);
    const bool pays =
        decision.over_undirected->gain_interval.lower > indifference * std::abs(decision.plans[2].value);
    EXPECT_EQ(decision.plans[decision.recommended].plan.name, pays ? "pilot-4x4" : "thompson")
        << indifference;
    EXPECT_EQ(routes_pay(decision), pays);
    if (indifference == .5) {
      EXPECT_FALSE(pays);
    }
  }
}

// The far place cannot pay more than home, so knowing everything is worth nothing: no plan that learns is
// followed. Who names plans sees them, and so does who names a number of worlds.
TEST(Decide, WhereNothingIsWorthLearningItSaysSoAtOnce) {
  DecideOptions options = quick({});
  options.information_draws = 64;
  const Decision decision = decide(far_away(.05), options);
  EXPECT_TRUE(decision.nothing_to_learn);
  EXPECT_EQ(decision.verdict, Kind::deploy);
  ASSERT_EQ(decision.plans.size(), 1U);
  EXPECT_EQ(decision.plans[0].plan.name, "sop");
  EXPECT_EQ(decision.plans[0].worlds, kFirstWorlds);
  EXPECT_EQ(decision.information.draws, 64);
  EXPECT_EQ(decision.information.gain.size(), static_cast<std::size_t>(kFirstWorlds));
  EXPECT_FALSE(decision.against);
  options.plans = plans_named({"sop", "asop"});
  EXPECT_EQ(decide(far_away(.05), options).plans.size(), 2U);
  options.plans.clear();
  options.worlds = 8;
  EXPECT_FALSE(decide(far_away(.05), options).nothing_to_learn);
}

// A look of ids or of an adaptive pilot takes too long for so little time; naming the plan takes it in.
TEST(Decide, DefaultPlansThatAreTooSlowAreLeftOut) {
  DecideOptions options = quick({}, 4);
  options.most_work = 2e5;
  std::vector<Note> notes;
  const auto has = [](const std::vector<Plan>& plans, const char* name) {
    return std::any_of(plans.begin(), plans.end(), [&](const Plan& p) { return p.name == name; });
  };
  const std::vector<Plan> plans = fitting_plans(far_away(), options, notes);
  EXPECT_TRUE(has(plans, "thompson"));
  EXPECT_FALSE(has(plans, "ids") || has(plans, "adaptive-4x2"));
  options.plans = plans_named({"sop", "ids"});
  EXPECT_EQ(fitting_plans(far_away(), options, notes).size(), 2U);
}

TEST(Decide, SaysBeforehandAboutHowLongItWillTake) {
  DecideOptions options = quick(plans_named({"sop", "asop"}), 50);
  std::vector<double> said;
  options.simulation.run.listener.estimate = [&](double seconds) { said.push_back(seconds); };
  decide(far_away(), options);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_GT(said[0], 0);
}

TEST(Decide, FindsALogThatRefutesTheSimulator) {
  Situation situation = far_away();
  DecideOptions options = quick(plans_named({"sop", "asop"}), 4);
  EXPECT_FALSE(decide(situation, options).refuted);
  for (int i = 0; i < 40; ++i) situation.knowledge.now.observe(0, 1, 2);  // from home to the far place
  const Decision decision = decide(situation, options);
  ASSERT_TRUE(decision.refuted);
  EXPECT_EQ(decision.refuted->off_support, 40);
}

void expect_the_same_for_any_number_of_threads(const Situation& situation, DecideOptions options) {
  std::vector<Decision> decisions;
  for (const int threads : {1, 2, 3}) {
    options.simulation.run.threads = threads;
    decisions.push_back(decide(situation, options));
  }
  const Decision& one = decisions[0];
  for (const Decision& other : decisions) {
    EXPECT_EQ(other.verdict, one.verdict);
    EXPECT_EQ(other.recommended, one.recommended);
    ASSERT_TRUE(other.against && one.against);
    EXPECT_EQ(other.against->gain, one.against->gain);
    EXPECT_EQ(other.against->difference, one.against->difference);
    EXPECT_EQ(other.information.total.mean, one.information.total.mean);
    ASSERT_EQ(other.plans.size(), one.plans.size());
    for (std::size_t p = 0; p < one.plans.size(); ++p) {
      EXPECT_EQ(other.plans[p].value, one.plans[p].value);
      EXPECT_EQ(other.plans[p].upper, one.plans[p].upper);
    }
  }
}

TEST(Decide, TheSameForAnyNumberOfThreads) {
  DecideOptions options = quick({}, 50);
  options.information_draws = 20;
  expect_the_same_for_any_number_of_threads(far_away(), options);
}

// Policies of larger models are found in another way; all default plans that are not too slow, so with a
// race.
TEST(Decide, LargerModelsAreTheSameForAnyNumberOfThreads) {
  DecideOptions options = quick({}, 20);
  options.information_draws = 8;
  expect_the_same_for_any_number_of_threads(half_known(30), options);
}

// What policies lose between two looks is little beside what a tie is: the same verdict as with policies that
// are found as exactly as can be, and plans gain as much over deploying.
TEST(Decide, VerdictsHardlyDependOnTheToleranceOfPolicies) {
  DecideOptions options = quick(plans_named({"sop", "asop", "beb-1", "pilot-6x8"}), 32);
  const Decision usual = decide(half_known(30), options);
  options.simulation.tolerance = 1e-11;
  const Decision exact = decide(half_known(30), options);
  EXPECT_EQ(usual.verdict, exact.verdict);
  EXPECT_EQ(usual.leaning, exact.leaning);
  EXPECT_EQ(usual.recommended, exact.recommended);
  EXPECT_NE(usual.draws.values, exact.draws.values);  // the tolerance makes a difference at all
  for (std::size_t plan = 1; plan < 4; ++plan) {
    std::vector<double> ours = usual.draws.values[plan], theirs = exact.draws.values[plan];
    for (std::size_t w = 0; w < ours.size(); ++w) {
      ours[w] -= usual.draws.values[0][w];
      theirs[w] -= exact.draws.values[0][w];
    }
    expect_small_shift(ours, theirs, options.plans[plan].name);
  }
}

TEST(Decide, TheToleranceFollowsFromTheIndifference) {
  DecideOptions options;
  EXPECT_EQ(options.tolerance(), 3e-4);
  options.indifference = .05;  // never more than usual
  EXPECT_EQ(options.tolerance(), 3e-4);
  options.indifference = .002;
  EXPECT_DOUBLE_EQ(options.tolerance(), 6e-5);
  EXPECT_EQ(options.simulation_options().tolerance, options.tolerance());
  options.indifference = 0;
  EXPECT_EQ(options.tolerance(), 3e-5);
  options.simulation.tolerance = 1e-9;  // what is asked for
  EXPECT_EQ(options.tolerance(), 1e-9);
}

using DecideOn = mdp::OnEngine;
INSTANTIATE_TEST_SUITE_P(Engines, DecideOn, mdp::every_engine(), mdp::name_of_engine);

// Where the models of the value of information are solved side by side, a decision is the same.
TEST_P(DecideOn, ADecisionIsTheSame) {
  DecideOptions options = quick(plans_named({"sop", "asop", "beb-1", "pilot-2x6"}), 50);
  options.information_draws = 40;
  const Decision here = decide(far_away(), options);
  options.simulation.engine = &engine();
  const Decision there = decide(far_away(), options);
  EXPECT_EQ(there.verdict, here.verdict);
  EXPECT_EQ(there.recommended, here.recommended);
  EXPECT_EQ(there.against->gain, here.against->gain);
  EXPECT_EQ(there.information.draws, here.information.draws);
  EXPECT_GT(here.information.total.mean, 0);
  EXPECT_NEAR(there.information.total.mean, here.information.total.mean, 1e-9);
  EXPECT_NEAR(there.information.reach.mean, here.information.reach.mean, 2e-3 * here.information.total.mean);
}

TEST(Decide, WithANumberOfWorldsItLooksOnce) {
  const Decision decision = decide(far_away(), quick(plans_named({"sop", "asop", "pilot-4x4"}), 37));
  EXPECT_EQ(decision.worlds, 37);
  EXPECT_EQ(decision.looks, 1);
  EXPECT_EQ(decision.against->worlds, 37);
}

// Nothing can be learnt: asop does what sop does in every world, and the simplest wins at the first look.
TEST(Decide, WhereAllIsKnownDeployingWins) {
  const mdp::Mdp mdp = corridor(1, .5);
  const Situation situation = situation_of(mdp, even_prior(mdp, 0, 1e9), .25, {0, 0}, 10);
  const Decision decision = decide(situation, quick(plans_named({"sop", "asop", "pilot-2x2"})));
  EXPECT_EQ(decision.verdict, Kind::deploy);
  EXPECT_EQ(decision.looks, 1);
  EXPECT_EQ(decision.plans[0].value, decision.plans[1].value);
  EXPECT_EQ(decision.plans[0].value, 20);
  EXPECT_LT(decision.plans[2].value, 20);
}

TEST(Decide, AHorizonOfOneStep) {
  const Decision decision = decide(far_away(3, 1), quick(plans_named({"sop", "asop"})));
  EXPECT_EQ(decision.verdict, Kind::deploy);
  EXPECT_FALSE(decision.pilot);
  ASSERT_EQ(decision.notes.size(), 1U);
  EXPECT_EQ(decision.notes[0].what, Note::What::nothing_of_kind);
  EXPECT_EQ(decision.notes[0].kind, Kind::experiment);
  EXPECT_TRUE(
      noted(decide(far_away(3, 1), quick(plans_named({"sop", "pilot-1x1"}), 2)), Note::What::no_pilot_fits));
}

TEST(Decide, OneActionOnly) {
  const Situation situation = situation_of(arms({1}), {{2}, {1}}, 1, {0, 0}, 10);
  const Decision decision = decide(situation, quick({}, 64));
  EXPECT_EQ(decision.verdict, Kind::deploy);
  for (const PlanResult& result : decision.plans) {
    if (!result.screened) {
      EXPECT_EQ(result.difference_to_best, 0) << result.plan.name;
    }
  }
}

// The same problem with 10 taken off every reward: total rewards move by 10 a step and unit, the verdict by
// total does not where no indifference is asked for.
TEST(Decide, NegativeRewards) {
  const auto shifted = [](double by) {
    const mdp::Mdp mdp = corridor(1, .5);
    std::vector<double> reward(mdp.reward().begin(), mdp.reward().end());
    for (double& r : reward) r += by;
    Situation situation = far_away();
    belief::Prior prior = situation.belief().prior();
    return situation_of(mdp.with_reward(reward), prior, .25, {0, 0, 0, 0}, 20);
  };
  DecideOptions options = quick(plans_named({"sop", "asop", "pilot-4x4"}), 200);
  options.indifference = 0;
  const Decision up = decide(shifted(0), options), down = decide(shifted(-10), options);
  EXPECT_EQ(down.verdict, Kind::experiment);
  EXPECT_EQ(up.verdict, down.verdict);
  EXPECT_LT(down.plans[0].value, 0);
  for (std::size_t p = 0; p < 3; ++p) EXPECT_NEAR(up.plans[p].value - down.plans[p].value, 800, 1e-6);
}

TEST(Decide, PilotsThatAreTooLongAreLeftOutAndSaidSo) {
  const Decision decision =
      decide(far_away(3, 5), quick(plans_named({"sop", "pilot-4x5", "pilot-2x9", "pilot-2x4"}), 10));
  EXPECT_EQ(decision.plans.size(), 2U);
  EXPECT_EQ(noted(decision, Note::What::past_horizon), (std::vector<std::string>{"pilot-4x5", "pilot-2x9"}));
  EXPECT_FALSE(noted(decision, Note::What::no_pilot_fits));
  EXPECT_THROW(decide(far_away(3, 5), quick(plans_named({"pilot-4x5"}), 10)), InvalidArgument);
  EXPECT_THROW(decide(far_away(3, 5), quick(plans_named({"sop", "pilot-5x2"}), 10)), InvalidArgument);
}

TEST(Decide, TheSamePlanTwiceIsOne) {
  EXPECT_EQ(decide(far_away(), quick(plans_named({"sop", "asop", "sop"}), 5)).plans.size(), 2U);
}

TEST(Decide, OneKindAloneHasNothingToCompareWith) {
  const Decision decision = decide(far_away(), quick(plans_named({"thompson", "beb-1"}), 20));
  EXPECT_EQ(decision.verdict, Kind::experiment);
  EXPECT_FALSE(decision.against);
  EXPECT_FALSE(decision.pilot_price);
}

TEST(Decide, StopsWhenAskedWithWhatIsKnown) {
  DecideOptions options = quick({});
  options.information_draws = 10;
  options.simulation.run.listener.stop = [] { return true; };
  const Decision decision = decide(far_away(), options);
  EXPECT_TRUE(decision.interrupted);
  EXPECT_FALSE(decision.out_of_time);
  EXPECT_GE(decision.worlds, 1);
  EXPECT_LT(decision.worlds, kFirstWorlds);
  EXPECT_FALSE(decision.against);
  EXPECT_TRUE(noted(decision, Note::What::out_of_time));
  std::int64_t pilots = 0;  // the first is designed whatever happens
  for (const PlanResult& result : decision.plans) pilots += result.plan.is_pilot() ? 1 : 0;
  EXPECT_EQ(pilots, 1);
  EXPECT_EQ(decision.plans[decision.recommended].worlds, decision.worlds);
}

// The far place is as good as home in the mean: what a pilot gains is small and the verdict takes long.
TEST(Decide, OutOfTimeIsUndecidedAndSaysWhatItWouldTake) {
  DecideOptions options = quick(plans_named({"sop", "asop", "pilot-1x2"}));
  options.time_limit = 1e-3;
  options.indifference = 0;
  const Decision decision = decide(far_away(.2), options);
  EXPECT_TRUE(decision.out_of_time);
  EXPECT_LT(decision.worlds, kFirstWorlds);
  if (!decision.verdict) {
    EXPECT_GT(decision.worlds_needed, static_cast<double>(decision.worlds));
  }
}

// Where time cuts, the answer says so and names the number of worlds that repeats it, bit for bit.
TEST(Decide, WhatTimeCutCanBeRepeated) {
  DecideOptions options = quick(plans_named({"sop", "asop", "pilot-1x2"}));
  options.time_limit = 1e-3;
  options.indifference = 0;
  options.information_draws = 4096;
  const Decision cut = decide(far_away(.2), options);
  EXPECT_EQ(cut.cut, (std::vector<Cut>{Cut::information_draws, Cut::sampled_models}));
  ASSERT_TRUE(cut.repeat.has_value());
  EXPECT_EQ(cut.repeat->most_worlds, cut.worlds);
  options.most_worlds = cut.repeat->most_worlds;
  options.most_draws = cut.repeat->most_draws;
  for (const int threads : {1, 3}) {
    options.simulation.run.threads = threads;
    const Decision again = decide(far_away(.2), options);
    EXPECT_TRUE(again.cut.empty());
    EXPECT_FALSE(again.out_of_time);
    EXPECT_EQ(again.worlds, cut.worlds);
    EXPECT_EQ(again.verdict, cut.verdict);
    EXPECT_EQ(again.looks, cut.looks);
    EXPECT_EQ(again.recommended, cut.recommended);
    ASSERT_EQ(again.plans.size(), cut.plans.size());
    for (std::size_t p = 0; p < cut.plans.size(); ++p) {
      EXPECT_EQ(again.plans[p].value, cut.plans[p].value);
      EXPECT_EQ(again.plans[p].standard_error, cut.plans[p].standard_error);
      EXPECT_EQ(again.plans[p].mean, cut.plans[p].mean);
    }
    EXPECT_EQ(again.information.draws, cut.information.draws);
    EXPECT_EQ(again.information.total.mean, cut.information.total.mean);
    ASSERT_EQ(again.against.has_value(), cut.against.has_value());
    if (cut.against) {
      EXPECT_EQ(again.against->gain, cut.against->gain);
    }
  }
}

TEST(Decide, EverythingThatTimeCutsIsSaid) {
  DecideOptions options = quick({});
  options.time_limit = 1e-9;
  options.information_draws = 64;
  const Decision decision = decide(far_away(.2), options);
  for (const Cut part : {Cut::information_draws, Cut::pilots})
    EXPECT_NE(std::find(decision.cut.begin(), decision.cut.end(), part), decision.cut.end())
        << static_cast<int>(part);
  EXPECT_FALSE(decision.repeat.has_value());
}

TEST(Decide, RefusesBadOptions) {
  const auto refused = [](auto change) {
    DecideOptions options = quick(plans_named({"sop"}), 4);
    change(options);
    EXPECT_THROW(decide(far_away(), options), InvalidArgument);
  };
  refused([](DecideOptions& o) { o.indifference = -.1; });
  refused([](DecideOptions& o) { o.indifference = 1.1; });
  refused([](DecideOptions& o) { o.level = 1; });
  refused([](DecideOptions& o) { o.level = .4; });
  refused([](DecideOptions& o) { o.worlds = -1; });
  refused([](DecideOptions& o) { o.worlds = 1; });
  refused([](DecideOptions& o) { o.time_limit = 0; });
  refused([](DecideOptions& o) { o.time_limit = std::numeric_limits<double>::quiet_NaN(); });
  refused([](DecideOptions& o) { o.information_draws = -1; });
}

// Rewards of 0 or 1 over 100 steps: nobody can earn more than 100, and nothing that is said may promise it.
TEST(Decide, ABanditOfZerosAndOnesIsNeverWorthMoreThanItsSteps) {
  mdp::Model model{"bandit", arms({.5, .4, .5, .3})};
  model.reward_variance = .25;
  model.prior = mdp::PriorSpec{.reward_sd = .5};
  const auto decided = [&] {
    const Situation situation{belief::gather_knowledge(model, std::nullopt, std::nullopt), {0}, 100};
    DecideOptions options = quick({plan_from_string("sop"), plan_from_string("asop")}, 64);
    options.information_draws = 64;
    return decide(situation, options);
  };
  EXPECT_GT(decided().prior_implies->upper, 100);  // without bounds the prior promises it
  model.prior->rewards = mdp::RewardKind::bernoulli;
  const Decision bernoulli = decided();
  model.prior = mdp::PriorSpec{.reward_sd = .5, .reward_min = 0, .reward_max = 1};
  const Decision bounded = decided();
  for (const Decision& found : {bernoulli, bounded}) {
    for (const PlanResult& plan : found.plans) {
      EXPECT_LE(plan.value, 100) << plan.plan.name;
      for (const double upper : plan.upper) EXPECT_LE(upper, 100 + 1e-9);
    }
    EXPECT_LE(found.prior_implies->upper, 100 + 1e-9);
    EXPECT_LE(found.plans[0].value + found.information.total.mean, 100);
    EXPECT_GT(found.information.total.mean, 5);  // and there is something to learn
  }
}

TEST(Decide, FindsAPriorThatPromisesMuch) {
  DecideOptions options = quick({plan_from_string("sop")}, 8);
  options.information_draws = 8;
  const Situation wild = situation_of(arms({1, 1, 1}), even_prior(arms({1, 1, 1}), 5, 1), 1, {0}, 10);
  EXPECT_TRUE(decide(wild, options).prior_implies->too_good);
  const Situation sane = situation_of(arms({1, 1, 1}), even_prior(arms({1, 1, 1}), .1, 1), 1, {0}, 10);
  EXPECT_FALSE(decide(sane, options).prior_implies->too_good);
}

TEST(WithPrior, KeepsTheObservationsAndChangesThePrior) {
  const mdp::Mdp mdp = arms({1, 2});
  belief::Belief belief(mdp, {{1, 1}, {4, 4}}, {1, 1});
  belief.observe(0, 3, 0);
  const belief::Belief other = belief.with_prior({{2, 1}, {8, 8}});
  // Prior sd 2: 1 + 4/(4 + 1) (3 - 1) = 2.6; it was 1 + 1/2 * 2 = 2.
  EXPECT_DOUBLE_EQ(belief.reward_mean(0), 2);
  EXPECT_DOUBLE_EQ(other.reward_mean(0), 2.6);
  EXPECT_DOUBLE_EQ(other.transition_strength(0), 9);
  EXPECT_EQ(other.rewards_seen()[0].count, 1);
  EXPECT_THROW(belief.with_prior({{2}, {8}}), InvalidArgument);
  EXPECT_THROW(belief.with_prior({{2, -1}, {8, 8}}), InvalidArgument);
  EXPECT_THROW(belief.with_prior({{2, 1}, {8, 0}}), InvalidArgument);
}

}  // namespace decide_test
}  // namespace mindgap::decide
