#include "mindgap/belief/shared_errors.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "belief/calibration.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/belief/belief.h"
#include "mindgap/belief/kernel.h"
#include "mindgap/belief/kernel_factors.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::belief {
namespace shared_errors_test {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// golden_shared_errors.json, `factors`: seven pairs, two factors (from dense Gaussian algebra in Python)
struct Golden {
  std::vector<double> s2{.42, .409, .261, .186, .175, .165, .25};
  std::vector<double> loadings{-.03, .7,    -1.34, -.46, -1.9, -1.29, -1.84,
                               -.24, -1.27, .27,   .16,  -.19, -2.52, -.54};
  std::vector<double> v{1.44, 1.27, 1.25, .87, .52, .79, 1.54};

  SharedErrors shared() const { return {2, loadings, {0, 1, 2, 3, 4, 5, 6}, std::vector<double>(7, 0.0)}; }
  std::vector<FactorEvidence> evidence(const std::vector<double>& n, const std::vector<double>& off) const {
    std::vector<FactorEvidence> result;
    for (std::size_t k = 0; k < n.size(); ++k) result.push_back({s2[k], v[k], n[k], off[k]});
    return result;
  }
};

// A line of states, each with `actions` ways to stay there or go on.
mdp::Mdp line(std::int32_t states, std::int32_t actions = 1) {
  mdp::MdpBuilder builder(.9);
  for (std::int32_t s = 0; s < states; ++s)
    builder.add_state("s" + std::to_string(s),
                      {.group = s % 2 == 0 ? "even" : "odd", .x = static_cast<double>(s), .y = 0.0});
  for (std::int32_t a = 0; a < actions; ++a) builder.add_action("a" + std::to_string(a));
  for (std::int32_t s = 0; s < states; ++s) {
    for (std::int32_t a = 0; a < actions; ++a) {
      builder.set_reward(s, a, .1 * s);
      builder.add_transition(s, a, (s + 1) % states, 1);
    }
  }
  return builder.build();
}

Prior prior_of(const mdp::Mdp& mdp, double sd) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return {std::vector<double>(pairs, sd), std::vector<double>(pairs, 5.0)};
}

MatrixXd covariance_of(const SharedErrors& shared, std::span<const double> reward_sd) {
  const auto n = static_cast<Index>(reward_sd.size());
  MatrixXd u(n, shared.factors()), result;
  for (Index k = 0; k < n; ++k) {
    for (Index j = 0; j < u.cols(); ++j)
      u(k, j) = shared.loadings(static_cast<std::int32_t>(k))[static_cast<std::size_t>(j)];
  }
  result = u * u.transpose();
  for (Index k = 0; k < n; ++k)
    result(k, k) += reward_sd[static_cast<std::size_t>(k)] * reward_sd[static_cast<std::size_t>(k)] +
                    shared.own_variance(static_cast<std::int32_t>(k));
  return result;
}

TEST(FactorPosterior, GoldenMean) {
  const Golden golden;
  const std::vector<double> n{3, 0, 2.5, 0, 10, 0, 1}, off{.3, -.2, .5, 0, 1.1, 0, -.4};
  const std::vector<double> wanted{.32595024631639147, .4356571466236352,  .37741734427427,
                                   .7850789857977118,  1.0197635306021233, -.16887947837049994,
                                   .7824427006233381};
  const FactorPosterior posterior(golden.shared(), golden.evidence(n, off));
  for (std::int32_t k = 0; k < 7; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const double f = n[i] * golden.s2[i] / (golden.v[i] + n[i] * golden.s2[i]);
    const double shift = posterior.shift(k);
    EXPECT_NEAR(shift + f * (off[i] - shift), wanted[i], 1e-10) << k;
  }
}

TEST(FactorPosterior, GoldenLogEvidence) {
  const Golden golden;
  const FactorPosterior posterior(golden.shared(),
                                  golden.evidence({3, 0, 2, 0, 10, 0, 1}, {.3, -.2, .5, 0, 1.1, 0, -.4}));
  EXPECT_NEAR(posterior.log_evidence(), -6.189799247673027, 1e-10);
}

// What is left is the dense posterior covariance (Sigma^-1 + diag(n/v))^-1.
TEST(FactorPosterior, WhatIsLeftIsThePosterior) {
  const Golden golden;
  const std::vector<double> n{3, 0, 2.5, 0, 10, 0, 1}, off(7, .2);
  std::vector<double> sd;
  for (const double s2 : golden.s2) sd.push_back(std::sqrt(s2));
  MatrixXd information = covariance_of(golden.shared(), sd).inverse();
  for (Index k = 0; k < 7; ++k)
    information(k, k) += n[static_cast<std::size_t>(k)] / golden.v[static_cast<std::size_t>(k)];
  const MatrixXd wanted = information.inverse();
  const FactorPosterior posterior(golden.shared(), golden.evidence(n, off));
  const std::vector<double> none(7, 0.0);
  EXPECT_LT((covariance_of(posterior.left(), none) - wanted).cwiseAbs().maxCoeff(), 1e-12);
  const std::vector<double> variances = posterior.reward_variances();
  for (std::int32_t k = 0; k < 7; ++k) {
    EXPECT_NEAR(posterior.reward_variance(k), wanted(k, k), 1e-12);
    EXPECT_NEAR(variances[static_cast<std::size_t>(k)], wanted(k, k), 1e-12);
  }
}

// spec/tabular.md 5: traces of the unvisited states of a line of five (squared exponential, length 1.5,
// variance .25 of one observation), after 1, 10 and 1000 visits to each of the other three.
TEST(SharedErrors, GoldenTracesOfAGaussianProcess) {
  const KernelFactors kernel = kernel_factors(
      5, [](std::int64_t i, std::int64_t j) { return squared_exponential(static_cast<double>(i - j), 1.5); },
      1);
  ASSERT_EQ(kernel.factors, 5);
  const SharedErrors shared(5, kernel.loadings, {0, 1, 2, 3, 4}, kernel.rest);
  const std::vector<std::pair<double, double>> golden{
      {1, 1.3112957404}, {10, .9635013231}, {1000, .8220022560}};
  for (const auto& [n, trace] : golden) {
    std::vector<FactorEvidence> pairs;
    pairs.reserve(5);
    for (std::int32_t k = 0; k < 5; ++k) pairs.push_back({shared.own_variance(k), .25, k < 3 ? n : 0, .1});
    const FactorPosterior posterior(shared, pairs);
    EXPECT_NEAR(posterior.reward_variance(3) + posterior.reward_variance(4), trace, 1e-10) << n;
  }
}

TEST(KernelFactors, KeepTheVarianceOfEveryState) {
  const auto covariance = [](std::int64_t i, std::int64_t j) {
    return 4 * squared_exponential(static_cast<double>(i - j), 3);
  };
  const KernelFactors kernel = kernel_factors(60, covariance);
  EXPECT_LT(kernel.factors, 30);
  EXPECT_GE(kernel.kept, .99);
  MatrixXd dense(60, 60);
  for (Index i = 0; i < 60; ++i) {
    for (Index j = 0; j < 60; ++j) dense(i, j) = covariance(i, j);
  }
  const VectorXd eigenvalues = Eigen::SelfAdjointEigenSolver<MatrixXd>(dense).eigenvalues();
  EXPECT_NEAR(kernel.kept, eigenvalues.tail(kernel.factors).sum() / eigenvalues.sum(), 1e-6);
  EXPECT_LT(eigenvalues.tail(kernel.factors - 1).sum(), .99 * eigenvalues.sum());  // one fewer is too few
  for (std::size_t i = 0; i < 60; ++i) {
    double sum = kernel.rest[i];
    for (std::size_t j = 0; j < static_cast<std::size_t>(kernel.factors); ++j) {
      const double loading = kernel.loadings[i * static_cast<std::size_t>(kernel.factors) + j];
      sum += loading * loading;
    }
    EXPECT_NEAR(sum, 4, 1e-9);
  }
  // Where nothing is shared the factors keep what they can, the rest stays with each state.
  const KernelFactors alone =
      kernel_factors(500, [](std::int64_t i, std::int64_t j) { return i == j ? 1.0 : 0.0; });
  EXPECT_EQ(alone.factors, 200);
  EXPECT_NEAR(std::accumulate(alone.rest.begin(), alone.rest.end(), 0.0), 300, 1e-6);
}

// Two states apart with a variance of 1 each: one factor has half of it. No variance at all is kept whole.
TEST(KernelFactors, AsFewAsHaveTheShare) {
  const auto apart = [](std::int64_t i, std::int64_t j) { return i == j ? 1.0 : 0.0; };
  const KernelFactors half = kernel_factors(2, apart, .5);
  EXPECT_EQ(half.factors, 1);
  EXPECT_EQ(half.kept, .5);
  EXPECT_EQ(kernel_factors(2, apart, .75).factors, 2);
  const KernelFactors none = kernel_factors(2, [](std::int64_t, std::int64_t) { return 0.0; });
  EXPECT_EQ(none.factors, 0);
  EXPECT_EQ(none.kept, 1);
  EXPECT_EQ(none.rest, (std::vector<double>{0, 0}));
}

// Of a large matrix only as many columns are asked for as twice the factors wanted: it may have 10^10
// entries.
TEST(KernelFactors, LookAtFewColumns) {
  std::int64_t asked = 0;
  const auto covariance = [&](std::int64_t i, std::int64_t j) {
    ++asked;
    return squared_exponential(static_cast<double>(i - j), 1);
  };
  EXPECT_EQ(kernel_factors(200, covariance, 1, 5).factors, 5);
  EXPECT_LE(asked, 200 * (2 * 5 + 4));
}

// The square of 1e-200 is 0: nothing is shared, as with an sd of 0.
TEST(SharedErrors, AKernelTooSmallForItsSquare) {
  for (const double sd : {0.0, 1e-200}) {
    const mdp::SharedSpec spec{.kernel = mdp::KernelSpec{.sd = sd}};
    EXPECT_EQ(shared_errors(line(4, 2), spec).factors(), 0) << sd;
  }
}

TEST(SharedErrors, WhatAModelStates) {
  const mdp::Mdp mdp = line(4, 2);
  mdp::SharedSpec spec{.group_sd = .5};
  spec.kernel = mdp::KernelSpec{.sd = .3, .length = 2};
  spec.factors = {"winter"};
  spec.loadings = {{1, 0, .7}};
  const SharedErrors shared = shared_errors(mdp, spec);
  const MatrixXd got = covariance_of(shared, std::vector<double>(8, 0.0));
  for (std::int32_t j = 0; j < 8; ++j) {
    for (std::int32_t k = 0; k < 8; ++k) {
      const int s = j / 2, t = k / 2;
      double wanted = s % 2 == t % 2 ? .25 : 0;
      wanted += .09 * std::exp(-(s - t) * (s - t) / 8.0);
      if (j == 1 && k == 1) wanted += .49;
      EXPECT_NEAR(got(j, k), wanted, .09 * .01 * 4 + 1e-12)
          << j << k;  // 1 % of the kernel's trace is cut off
      if (j == k) {
        EXPECT_NEAR(got(j, k), wanted, 1e-12);
      }
    }
  }
  EXPECT_EQ(shared.rows(), 5);  // one per state, and the pair with a loading of its own
  EXPECT_EQ(shared_errors(mdp, {.group_sds = {.5, 0}}).variance(2), 0);
  EXPECT_TRUE(shared_errors(mdp, {}).none());
}

TEST(SharedErrors, ShareOfThePriorVariance) {
  const mdp::Mdp mdp = line(4);
  const SharedErrors shared = shared_errors(mdp, {.group_sd = .5});
  EXPECT_NEAR(shared_share(shared, std::vector<double>(4, 1.0)), .25 / 1.25, 1e-15);
  EXPECT_EQ(shared_share({}, std::vector<double>(4, 1.0)), 0);
  EXPECT_NEAR(shared.scaled(2).variance(0), 1, 1e-15);
}

// A belief whose shared part is nothing is today's, bit for bit.
TEST(SharedBelief, NothingSharedIsIndependent) {
  const mdp::Mdp mdp = line(5, 2);
  const std::vector<double> variance(10, .4);
  Belief plain(mdp, prior_of(mdp, .7), variance);
  Belief zero(mdp, prior_of(mdp, .7), variance, {.shared = shared_errors(mdp, {.group_sd = 0})});
  for (const std::int32_t k : {0, 3, 3, 7}) {
    plain.observe(k, 1.5, 0);
    zero.observe(k, 1.5, 0);
  }
  EXPECT_EQ(plain.mean(), zero.mean());
  EXPECT_EQ(plain.sample(42, 3), zero.sample(42, 3));
  for (std::int32_t k = 0; k < 10; ++k) EXPECT_NEAR(plain.reward_variance(k), zero.reward_variance(k), 1e-15);
}

// One look at an even state moves the other even states, and no odd one.
TEST(SharedBelief, OneLookTeachesAboutTheGroup) {
  const mdp::Mdp mdp = line(4);
  Belief belief(mdp, prior_of(mdp, .6), std::vector<double>(4, .5),
                {.shared = shared_errors(mdp, {.group_sd = .8})});
  EXPECT_EQ(belief.mean(), mdp);
  belief.observe(0, 2, 1);
  const double total = .36 + .64 + .5;
  EXPECT_NEAR(belief.reward_mean(0), 2 * (.36 + .64) / total, 1e-14);
  EXPECT_NEAR(belief.reward_mean(2), .2 + 2 * .64 / total, 1e-14);
  EXPECT_EQ(belief.reward_mean(1), mdp.reward()[1]);
  EXPECT_NEAR(belief.reward_variance(2), 1 - .64 * .64 / total, 1e-14);
  EXPECT_NEAR(belief.reward_variance(1), 1, 1e-14);
}

// As many factors as a large kernel has, and nothing seen yet.
TEST(SharedBelief, ManyFactorsBeforeAnyObservation) {
  const mdp::Mdp mdp = line(200);
  const Belief belief(mdp, prior_of(mdp, 0), std::vector<double>(200, .4),
                      {.shared = shared_errors(mdp, {.kernel = mdp::KernelSpec{.sd = 1, .length = 2}})});
  EXPECT_GT(belief.shared().factors(), 60);
  EXPECT_EQ(belief.mean(), mdp);
  for (const double variance : belief.reward_variances()) EXPECT_NEAR(variance, 1, 1e-12);
}

// The order of observations does not matter, and a copy is not changed by what its origin sees.
TEST(SharedBelief, OrderAndCopies) {
  const mdp::Mdp mdp = line(6);
  const BeliefOptions options{.shared =
                                  shared_errors(mdp, {.kernel = mdp::KernelSpec{.sd = 1, .length = 2}})};
  Belief one(mdp, prior_of(mdp, .2), std::vector<double>(6, .5), options), other = one;
  one.observe(0, 1, 1);
  const Belief between = one;
  const mdp::Mdp then = between.mean();
  one.observe(4, -1, 5);
  other.observe(4, -1, 5);
  other.observe(0, 1, 1);
  EXPECT_EQ(one.mean(), other.mean());
  EXPECT_EQ(between.mean(), then);
  EXPECT_FALSE(one.mean() == then);
}

TEST(SharedBelief, DrawsHaveTheJointLaw) {
  const mdp::Mdp mdp = line(3);
  Belief belief(mdp, prior_of(mdp, .3), std::vector<double>(3, .5),
                {.shared = shared_errors(mdp, {.kernel = mdp::KernelSpec{.sd = 1, .length = 1}})});
  belief.observe(1, 1.2, 2);
  MatrixXd information = covariance_of(belief.shared(), belief.prior().reward_sd).inverse();
  information(1, 1) += 1 / .5;
  const MatrixXd wanted = information.inverse();
  constexpr int kDraws = 20'000;
  MatrixXd draws(3, kDraws);
  for (int i = 0; i < kDraws; ++i) {
    const mdp::Mdp model = belief.sample(42, static_cast<std::uint64_t>(i));
    for (Index k = 0; k < 3; ++k)
      draws(k, i) =
          model.reward()[static_cast<std::size_t>(k)] - belief.reward_mean(static_cast<std::int32_t>(k));
  }
  const MatrixXd got = draws * draws.transpose() / kDraws;
  for (Index j = 0; j < 3; ++j) {
    EXPECT_NEAR(draws.row(j).mean(), 0, 4 * std::sqrt(wanted(j, j) / kDraws));
    for (Index k = 0; k < 3; ++k) {
      const double se = std::sqrt((wanted(j, j) * wanted(k, k) + wanted(j, k) * wanted(j, k)) / kDraws);
      EXPECT_NEAR(got(j, k), wanted(j, k), 4.5 * se) << j << k;
    }
  }
}

// What the mean will be is spread as the variance that observations take away (law of total variance).
TEST(SharedBelief, MeansAfterObservations) {
  const mdp::Mdp mdp = line(3);
  Belief belief(mdp, prior_of(mdp, .3), std::vector<double>(3, .5),
                {.shared = shared_errors(mdp, {.kernel = mdp::KernelSpec{.sd = 1, .length = 1}})});
  belief.observe(1, 1.2, 2);
  const std::vector<double> n{2, 0, .5};
  Belief later = belief;
  later.observe(mdp::Observation{.pair = 0, .reward = 0, .weight = 2});
  later.observe(mdp::Observation{.pair = 2, .reward = 0, .weight = .5});
  constexpr int kDraws = 20'000;
  for (const std::int32_t k : {0, 1, 2}) {
    double sum = 0, squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      base::Stream noise({42, base::Purpose::test, static_cast<std::uint64_t>(i)});
      const mdp::Mdp truth = belief.sample(42, static_cast<std::uint64_t>(i));
      const double off = belief.reward_means_after(truth.reward(), n, noise)[static_cast<std::size_t>(k)] -
                         belief.reward_mean(k);
      sum += off;
      squares += off * off;
    }
    const double taken = belief.reward_variance(k) - later.reward_variance(k);
    EXPECT_NEAR(sum / kDraws, 0, 4.5 * std::sqrt(taken / kDraws)) << k;
    EXPECT_NEAR(squares / kDraws, taken, 4.5 * taken * std::sqrt(2.0 / kDraws)) << k;
  }
}

TEST(SharedBelief, DrawsAreTheSameForAnyThreads) {
  const mdp::Mdp mdp = line(5000, 2);
  Belief belief(mdp, prior_of(mdp, .3), std::vector<double>(10'000, .5),
                {.shared = shared_errors(mdp, {.kernel = mdp::KernelSpec{.sd = 1, .length = 200}})});
  for (std::int32_t k = 0; k < 50; ++k) belief.observe(100 * k, .2 * k, 0);
  const base::Threads one(1), two(2);
  EXPECT_EQ(belief.sample(42, 1, one), belief.sample(42, 1, two));
}

// A bound moves the pair as the exact posterior of its marginal law does (moment-matched), and takes the
// others along by regression: the change of mean of j is Cov(j,k)/Var(k) times that of k.
TEST(SharedBelief, BoundsTeachOthers) {
  const mdp::Mdp mdp = line(3);
  const SharedErrors shared = shared_errors(mdp, {.kernel = mdp::KernelSpec{.sd = 1, .length = 2}});
  Belief belief(mdp, prior_of(mdp, .3), std::vector<double>(3, .5), {.shared = shared});
  const MatrixXd before = covariance_of(shared, belief.prior().reward_sd);
  belief.observe(mdp::Observation{.pair = 0, .reward = 1.4, .censored = mdp::Censoring::at_least});
  const double moved = belief.reward_mean(0) - mdp.reward()[0];
  EXPECT_GT(moved, .3);
  EXPECT_NEAR(belief.reward_mean(2) - mdp.reward()[2], moved * before(0, 2) / before(0, 0), 1e-12);
  Belief alone(mdp, prior_of(mdp, std::sqrt(before(0, 0))), std::vector<double>(3, .5));
  alone.observe(mdp::Observation{.pair = 0, .reward = 1.4, .censored = mdp::Censoring::at_least});
  EXPECT_NEAR(belief.reward_mean(0), alone.reward_mean(0), 1e-12);
  EXPECT_NEAR(belief.reward_variance(0), alone.reward_variance(0), 1e-12);
}

// A truth from the belief, rewards of some pairs from the truth, and what is then thought of a pair that was
// seen, of one that was not, and of both together.
Replication replicate_shared(base::Stream& stream, int draws) {
  const mdp::Mdp mdp = line(6);
  Belief belief(
      mdp, prior_of(mdp, .3), std::vector<double>(6, .5),
      {.shared = shared_errors(mdp, {.group_sd = .4, .kernel = mdp::KernelSpec{.sd = 1, .length = 2}})});
  const mdp::Mdp world = belief.sample(stream.next(), 0);
  for (const std::int32_t k : {0, 0, 1, 3})
    belief.observe(k, world.reward()[static_cast<std::size_t>(k)] + std::sqrt(.5) * base::normal(stream),
                   k + 1);
  const auto quantities = [](const mdp::Mdp& model) {
    return std::vector<double>{model.reward()[0], model.reward()[5], model.reward()[1] - model.reward()[4]};
  };
  Replication result{quantities(world), {}};
  const std::uint64_t seed = stream.next();
  for (int i = 0; i < draws; ++i)
    result.draws.push_back(quantities(belief.sample(seed, static_cast<std::uint64_t>(i))));
  return result;
}

TEST(SharedBeliefCalibration, RanksAreUniform) {
  expect_calibrated({}, replicate_shared);
}

TEST(SharedBeliefCalibrationLong, RanksAreUniform) {
  expect_calibrated(kLongCalibration, replicate_shared);
}

// An observation without noise of pairs that have no error of their own pins the factor down.
TEST(SharedBelief, NoNoiseNoOwnError) {
  const mdp::Mdp mdp = line(4);
  Belief belief(mdp, prior_of(mdp, 0), std::vector<double>(4, 0.0),
                {.shared = shared_errors(mdp, {.group_sd = 1})});
  belief.observe(0, 1.5, 1);
  EXPECT_NEAR(belief.reward_mean(2), .2 + 1.5, 1e-6);
  EXPECT_LT(belief.reward_variance(2), 1e-6);
  EXPECT_EQ(belief.reward_mean(1), mdp.reward()[1]);
}

TEST(SharedBelief, BadInput) {
  const mdp::Mdp mdp = line(4);
  const SharedErrors shared = shared_errors(mdp, {.group_sd = 1});
  const std::vector<double> variance(4, 1.0);
  for (const BeliefOptions& options :
       {BeliefOptions{.rewards = RewardModel::estimated_variance, .shared = shared},
        BeliefOptions{.rewards = RewardModel::bernoulli, .shared = shared},
        BeliefOptions{.bounds = {-1, 3}, .shared = shared}})
    EXPECT_THROW(Belief(mdp, prior_of(mdp, .2), variance, options), InvalidArgument);
  EXPECT_THROW(Belief(line(5), prior_of(line(5), .2), std::vector<double>(5, 1.0), {.shared = shared}),
               InvalidArgument);
  EXPECT_THROW(SharedErrors(1, {1, 2}, {0, 2}, {0, 0}), InvalidArgument);
  EXPECT_THROW(SharedErrors(1, {1, NAN}, {0, 1}, {0, 0}), InvalidArgument);
  EXPECT_THROW(SharedErrors(1, {1, 2}, {0, 1}, {0, -1}), InvalidArgument);
}

}  // namespace shared_errors_test
}  // namespace mindgap::belief
