#include "mindgap/belief/belief.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "belief/calibration.h"
#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/belief/at_least.h"

namespace mindgap::belief {
namespace belief_test {

using mdp::Mdp;

// State 0: action 0 goes to 0 or 1 evenly, action 1 stays. State 1 stays.
Mdp small() {
  mdp::MdpArrays arrays;
  arrays.discount = .9;
  arrays.pair_begin = {0, 2, 3};
  arrays.pair_action = {0, 1, 0};
  arrays.row_begin = {0, 2, 3, 4};
  arrays.next_state = {0, 1, 0, 1};
  arrays.probability = {.5, .5, 1, 1};
  arrays.reward = {1, 2, 0};
  return Mdp(arrays);
}

Belief small_belief(const BeliefOptions& options = {}) {
  return {small(), {{.5, .5, 0}, {4, 4, 4}}, {1, 1, 1}, options};
}

struct Row {
  std::int32_t pair;
  double reward;
  std::int32_t next_state;
};

// By hand: prior N(1, 1/4), observation variance 1: two rewards of mean 2.5 have precision 2 against 4, so
// the mean is (4*1 + 2*2.5)/6 = 1.5 and the variance 1/6. Dirichlet (2, 2) with counts (2, 0): mean (4/6,
// 2/6).
TEST(Belief, HandValues) {
  Belief belief = small_belief();
  belief.observe(0, 2, 0);
  belief.observe(0, 3, 0);
  EXPECT_NEAR(belief.reward_mean(0), 1.5, 1e-15);
  EXPECT_NEAR(belief.reward_variance(0), 1.0 / 6, 1e-15);
  EXPECT_EQ(belief.transition_strength(0), 6);
  const Mdp mean = belief.mean();
  EXPECT_NEAR(mean.probability()[0], 4.0 / 6, 1e-15);
  EXPECT_NEAR(mean.probability()[1], 2.0 / 6, 1e-15);
  EXPECT_EQ(mean.reward()[1], 2);
  EXPECT_EQ(belief.rewards_seen()[0].count, 2);
  EXPECT_EQ(belief.transitions_seen()[0], 2);
  EXPECT_EQ(belief.observation_precision(0), 1);
}

TEST(Belief, WithoutDataTheMeanIsTheSimulator) {
  const Mdp mdp = mdp::random_mdp(8, {.states = 12});
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  const Belief belief(mdp, {std::vector<double>(pairs, .3), std::vector<double>(pairs, 2.0)},
                      std::vector<double>(pairs, 1.0));
  const Mdp mean = belief.mean();
  EXPECT_TRUE(std::ranges::equal(mean.probability(), mdp.probability()));
  EXPECT_TRUE(std::ranges::equal(mean.reward(), mdp.reward()));
}

TEST(Belief, KnownRewardsStayKnownAndNoiselessOnesAreSeenAtOnce) {
  Belief belief(small(), {{0, .5, .5}, {4, 4, 4}}, {1, 0, 1});
  belief.observe(0, 7, 0);
  belief.observe(1, 7, 0);
  EXPECT_EQ(belief.reward_mean(0), 1);
  EXPECT_EQ(belief.reward_variance(0), 0);
  EXPECT_EQ(belief.reward_mean(1), 7);
  EXPECT_EQ(belief.reward_variance(1), 0);
  EXPECT_TRUE(std::isinf(belief.observation_precision(1)));
}

// A transition the simulator calls impossible refutes its row: the row becomes Dirichlet(u b + counts), and
// all others are doubted with rho = (.01 * 50 + refuted)/(50 + visited). Before that row was seen u was 1,
// and b of action 1 in state 0 .6 for the simulated state and .4 for the other.
TEST(Belief, AnImpossibleMoveRefutesItsRowAndCastsDoubtOnOthers) {
  Belief belief = small_belief();
  belief.observe(0, 1, 0);
  EXPECT_EQ(belief.refutation(), (Refutation{1, 0, 1, 0, 0.0}));
  EXPECT_EQ(belief.mean().nonzeros(), small().nonzeros());
  belief.observe(1, 2, 1);
  belief.observe(1, 2, 1);
  const std::vector<OffSupport> found = belief.off_support();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pair, 1);
  EXPECT_EQ(found[0].next_state, 1);
  EXPECT_EQ(found[0].count, 2);
  const double rho = (.5 + 1) / 52;
  EXPECT_EQ(belief.refutation(), (Refutation{2, 1, 3, 2, rho}));
  EXPECT_NEAR(belief.transition_strength(1), 3, .05);
  const Mdp mean = belief.mean();
  const auto row = [&](std::int32_t k) { return mean.probability().subspan(mean.row_begin()[k], 2); };
  EXPECT_NEAR(row(1)[0], .6 / 3, .02);
  EXPECT_NEAR(row(1)[1], 2.4 / 3, .02);
  EXPECT_NEAR(row(1)[0] + row(1)[1], 1, 1e-15);
  EXPECT_NEAR(row(2)[0], rho * .05, .003 * rho);  // state 1 has b = (.1/2, .9 + .1/2)
}

// Whoever states that the support is certain gets it: impossible moves are counted, and nothing else.
TEST(Belief, ACertainSupportStaysCertain) {
  Belief belief = small_belief({.unseen = {.share = 0}});
  belief.observe(1, 2, 1);
  EXPECT_EQ(belief.off_support().size(), 1u);
  EXPECT_EQ(belief.transition_strength(1), 4);
  EXPECT_TRUE(std::ranges::equal(belief.mean().next_state(), small().next_state()));
  EXPECT_EQ(belief.refutation().share, 0);
}

std::vector<Row> random_rows(const Mdp& mdp, int count) {
  std::mt19937_64 bits(5);
  std::vector<Row> rows;
  for (int i = 0; i < count; ++i) {
    const auto pair = static_cast<std::int32_t>(bits() % static_cast<std::uint64_t>(mdp.pairs()));
    rows.push_back({pair, static_cast<double>(bits() % 1000) / 100 - 5,
                    static_cast<std::int32_t>(bits() % static_cast<std::uint64_t>(mdp.states()))});
  }
  return rows;
}

TEST(Belief, OrderDoesNotMatterAndBatchEqualsOneByOne) {
  const Mdp mdp = mdp::random_mdp(9, {.states = 6});
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  for (const RewardModel model : {RewardModel::known_variance, RewardModel::estimated_variance}) {
    const Belief prior(mdp, {std::vector<double>(pairs, .7), std::vector<double>(pairs, 3.0)},
                       std::vector<double>(pairs, .5), {.rewards = model});
    std::vector<Row> rows = random_rows(mdp, 500);
    mdp::ObservationLog log;
    for (const Row& row : rows) {
      log.unit.push_back(0);
      log.step.push_back(0);
      log.pair.push_back(row.pair);
      log.reward.push_back(row.reward);
      log.next_state.push_back(row.next_state);
    }
    Belief batch = prior, forward = prior, backward = prior;
    batch.observe(log);
    for (const Row& row : rows) forward.observe(row.pair, row.reward, row.next_state);
    std::reverse(rows.begin(), rows.end());
    for (const Row& row : rows) backward.observe(row.pair, row.reward, row.next_state);
    for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
      EXPECT_EQ(batch.reward_mean(k), forward.reward_mean(k));
      EXPECT_NEAR(forward.reward_mean(k), backward.reward_mean(k), 1e-13);
      EXPECT_NEAR(forward.reward_variance(k), backward.reward_variance(k), 1e-13);
      EXPECT_EQ(forward.transition_strength(k), backward.transition_strength(k));
    }
    EXPECT_TRUE(std::ranges::equal(forward.transitions_seen(), backward.transitions_seen()));
    EXPECT_EQ(batch.off_support().size(), backward.off_support().size());
  }
}

// In the order of the rows: the Gaussian updates of gaussian.h and at_least.h one after the other. What is
// missing says nothing.
TEST(Belief, RowsOfALogEnterInTheirOrder) {
  mdp::ObservationLog log;
  log.unit = {0, 0, 0, 0, 0};
  log.step = {0, 1, 2, 3, 4};
  log.pair = {0, 0, 0, 0, 0};
  log.reward = {5, 2, .5, 9, mdp::ObservationLog::kNoReward};
  log.next_state = {1, 0, 0, mdp::ObservationLog::kNoState, 0};
  log.censored = {mdp::Censoring::at_least, mdp::Censoring::none, mdp::Censoring::at_most,
                  mdp::Censoring::none, mdp::Censoring::none};
  Belief belief = small_belief();
  belief.observe(log);
  const Gaussian wanted = update(update_at_most(update(update_at_least({1, 4}, 5, 1), 2, 1), .5, 1), 9, 1);
  EXPECT_EQ(belief.censored_rewards(), 2);
  EXPECT_NEAR(belief.reward_mean(0), wanted.mean, 1e-13);
  EXPECT_NEAR(belief.reward_variance(0), 1 / wanted.precision, 1e-13);
  EXPECT_EQ(belief.transition_strength(0), 8);
  Belief one_by_one = small_belief();
  for (std::size_t i = 0; i < log.size(); ++i) one_by_one.observe(log.row(i));
  EXPECT_EQ(one_by_one.reward_mean(0), belief.reward_mean(0));
}

// An observation of weight w counts w times: 1/4 of it four times is the whole, and 2 of it is the same
// twice.
TEST(Belief, WeightsCount) {
  for (const RewardModel model : {RewardModel::known_variance, RewardModel::estimated_variance}) {
    const Belief prior(small(), {{.5, .5, 0}, {4, 4, 4}}, {1, 1, 1}, {.rewards = model});
    Belief parts = prior, whole = prior, twice = prior;
    for (const double reward : {2.0, -1.0}) {
      for (int i = 0; i < 8; ++i)
        parts.observe({.pair = 0, .reward = reward, .next_state = 0, .weight = .25});
      for (int i = 0; i < 2; ++i) whole.observe(0, reward, 0);
      twice.observe({.pair = 0, .reward = reward, .next_state = 0, .weight = 2});
    }
    for (const Belief* belief : {&parts, &twice}) {
      EXPECT_EQ(belief->rewards_seen()[0].count, 4);
      EXPECT_NEAR(belief->rewards_seen()[0].squared_deviations, 9, 1e-13);
      EXPECT_NEAR(belief->reward_mean(0), whole.reward_mean(0), 1e-13);
      EXPECT_NEAR(belief->reward_variance(0), whole.reward_variance(0), 1e-13);
      EXPECT_EQ(belief->transition_strength(0), whole.transition_strength(0));
      EXPECT_EQ(belief->refutation(), whole.refutation());
    }
  }
  Belief belief = small_belief();
  belief.observe({.pair = 1, .next_state = 1, .weight = .75});  // which the simulator calls impossible
  EXPECT_EQ(belief.off_support().front().count, .75);
  EXPECT_EQ(belief.refutation().off_moves, .75);
  // of a bound, so much of the part of an observation that it is
  Belief some = small_belief(), all = small_belief();
  some.observe({.reward = 2, .censored = mdp::Censoring::at_least, .weight = .5});
  all.observe({.reward = 2, .censored = mdp::Censoring::at_least});
  EXPECT_NEAR(some.rewards_seen()[0].count, all.rewards_seen()[0].count / 2, 1e-15);
  EXPECT_EQ(some.rewards_seen()[0].mean, all.rewards_seen()[0].mean);
  for (const double weight : {0.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_THROW(belief.observe({.reward = 1, .weight = weight}), InvalidArgument);
}

// Drawn models have the posterior's moments: rewards mean and variance, rows Dirichlet (mean p, variance
// p(1-p)/(alpha+1)); and draws do not depend on threads.
TEST(Belief, DrawnModelsHaveThePosteriorsMoments) {
  Belief belief = small_belief();
  belief.observe(0, 2, 0);
  const Mdp mean = belief.mean();
  constexpr int kDraws = 20000;
  double reward = 0, reward_squares = 0, p = 0, p_squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Mdp model = belief.sample(1, static_cast<std::uint64_t>(i));
    const double off = model.reward()[0] - belief.reward_mean(0),
                 off_p = model.probability()[0] - mean.probability()[0];
    reward += off / kDraws;
    reward_squares += off * off / kDraws;
    p += off_p / kDraws;
    p_squares += off_p * off_p / kDraws;
  }
  const double variance = belief.reward_variance(0), row_variance = .6 * .4 / 6;  // Dirichlet (3, 2)
  EXPECT_NEAR(reward, 0, 4 * std::sqrt(variance / kDraws));
  EXPECT_NEAR(reward_squares, variance, 4 * variance * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(p, 0, 4 * std::sqrt(row_variance / kDraws));
  EXPECT_NEAR(p_squares, row_variance, 4 * row_variance * std::sqrt(2.0 / kDraws));
}

TEST(Belief, DrawsAreTheSameForAnyThreadsAndDifferBetweenDraws) {
  const Mdp mdp = mdp::random_mdp(2, {.states = 5000, .actions = 3, .successors = 4});
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  const Belief belief(mdp, {std::vector<double>(pairs, .3), std::vector<double>(pairs, .01)},
                      std::vector<double>(pairs, 1.0));
  const base::Threads two(2);
  EXPECT_EQ(belief.sample(3, 1), belief.sample(3, 1, two));
  EXPECT_FALSE(belief.sample(3, 1) == belief.sample(3, 2));
  EXPECT_FALSE(belief.sample(3, 1) == belief.sample(4, 1));
}

// By hand: shape 2, scale 2, strength 2/(1 * .25) = 8; then 400 rewards of mean 3 and squared deviations 400
// * .01.
TEST(Belief, EstimatedVarianceStartsAtThePriorAndLearns) {
  Belief belief(small(), {{.5, .5, 0}, {4, 4, 4}}, {1, 1, 1}, {.rewards = RewardModel::estimated_variance});
  EXPECT_NEAR(belief.reward_variance(0), .25, 1e-15);
  EXPECT_EQ(belief.reward_mean(0), 1);
  EXPECT_EQ(belief.observation_precision(0), 1);
  for (int i = 0; i < 400; ++i) belief.observe(0, i % 2 == 0 ? 2.9 : 3.1, 0);
  const double scale = 2 + .5 * 4 + .5 * 8 * 400 / 408.0 * 2 * 2, shape = 202;
  EXPECT_NEAR(belief.reward_mean(0), (8 * 1 + 400 * 3) / 408.0, 1e-12);
  EXPECT_NEAR(belief.observation_precision(0), shape / scale, 1e-10);
  EXPECT_NEAR(belief.reward_variance(0), scale / ((shape - 1) * 408), 1e-13);
  EXPECT_EQ(belief.reward_variance(2), 0);
}

TEST(Belief, PooledVariance) {
  const auto pooled = [](std::vector<std::int32_t> pair, std::vector<double> reward) {
    mdp::ObservationLog log;
    log.unit.resize(pair.size());
    log.step.resize(pair.size());
    log.next_state.resize(pair.size());
    log.pair = std::move(pair);
    log.reward = std::move(reward);
    return pooled_variance(small(), log);
  };
  const double none = mdp::ObservationLog::kNoReward;
  // squares 2 and 8, one degree each; a reward that is missing adds nothing
  EXPECT_NEAR(*pooled({0, 0, 1, 1, 2}, {1, 3, 10, 14, 99}), (2 + 8) / 2.0, 1e-14);
  EXPECT_NEAR(*pooled({0, 0, 0, 1, 1, 2}, {1, none, 3, 10, 14, 99}), (2 + 8) / 2.0, 1e-14);
  EXPECT_FALSE(pooled({0}, {1}));
  EXPECT_FALSE(pooled({0, 0}, {1, none}));
  EXPECT_FALSE(pooled({0, 0}, {1, 1}));
}

// Truth from the belief, three observations of each pair from the truth, then the posterior. With an
// estimated variance the truth's noise is drawn too: mean and variance together are the
// Normal-Inverse-Gamma's.
Replication replicate_belief(base::Stream& stream, int draws, const BeliefOptions& options) {
  Belief belief = small_belief(options);
  const Mdp truth = belief.sample(stream.next(), 0);
  std::vector<double> reward(truth.reward().begin(), truth.reward().end()), noise(reward.size(), 1.0);
  if (options.rewards == RewardModel::estimated_variance) {
    for (std::size_t k = 0; k < 2; ++k) {
      const NormalInverseGamma prior{small().reward()[static_cast<std::ptrdiff_t>(k)], 2 / .25, 2, 2};
      const MeanAndVariance drawn = sample(prior, stream);
      reward[k] = drawn.mean;
      noise[k] = drawn.variance;
    }
  }
  for (std::int32_t k = 0; k < truth.pairs(); ++k) {
    const auto row =
        truth.probability().subspan(truth.row_begin()[k], truth.row_begin()[k + 1] - truth.row_begin()[k]);
    for (int i = 0; i < 3; ++i) {
      const auto next = base::Categorical(row).draw(stream);
      belief.observe(k, reward[k] + std::sqrt(noise[k]) * base::normal(stream),
                     truth.next_state()[truth.row_begin()[k] + next]);
    }
  }
  const auto quantities = [&](std::span<const double> rewards, const Mdp& model) {
    // A row that is right and has one successor is the same in all such models: ties are broken at random.
    const double jitter = options.unseen.share ? 1e-12 * base::uniform(stream) : 0;
    return std::vector<double>{rewards[0], rewards[1], model.probability()[0],
                               model.probability()[model.row_begin()[1]] + jitter};
  };
  Replication replication{quantities(reward, truth), {}};
  const std::uint64_t seed = stream.next();
  for (int i = 0; i < draws; ++i) {
    const Mdp model = belief.sample(seed, static_cast<std::uint64_t>(i));
    replication.draws.push_back(quantities(model.reward(), model));
  }
  return replication;
}

void expect_calibrated(const BeliefOptions& options, const CalibrationOptions& calibration) {
  const std::vector<double> p_values = calibration_p_values(
      calibration, [&](base::Stream& stream, int draws) { return replicate_belief(stream, draws, options); });
  for (const double p : p_values) EXPECT_GT(p, 1e-4);
}

// Given rho, what is believed of a row is exact.
constexpr UnseenOptions kKnownShare{.share = .3, .rows = 1e12, .strength = 1.5};

TEST(BeliefCalibration, EveryVariant) {
  expect_calibrated({}, {});
  expect_calibrated({.rewards = RewardModel::estimated_variance}, {});
  expect_calibrated({.unseen = kKnownShare}, {});
}

TEST(BeliefCalibrationLong, EveryVariant) {
  const CalibrationOptions more{.replications = 40000, .draws = 39};
  expect_calibrated({}, more);
  expect_calibrated({.rewards = RewardModel::estimated_variance}, more);
  expect_calibrated({.unseen = kKnownShare}, more);
}

TEST(Belief, BadArguments) {
  EXPECT_THROW(Belief(small(), {{1, 1}, {1, 1, 1}}, {1, 1, 1}), InvalidArgument);
  EXPECT_THROW(Belief(small(), {{1, 1, -1}, {1, 1, 1}}, {1, 1, 1}), InvalidArgument);
  EXPECT_THROW(Belief(small(), {{1, 1, 1}, {1, 0, 1}}, {1, 1, 1}), InvalidArgument);
  EXPECT_THROW(Belief(small(), {{1, 1, 1}, {1, 1, 1}}, {1, 1}), InvalidArgument);
  EXPECT_THROW(Belief(small(), {{1, 1, 1}, {1, 1, 1}}, {1, -1, 1}), InvalidArgument);
  EXPECT_THROW(
      Belief(small(), {{1, 1, 1}, {1, 1, 1}}, {1, 0, 1}, {.rewards = RewardModel::estimated_variance}),
      InvalidArgument);
  EXPECT_THROW(small_belief({.unseen = {.share = -.1}}), InvalidArgument);
  EXPECT_THROW(small_belief({.unseen = {.share = 1}}), InvalidArgument);
  EXPECT_THROW(small_belief({.unseen = {.rows = 0}}), InvalidArgument);
  EXPECT_THROW(small_belief({.unseen = {.strength = 0}}), InvalidArgument);
  Belief belief = small_belief();
  EXPECT_THROW(belief.observe(3, 1, 0), InvalidArgument);
  EXPECT_THROW(belief.observe(-1, 1, 0), InvalidArgument);
  EXPECT_THROW(belief.observe(0, std::nan(""), 0), InvalidArgument);
  EXPECT_THROW(belief.observe(0, 1, 2), InvalidArgument);
  EXPECT_THROW(static_cast<void>(belief.reward_mean(9)), InvalidArgument);
}

}  // namespace belief_test
}  // namespace mindgap::belief
