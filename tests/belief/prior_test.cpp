#include "mindgap/belief/prior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "mdp/random_models.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"

namespace mindgap::belief {
namespace prior_test {

using mdp::Mdp;

// One state, two actions: `safe` stays, `risky` splits evenly over two states.
Mdp two_pairs() {
  mdp::MdpArrays arrays;
  arrays.discount = .9;
  arrays.pair_begin = {0, 2, 3};
  arrays.pair_action = {0, 1, 0};
  arrays.row_begin = {0, 1, 3, 4};
  arrays.next_state = {0, 0, 1, 1};
  arrays.probability = {1, .5, .5, 1};
  arrays.reward = {1, 2, 0};
  return Mdp(arrays);
}

// By hand, v = 4 and sd 1.5 are stated: n = 4 adds 4/4 to 2.25. Strength 5: 1 + 1/b = 6/5 * 5/4 = 3/2.
TEST(PriorAroundSamples, HandValues) {
  const Mdp mdp = two_pairs();
  const std::vector<double> variance(3, 4.0);
  const Prior stated{{1.5, 1.5, 1.5}, {5, 5, 5}};
  Prior prior = prior_around_samples(mdp, variance, std::vector<double>{16, 4, 0}, stated);
  EXPECT_NEAR(prior.reward_sd[0], std::sqrt(2.25 + .25), 1e-15);
  EXPECT_EQ(prior.transition_strength[0], 5);  // one successor in all 16 samples
  EXPECT_NEAR(prior.reward_sd[1], std::sqrt(3.25), 1e-15);
  EXPECT_NEAR(prior.transition_strength[1], 2, 1e-15);
  EXPECT_EQ(prior.reward_sd[2], 1.5);  // never sampled: as stated
  EXPECT_EQ(prior.transition_strength[2], 5);
  // A share of a sample is no worse than a whole one: 6/5 * 2 = 1 + 7/5.
  prior = prior_around_samples(mdp, variance, std::vector<double>{1, .25, 0}, stated);
  EXPECT_NEAR(prior.reward_sd[1], std::sqrt(6.25), 1e-15);
  EXPECT_NEAR(prior.transition_strength[1], 5 / 7., 1e-15);
  // Endless samples leave what is stated, and a simulator beyond doubt leaves the samples.
  prior = prior_around_samples(mdp, variance, std::vector<double>(3, 1e300), stated);
  EXPECT_EQ(prior.reward_sd[1], 1.5);
  EXPECT_EQ(prior.transition_strength[1], 5);
  prior = prior_around_samples(mdp, variance, std::vector<double>(3, 16.0), {{0, 0, 0}, {5, 1e100, 5}});
  EXPECT_EQ(prior.reward_sd[1], .5);
  EXPECT_NEAR(prior.transition_strength[1], 16, 1e-13);
}

// The oracle draws both errors one after the other: the simulator's row p around the table's, and the true
// row q around p. 40,000 draws give a variance to 2 per cent (five standard errors of it).
TEST(PriorAroundSamples, HasTheVarianceOfTwoErrorsInARow) {
  const std::vector<double> row{.5, .3, .2};
  const double n = 6, alpha = 3;
  base::Stream stream({.seed = 5, .purpose = base::Purpose::test});
  std::vector<double> p(3), q(3), parameters(3);
  double squares = 0, products = 0;
  constexpr int kDraws = 40'000;
  for (int i = 0; i < kDraws; ++i) {
    for (std::size_t j = 0; j < 3; ++j) parameters[j] = n * row[j];
    base::dirichlet(stream, parameters, p);
    for (std::size_t j = 0; j < 3; ++j) parameters[j] = alpha * p[j];
    base::dirichlet(stream, parameters, q);
    squares += (q[0] - row[0]) * (q[0] - row[0]);
    products += (q[0] - row[0]) * (q[1] - row[1]);
  }
  mdp::MdpArrays arrays;
  arrays.discount = .9;
  arrays.pair_begin = {0, 1, 2, 3};
  arrays.pair_action = {0, 0, 0};
  arrays.row_begin = {0, 3, 4, 5};
  arrays.next_state = {0, 1, 2, 1, 2};
  arrays.probability = {.5, .3, .2, 1, 1};
  arrays.reward = {0, 0, 0};
  const std::vector<double> none(3, 0.0), count(3, n);
  const double b = prior_around_samples(Mdp(arrays), none, count, {none, std::vector<double>(3, alpha)})
                       .transition_strength[0];
  EXPECT_NEAR(b, 1.8, 1e-14);  // 6 * 3 / (6 + 3 + 1)
  EXPECT_NEAR(squares / kDraws, .25 / (b + 1), .02 * .25 / (b + 1));
  EXPECT_NEAR(products / kDraws, -.15 / (b + 1), .05 * .15 / (b + 1));
}

TEST(PriorAroundSamples, BadArguments) {
  const Mdp mdp = two_pairs();
  const std::vector<double> three(3, 1.0), two(2, 1.0), negative{1, -1, 1};
  const Prior stated{three, three};
  EXPECT_THROW(prior_around_samples(mdp, two, three, stated), InvalidArgument);
  EXPECT_THROW(prior_around_samples(mdp, three, two, stated), InvalidArgument);
  EXPECT_THROW(prior_around_samples(mdp, negative, three, stated), InvalidArgument);
  EXPECT_THROW(prior_around_samples(mdp, three, negative, stated), InvalidArgument);
  EXPECT_THROW(prior_around_samples(mdp, three, three, {negative, three}), InvalidArgument);
  EXPECT_THROW(prior_around_samples(mdp, three, three, {three, negative}), InvalidArgument);
}

// By hand with M = 4: B = 3/2 sqrt(v), D = 6/5. v = 4, n = 16: reward_sd^2 = 1/4 + (3/2)^2 = 2.5.
// Even row: 1 - sum p^2 = 1/2, alpha_M + 1 = 4 * 25/36, strength = 1/(1/16 + 1/(64/36)) = 1.6.
TEST(PriorFromCoverage, HandValues) {
  const Mdp mdp = two_pairs();
  const std::vector<double> variance(3, 4.0), count{16, 16, 0};
  const Prior prior = prior_from_coverage(mdp, variance, count, {{5, 5, 5}, {1, 1, 1}}, {.odds = 4});
  EXPECT_NEAR(prior.reward_sd[0], std::sqrt(2.5), 1e-14);
  EXPECT_NEAR(prior.transition_strength[1], 1.6, 1e-13);
  EXPECT_EQ(prior.transition_strength[0], 1);  // a row without spread: no data could move it
  EXPECT_EQ(prior.reward_sd[2], 5);            // never seen: what the user said
  EXPECT_EQ(prior.transition_strength[2], 1);
}

// M = 1 leaves sampling error only: v/n and n.
TEST(PriorFromCoverage, WithoutConfoundingOnlyCountsMatter) {
  const Mdp mdp = two_pairs();
  const std::vector<double> variance(3, 4.0), count{100, .5, 7};
  const Prior prior = prior_from_coverage(mdp, variance, count, {{5, 5, 5}, {1, 1, 1}});
  EXPECT_NEAR(prior.reward_sd[0], .2, 1e-15);
  EXPECT_NEAR(prior.transition_strength[0], 100, 1e-12);
  EXPECT_NEAR(prior.reward_sd[1], std::sqrt(8.0), 1e-15);
  EXPECT_EQ(prior.transition_strength[1], 1);
  EXPECT_NEAR(prior.transition_strength[2], 7, 1e-14);
}

// The wide prior is for pairs that history never saw; it does not keep odds from widening those it saw. By
// hand, v = 4, n = 4, wide .3: min(1, .3^2) + (B/2)^2 with B/2 = (M-1)/sqrt(M).
TEST(PriorFromCoverage, OddsAreNotCappedByTheWidePrior) {
  const Mdp mdp = two_pairs();
  const std::vector<double> variance(3, 4.0), count{4, 4, 0};
  const Prior wide{{.3, 0, .3}, {20, 20, 20}};
  double before = 0, strength = 1e9;
  for (const double odds : {1.5, 2.0, 3.0, 10.0}) {
    const Prior prior = prior_from_coverage(mdp, variance, count, wide, {.odds = odds});
    EXPECT_NEAR(prior.reward_sd[0], std::sqrt(.09 + (odds - 1) * (odds - 1) / odds), 1e-14);
    EXPECT_GT(prior.reward_sd[0], before);
    EXPECT_LT(prior.transition_strength[1], strength);
    EXPECT_EQ(prior.reward_sd[1], 0);  // known
    EXPECT_EQ(prior.reward_sd[2], .3);
    EXPECT_EQ(prior.transition_strength[2], 20);
    before = prior.reward_sd[0];
    strength = prior.transition_strength[1];
  }
  EXPECT_EQ(strength, 1);  // alpha_M = .49 at odds 10: not below 1
}

// A 4 x 5 grid whose rewards take the given values in turn.
mdp::Model grid_paying(const std::vector<double>& values, std::int32_t states = 20) {
  mdp::MdpArrays arrays;
  arrays.discount = .9;
  arrays.pair_begin = {0};
  arrays.row_begin = {0};
  for (std::int32_t s = 0; s < states; ++s) {
    for (std::int32_t a = 0; a < 2; ++a) {
      arrays.pair_action.push_back(a);
      arrays.next_state.push_back(a == 0 ? s : (s + 1) % states);
      arrays.probability.push_back(1);
      arrays.reward.push_back(values[arrays.reward.size() % values.size()]);
      arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.reward.size()));
    }
    arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.reward.size()));
  }
  return {"grid", Mdp(std::move(arrays))};
}

// Rewards that are constants by construction are known unless a reward_sd is stated.
TEST(StatedPrior, ConstantRewardsAreKnown) {
  mdp::Model model = grid_paying({-1, -1, -1, 20, -10});
  EXPECT_EQ(constant_rewards(model), 3);
  EXPECT_EQ(stated_prior(model).reward_sd, std::vector<double>(40, 0.0));
  model.prior = mdp::PriorSpec{.transition_strength = 5, .drift_sd = .25};
  EXPECT_EQ(stated_prior(model).reward_sd, std::vector<double>(40, .25));
  model.prior = mdp::PriorSpec{.reward_sd = 7};
  EXPECT_EQ(constant_rewards(model), 0);
  EXPECT_EQ(stated_prior(model).reward_sd, std::vector<double>(40, 7.0));
  model.prior = mdp::PriorSpec{.pair_reward_sd = std::vector<double>(40, 3.0)};
  EXPECT_EQ(stated_prior(model).reward_sd, std::vector<double>(40, 3.0));
}

TEST(StatedPrior, OtherRewardsAreNotTakenForConstants) {
  EXPECT_EQ(constant_rewards(grid_paying({1, 2, 3, 4, 5})), 0);  // too many values
  EXPECT_EQ(constant_rewards(grid_paying({1})), 0);        // nothing is told apart: the rewards are asked
  EXPECT_EQ(constant_rewards(grid_paying({0, 1}, 9)), 0);  // too few pairs
  EXPECT_EQ(constant_rewards(grid_paying({0, 1, 2, 3}, 19)), 0);  // too few for each value
  EXPECT_EQ(constant_rewards(grid_paying({0, 1, 2, 3}, 20)), 4);
  mdp::Model bernoulli = grid_paying({0, 1});
  bernoulli.prior = mdp::PriorSpec{.rewards = mdp::RewardKind::bernoulli};
  EXPECT_EQ(constant_rewards(bernoulli), 0);
  EXPECT_EQ(stated_prior(bernoulli).reward_sd, std::vector<double>(40, .5));
}

TEST(PriorFromCoverage, WidePriorCapsAndDriftFloors) {
  const Mdp mdp = two_pairs();
  const std::vector<double> variance(3, 4.0), count{1, 1e9, 0};
  const Prior prior =
      prior_from_coverage(mdp, variance, count, {{.3, .3, .3}, {1, 1, 1}}, {.odds = 1, .drift_sd = .1});
  EXPECT_EQ(prior.reward_sd[0], .3);
  EXPECT_EQ(prior.reward_sd[1], .1);
  EXPECT_EQ(prior.reward_sd[2], .3);
}

// More history never loosens, a larger odds constant never tightens.
TEST(PriorFromCoverage, Monotone) {
  const Mdp mdp = mdp::random_mdp(7, {.states = 6});
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  const std::vector<double> variance(pairs, 1.0);
  const Prior wide{std::vector<double>(pairs, 3.0), std::vector<double>(pairs, .5)};
  const auto at = [&](double n, double odds) {
    return prior_from_coverage(mdp, variance, std::vector<double>(pairs, n), wide, {.odds = odds});
  };
  for (const double odds : {1.0, 1.2, 2.0, 10.0}) {
    for (const double n : {0.0, 1.0, 10.0, 1e4}) {
      const Prior here = at(n, odds), more = at(2 * n + 1, odds), worse = at(n, 1.5 * odds);
      for (std::size_t k = 0; k < pairs; ++k) {
        EXPECT_LE(more.reward_sd[k], here.reward_sd[k]);
        EXPECT_GE(more.transition_strength[k], here.transition_strength[k]);
        EXPECT_GE(worse.reward_sd[k], here.reward_sd[k]);
        EXPECT_LE(worse.transition_strength[k], here.transition_strength[k]);
      }
    }
  }
}

// A history with hidden state h, P(h) = q, weights w(h) in [1/M, M] with E w = 1: the historical mean is
// E[w m], the interventional one E[m]. Random cases stay within B and D; the two-point case attains them:
// q = 1/(M+1), w = (M, 1/M) has E w = 1.
TEST(BiasBounds, HoldOnRandomHistoriesAndAreAttained) {
  std::mt19937_64 bits(20261115);
  const auto uniform = [&] { return (static_cast<double>(bits() >> 11) + .5) * 0x1p-53; };
  for (int i = 0; i < 20000; ++i) {
    const std::size_t hidden = 2 + static_cast<std::size_t>(3 * uniform());
    std::vector<double> q(hidden), w(hidden), mean(hidden), sd(hidden);
    double total = 0, weight = 0;
    for (double& x : q) total += x = uniform();
    for (std::size_t h = 0; h < hidden; ++h) weight += (q[h] /= total) * (w[h] = .02 + uniform());
    double odds = 1;
    for (double& x : w) odds = std::max({odds, x /= weight, 1 / x});
    double observed = 0, truth = 0, second = 0, l1 = 0;
    for (std::size_t h = 0; h < hidden; ++h) {
      mean[h] = 10 * (uniform() - .5);
      sd[h] = uniform();
      observed += q[h] * w[h] * mean[h];
      truth += q[h] * mean[h];
      second += q[h] * w[h] * (sd[h] * sd[h] + mean[h] * mean[h]);  // as history shows it
      l1 += q[h] * std::abs(w[h] - 1);  // next states that tell the hidden states apart
    }
    const double variance = second - observed * observed;
    ASSERT_LE(std::abs(observed - truth), reward_bias_bound(odds, variance) * (1 + 1e-12));
    ASSERT_LE(l1, transition_bias_bound(odds) * (1 + 1e-12));
  }
  for (const double odds : {1.5, 2.0, 5.0}) {
    const double q = 1 / (odds + 1);  // P(h = 1), w = (odds, 1/odds), means (1, 0)
    const double observed = q * odds;
    const double variance = observed * (1 - observed);
    EXPECT_NEAR(observed - q, reward_bias_bound(odds, variance), 1e-14);
    EXPECT_NEAR(q * (odds - 1) + (1 - q) * (1 - 1 / odds), transition_bias_bound(odds), 1e-14);
  }
}

TEST(StatedPrior, NumbersForAllPairsOrEach) {
  mdp::Model model{"m", two_pairs()};
  EXPECT_EQ(stated_prior(model).reward_sd, std::vector<double>(3, 2.0));  // reward_max
  EXPECT_EQ(stated_prior(model).transition_strength, std::vector<double>(3, 1.0));
  EXPECT_TRUE(observation_variance(model).empty());
  model.reward_variance = .25;
  EXPECT_EQ(observation_variance(model), std::vector<double>(3, .25));
  model.prior = mdp::PriorSpec{.transition_strength = 7, .pair_reward_sd = {.1, .2, .3}, .drift_sd = .15};
  EXPECT_EQ(stated_prior(model).reward_sd, (std::vector<double>{.15, .2, .3}));
  EXPECT_EQ(stated_prior(model).transition_strength, std::vector<double>(3, 7.0));
}

TEST(PriorFromCoverage, BadArguments) {
  const Mdp mdp = two_pairs();
  const std::vector<double> ones(3, 1.0), bad{1, -1, 1}, few(2, 1.0);
  const Prior wide{ones, ones};
  EXPECT_THROW(prior_from_coverage(mdp, bad, ones, wide), InvalidArgument);
  EXPECT_THROW(prior_from_coverage(mdp, ones, bad, wide), InvalidArgument);
  EXPECT_THROW(prior_from_coverage(mdp, few, ones, wide), InvalidArgument);
  EXPECT_THROW(prior_from_coverage(mdp, ones, few, wide), InvalidArgument);
  EXPECT_THROW(prior_from_coverage(mdp, ones, ones, {ones, few}), InvalidArgument);
  EXPECT_THROW(prior_from_coverage(mdp, ones, ones, {bad, ones}), InvalidArgument);
  EXPECT_THROW(prior_from_coverage(mdp, ones, ones, wide, {.odds = .5}), InvalidArgument);
  EXPECT_THROW(prior_from_coverage(mdp, ones, ones, wide, {.drift_sd = -1}), InvalidArgument);
  EXPECT_THROW(reward_bias_bound(2, -1), InvalidArgument);
  EXPECT_THROW(transition_bias_bound(std::nan("")), InvalidArgument);
}

}  // namespace prior_test
}  // namespace mindgap::belief
