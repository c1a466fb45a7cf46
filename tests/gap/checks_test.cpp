#include "mindgap/gap/checks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "gap/golden_models.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/gap/diagnose.h"
#include "world/example_e.h"

namespace mindgap::gap {
namespace checks_test {

using mdp::Mdp;
using mdp::Model;
using mdp::Policy;

// A ring of rooms with one action each, which pays `reward`.
Mdp ring(const std::vector<double>& reward) {
  const std::size_t states = reward.size();
  std::vector<double> start(states, 0.0);
  start[0] = 1;
  std::vector<std::vector<double>> rows(states, std::vector<double>(states, 0.0));
  for (std::size_t s = 0; s < states; ++s) rows[s][(s + 1) % states] = 1;
  return dense_mdp(.9, start, 1, reward, rows);
}

// `looks` rewards of every pair around `mean`, with the given standard deviation.
mdp::ObservationLog log_of(const Mdp& mdp, const std::vector<double>& mean, int looks, double sd) {
  mdp::ObservationLog log;
  log.units.add("u");
  base::Stream stream({3, base::Purpose::test});
  for (int i = 0; i < looks; ++i) {
    for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
      log.unit.push_back(0);
      log.step.push_back(static_cast<std::int64_t>(log.step.size()));
      log.pair.push_back(k);
      log.reward.push_back(mean[static_cast<std::size_t>(k)] + sd * base::normal(stream));
      log.next_state.push_back(mdp.next_state()[mdp.entries_of(k).first()]);
    }
  }
  return log;
}

Model with_prior(const Mdp& mdp, double sd, double variance) {
  Model model{"ring", mdp};
  model.reward_variance = variance;
  model.prior = mdp::PriorSpec{.reward_sd = sd, .transition_strength = 5};
  return model;
}

// Truths drawn with kappa = 10 around the simulator, 40 looks at each of 120 pairs: kappa_eff is near 10, and
// reward_sd is what gives that strength. The prior states kappa = 4 / .25.
TEST(Checks, StrengthOfThePriorFromAPilot) {
  std::vector<double> simulated(120), truth(120);
  base::Stream stream({5, base::Purpose::test});
  for (std::size_t k = 0; k < 120; ++k) {
    simulated[k] = std::sin(static_cast<double>(k));
    truth[k] = simulated[k] + std::sqrt(4. / 10) * base::normal(stream);
  }
  const Mdp mdp = ring(simulated);
  DiagnoseInput input;
  input.log = log_of(mdp, truth, 40, 2);
  const Diagnosis found = diagnose(with_prior(mdp, .5, 4), input, {.draws = 0});
  const StrengthCheck& strength = found.checks.strength;
  EXPECT_EQ(strength.effective->basis, belief::StrengthBasis::estimated);
  EXPECT_EQ(strength.effective->used, 120);
  EXPECT_NEAR(strength.effective->strength, 10, 3.5);
  EXPECT_DOUBLE_EQ(*strength.reward_sd_least, std::sqrt(4 / strength.effective->strength));
  EXPECT_DOUBLE_EQ(*strength.reward_sd_most, *strength.reward_sd_least);
  EXPECT_DOUBLE_EQ(*strength.stated, 16);
  EXPECT_LT(strength.paper->strength, strength.effective->strength);
}

// By hand: kappa_0 = 1 + 19 c g. The stated variance is 4; data with variance v have c = min/max of the two.
TEST(Checks, StrengthOfThePriorFromTheSimulator) {
  const Mdp mdp = ring({1, 1, 1});
  const Model model = with_prior(mdp, .5, 4);
  const StrengthCheck alone = diagnose(model, {}, {.draws = 0}).checks.strength;
  EXPECT_FALSE(alone.calibrated);
  EXPECT_FALSE(alone.effective);
  EXPECT_DOUBLE_EQ(*std::max_element(alone.self_consistency.begin(), alone.self_consistency.end()), 20);
  DiagnoseInput input;
  mdp::ObservationLog log = log_of(mdp, {1, 1, 1}, 2, 0);
  for (std::size_t i = 0; i < 6; ++i) log.reward[i] = i < 3 ? 0 : 2;  // variance 2 everywhere
  input.calibration = log;
  const StrengthCheck with = diagnose(model, input, {.draws = 0}).checks.strength;
  EXPECT_TRUE(with.calibrated);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(with.self_consistency[k] - 1, (alone.self_consistency[k] - 1) / 2, 1e-9);
}

// By hand: two pairs of equal weight and hardly any prior, guesses 2 and 1/2 times the precision: looks go 1
// : 2, and 3 + 1.5 is left in the place of 2 + 2, a ratio of 9/8. Equal guesses cost nothing.
TEST(Checks, PrecisionByHand) {
  const Mdp mdp = dense_mdp(.5, {1}, 2, {1, 1}, {{1}, {1}});
  const belief::Belief belief(mdp, {{1e5, 1e5}, {1, 1}}, {1, 1});
  const PvvWeights weights = pvv_weights(mdp, Policy::uniform(mdp));
  ChecksOptions options;
  const PrecisionCheck found = *check_precision(weights, belief, options);
  EXPECT_NEAR(found.worst, 9. / 8, 1e-6);
  EXPECT_EQ(found.bound, 4);
  EXPECT_EQ(found.pairs, 2);
  EXPECT_GT(found.mean, 1);
  EXPECT_LT(found.mean, found.worst);
  options.precision_factor = 1;
  EXPECT_DOUBLE_EQ(check_precision(weights, belief, options)->worst, 1);
  options.precision_factor = .5;
  EXPECT_THROW(check_precision(weights, belief, options), InvalidArgument);
}

TEST(Checks, PositivityByHand) {
  const std::vector<double> wanted{.5, .2, .3, 0}, deployed{.9, 0, 1e-6, .1};
  const PositivityCheck found = check_positivity(wanted, deployed, 1e-4, false);
  EXPECT_EQ(found.states, (std::vector<std::int32_t>{2, 1}));
  EXPECT_DOUBLE_EQ(found.share, .5);
  EXPECT_EQ(found.wanted, (std::vector<double>{.3, .2}));
  EXPECT_TRUE(check_positivity(wanted, wanted, 1e-4, true).states.empty());
  const std::vector<double> rounded{.5, .2, .3, -1e-18};
  EXPECT_EQ(check_positivity(rounded, deployed, 1e-4, false).states, found.states);
}

// On hidden treasure states behind the wall are wanted and not seen; with example E's truth every state is.
TEST(Checks, PositivityOfADiagnosis) {
  const Diagnosis treasure = diagnose(with_prior(treasure_simulator(), .5, .25), {}, {.draws = 50});
  ASSERT_TRUE(treasure.checks.positivity);
  EXPECT_FALSE(treasure.checks.positivity->states.empty());
  bool behind = false;
  for (const std::int32_t s : treasure.checks.positivity->states) {
    behind = behind || s % 6 >= 3;
    EXPECT_LT(treasure.reach.share[s], treasure.reach.threshold);
    EXPECT_GE(treasure.evpi->optimal_visitation[s], treasure.reach.threshold);
  }
  EXPECT_TRUE(behind);
  DiagnoseInput input;
  input.truth = world::example_e::model();
  const Diagnosis e = diagnose(with_prior(world::example_e::simulator(), .2, .05), input, {.draws = 0});
  EXPECT_TRUE(e.checks.positivity->by_truth);
  EXPECT_TRUE(e.checks.positivity->states.empty());
}

TEST(Checks, OfADiagnosis) {
  const Diagnosis found = diagnose(with_prior(m3(), .3, .25), {}, {.prior = {.odds = {}}, .draws = 100});
  ASSERT_TRUE(found.checks.delta);
  EXPECT_EQ(found.checks.delta->draws, 100);
  EXPECT_NEAR(found.checks.delta->pvv, found.pvv_prior.total, 1e-9);
  ASSERT_TRUE(found.checks.delta->second_order);
  EXPECT_EQ(found.checks.variance_ratio.upper, 1);
  DiagnoseInput input;
  input.coverage = std::vector<double>(static_cast<std::size_t>(m3().pairs()), 50.0);
  const Checks odds = diagnose(with_prior(m3(), .3, .25), input, {.prior = {.odds = 3}, .draws = 0}).checks;
  EXPECT_EQ(odds.odds, 3);
  EXPECT_DOUBLE_EQ(odds.variance_ratio.lower, 1. / 3);
  EXPECT_DOUBLE_EQ(odds.variance_ratio_paper.upper, 9);
  EXPECT_FALSE(odds.delta);
}

}  // namespace checks_test
}  // namespace mindgap::gap
