#include "mindgap/gap/diagnose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "gap/golden_models.h"
#include "mindgap/base/error.h"
#include "mindgap/gap/delta_check.h"
#include "mindgap/gap/epi.h"
#include "world/example_e.h"

namespace mindgap::gap {
namespace diagnose_test {

using mdp::Mdp;
using mdp::Model;

// Example E with the prior its golden numbers are for: sd .2, strength 8.
Model example(double first_residual = world::example_e::kResidual[0]) {
  Model model{"E", world::example_e::simulator(first_residual)};
  model.reward_variance = .05;
  model.prior = mdp::PriorSpec{.reward_sd = .2, .transition_strength = 8};
  return model;
}

DiagnoseInput with_truth() {
  DiagnoseInput input;
  input.truth = world::example_e::model();
  return input;
}

mdp::ObservationLog log_of(std::vector<std::int32_t> pair, std::vector<double> reward,
                           std::vector<std::int32_t> next_state) {
  mdp::ObservationLog log;
  log.units.add("u");
  log.unit.assign(pair.size(), 0);
  log.step.resize(pair.size());
  std::iota(log.step.begin(), log.step.end(), 0);
  log.pair = std::move(pair);
  log.reward = std::move(reward);
  log.next_state = std::move(next_state);
  return log;
}

// spec/tabular.md 5.
TEST(Diagnose, GoldenE) {
  const Diagnosis diagnosis = diagnose(example(), with_truth(), {.draws = 10});
  const std::vector<double> epi{.6942435888, .6888955400, .7331888885, .7336625125, .8684251193, .8685219755};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(diagnosis.epi[k], epi[k], 1e-9);
  const TruthFindings& truth = *diagnosis.truth;
  EXPECT_NEAR(truth.errors.total.largest.reward, .1133333333, 1e-9);
  EXPECT_NEAR(truth.errors.total.largest.transition, .098, 1e-9);
  EXPECT_NEAR(truth.errors.shift_error.largest.reward, .1333333333, 1e-9);
  EXPECT_NEAR(truth.errors.residual_error.largest.reward, .05, 1e-9);
  EXPECT_EQ(truth.errors.history_error.reward.value, 0);
  EXPECT_EQ(truth.errors.history_error.transition.value, 0);
  EXPECT_NEAR(truth.simulation_lemma_bound, 5.5433333, 1e-6);
  EXPECT_NEAR(truth.simulation_lemma_bound_paper, 19.9066667, 1e-6);
  const std::vector<double> variance{.0604, .0624, .07, .03, .0321, .0786};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(truth.do_variance[k], variance[k], 1e-12);
}

TEST(Diagnose, GoldenE2) {
  const TruthFindings truth = *diagnose(example(.45), with_truth(), {.draws = 0}).truth;
  EXPECT_NEAR(truth.value.reward, -1.4767560033, 1e-9);
  EXPECT_NEAR(truth.value.transition, -.0974808571, 1e-9);
  EXPECT_NEAR(truth.value.policy, 1.1731965790, 1e-9);
  EXPECT_NEAR(truth.value.interaction, .1836706134, 1e-9);
  EXPECT_NEAR(truth.gap.local_gap, 1.173196579, 1e-8);
  EXPECT_NEAR(truth.gap.reach_gap, 0, 1e-9);
}

// spec/tabular.md 5: PVV over the true variance, about 1.00, .97, .87 at three priors ("the exact ratio
// depends on the target": here the uniform policy, so only the order and the rough size are checked).
TEST(Diagnose, DeltaMethodOnE) {
  const Mdp mdp = world::example_e::simulator();
  const auto ratio = [&](double sd, double strength) {
    const belief::Belief belief(mdp, {std::vector<double>(6, sd), std::vector<double>(6, strength)},
                                std::vector<double>(6, 1.0));
    return delta_method_check(belief, mdp::Policy::uniform(mdp), {.draws = 4000});
  };
  const DeltaCheck tight = ratio(.1, 50), middle = ratio(.3, 10), weak = ratio(.3, 2);
  EXPECT_NEAR(tight.ratio, 1, .05 + 3 * tight.ratio_standard_error);
  EXPECT_NEAR(middle.ratio, .97, .05 + 3 * middle.ratio_standard_error);
  EXPECT_NEAR(weak.ratio, .87, .07 + 3 * weak.ratio_standard_error);
}

// The bias of the EPI: nothing known, a pilot's residual, history's odds bound.
TEST(Diagnose, WhereTheBiasComesFrom) {
  const Model model = example();
  const Diagnosis plain = diagnose(model, {}, {.draws = 0});
  EXPECT_EQ(plain.bias, std::vector<double>(6, 0.0));
  EXPECT_FALSE(plain.evpi.has_value());
  DiagnoseInput input;
  input.coverage = std::vector<double>{10, 0, 10, 10, 10, 10};
  const double bound = belief::reward_bias_bound(2, .05);
  EXPECT_EQ(diagnose(model, input, {.prior = {.odds = 2}, .draws = 0}).bias, std::vector<double>(6, bound));
  input.log = log_of({0, 0}, {.9, .7}, {0, 1});
  const Diagnosis both = diagnose(model, input, {.prior = {.odds = 2}, .draws = 0});
  EXPECT_NEAR(both.bias[0], std::abs(.8 - model.mdp.reward()[0]), 1e-12);
  EXPECT_EQ(both.bias[1], bound);
}

TEST(Diagnose, PriorFromCoverage) {
  DiagnoseInput input;
  input.coverage = std::vector<double>{100, 0, 100, 100, 100, 100};
  const Diagnosis diagnosis = diagnose(example(), input, {.draws = 0});
  EXPECT_EQ(diagnosis.knowledge->source, belief::PriorSource::coverage);
  EXPECT_NEAR(diagnosis.knowledge->before.prior().reward_sd[0], std::sqrt(.05 / 100), 1e-12);
  EXPECT_EQ(diagnosis.knowledge->before.prior().reward_sd[1], .2);
  EXPECT_EQ(diagnosis.knowledge->before.prior().transition_strength[1], 8);
  EXPECT_NEAR(diagnosis.knowledge->before.prior().transition_strength[0], 100, 1e-9);
  // The simulator-optimal policy plays pair 1 in s0; everything else it plays is measured.
  EXPECT_GT(diagnosis.unmeasured_share, 0);
  EXPECT_LT(diagnosis.unmeasured_share, 1);
}

// A pilot that agrees flags nothing; one reward far off is found, and so is a move the simulator lacks.
TEST(Diagnose, PilotFindsWhatIsWrong) {
  Model model = example();
  std::vector<std::int32_t> pair, next;
  std::vector<double> reward;
  for (int i = 0; i < 40; ++i) {
    pair.push_back(i % 6);
    reward.push_back(model.mdp.reward()[i % 6] + (i % 6 == 3 ? 1.0 : 0.0) + (i % 2 == 0 ? .1 : -.1));
    next.push_back(i % 3);
  }
  DiagnoseInput input;
  input.log = log_of(pair, reward, next);
  const Diagnosis diagnosis = diagnose(model, input, {.draws = 50});
  const PilotFindings& pilot = *diagnosis.pilot;
  EXPECT_EQ(pilot.rows, 40);
  EXPECT_EQ(pilot.covered_pairs, 6);
  for (const PairResidual& residual : pilot.residuals.pairs) {
    EXPECT_EQ(residual.reward_test.flagged, residual.pair == 3) << residual.pair;
  }
  EXPECT_LT(pilot.pvv.total, diagnosis.pvv_prior.total);
  EXPECT_GE(pilot.update_gain, 0);
  EXPECT_LE(pilot.covered_bound, pilot.bound.bound);
  EXPECT_EQ(diagnosis.unmeasured_share, 0);
  EXPECT_TRUE(pilot.large_rewards.empty());
  EXPECT_GT(pilot.crossover_horizon, 0);
}

// Rows without a reward or a next state say what they say: 20 moves and 20 rewards apart are worth the tests
// of 20 whole rows.
TEST(Diagnose, MissingPartsAreLeftOut) {
  const Model model = example();
  const double none = mdp::ObservationLog::kNoReward;
  const std::int32_t nowhere = mdp::ObservationLog::kNoState;
  std::vector<std::int32_t> pair, next, whole_pair, whole_next;
  std::vector<double> reward, whole_reward;
  for (int i = 0; i < 20; ++i) {
    const double seen = model.mdp.reward()[3] + 1 + (i % 2 == 0 ? .1 : -.1);
    whole_pair.push_back(3);
    whole_reward.push_back(seen);
    whole_next.push_back(i % 3);
    pair.insert(pair.end(), {3, 3});
    reward.insert(reward.end(), {seen, none});
    next.insert(next.end(), {nowhere, i % 3});
  }
  pair.push_back(1);  // of another pair only a move
  reward.push_back(none);
  next.push_back(0);
  DiagnoseInput whole, apart;
  whole.log = log_of(whole_pair, whole_reward, whole_next);
  apart.log = log_of(pair, reward, next);
  apart.coverage = whole.coverage = std::vector<double>(6, 50.0);
  const DiagnoseOptions options{.prior = {.odds = 2}, .draws = 0};
  const Diagnosis one = diagnose(model, whole, options), two = diagnose(model, apart, options);
  EXPECT_EQ(two.pilot->rows, 41);
  EXPECT_EQ(two.pilot->covered_pairs, 2);
  EXPECT_EQ(two.pilot->residuals.tests, 3);
  const PairResidual &a = one.pilot->residuals.pairs[0], &b = two.pilot->residuals.pairs[1];
  EXPECT_EQ(b.pair, 3);
  EXPECT_EQ(b.count, 20);
  EXPECT_EQ(a.reward, b.reward);
  EXPECT_EQ(a.reward_test.p_value, b.reward_test.p_value);
  EXPECT_EQ(a.transition_test.p_value, b.transition_test.p_value);
  EXPECT_EQ(two.bias[1], one.bias[1]);  // no reward was seen there: what it may be is as before
  EXPECT_GT(two.bias[1], 0);
  EXPECT_TRUE(two.pilot->large_rewards.empty());
  EXPECT_EQ(two.pilot->bound.reward_radius[3], one.pilot->bound.reward_radius[3]);
  EXPECT_EQ(two.knowledge->now.reward_mean(3), one.knowledge->now.reward_mean(3));
}

TEST(Diagnose, OddRowsAreReportedNotFatal) {
  const Model model{"two rooms",
                    dense_mdp(.9, {1, 0}, 1, {1, .5}, {{1, 0}, {0, 1}}),
                    {},
                    .04,
                    mdp::PriorSpec{.reward_sd = .5, .transition_strength = 3}};
  DiagnoseInput input;
  input.log = log_of({0, 0, 1}, {1, 2.3, .5}, {1, 0, 1});  // 2.3 > 1 + 6 * .2
  input.log->step = {4, 4, 2};
  input.log->censored = {mdp::Censoring::none, mdp::Censoring::none, mdp::Censoring::at_least};
  const PilotFindings pilot = *diagnose(model, input, {.draws = 5}).pilot;
  ASSERT_EQ(pilot.off_support.size(), 1u);
  EXPECT_EQ(pilot.off_support[0].count, 1);
  EXPECT_EQ(pilot.large_rewards, std::vector<std::size_t>{1});
  EXPECT_EQ(pilot.repeated_rows, std::vector<std::size_t>{1});
  EXPECT_EQ(pilot.censored_rewards, 1);
  EXPECT_EQ(pilot.covered_pairs, 1);
  EXPECT_EQ(pilot.residuals.pairs[0].transition_test.p_value, 0);
}

// A pilot that leaves the simulator's support: its own model moves from x to y, and what is said of that
// model must allow for it.
TEST(Diagnose, TheBoundAllowsForMovesTheSimulatorLacks) {
  const Model model{"two rooms",
                    dense_mdp(.9, {1, 0}, 1, {0, 1}, {{1, 0}, {0, 1}}),
                    {},
                    .04,
                    mdp::PriorSpec{.reward_sd = .5, .transition_strength = 3}};
  DiagnoseInput input;
  input.log = log_of({0, 0, 0, 1, 1}, {0, 0, 0, 1, 1}, {1, 1, 1, 1, 1});
  const PilotFindings pilot = *diagnose(model, input, {.draws = 0}).pilot;
  // Weissman: sqrt(2 (log(2^2 - 2) + log(4/.05)) / 3), with 4 statements, is 1.84.
  EXPECT_NEAR(pilot.bound.transition_radius[0], std::sqrt(2 * (std::log(2.0) + std::log(80.0)) / 3), 1e-12);
  EXPECT_EQ(pilot.bound.transition_radius[1], 0);
  EXPECT_GT(pilot.covered_bound, 9);
}

// reward_max below the rewards there are, in the simulator, the truth or the pilot, does not shrink a bound.
TEST(Diagnose, BoundsUseTheRewardsThereAre) {
  Model model = example();
  const Mdp& mdp = model.mdp;
  mdp::MdpArrays arrays;
  arrays.discount = .9;
  arrays.reward_max = .05;
  arrays.pair_begin.assign(mdp.pair_begin().begin(), mdp.pair_begin().end());
  arrays.pair_action.assign(mdp.pair_action().begin(), mdp.pair_action().end());
  arrays.row_begin.assign(mdp.row_begin().begin(), mdp.row_begin().end());
  arrays.next_state.assign(mdp.next_state().begin(), mdp.next_state().end());
  arrays.probability.assign(mdp.probability().begin(), mdp.probability().end());
  arrays.reward.assign(mdp.reward().begin(), mdp.reward().end());
  arrays.start.assign(mdp.start().begin(), mdp.start().end());
  arrays.labels = mdp.labels();
  const double bound = diagnose(model, with_truth(), {.draws = 0}).truth->simulation_lemma_bound;
  model.mdp = Mdp(arrays);
  EXPECT_EQ(diagnose(model, with_truth(), {.draws = 0}).truth->simulation_lemma_bound, bound);

  DiagnoseInput input;
  input.log = log_of({0, 0}, {-2.5, -3.5}, {0, 1});
  const PilotFindings pilot = *diagnose(model, input, {.draws = 0}).pilot;
  EXPECT_EQ(pilot.bound.reward_span, 6);  // [-3, 3]: the pilot's mean is -3
  EXPECT_EQ(pilot.bound.delta, .05);
  input.log = log_of({0, 0}, {-6, 7}, {0, 1});  // on average .5, but rewards lie further apart
  EXPECT_EQ(diagnose(model, input, {.draws = 0}).pilot->bound.reward_span, 13);
}

TEST(Diagnose, NumbersThatAreNoneAreRefused) {
  EXPECT_THROW(diagnose(example(), {}, {.prior = {.odds = std::nan("")}}), InvalidArgument);
  EXPECT_THROW(diagnose(example(), {}, {.prior = {.drift_sd = std::nan("")}}), InvalidArgument);
  EXPECT_THROW(diagnose(example(), {}, {.prior = {.reward_sd = 1e200}}), InvalidArgument);
  Model model = example();
  model.mdp = model.mdp.with_reward(std::vector<double>(6, 0.0));
  EXPECT_THROW(diagnose(model, {}, {.draws = 0}), InvalidArgument);
}

TEST(Diagnose, VarianceFromTheLogWhereNoneIsStated) {
  Model model = example();
  model.reward_variance.reset();
  DiagnoseInput input;
  input.log = log_of({0, 0, 0, 0}, {.2, .3, .2, .3}, {0, 1, 2, 0});
  const Diagnosis diagnosis = diagnose(model, input, {.draws = 0});
  EXPECT_TRUE(diagnosis.knowledge->variance_estimated);
  EXPECT_EQ(diagnosis.pilot->residuals.p_method, RewardTest::student);
  input.log = log_of({0}, {.2}, {0});
  EXPECT_THROW(diagnose(model, input, {.draws = 0}), InvalidArgument);
  DiagnoseInput covered;
  covered.coverage = std::vector<double>(6, 1.0);
  EXPECT_THROW(diagnose(model, covered, {.draws = 0}), InvalidArgument);
}

TEST(Diagnose, AGuessedVarianceIsNotTestedAgainst) {
  DiagnoseInput input;
  input.log = log_of({0, 0, 0, 0}, {.2, .3, .2, .3}, {0, 1, 2, 0});
  EXPECT_EQ(diagnose(example(), input, {.draws = 0}).pilot->residuals.p_method, RewardTest::normal);
  EXPECT_EQ(diagnose(example(), input, {.prior = {.estimate_variance = true}, .draws = 0})
                .pilot->residuals.p_method,
            RewardTest::student);
}

TEST(Diagnose, NeedsAPriorOrCoverage) {
  Model model = example();
  model.prior.reset();
  EXPECT_THROW(diagnose(model, {}, {.draws = 0}), InvalidArgument);
  EXPECT_NO_THROW(diagnose(model, {}, {.prior = {.reward_sd = .3}, .draws = 0}));
  DiagnoseInput input;
  input.coverage = std::vector<double>{5, 0, 5, 5, 5, 5};
  const Diagnosis diagnosis = diagnose(model, input, {.draws = 0});
  EXPECT_EQ(diagnosis.knowledge->before.prior().reward_sd[1], 1);  // reward_max
  EXPECT_EQ(diagnosis.knowledge->before.prior().transition_strength[1], 1);
  model.mdp = model.mdp.with_discount(1);
  EXPECT_THROW(diagnose(model, input, {.draws = 0}), InvalidArgument);
}

TEST(Diagnose, DoesNotDependOnThreads) {
  const Diagnosis one = diagnose(example(), with_truth(), {.draws = 40, .run = {.threads = 1}});
  const Diagnosis two = diagnose(example(), with_truth(), {.draws = 40, .run = {.threads = 2}});
  EXPECT_EQ(one.evpi->total.mean, two.evpi->total.mean);
  EXPECT_EQ(one.pvv_prior.total, two.pvv_prior.total);
  EXPECT_EQ(one.epi, two.epi);
}

// EPI: by hand in a model of one state, and without dimension.
TEST(Epi, HandValueAndScale) {
  const Mdp mdp = dense_mdp(.5, {1, 0}, 1, {2, 0}, {{1, 0}, {0, 1}});
  const std::vector<double> d{1, 0}, variance{.16, .16}, bias{.3, 0}, strength{4, 4};
  // (.16 + .09)/4 + .5 * 1 / (.5 * 4)
  EXPECT_NEAR(exploration_priority(mdp, d, variance, bias, strength)[0], .0625 + .25, 1e-15);
  EXPECT_EQ(exploration_priority(mdp, d, variance, bias, strength)[1], 0);
  const Mdp scaled = mdp.with_reward({20, 0});
  const std::vector<double> variance_scaled{16, 16}, bias_scaled{3, 0};
  EXPECT_NEAR(exploration_priority(scaled, d, variance_scaled, bias_scaled, strength)[0], .0625 + .25, 1e-14);
  const std::vector<double> few{1};
  const mdp::Mdp nothing = mdp.with_reward(std::vector<double>(mdp.reward().size(), 0.0));
  EXPECT_NEAR(exploration_priority(nothing, d, variance, bias, strength)[0], 1 + .25, 1e-14);
  EXPECT_THROW(exploration_priority(mdp, few, variance, bias, strength), InvalidArgument);
  EXPECT_THROW(exploration_priority(mdp, d, variance, bias, std::vector<double>{4, 0}), InvalidArgument);
  EXPECT_THROW(exploration_priority(mdp.with_discount(1), d, variance, bias, strength), InvalidArgument);
}

}  // namespace diagnose_test
}  // namespace mindgap::gap
