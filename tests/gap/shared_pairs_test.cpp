#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/gap/delta_check.h"
#include "mindgap/gap/pvv.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::gap {
namespace shared_pairs_test {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// golden_shared_errors.json, `factors`, of one load c (from dense Gaussian algebra in Python)
struct Golden {
  std::vector<double> c{1.25, 1.79, 1.55, .45, .6, 1.75, .01};
  std::vector<double> s2{.42, .409, .261, .186, .175, .165, .25};
  std::vector<double> loadings{-.03, .7,    -1.34, -.46, -1.9, -1.29, -1.84,
                               -.24, -1.27, .27,   .16,  -.19, -2.52, -.54};
  std::vector<double> v{1.44, 1.27, 1.25, .87, .52, .79, 1.54};
  belief::SharedErrors left{2, loadings, {0, 1, 2, 3, 4, 5, 6}, s2};

  Precision precision() const {
    Precision result{.reward_variance = std::vector<double>(7),
                     .transition_strength = std::vector<double>(7, 3.0)};
    for (std::size_t k = 0; k < 7; ++k) {
      result.reward_variance[k] = s2[k] + left.variance(static_cast<std::int32_t>(k));
      result.observation_precision.push_back(1 / v[k]);
    }
    result.dependence = shared_pairs(left);
    return result;
  }
  PvvWeights weights() const {
    PvvWeights result{.transition = std::vector<double>(7, 0.0), .loads = {c}};
    for (const double load : c) result.reward.push_back(load * load);
    return result;
  }
};

struct Case {
  std::vector<double> n;
  double variance;
  std::vector<double> gradient;
};
const std::vector<Case> kCases{
    {{0, 0, 0, 0, 0, 0, 0},
     53.28939882999985,
     {-.4850785864173608, -91.1394044223622, -205.94186239181107, -193.57579103560457, -124.06706033312499,
      -.16570989602025313, -213.50425326721034}},
    {{1, 0, 0, 0, 0, 0, 0},
     52.99227297843619,
     {-.18199890520722492, -89.44994183316895, -198.29327751931925, -192.38128981077665, -126.57377026822286,
      -.2136216440578684, -210.98008396107267}},
    {{3, 0, 2.5, 0, 10, 0, 1},
     4.665739798692928,
     {-.016981758998545513, -1.2062080120206116, -.6198407706500145, -.4765409088088385, -.011840692542560009,
      -.12338772605398826, -.34078102659238574}}};

TEST(SharedPairs, GoldenVarianceAndGradient) {
  const Golden golden;
  const auto criterion =
      shared_pairs(golden.left)->criterion(golden.weights(), golden.precision(), Block::both, {});
  for (const Case& one : kCases) {
    std::vector<double> gradient(7);
    EXPECT_NEAR(criterion->derivatives(one.n, gradient, {}), one.variance, 1e-10);
    EXPECT_NEAR(criterion->value(one.n), one.variance, 1e-10);
    for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(gradient[k], one.gradient[k], 1e-10) << k;
  }
  // What will be observed anyway counts as observed.
  const auto later =
      shared_pairs(golden.left)->criterion(golden.weights(), golden.precision(), Block::both, kCases[2].n);
  EXPECT_NEAR(later->value(std::vector<double>(7, 0.0)), kCases[2].variance, 1e-10);
}

// A random problem with several targets and a transition block; dense algebra beside it.
struct Random {
  static constexpr Index kPairs = 9, kFactors = 3, kTargets = 4;
  MatrixXd loading{kPairs, kFactors}, load{kPairs, kTargets};
  VectorXd own{kPairs}, tau{kPairs}, strength{kPairs}, weight{kPairs};
  std::vector<double> n;

  explicit Random(std::uint64_t seed) {
    base::Stream stream({seed, base::Purpose::test});
    for (double& x : loading.reshaped()) x = base::normal(stream);
    for (double& x : load.reshaped()) x = base::normal(stream);
    for (Index k = 0; k < kPairs; ++k) {
      own[k] = k == 2 ? 0 : base::uniform(stream);
      tau[k] = k == 3 ? 0 : .2 + base::uniform(stream);
      strength[k] = 1 + 5 * base::uniform(stream);
      weight[k] = base::uniform(stream);
      n.push_back(k == 4 ? 0 : 4 * base::uniform(stream));
    }
  }

  std::shared_ptr<const Criterion> criterion(Block block = Block::both) const {
    std::vector<double> rows;
    std::vector<std::int32_t> row_of_pair;
    for (Index k = 0; k < kPairs; ++k) {
      for (Index j = 0; j < kFactors; ++j) rows.push_back(loading(k, j));
      row_of_pair.push_back(static_cast<std::int32_t>(k));
    }
    const belief::SharedErrors left(kFactors, rows, row_of_pair, {own.begin(), own.end()});
    PvvWeights weights{.transition = {weight.begin(), weight.end()}};
    for (Index k = 0; k < kPairs; ++k) weights.reward.push_back(load.row(k).squaredNorm());
    for (Index t = 0; t < kTargets; ++t) weights.loads.emplace_back(load.col(t).begin(), load.col(t).end());
    const Precision precision{.reward_variance = std::vector<double>(kPairs, 1.0),
                              .observation_precision = {tau.begin(), tau.end()},
                              .transition_strength = {strength.begin(), strength.end()},
                              .dependence = shared_pairs(left)};
    return precision.dependence->criterion(weights, precision, block, {});
  }

  double dense(std::span<const double> counts, bool transitions = true) const {
    MatrixXd covariance = loading * loading.transpose();
    covariance.diagonal() += own;
    // Sigma - Sigma D (I + Sigma D)^-1 Sigma needs no inverse of a singular Sigma.
    VectorXd d(kPairs);
    for (Index k = 0; k < kPairs; ++k) d[k] = tau[k] * counts[static_cast<std::size_t>(k)];
    const MatrixXd inside = MatrixXd::Identity(kPairs, kPairs) + covariance * d.asDiagonal();
    const MatrixXd after = inside.lu().solve(covariance);
    double sum = (load.transpose() * after * load).trace();
    for (Index k = 0; transitions && k < kPairs; ++k)
      sum += weight[k] / (strength[k] + counts[static_cast<std::size_t>(k)]);
    return sum;
  }
};

TEST(SharedPairs, AgreesWithDenseAlgebra) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Random random(seed);
    const auto criterion = random.criterion();
    const double here = random.dense(random.n);
    EXPECT_NEAR(criterion->value(random.n), here, 1e-10 * here);
    EXPECT_NEAR(random.criterion(Block::rewards)->value(random.n), random.dense(random.n, false),
                1e-10 * here);
    const std::vector<double> parts = criterion->contributions(random.n);
    EXPECT_NEAR(std::accumulate(parts.begin(), parts.end(), 0.0), here, 1e-10 * here);

    std::vector<double> gradient(9), bend(9), worth(9);
    criterion->derivatives(random.n, gradient, bend);
    criterion->worth_of_one_more(random.n, worth);
    const auto around = criterion->around(random.n);
    for (std::size_t k = 0; k < 9; ++k) {
      std::vector<double> up = random.n, one = random.n;
      constexpr double kStep = 1e-5;
      up[k] += kStep;
      std::vector<double> down = random.n;
      if (random.n[k] > kStep) down[k] -= kStep;
      const double slope = (random.dense(up) - random.dense(down)) / (up[k] - down[k]);
      EXPECT_NEAR(gradient[k], slope, 1e-4 * (1 + std::abs(slope))) << k;
      one[k] += 1;
      EXPECT_NEAR(worth[k], here - random.dense(one), 1e-9 * here) << k;
    }
    // several pairs at once, up and down
    std::vector<double> other = random.n;
    other[0] += 2;
    other[2] = 0;
    other[5] += .5;
    const std::vector<std::int32_t> pairs{0, 2, 5};
    const std::vector<double> after{other[0], other[2], other[5]};
    EXPECT_NEAR(around->change(pairs, after), random.dense(other) - here, 1e-9 * here);
  }
}

// Second derivatives along directions, from differences of the gradient.
TEST(SharedPairs, SecondDerivatives) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Random random(seed);
    const auto criterion = random.criterion();
    base::Stream stream({seed, base::Purpose::test, 1});
    std::vector<std::vector<double>> along(2, std::vector<double>(9));
    for (auto& direction : along) {
      for (double& x : direction) x = base::uniform(stream);
    }
    const std::vector<std::span<const double>> directions(along.begin(), along.end());
    const std::vector<double> shared = criterion->shared_curvature(random.n, directions);
    ASSERT_EQ(shared.size(), 4U);
    std::vector<double> gradient(9), bend(9), moved(9);
    criterion->derivatives(random.n, gradient, bend);
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<double> there = random.n;
      constexpr double kStep = 1e-6;
      for (std::size_t k = 0; k < 9; ++k) there[k] += kStep * along[i][k];
      criterion->derivatives(there, moved, {});
      for (std::size_t j = 0; j < 2; ++j) {
        double wanted = 0, got = shared[2 * i + j];
        for (std::size_t k = 0; k < 9; ++k) {
          wanted += along[j][k] * (moved[k] - gradient[k]) / kStep;
          got += along[i][k] * bend[k] * along[j][k];
        }
        EXPECT_NEAR(got, wanted, 2e-4 * (1 + std::abs(wanted)));
      }
    }
  }
}

// A line of states, left and right, with a slip.
mdp::Mdp slippery_line(std::int32_t states) {
  mdp::MdpBuilder builder(.9);
  for (std::int32_t s = 0; s < states; ++s)
    builder.add_state("s" + std::to_string(s),
                      {.group = s < states / 2 ? "A" : "B", .x = static_cast<double>(s), .y = 0.0});
  builder.add_action("left");
  builder.add_action("right");
  for (std::int32_t s = 0; s < states; ++s) {
    const std::int32_t left = std::max(s - 1, 0), right = std::min(s + 1, states - 1);
    for (std::int32_t a = 0; a < 2; ++a) {
      builder.set_reward(s, a, .1 * s);
      builder.add_transition(s, a, a == 0 ? left : right, .8);
      builder.add_transition(s, a, a == 0 ? right : left, .2);
    }
  }
  return builder.build();
}

// Known transitions: the value is linear in the rewards, so the variance of drawn values is the criterion.
TEST(SharedPairs, VarianceOfDrawnValues) {
  const mdp::Mdp mdp = slippery_line(8);
  const belief::SharedErrors shared =
      belief::shared_errors(mdp, {.group_sd = .5, .kernel = mdp::KernelSpec{.sd = .7, .length = 2}});
  belief::Belief belief(mdp, {std::vector<double>(16, .2), std::vector<double>(16, 1e9)},
                        std::vector<double>(16, .5), {.shared = shared});
  const mdp::Policy policy = mdp::solve(mdp).policy;
  for (int round = 0; round < 2; ++round) {
    const DeltaCheck check = delta_method_check(belief, policy, {.draws = 20'000});
    EXPECT_NEAR(check.ratio, 1, 4 * check.ratio_standard_error) << round;
    for (std::int32_t k = 0; k < 6; ++k) belief.observe(k, 1, std::max(k / 2 - 1, 0));
  }
  // Errors that go the same way add up: independent ones of the same size give less.
  const std::vector<double> variance(16, .5);
  const belief::Belief together(mdp, belief.prior(), variance, {.shared = shared});
  const belief::Belief alone(
      mdp, {std::vector<double>(16, std::sqrt(.04 + .25 + .49)), std::vector<double>(16, 1e9)}, variance);
  EXPECT_LT(delta_method_check(alone, policy, {.draws = 100}).pvv,
            delta_method_check(together, policy, {.draws = 100}).pvv);
}

// Loads that are too many are replaced by fewer with the same squares.
TEST(SharedPairs, CompressedLoadsKeepTheirSquares) {
  constexpr std::size_t kPairs = 20, kLoads = 300;
  base::Stream stream({3, base::Purpose::test});
  std::vector<std::vector<double>> loads(kLoads, std::vector<double>(kPairs));
  for (auto& load : loads) {
    for (std::size_t k = 0; k + 1 < kPairs; ++k)
      load[k] = base::normal(stream);  // none is about the last pair
  }
  const auto square = [](const std::vector<std::vector<double>>& all, std::size_t i, std::size_t j) {
    double sum = 0;
    for (const auto& load : all) sum += load[i] * load[j];
    return sum;
  };
  std::vector<std::vector<double>> fewer = loads;
  compress_loads(fewer);
  EXPECT_LE(fewer.size(), 19U);
  for (std::size_t i = 0; i < kPairs; ++i) {
    for (std::size_t j = 0; j < kPairs; ++j)
      EXPECT_NEAR(square(fewer, i, j), square(loads, i, j), 300 * 1e-4);
  }
}

// The target has factor 0. Pair 1 has both factors, pair 2 only the other: it says nothing of the target by
// itself, but something once pair 1 was seen. Pair 3 has a factor of its own, pair 4 none.
TEST(SharedPairs, PairsThatMatterOnlyWithOthers) {
  const belief::SharedErrors left(3, {1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, {0, 1, 2, 3, 4},
                                  std::vector<double>(5, .1));
  const Precision precision{.reward_variance = std::vector<double>(5, 1.0),
                            .observation_precision = std::vector<double>(5, 1.0),
                            .transition_strength = std::vector<double>(5, 3.0)};
  const PvvWeights weights{.reward = {1, 0, 0, 0, 1},
                           .transition = std::vector<double>(5, 0.0),
                           .loads = {{1, 0, 0, 0, 0}, {0, 0, 0, 0, 1}}};
  const auto criterion = shared_pairs(left)->criterion(weights, precision, Block::both, {});
  EXPECT_EQ(criterion->relevant(), (std::vector<std::int32_t>{0, 1, 2, 4}));
  std::vector<double> gradient(5);
  criterion->derivatives(std::vector<double>(5, 0.0), gradient, {});
  EXPECT_EQ(gradient[2], 0);
  criterion->derivatives(std::vector<double>{0, 1, 0, 0, 0}, gradient, {});
  EXPECT_LT(gradient[2], -.01);
  EXPECT_EQ(gradient[3], 0);
}

TEST(SharedPairs, LoadsAreNeeded) {
  const Golden golden;
  PvvWeights weights = golden.weights();
  weights.loads.clear();
  EXPECT_THROW(shared_pairs(golden.left)->criterion(weights, golden.precision(), Block::both, {}),
               InvalidArgument);
}

}  // namespace shared_pairs_test
}  // namespace mindgap::gap
