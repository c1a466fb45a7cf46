#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numeric>

#include "belief/ensembles.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/gap/member_models.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::gap {
namespace member_pairs_test {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Index to_index(std::size_t i) {
  return static_cast<Index>(i);
}

// A random ensemble whose members differ in rewards, rows and which moves are possible, after some data; a
// target, and numbers of observations. Dense Gaussian algebra beside it: the joint law of z, each reward's
// own error, and one pseudo-observation per pair and next state.
struct Random {
  belief::Ensemble ensemble;
  mdp::Mdp mean;
  Precision precision;
  PvvWeights weights;
  std::vector<double> n;

  explicit Random(std::uint64_t seed, WeightsMethod method = WeightsMethod::exact)
      : ensemble(observed(seed)), mean(ensemble.mean()), precision(precision_of(ensemble)) {
    weights = pvv_weights(mean, mdp::solve(mean).policy,
                          {.method = method,
                           .probes = 8,
                           .loads = true,
                           .member_models = precision.dependence->member_models()});
    base::Stream stream({seed, base::Purpose::test, 1});
    n.reserve(static_cast<std::size_t>(mean.pairs()));
    for (std::int32_t k = 0; k < mean.pairs(); ++k) n.push_back(k % 4 == 1 ? 0 : 4 * base::uniform(stream));
  }

  static belief::Ensemble observed(std::uint64_t seed) {
    const std::vector<mdp::Mdp> models = belief::differing_models(seed, 2 + seed % 4, 4);
    const auto pairs = static_cast<std::size_t>(models[0].pairs());
    base::Stream stream({seed, base::Purpose::test, 2});
    std::vector<double> weight(models.size()), sd(pairs), strength(pairs), variance(pairs);
    for (double& w : weight) w = .1 + base::uniform(stream);
    const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
    for (double& w : weight) w /= total;
    for (std::size_t k = 0; k < pairs; ++k) {
      sd[k] = k == 2 ? 0 : base::uniform(stream);
      strength[k] = k == 3 ? 1e12 : .5 + 5 * base::uniform(stream);
      variance[k] = .5 + base::uniform(stream);
    }
    belief::Ensemble result(belief::Members(models, weight), {sd, strength}, variance);
    for (std::int32_t k = 0; k < models[0].pairs(); k += 3)
      result.observe(
          {.pair = k, .reward = base::normal(stream), .next_state = models[0].row(k).next_state[0]});
    return result;
  }

  std::shared_ptr<const Criterion> criterion(Block block = Block::both,
                                             std::span<const double> credit = {}) const {
    return precision.dependence->criterion(weights, precision, block, credit);
  }

  // sqrt(w_i) (x_i - sum_j w_j x_j)
  template <typename Number>
  VectorXd deviation(Number number) const {
    const Index m = ensemble.members().size();
    VectorXd x(m);
    const VectorXd w = Eigen::Map<const VectorXd>(ensemble.weights().data(), m);
    for (Index i = 0; i < m; ++i) x[i] = number(ensemble.member_mean(static_cast<std::int32_t>(i)));
    return w.cwiseSqrt().cwiseProduct(x - VectorXd::Constant(m, w.dot(x)));
  }
  VectorXd reward_loading(std::int32_t k) const {
    return deviation([&](const mdp::Mdp& member) { return member.reward()[k]; });
  }

  double dense(std::span<const double> counts, Block block = Block::both) const {
    const Index m = ensemble.members().size(), pairs = mean.pairs();
    VectorXd prior = VectorXd::Ones(m + pairs);
    for (Index k = 0; k < pairs; ++k)
      prior[m + k] = ensemble.reward_variance_within(static_cast<std::int32_t>(k));
    std::vector<VectorXd> rows;
    std::vector<double> noise;
    MatrixXd u(m, pairs);
    for (std::int32_t k = 0; k < pairs; ++k) {
      u.col(k) = reward_loading(k);
      const double looks = counts[static_cast<std::size_t>(k)];
      if (looks == 0) continue;
      rows.emplace_back(VectorXd::Zero(m + pairs));
      rows.back().head(m) = u.col(k);
      rows.back()[m + k] = 1;
      noise.push_back(ensemble.observation_variance()[k] / looks);
      const double a = ensemble.transition_strength_within(k);
      for (std::size_t j = 0; j < mean.row(k).size(); ++j) {
        rows.emplace_back(VectorXd::Zero(m + pairs));
        rows.back().head(m) = deviation([&](const mdp::Mdp& member) { return member.row(k).probability[j]; });
        noise.push_back(mean.row(k).probability[j] * (a + looks) / ((a + 1) * looks));
      }
    }
    MatrixXd seen(to_index(rows.size()), m + pairs);
    for (std::size_t i = 0; i < rows.size(); ++i) seen.row(to_index(i)) = rows[i].transpose();
    MatrixXd left = prior.asDiagonal();
    if (!rows.empty()) {
      const MatrixXd joint = seen * prior.asDiagonal();
      MatrixXd inside = joint * seen.transpose();
      inside.diagonal() += Eigen::Map<const VectorXd>(noise.data(), to_index(noise.size()));
      left -= joint.transpose() * inside.ldlt().solve(joint);
    }
    double sum = 0;
    for (std::size_t t = 0; t < weights.loads.size(); ++t) {
      VectorXd b(m + pairs);
      const VectorXd c = Eigen::Map<const VectorXd>(weights.loads[t].data(), pairs);
      const VectorXd l = Eigen::Map<const VectorXd>(weights.member_loads[t].data(), m);
      b.head(m) = block == Block::rewards ? u * c : block == Block::both ? l : l - u * c;
      b.tail(pairs) = block == Block::transitions ? VectorXd::Zero(pairs) : c;
      sum += b.dot(left * b);
    }
    for (std::int32_t k = 0; block != Block::rewards && k < pairs; ++k)
      sum += weights.transition[static_cast<std::size_t>(k)] /
             (ensemble.transition_strength_within(k) + counts[static_cast<std::size_t>(k)]);
    return sum;
  }
};

TEST(MemberPairs, AgreesWithDenseAlgebra) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Random random(seed, seed % 2 == 0 ? WeightsMethod::exact : WeightsMethod::probing);
    const std::vector<double> none(random.n.size(), 0.0);
    const double here = random.dense(random.n), before = random.dense(none);
    for (const Block block : {Block::both, Block::rewards, Block::transitions}) {
      const auto criterion = random.criterion(block);
      EXPECT_NEAR(criterion->value(none), random.dense(none, block), 1e-10 * before) << seed;
      EXPECT_NEAR(criterion->value(random.n), random.dense(random.n, block), 1e-10 * before) << seed;
      const std::vector<double> parts = criterion->contributions(random.n);
      EXPECT_NEAR(std::accumulate(parts.begin(), parts.end(), 0.0), random.dense(random.n, block),
                  1e-10 * before);
    }
    EXPECT_NEAR(random.criterion(Block::both, random.n)->value(none), here, 1e-10 * before);
    EXPECT_NEAR(pvv(random.mean, random.weights, random.precision, random.n).total, here, 1e-10 * before);
    const Pvv now = pvv(random.mean, random.weights, random.precision);
    EXPECT_NEAR(now.reward + now.transition, before, 1e-10 * before);
  }
}

TEST(MemberPairs, ChangesAgreeWithDenseAlgebra) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Random random(seed);
    const auto criterion = random.criterion();
    const std::size_t pairs = random.n.size();
    const double here = random.dense(random.n);
    std::vector<double> gradient(pairs), worth(pairs);
    EXPECT_NEAR(criterion->derivatives(random.n, gradient, {}), here, 1e-10 * here);
    criterion->worth_of_one_more(random.n, worth);
    for (std::size_t k = 0; k < pairs; ++k) {
      constexpr double kStep = 1e-5;
      std::vector<double> up = random.n, down = random.n, one = random.n;
      up[k] += kStep;
      if (random.n[k] > kStep) down[k] -= kStep;
      const double slope = (random.dense(up) - random.dense(down)) / (up[k] - down[k]);
      EXPECT_NEAR(gradient[k], slope, 1e-4 * (1 + std::abs(slope))) << seed << ' ' << k;
      one[k] += 1;
      EXPECT_NEAR(worth[k], here - random.dense(one), 1e-9 * here) << seed << ' ' << k;
    }
    std::vector<double> other = random.n;
    other[0] += 2;
    other[2] = 0;
    other[3] += .5;
    const std::vector<std::int32_t> changed{0, 2, 3};
    const std::vector<double> after{other[0], other[2], other[3]};
    EXPECT_NEAR(criterion->around(random.n)->change(changed, after), random.dense(other) - here, 1e-9 * here);
  }
}

// Second derivatives along directions, from differences of the gradient.
TEST(MemberPairs, SecondDerivatives) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Random random(seed);
    const auto criterion = random.criterion();
    const std::size_t pairs = random.n.size();
    base::Stream stream({seed, base::Purpose::test, 3});
    std::vector<std::vector<double>> along(2, std::vector<double>(pairs));
    for (auto& direction : along) {
      for (double& x : direction) x = base::uniform(stream);
    }
    const std::vector<std::span<const double>> directions(along.begin(), along.end());
    const std::vector<double> shared = criterion->shared_curvature(random.n, directions);
    ASSERT_EQ(shared.size(), 4U);
    std::vector<double> gradient(pairs), bend(pairs), moved(pairs);
    criterion->derivatives(random.n, gradient, bend);
    for (std::size_t i = 0; i < 2; ++i) {
      constexpr double kStep = 1e-6;
      std::vector<double> there = random.n;
      for (std::size_t k = 0; k < pairs; ++k) there[k] += kStep * along[i][k];
      criterion->derivatives(there, moved, {});
      for (std::size_t j = 0; j < 2; ++j) {
        double wanted = 0, got = shared[2 * i + j];
        for (std::size_t k = 0; k < pairs; ++k) {
          wanted += along[j][k] * (moved[k] - gradient[k]) / kStep;
          got += along[i][k] * bend[k] * along[j][k];
        }
        EXPECT_NEAR(got, wanted, 2e-4 * (1 + std::abs(wanted))) << seed;
      }
    }
  }
}

TEST(MemberPairs, ConvexAndDecreasingAlongLines) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Random random(seed);
    const auto criterion = random.criterion();
    base::Stream stream({seed, base::Purpose::test, 4});
    for (int line = 0; line < 20; ++line) {
      std::vector<double> a, b, middle, more;
      for (std::size_t k = 0; k < random.n.size(); ++k) {
        a.push_back(base::uniform(stream) < .5 ? 0 : 10 * base::uniform(stream));
        b.push_back(base::uniform(stream) < .5 ? 0 : 10 * base::uniform(stream));
        middle.push_back((a[k] + b[k]) / 2);
        more.push_back(a[k] + b[k]);
      }
      const double at_a = criterion->value(a), at_b = criterion->value(b);
      EXPECT_LE(criterion->value(middle), (at_a + at_b) / 2 * (1 + 1e-12)) << seed;
      EXPECT_LE(criterion->value(more), std::min(at_a, at_b) * (1 + 1e-12)) << seed;
    }
  }
}

// With all members equal nothing is shared: the criterion of independent pairs.
TEST(MemberPairs, EqualMembersAreIndependentPairs) {
  const mdp::Mdp mdp = mdp::random_mdp(5, {.states = 6});
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  belief::Ensemble ensemble(belief::Members({mdp, mdp, mdp}, {.5, .3, .2}),
                            {std::vector<double>(pairs, .7), std::vector<double>(pairs, 3.0)},
                            std::vector<double>(pairs, .5));
  ensemble.observe({.pair = 1, .reward = 2.0, .next_state = mdp.row(1).next_state[0]});
  const mdp::Mdp mean = ensemble.mean();
  const Precision precision = precision_of(ensemble);
  const PvvWeights weights = pvv_weights(
      mean, mdp::solve(mean).policy, {.loads = true, .member_models = precision.dependence->member_models()});
  const auto together = precision.dependence->criterion(weights, precision, Block::both, {});
  const auto alone = independent_pairs()->criterion(weights, precision, Block::both, {});
  std::vector<double> n(pairs), a(pairs), b(pairs), bend_a(pairs), bend_b(pairs);
  for (std::size_t k = 0; k < pairs; ++k) n[k] = static_cast<double>(k % 3);
  const double value = alone->value(n);
  EXPECT_NEAR(together->value(n), value, 1e-12 * value);
  together->derivatives(n, a, bend_a);
  alone->derivatives(n, b, bend_b);
  for (std::size_t k = 0; k < pairs; ++k) {
    EXPECT_NEAR(a[k], b[k], 1e-12 * (1 + std::abs(b[k])));
    EXPECT_NEAR(bend_a[k], bend_b[k], 1e-12 * (1 + std::abs(bend_b[k])));
  }
  const std::span<const double> direction(n);
  EXPECT_NEAR(together->shared_curvature(n, {&direction, 1}).front(), 0, 1e-12);
  EXPECT_EQ(together->relevant(), alone->relevant());
}

// Two members and a target whose value is V at the start.
struct Two {
  belief::Ensemble ensemble;
  std::shared_ptr<const Criterion> criterion;
  double between = 0;  // the variance of V between members

  Two(const mdp::Mdp& one, const mdp::Mdp& two, double strength)
      : ensemble(belief::Members({one, two}, {.7, .3}),
                 {std::vector<double>(4, 0.0), std::vector<double>(4, strength)},
                 std::vector<double>(4, .25)) {
    const mdp::Policy policy = mdp::Policy::deterministic(one, {0, 2});
    const MemberModels members(ensemble);
    const auto values = members.values(policy);
    between = .7 * .3 * std::pow(values[0][0] - values[1][0], 2);
    PvvWeights weights{.reward = std::vector<double>(4),
                       .transition = std::vector<double>(4, 0.0),
                       .loads = {std::vector<double>(4)},
                       .member_loads = {members.load(std::vector<double>{values[0][0], values[1][0]})}};
    mdp::Resolvent resolvent(ensemble.mean(), policy);
    std::vector<double> visits(2);
    resolvent.apply_transpose(std::vector<double>{1, 0}, visits);
    weights.loads[0][0] = visits[0];
    weights.loads[0][2] = visits[1];
    const Precision precision = precision_of(ensemble);
    criterion = precision.dependence->criterion(weights, precision, Block::both, {});
  }
};

// Two members that differ in one pair's reward, by 1: n observations of that pair leave
//   between / (1 + n w (1-w) / v)
// of the target's variance, since all loadings are multiples of one vector; other pairs say nothing.
TEST(MemberPairs, OneRewardTellsTwoMembersApart) {
  const std::vector<double> stay{.9, .3, .5, .2};
  const Two two(belief::two_by_two({.2, .5, .1, .9}, stay), belief::two_by_two({1.2, .5, .1, .9}, stay),
                1e12);
  ASSERT_GT(two.between, 1);
  std::vector<double> n(4, 0.0), gradient(4);
  EXPECT_NEAR(two.criterion->derivatives(n, gradient, {}), two.between, 1e-12 * two.between);
  EXPECT_EQ(gradient[1], 0);
  EXPECT_NEAR(gradient[2], 0, 1e-20);  // rows agree
  for (const double looks : {1.0, 10.0, 1e9}) {
    n[0] = looks;
    EXPECT_NEAR(two.criterion->value(n), two.between / (1 + looks * .21 / .25), 1e-10 * two.between);
  }
  EXPECT_LT(two.criterion->value(n), 1e-6);
  EXPECT_EQ(two.criterion->relevant(), std::vector<std::int32_t>{0});
}

// The same where they differ in one row: .9 and .6 to stay. With p the mean and q = (a+1) n / (a+n) the
// information about the one direction is q w (1-w) .3^2 (1/p + 1/(1-p)); a row that is not known given its
// member does not tell all, however often it is seen.
TEST(MemberPairs, OneRowTellsTwoMembersApart) {
  const std::vector<double> reward{.2, .5, 3, .9};
  for (const double a : {2.0, 1e12}) {
    const Two two(belief::two_by_two(reward, {.9, .3, .5, .2}), belief::two_by_two(reward, {.6, .3, .5, .2}),
                  a);
    ASSERT_GT(two.between, .1);
    const double p = .7 * .9 + .3 * .6;
    std::vector<double> n(4, 0.0);
    for (const double looks : {0.0, 1.0, 10.0, 1e9}) {
      n[0] = looks;
      const double q = (a + 1) * looks / (a + looks);
      EXPECT_NEAR(two.criterion->value(n), two.between / (1 + q * .21 * .09 * (1 / p + 1 / (1 - p))),
                  1e-10 * two.between);
    }
    EXPECT_EQ(two.criterion->relevant(), std::vector<std::int32_t>{0});
  }
}

// What n moves from state 0 are expected to leave of the variance between members, exactly: every possible
// number of them that stay, its probability, and the members' weights after it. Members are close together,
// so the reduction is that of the criterion to first order. One move, or any number from a row that is
// known, is a multinomial draw; otherwise the counts tell a little more about a Dirichlet's mean than their
// share does, which is what the criterion uses (Cramer-Rao).
TEST(MemberPairs, ExpectedReductionBetweenCloseMembers) {
  const std::vector<double> reward(4, 0.0), stays{.49, .5, .52}, weight{.5, .3, .2}, value{1, 3, -1};
  std::vector<mdp::Mdp> models;
  models.reserve(stays.size());
  for (const double stay : stays) models.push_back(belief::two_by_two(reward, {stay, .3, .5, .2}));
  const auto ratio = [&](double strength, int moves) {
    const belief::Ensemble now(belief::Members(models, weight),
                               {std::vector<double>(4, 0.0), std::vector<double>(4, strength)},
                               std::vector<double>(4, 1.0));
    const auto variance = [&](std::span<const double> w) {
      double mean = 0, squares = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        mean += w[i] * value[i];
        squares += w[i] * value[i] * value[i];
      }
      return squares - mean * mean;
    };
    double left = 0, total = 0;
    for (int stay = 0; stay <= moves; ++stay) {
      belief::Ensemble then = now;
      for (int i = 0; i < moves; ++i) then.observe({.pair = 0, .next_state = i < stay ? 0 : 1});
      const double orders =
          std::exp(std::lgamma(moves + 1) - std::lgamma(stay + 1) - std::lgamma(moves - stay + 1));
      const double probability = orders * std::exp(then.total_log_evidence());
      left += probability * variance(then.weights());
      total += probability;
    }
    EXPECT_NEAR(total, 1, 1e-9);
    const Precision precision = precision_of(now);
    const PvvWeights weights{.reward = std::vector<double>(4, 0.0),
                             .transition = std::vector<double>(4, 0.0),
                             .loads = {std::vector<double>(4, 0.0)},
                             .member_loads = {MemberModels(now).load(value)}};
    const auto criterion = precision.dependence->criterion(weights, precision, Block::both, {});
    const double before = criterion->value(std::vector<double>(4, 0.0));
    EXPECT_NEAR(before, variance(weight), 1e-12);
    const double after = criterion->value(std::vector<double>{static_cast<double>(moves), 0, 0, 0});
    return (before - left) / (before - after);
  };
  EXPECT_NEAR(ratio(3, 1), 1, .01);
  EXPECT_NEAR(ratio(1e7, 1), 1, .01);
  EXPECT_NEAR(ratio(1e7, 6), 1, .03);
  EXPECT_GT(ratio(3, 6), .97);
  EXPECT_LT(ratio(3, 6), 1.2);
}

// The sum of squares of the loads on members is sum_u d(u) of what V_i(u) has between members.
TEST(MemberLoads, SquaresAreTheVarianceBetweenMembers) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Random random(seed);
    const Index m = random.ensemble.members().size();
    const mdp::Policy policy = mdp::solve(random.mean).policy;
    MatrixXd squares = MatrixXd::Zero(m, m), wanted = squares;
    for (const std::vector<double>& load : random.weights.member_loads) {
      const VectorXd l = Eigen::Map<const VectorXd>(load.data(), m);
      squares += l * l.transpose();
    }
    for (std::int32_t u = 0; u < random.mean.states(); ++u) {
      const VectorXd off =
          random.deviation([&](const mdp::Mdp& member) { return mdp::evaluate(member, policy).value[u]; });
      wanted += random.weights.visitation[static_cast<std::size_t>(u)] * off * off.transpose();
    }
    EXPECT_LT((squares - wanted).norm(), 1e-10 * (1 + wanted.norm())) << seed;
  }
}

// Where members differ in rewards alone, a value's loads on them are those of its rewards: l_t = sum c_tk
// U_k, load by load, for exact rows and for random signs.
TEST(MemberLoads, OfRewardsAlone) {
  const mdp::Mdp mdp = mdp::random_mdp(7, {.states = 12});
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  base::Stream stream({7, base::Purpose::test});
  std::vector<mdp::Mdp> models;
  for (int i = 0; i < 3; ++i) {
    std::vector<double> reward(pairs);
    for (double& r : reward) r = base::normal(stream);
    models.push_back(mdp.with_reward(std::move(reward)));
  }
  const belief::Ensemble ensemble(belief::Members(models),
                                  {std::vector<double>(pairs, .5), std::vector<double>(pairs, 5.0)},
                                  std::vector<double>(pairs, 1.0));
  const mdp::Mdp mean = ensemble.mean();
  const auto members = std::make_shared<const MemberModels>(ensemble);
  const std::vector<std::vector<double>> of_pair = members->reward_loads();
  for (const WeightsMethod method : {WeightsMethod::exact, WeightsMethod::probing}) {
    const PvvWeights weights = pvv_weights(mean, mdp::Policy::uniform(mean),
                                           {.method = method, .loads = true, .member_models = members});
    ASSERT_EQ(weights.member_loads.size(), weights.loads.size());
    for (std::size_t t = 0; t < weights.loads.size(); ++t) {
      for (std::size_t i = 0; i < 3; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < pairs; ++k) sum += weights.loads[t][k] * of_pair[k][i];
        EXPECT_NEAR(weights.member_loads[t][i], sum, 1e-7) << t;
      }
    }
  }
}

TEST(MemberLoads, CompressedTogether) {
  constexpr std::size_t kPairs = 20, kMembers = 4, kLoads = 300;
  base::Stream stream({3, base::Purpose::test});
  PvvWeights weights;
  for (std::size_t t = 0; t < kLoads; ++t) {
    std::vector<double>& load = weights.loads.emplace_back(kPairs);
    std::vector<double>& of_member = weights.member_loads.emplace_back(kMembers);
    for (double& x : load) x = base::normal(stream);
    for (std::size_t i = 0; i < kMembers; ++i) of_member[i] = 1e-3 * (load[i] + base::normal(stream));
  }
  PvvWeights fewer = weights;
  compress_loads(fewer);
  EXPECT_LE(fewer.loads.size(), kPairs + kMembers);
  ASSERT_EQ(fewer.member_loads.size(), fewer.loads.size());
  const auto square = [](const PvvWeights& all, std::size_t k, std::size_t i) {
    double between = 0, of_member = 0;
    for (std::size_t t = 0; t < all.loads.size(); ++t) {
      between += all.loads[t][k] * all.member_loads[t][i];
      of_member += all.member_loads[t][i] * all.member_loads[t][i];
    }
    return std::pair(between, of_member);
  };
  for (std::size_t k = 0; k < kPairs; ++k) {
    for (std::size_t i = 0; i < kMembers; ++i) {
      EXPECT_NEAR(square(fewer, k, i).first, square(weights, k, i).first, 300 * 1e-3 * 1e-4);
      EXPECT_NEAR(square(fewer, k, i).second, square(weights, k, i).second, 300 * 1e-6 * 1e-4);
    }
  }
}

// Rows are known given a member, and members are close together. Between members the criterion is exact
// then; within, R of the mean model stands for each member's own, which is off by the square of how far rows
// differ (up to 4 % here, times g / (1-g) = 4): an allowance of 3 %.
TEST(MemberPairs, VarianceOfDrawnValues) {
  const mdp::Mdp first = mdp::random_mdp(11, {.states = 6, .discount = .8});
  const auto pairs = static_cast<std::size_t>(first.pairs());
  base::Stream stream({11, base::Purpose::test});
  std::vector<mdp::Mdp> models;
  for (int i = 0; i < 5; ++i) {
    std::vector<double> reward(first.reward().begin(), first.reward().end());
    std::vector<double> p(first.probability().begin(), first.probability().end());
    for (double& r : reward) r += .2 * base::normal(stream);
    for (std::int32_t k = 0; k < first.pairs(); ++k) {
      double sum = 0;
      for (const std::int64_t j : first.entries_of(k))
        sum += p[j] *= 1 + .04 * (2 * base::uniform(stream) - 1);
      for (const std::int64_t j : first.entries_of(k)) p[j] /= sum;
    }
    models.push_back(first.with_probability(std::move(p)).with_reward(std::move(reward)));
  }
  const belief::Ensemble ensemble(belief::Members(models, {.3, .3, .2, .1, .1}),
                                  {std::vector<double>(pairs, .2), std::vector<double>(pairs, 1e10)},
                                  std::vector<double>(pairs, .5));
  const mdp::Mdp mean = ensemble.mean();
  const mdp::Policy policy = mdp::solve(mean).policy;
  const Precision precision = precision_of(ensemble);
  const PvvWeights weights =
      pvv_weights(mean, policy, {.loads = true, .member_models = precision.dependence->member_models()});
  const double criterion = precision.dependence->criterion(weights, precision, Block::both, {})
                               ->value(std::vector<double>(pairs, 0.0));
  constexpr std::size_t kDraws = 20'000;
  std::vector<std::vector<double>> value;
  std::vector<double> average(6);
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    value.push_back(mdp::evaluate(ensemble.sample(1, draw), policy).value);
    for (std::size_t s = 0; s < 6; ++s) average[s] += value.back()[s] / kDraws;
  }
  double sum = 0, squares = 0;
  for (const std::vector<double>& v : value) {
    double off = 0;
    for (std::size_t s = 0; s < 6; ++s) off += weights.visitation[s] * std::pow(v[s] - average[s], 2);
    sum += off;
    squares += off * off;
  }
  const double drawn = sum / kDraws;
  const double error = std::sqrt((squares / kDraws - drawn * drawn) / kDraws);
  EXPECT_NEAR(criterion, drawn, 4 * error + .03 * drawn);
  // Both parts matter: neither is within the tolerance by itself.
  double between = 0;
  for (const auto& load : weights.member_loads)
    between += std::inner_product(load.begin(), load.end(), load.begin(), 0.0);
  EXPECT_GT(between, .2 * criterion);
  EXPECT_LT(between, .8 * criterion);
}

TEST(MemberPairs, LoadsOnMembersAreNeeded) {
  const Random random(1);
  PvvWeights weights = random.weights;
  weights.member_loads.clear();
  const auto& dependence = *random.precision.dependence;
  EXPECT_THROW(dependence.criterion(weights, random.precision, Block::both, {}), InvalidArgument);
  weights.member_loads.assign(weights.loads.size(), {1.0});
  EXPECT_THROW(dependence.criterion(weights, random.precision, Block::both, {}), InvalidArgument);
}

}  // namespace member_pairs_test
}  // namespace mindgap::gap
