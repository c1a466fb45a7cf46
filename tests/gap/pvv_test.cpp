#include "mindgap/gap/pvv.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numeric>

#include "gap/golden_models.h"
#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::gap {
namespace pvv_test {

using mdp::Mdp;
using mdp::Policy;

Precision even_precision(const Mdp& mdp, double reward_variance, double tau, double alpha) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return {std::vector<double>(pairs, reward_variance), std::vector<double>(pairs, tau),
          std::vector<double>(pairs, alpha)};
}

// golden_tabular.json "M3": i0 = 4 (prior precision), tau 4, alpha0 5, N 10.
TEST(Pvv, GoldenM3) {
  const Mdp mdp = m3();
  const PvvWeights weights = pvv_weights(mdp, m3_target(mdp));
  EXPECT_EQ(weights.method, WeightsMethod::exact);
  const std::vector<double> d{0.4034491093479059, 0.24447690610057266, 0.3520739845515212};
  const std::vector<double> v{3.8092854815826813, 3.8316658084178448, 4.140626977037466};
  const std::vector<double> wr{3.923677478124651, 1.74385665694429,  0.6108736306781904,
                               3.325867544803481, 4.600126179306731, 4.600126179306731};
  const std::vector<double> wp{0.030715083362938548, 0.028965114655041944, 0.012209072722902515,
                               0.05321114505463358,  0.09184595268007575,  0.05905903481948862};
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_NEAR(weights.visitation[s], d[s], 1e-12);
    EXPECT_NEAR(weights.value[s], v[s], 1e-11);
  }
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(weights.reward[k], wr[k], 1e-9 * wr[k]);
    EXPECT_NEAR(weights.transition[k], wp[k], 1e-9 * wp[k]);
  }
  const Precision precision = even_precision(mdp, .25, 4, 5);
  EXPECT_NEAR(pvv(mdp, weights, precision).total, 4.756332997950034, 5e-9);
  EXPECT_EQ(pvv(mdp, weights, precision).standard_error, 0);

  // The uniform policy's discounted occupancy times 10.
  const auto share = mdp::discounted_visitation(mdp, Policy::uniform(mdp)).share;
  std::vector<double> counts;
  for (const double s : share) counts.insert(counts.end(), 2, 10 * s / 2);
  const Pvv uniform = pvv(mdp, weights, precision, counts);
  EXPECT_NEAR(uniform.total, 1.7686820856303778, 2e-9);
  EXPECT_NEAR(uniform.reward, 1.727634801472148, 2e-9);
  EXPECT_NEAR(uniform.transition, 0.04104728415822976, 1e-10);

  // At the optimal occupancy of the golden file, the value listed for it.
  const std::vector<double> mu{0.2292885615346182,  0.17179407736865618, 0.04470085541130664,
                               0.20186457558983711, 0.16596482475929766, 0.18638710533628453};
  std::vector<double> best;
  best.reserve(mu.size());
  for (const double m : mu) best.push_back(10 * m);
  EXPECT_NEAR(pvv(mdp, weights, precision, best).total, 1.7139844399092987, 2e-9);
}

// spec/tabular.md 0.1: a deterministic target puts no weight where it does not play.
TEST(Pvv, TreasureSharesOfRegionB) {
  const Mdp simulator = treasure_simulator();
  const Policy sop = mdp::solve(simulator).policy;
  const PvvWeights weights = pvv_weights(simulator, sop);
  double in_b = 0, total = 0;
  for (std::int32_t k = 0; k < simulator.pairs(); ++k) {
    total += weights.reward[k];
    if (simulator.state_of_pair(k) % 6 >= 3) in_b += weights.reward[k];
    if (k != sop.pair_of_state()[simulator.state_of_pair(k)]) {
      EXPECT_EQ(weights.reward[k], 0);
    }
  }
  EXPECT_NEAR(in_b / total, 2.314508763806063e-09,
              1e-14);  // golden_tabular.json treasure.pvv_SOP_start.share_B
}

// The definition, term by term: sum_s d(s) grad' Sigma grad with the gradients from the full resolvent, and
// the transition block from its matrix (Sigma_p = (diag(p) - pp')/alpha).
TEST(Pvv, AgreesWithTheMatrixDefinition) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Mdp mdp = mdp::random_mdp(seed, {.states = 7, .successors = 3});
    std::vector<double> pi(static_cast<std::size_t>(mdp.pairs()));
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      const std::int32_t begin = mdp.pair_begin()[s], end = mdp.pair_begin()[s + 1];
      double sum = 0;
      for (std::int32_t k = begin; k < end; ++k) sum += pi[k] = 1 + (k * 7 + static_cast<int>(seed)) % 5;
      for (std::int32_t k = begin; k < end; ++k) pi[k] /= sum;
    }
    const Policy policy = Policy::stochastic(mdp, pi);
    const int n = mdp.states();
    Eigen::MatrixXd p = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd r = Eigen::VectorXd::Zero(n), rho(n);
    for (int s = 0; s < n; ++s) {
      rho(s) = mdp.start()[s];
      for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
        r(s) += pi[k] * mdp.reward()[k];
        for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
          p(s, mdp.next_state()[i]) += pi[k] * mdp.probability()[i];
        }
      }
    }
    const double g = mdp.discount();
    const Eigen::MatrixXd resolvent = (Eigen::MatrixXd::Identity(n, n) - g * p).inverse();
    const Eigen::VectorXd v = resolvent * r, d = (1 - g) * resolvent.transpose() * rho;
    Precision precision = even_precision(mdp, 0, 0, 0);
    std::vector<double> counts;
    for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
      precision.reward_variance[k] = .1 + .05 * (k % 3);
      precision.observation_precision[k] = 1 + k % 2;
      precision.transition_strength[k] = 2 + k % 5;
      counts.push_back(k % 4);
    }
    double reward = 0, transition = 0;
    for (int u = 0; u < n; ++u) {
      for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
        const int s = mdp.state_of_pair(k);
        const double gradient = resolvent(u, s) * pi[k];
        reward += d(u) * gradient * gradient /
                  (1 / precision.reward_variance[k] + counts[k] * precision.observation_precision[k]);
        Eigen::VectorXd row = Eigen::VectorXd::Zero(n);
        for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
          row(mdp.next_state()[i]) += mdp.probability()[i];
        }
        const Eigen::MatrixXd sigma = (Eigen::MatrixXd(row.asDiagonal()) - row * row.transpose()) /
                                      (precision.transition_strength[k] + counts[k]);
        const Eigen::VectorXd by_p = g * gradient * v;
        transition += d(u) * by_p.dot(sigma * by_p);
      }
    }
    const PvvWeights weights = pvv_weights(mdp, policy);
    const Pvv got = pvv(mdp, weights, precision, counts);
    EXPECT_NEAR(got.reward, reward, 1e-10 * reward) << seed;
    EXPECT_NEAR(got.transition, transition, 1e-9 * transition) << seed;
    const std::vector<double> terms = pvv_contributions(weights, precision, counts);
    EXPECT_NEAR(std::accumulate(terms.begin(), terms.end(), 0.0), got.total, 1e-12 * got.total);
  }
}

// spec/tabular.md 4.
TEST(Pvv, TransitionBlockForOtherProbabilities) {
  const std::vector<double> v{1, 2, 4}, p0{.5, .3, .2}, p{.2, .3, .5};
  EXPECT_NEAR(transition_block(p0, p, v, 5, 10), .0924528301887, 1e-12);
  EXPECT_NEAR(transition_block(p0, p0, v, 5, 10), .086, 1e-14);
}

// Against the matrix: the inverse of (alpha0 diag(1/p0) + n diag(1/p)) restricted to directions that sum to
// 0.
TEST(Pvv, TransitionBlockAgainstItsMatrix) {
  const Eigen::Vector3d v(1, -2, 5), p0(.1, .6, .3), p(.4, .4, .2);
  Eigen::Matrix<double, 3, 2> basis;
  basis << 1, 0, 0, 1, -1, -1;
  const Eigen::Matrix3d information = 3.0 * Eigen::Matrix3d(p0.cwiseInverse().asDiagonal()) +
                                      7.0 * Eigen::Matrix3d(p.cwiseInverse().asDiagonal());
  const Eigen::Matrix3d covariance =
      basis * (basis.transpose() * information * basis).inverse() * basis.transpose();
  const std::vector<double> vv{1, -2, 5}, q0{.1, .6, .3}, q{.4, .4, .2};
  EXPECT_NEAR(transition_block(q0, q, vv, 3, 7), v.dot(covariance * v), 1e-13);
}

TEST(Pvv, ProbingAgreesWithinItsErrorAndForAnyThreads) {
  const Mdp mdp = mdp::random_mdp(3, {.states = 400, .actions = 3, .successors = 5, .discount = .95});
  const Policy policy = Policy::uniform(mdp);
  const Precision precision = even_precision(mdp, .25, 4, 5);
  const Pvv exact = pvv(mdp, pvv_weights(mdp, policy), precision);
  const WeightsOptions options{.method = WeightsMethod::probing, .probes = 256, .run = {.threads = 1}};
  const PvvWeights probed = pvv_weights(mdp, policy, options);
  EXPECT_EQ(probed.method, WeightsMethod::probing);
  const Pvv estimate = pvv(mdp, probed, precision);
  EXPECT_GT(estimate.standard_error, 0);
  EXPECT_LT(estimate.standard_error, std::sqrt(2.0 / 256) * exact.total);  // the bound for any model
  EXPECT_NEAR(estimate.total, exact.total, 4 * estimate.standard_error);
  WeightsOptions two = options;
  two.run.threads = 2;
  EXPECT_EQ(pvv_weights(mdp, policy, two).reward, probed.reward);
}

// Where loads are wanted, up to 256 visited states or as many as there are probes are solved exactly.
TEST(Pvv, ExactUpToItsLimits) {
  const auto method_of = [](std::int32_t states, std::int32_t probes) {
    mdp::MdpBuilder ring(.9, states, 1);
    for (std::int32_t s = 0; s < states; ++s) {
      ring.set_reward(s, 0, 1);
      ring.add_transition(s, 0, (s + 1) % states, 1);
    }
    const Mdp mdp = ring.build();
    return pvv_weights(mdp, Policy::uniform(mdp), {.probes = probes, .loads = true}).method;
  };
  EXPECT_EQ(method_of(256, 64), WeightsMethod::exact);
  EXPECT_EQ(method_of(257, 64), WeightsMethod::probing);
  EXPECT_EQ(method_of(257, 257), WeightsMethod::exact);
}

// The standard error is honest: over many seeds (true value - estimate) / error has about unit spread.
TEST(Pvv, StandardErrorIsCalibrated) {
  const Mdp mdp = mdp::random_mdp(4, {.states = 60, .actions = 2, .successors = 3});
  const Policy policy = Policy::uniform(mdp);
  const Precision precision = even_precision(mdp, .25, 4, 5);
  const double truth = pvv(mdp, pvv_weights(mdp, policy), precision).total;
  double squares = 0, mean = 0;
  constexpr int kSeeds = 200;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Pvv got = pvv(mdp,
                        pvv_weights(mdp, policy,
                                    {.method = WeightsMethod::probing,
                                     .probes = 64,
                                     .run = {.seed = static_cast<std::uint64_t>(seed), .threads = 1}}),
                        precision);
    squares += std::pow((got.total - truth) / got.standard_error, 2) / kSeeds;
    mean += (got.total - truth) / truth / kSeeds;
  }
  // A Student t with 7 degrees of freedom has variance 7/5; sd of the average of 200 squares is about .19.
  EXPECT_NEAR(squares, 1.4, .6);
  EXPECT_NEAR(mean, 0, .01);
}

// Rounding gives no weight to states the target cannot reach.
TEST(Pvv, ImpossibleStatesHaveNoWeight) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Mdp mdp = two_regions(seed, 12, 3, .999);
    std::vector<std::int32_t> home(mdp.pair_begin().begin(), mdp.pair_begin().end() - 1);
    const PvvWeights weights = pvv_weights(mdp, Policy::deterministic(mdp, home));
    for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
      if (mdp.state_of_pair(k) < 12) continue;
      ASSERT_EQ(weights.visitation[mdp.state_of_pair(k)], 0);
      ASSERT_EQ(weights.reward[k], 0);
      ASSERT_EQ(weights.transition[k], 0);
    }
  }
}

TEST(Pvv, MoreObservationsNeverHurt) {
  const Mdp mdp = m3();
  const PvvWeights weights = pvv_weights(mdp, m3_target(mdp));
  const Precision precision = even_precision(mdp, .25, 4, 5);
  double last = pvv(mdp, weights, precision).total;
  for (const double n : {.001, 1.0, 100.0, 1e6, 1e12}) {
    const double here = pvv(mdp, weights, precision, std::vector<double>(6, n)).total;
    EXPECT_LT(here, last);
    last = here;
  }
  EXPECT_NEAR(last, 0, 1e-9);
  // What is known contributes nothing; what one noiseless look reveals neither.
  EXPECT_EQ(pvv(mdp, weights, even_precision(mdp, 0, 4, INFINITY)).total, 0);
  EXPECT_EQ(pvv(mdp, weights, even_precision(mdp, 1, INFINITY, 5), std::vector<double>(6, 1.0)).reward, 0);
}

TEST(Pvv, BadArguments) {
  const Mdp mdp = m3();
  const PvvWeights weights = pvv_weights(mdp, m3_target(mdp));
  const Precision precision = even_precision(mdp, .25, 4, 5);
  EXPECT_THROW(pvv(mdp, weights, precision, std::vector<double>(5, 1.0)), InvalidArgument);
  EXPECT_THROW(pvv(mdp, weights, precision, std::vector<double>(6, -1.0)), InvalidArgument);
  EXPECT_THROW(pvv_weights(mdp, m3_target(mdp), {.probes = 1}), InvalidArgument);
  const std::vector<double> v{1, 2}, p{.5, .5}, zero{0, 1};
  EXPECT_THROW(transition_block(zero, p, v, 1, 1), InvalidArgument);
  EXPECT_THROW(transition_block(p, p, v, 0, 1), InvalidArgument);
  EXPECT_THROW(transition_block(p, p, v, 1, -1), InvalidArgument);
}

}  // namespace pvv_test
}  // namespace mindgap::gap
