#include "mindgap/design/target.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "design/beliefs.h"
#include "files/files.h"
#include "gap/golden_models.h"
#include "mdp/random_models.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/files/policy_file.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::design {
namespace target_test {

using belief::Belief;
using gap::PvvWeights;
using mdp::Mdp;
using mdp::Policy;

Target of(TargetKind kind, std::int32_t members = 64) {
  Target target;
  target.kind = kind;
  target.members = members;
  return target;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& want, double relative) {
  ASSERT_EQ(got.size(), want.size());
  const double scale = *std::max_element(want.begin(), want.end());
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], want[k], relative * scale) << k;
}

TEST(Target, Spellings) {
  EXPECT_EQ(target_from_string("ensemble"), Target{});
  EXPECT_EQ(target_from_string("ensemble:7"), of(TargetKind::ensemble, 7));
  EXPECT_EQ(target_from_string("difference:256"), of(TargetKind::difference, 256));
  EXPECT_EQ(target_from_string("softmax:.25").temperature, .25);
  for (const char* text :
       {"ensemble:64", "difference:3", "sop", "posterior", "softmax:0.5", "explorer", "uniform"}) {
    EXPECT_EQ(to_string(target_from_string(text)), text);
  }
  for (const char* text :
       {"", "ensembel", "ensemble:", "ensemble:0", "ensemble:2.5", "ensemble:-3", "ensemble:1e9", "softmax",
        "softmax:0", "softmax:nan", "softmax:inf", "sop:3", "uniform:", "no/such/policy.csv"}) {
    try {
      target_from_string(text);
      ADD_FAILURE() << text;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find("softmax:T"), std::string::npos) << error.what();
    }
  }
}

using TargetFile = files::FileTest;

TEST_F(TargetFile, PolicyFromAFile) {
  const Mdp mdp = gap::m3();
  const auto path = this->path("policy.csv");
  files::write_policy(path, mdp, gap::m3_target(mdp));
  const Target target = target_from_string(path.string());
  EXPECT_EQ(target.kind, TargetKind::policy);
  EXPECT_EQ(to_string(target), path.string());
  const auto weights = target_weights(even_belief(mdp, .5, 5), target).weights;
  EXPECT_EQ(weights.reward, gap::pvv_weights(mdp, gap::m3_target(mdp)).reward);
}

TEST(Target, WeightsOfOnePolicy) {
  const Mdp mdp = gap::m3();
  const Belief belief = even_belief(mdp, .5, 5);
  const mdp::Solution best = mdp::solve(mdp);
  const PvvWeights sop = gap::pvv_weights(mdp, best.policy);
  EXPECT_EQ(target_weights(belief, of(TargetKind::simulator_optimal)).weights.reward, sop.reward);
  EXPECT_EQ(target_weights(belief, of(TargetKind::posterior_optimal)).weights.transition, sop.transition);
  TargetOptions given;
  given.policy = gap::m3_target(mdp);
  EXPECT_EQ(target_weights(belief, of(TargetKind::policy), given).weights.reward,
            gap::pvv_weights(mdp, *given.policy).reward);
  EXPECT_EQ(target_weights(belief, of(TargetKind::explorer), given).weights.reward,
            gap::pvv_weights(mdp, *given.policy).reward);
  EXPECT_EQ(target_weights(belief, of(TargetKind::explorer)).weights.reward,
            gap::pvv_weights(mdp, Policy::uniform(mdp)).reward);
  TargetOptions both;
  both.uniform_transition = 1;
  EXPECT_EQ(target_weights(belief, of(TargetKind::uniform)).weights.transition, std::vector<double>(6, 0.0));
  EXPECT_EQ(target_weights(belief, of(TargetKind::uniform), both).weights.transition,
            std::vector<double>(6, 1.0));
  EXPECT_EQ(target_weights(belief, of(TargetKind::uniform)).weights.reward, std::vector<double>(6, 1.0));
}

// A cold softmax is the optimal policy, a hot one uniform; in between, by the formula at one state.
TEST(Target, Softmax) {
  const Mdp mdp = gap::m3();
  const Belief belief = even_belief(mdp, .5, 5);
  Target target = of(TargetKind::softmax);
  target.temperature = 1e-4;
  expect_near(target_weights(belief, target).weights.reward,
              gap::pvv_weights(mdp, mdp::solve(mdp).policy).reward, 1e-12);
  target.temperature = 1e9;
  expect_near(target_weights(belief, target).weights.reward,
              gap::pvv_weights(mdp, Policy::uniform(mdp)).reward, 1e-8);
  target.temperature = .3;
  const PvvWeights weights = target_weights(belief, target).weights;
  const std::vector<double> q = mdp::action_values(mdp, mdp::solve(mdp).value);
  EXPECT_NEAR(std::sqrt(weights.reward[1] / weights.reward[0]), std::exp((q[1] - q[0]) / .3), 1e-8);
}

// After data the simulator's optimum and the posterior's differ; both are weighed in the mean model.
TEST(Target, WeighsInTheMeanModel) {
  const Mdp mdp = gap::dense_mdp(.5, {1}, 2, {.3, 0}, {{1}, {1}});
  Belief belief = even_belief(mdp, 1, 5, .01);
  for (int i = 0; i < 100; ++i) belief.observe(1, 1, 0);
  // W_r of the pair played for ever in the only state: R^2 = 1/(1-g)^2 = 4.
  EXPECT_EQ(target_weights(belief, of(TargetKind::simulator_optimal)).weights.reward,
            (std::vector<double>{4, 0}));
  EXPECT_EQ(target_weights(belief, of(TargetKind::posterior_optimal)).weights.reward,
            (std::vector<double>{0, 4}));
  const double mean = belief.mean().reward()[1];
  EXPECT_NEAR(target_weights(belief, of(TargetKind::posterior_optimal)).weights.value[0], 2 * mean, 1e-12);
}

// spec/tabular.md 0.1 and golden_tabular.json treasure.pvv_SOP_start.share_B.
TEST(Target, DeterministicTargetsStayAtHomeAndEnsemblesDoNot) {
  const Mdp simulator = gap::treasure_simulator();
  const Belief belief = even_belief(simulator, .3, 1e9);
  const PvvWeights sop = target_weights(belief, of(TargetKind::simulator_optimal)).weights;
  const Policy policy = mdp::solve(simulator).policy;
  for (std::int32_t k = 0; k < simulator.pairs(); ++k) {
    if (k != policy.pair_of_state()[simulator.state_of_pair(k)]) {
      EXPECT_EQ(sop.reward[k], 0);
      EXPECT_EQ(sop.transition[k], 0);
    }
  }
  EXPECT_NEAR(share_of_b(simulator, sop.reward), 2.314508763806063e-09, 1e-14);
  // One sd everywhere: an honest belief mostly looks near home first (spec/tabular.md 0.3), but seven orders
  // of magnitude less so. Measured 5.5 % and .9 %.
  const TargetWeights ensemble = target_weights(belief, of(TargetKind::ensemble));
  const TargetWeights difference = target_weights(belief, of(TargetKind::difference));
  EXPECT_GT(ensemble.distinct, 32);
  RecordProperty("ensemble_share_b", std::to_string(share_of_b(simulator, ensemble.weights.reward)));
  RecordProperty("difference_share_b", std::to_string(share_of_b(simulator, difference.weights.reward)));
  EXPECT_GT(share_of_b(simulator, ensemble.weights.reward), 1e-3);
  EXPECT_GT(share_of_b(simulator, difference.weights.reward), 1e-3);
}

// The prior that says where history looked (sd .05 in A, .5 in B): what is not known lies in B.
TEST(Target, EnsembleLooksWhereHistoryDidNot) {
  const Mdp simulator = gap::treasure_simulator();
  const auto pairs = static_cast<std::size_t>(simulator.pairs());
  belief::Prior prior{std::vector<double>(pairs), std::vector<double>(pairs, 1e9)};
  for (std::int32_t k = 0; k < simulator.pairs(); ++k) {
    prior.reward_sd[k] = simulator.state_of_pair(k) % 6 >= 3 ? .5 : .05;
  }
  const Belief belief(simulator, prior, std::vector<double>(pairs, .25));
  for (const TargetKind kind : {TargetKind::ensemble, TargetKind::difference}) {
    const PvvWeights weights = target_weights(belief, of(kind)).weights;
    const double share = share_of_b(simulator, gap::pvv_contributions(weights, gap::precision_of(belief)));
    RecordProperty(kind == TargetKind::ensemble ? "ensemble" : "difference", std::to_string(share));
    EXPECT_GT(share, .5);
  }
  // No prior moves a deterministic target: 100 times the variance of a share of 2.3e-9.
  const PvvWeights sop = target_weights(belief, of(TargetKind::simulator_optimal)).weights;
  EXPECT_LT(share_of_b(simulator, gap::pvv_contributions(sop, gap::precision_of(belief))), 1e-6);
}

TEST(Target, WithoutUncertaintyAnEnsembleIsTheSop) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Mdp mdp = mdp::random_mdp(seed, {.states = 12, .actions = 3, .successors = 1});
    const Belief belief = even_belief(mdp, 0, 5);  // rows with one next state are known
    const TargetWeights ensemble = target_weights(belief, of(TargetKind::ensemble, 10));
    const PvvWeights sop = target_weights(belief, of(TargetKind::simulator_optimal)).weights;
    EXPECT_EQ(ensemble.distinct, 1);
    EXPECT_EQ(ensemble.members, 10);
    expect_near(ensemble.weights.reward, sop.reward, 1e-12);
    expect_near(ensemble.weights.value, sop.value, 1e-9);
    const PvvWeights difference = target_weights(belief, of(TargetKind::difference, 10)).weights;
    EXPECT_EQ(*std::max_element(difference.reward.begin(), difference.reward.end()), 0);
    EXPECT_EQ(*std::max_element(difference.transition.begin(), difference.transition.end()), 0);
  }
}

TEST(Target, EnsembleIsTheAverageOverItsDraws) {
  const Mdp mdp = mdp::random_mdp(3, {.states = 8, .actions = 3});
  const Belief belief = even_belief(mdp, .4, 3);
  const PvvWeights got = target_weights(belief, of(TargetKind::ensemble, 20)).weights;
  std::vector<double> reward(got.reward.size()), transition(got.reward.size());
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    const PvvWeights one = gap::pvv_weights(mdp, mdp::solve(belief.sample(42, draw)).policy);
    for (std::size_t k = 0; k < reward.size(); ++k) {
      reward[k] += one.reward[k] / 20;
      transition[k] += one.transition[k] / 20;
    }
  }
  expect_near(got.reward, reward, 1e-12);
  expect_near(got.transition, transition, 1e-12);
}

// A policy's occupancies and values from the inverse of the full matrix.
struct Dense {
  Eigen::VectorXd mu, v;
};

Dense dense(const Mdp& mdp, const Policy& policy) {
  const std::vector<double> pi = policy.probability_of_pair(mdp);
  const int n = mdp.states();
  Eigen::MatrixXd a = Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd r = Eigen::VectorXd::Zero(n), rho(n);
  for (int s = 0; s < n; ++s) {
    rho(s) = mdp.start()[s];
    for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
      r(s) += pi[k] * mdp.reward()[k];
      for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
        a(s, mdp.next_state()[i]) -= mdp.discount() * pi[k] * mdp.probability()[i];
      }
    }
  }
  const Eigen::MatrixXd resolvent = a.inverse();
  const Eigen::VectorXd visits = resolvent.transpose() * rho;
  Dense result{Eigen::VectorXd(mdp.pairs()), resolvent * r};
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) result.mu(k) = visits(mdp.state_of_pair(k)) * pi[k];
  return result;
}

// The transition block from its matrix: g^2 h' (diag(p) - pp') h, h the gradient mu_m V_m - mu_0 V_0.
TEST(Target, DifferenceAgreesWithTheMatrixDefinition) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Mdp mdp = mdp::random_mdp(seed, {.states = 7, .actions = 3, .successors = 3});
    const Belief belief = even_belief(mdp, .5, 2);
    const PvvWeights got = target_weights(belief, of(TargetKind::difference, 12)).weights;
    const Dense now = dense(mdp, mdp::solve(mdp).policy);
    std::vector<double> reward(got.reward.size()), transition(got.reward.size());
    for (std::uint64_t draw = 0; draw < 12; ++draw) {
      const Dense then = dense(mdp, mdp::solve(belief.sample(42, draw)).policy);
      for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
        reward[k] += std::pow(then.mu(k) - now.mu(k), 2) / 12;
        Eigen::VectorXd p = Eigen::VectorXd::Zero(mdp.states());
        for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
          p(mdp.next_state()[i]) = mdp.probability()[i];
        }
        const Eigen::VectorXd h = then.mu(k) * then.v - now.mu(k) * now.v;
        const Eigen::MatrixXd covariance = Eigen::MatrixXd(p.asDiagonal()) - p * p.transpose();
        transition[k] += .81 * h.dot(covariance * h) / 12;
      }
    }
    expect_near(got.reward, reward, 1e-10);
    expect_near(got.transition, transition, 1e-9);
    const auto share = mdp::discounted_visitation(mdp, mdp::solve(mdp).policy).share;
    expect_near(got.visitation, share, 1e-10);
  }
}

// With known transitions values are linear in the rewards, so sum_k W_r sigma_k^2 is the variance of
// V_m - V_0 over the belief, averaged over members. 2,000 models; the relative standard error of each
// member's variance is sqrt(2/1999) = .032, of their average at most that.
TEST(Target, DifferenceIsTheVarianceOfValueDifferences) {
  const Mdp mdp = mdp::random_mdp(5, {.states = 8, .actions = 3, .successors = 2});
  const Belief belief = even_belief(mdp, .4, 1e12);
  const mdp::Solution now = mdp::solve(mdp);
  const std::vector<Member> members = draw_members(belief, 32, now.value);
  ASSERT_GT(members.size(), 2u);
  const PvvWeights weights = difference_weights(mdp, members, now.policy);
  const double predicted = .16 * std::accumulate(weights.reward.begin(), weights.reward.end(), 0.0);
  constexpr int kDraws = 2000;
  std::vector<double> sum(members.size()), squares(members.size());
  base::Stream stream({7, base::Purpose::test});
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<double> reward(mdp.reward().begin(), mdp.reward().end());
    for (double& r : reward) r += .4 * base::normal(stream);
    const Mdp model = mdp.with_reward(reward);
    const double base_value = mdp::evaluate(model, now.policy).value_at_start;
    for (std::size_t m = 0; m < members.size(); ++m) {
      const double off = mdp::evaluate(model, members[m].policy).value_at_start - base_value;
      sum[m] += off;
      squares[m] += off * off;
    }
  }
  double measured = 0;
  for (std::size_t m = 0; m < members.size(); ++m) {
    measured += members[m].share * (squares[m] - sum[m] * sum[m] / kDraws) / (kDraws - 1);
  }
  EXPECT_NEAR(measured / predicted, 1, 4 * std::sqrt(2.0 / (kDraws - 1)));
}

TEST(Target, DoesNotDependOnThreads) {
  const Mdp mdp = mdp::random_mdp(9, {.states = 60, .actions = 3, .successors = 4});
  const Belief belief = even_belief(mdp, .3, 4);
  for (const TargetKind kind : {TargetKind::ensemble, TargetKind::difference}) {
    for (const auto method : {gap::WeightsMethod::exact, gap::WeightsMethod::probing}) {
      TargetOptions one, three;
      one.weights.method = three.weights.method = method;
      one.run.threads = 1;
      three.run.threads = 3;
      const PvvWeights a = target_weights(belief, of(kind, 20), one).weights;
      const PvvWeights b = target_weights(belief, of(kind, 20), three).weights;
      EXPECT_EQ(a.reward, b.reward);
      EXPECT_EQ(a.transition, b.transition);
      EXPECT_EQ(a.groups, b.groups);
    }
  }
}

// Probed members: the sum of the weights is right within its own standard error, and `groups` averages to 1.
TEST(Target, ProbedEnsembleKnowsItsError) {
  const Mdp mdp = mdp::random_mdp(10, {.states = 80, .actions = 3, .successors = 4});
  const Belief belief = even_belief(mdp, .3, 4);
  TargetOptions probing;
  probing.weights.method = gap::WeightsMethod::probing;
  const PvvWeights exact = target_weights(belief, of(TargetKind::ensemble, 24)).weights;
  const PvvWeights probed = target_weights(belief, of(TargetKind::ensemble, 24), probing).weights;
  EXPECT_EQ(exact.method, gap::WeightsMethod::exact);
  EXPECT_EQ(probed.method, gap::WeightsMethod::probing);
  ASSERT_EQ(probed.groups.size(), 4u);
  for (std::size_t s = 0; s < 80; ++s) {
    double mean = 0;
    for (const auto& group : probed.groups) mean += group[s] / 4;
    EXPECT_NEAR(mean, 1, 1e-9);
  }
  const gap::Precision precision = gap::precision_of(belief);
  const gap::Pvv want = gap::pvv(mdp, exact, precision), got = gap::pvv(mdp, probed, precision);
  EXPECT_GT(got.standard_error, 0);
  // Student t with 3 degrees of freedom: beyond 13 once in 1,000.
  EXPECT_NEAR(got.total, want.total, 13 * got.standard_error);
  EXPECT_LT(got.standard_error, .05 * want.total);
}

// Two rooms: the posterior-optimal policy goes and stays. Three units at home see home once each, the room
// from then on; one unit in the room sees it at every step.
TEST(Credit, ByHand) {
  const Mdp mdp = gap::dense_mdp(.9, {1, 0}, 2, {0, 0, 1, 0}, {{1, 0}, {0, 1}, {0, 1}, {0, 1}});
  const Belief belief = even_belief(mdp, .1, 5);
  EXPECT_EQ(credit(belief, std::vector<double>{3, 1}, 4), (std::vector<double>{0, 3, 13, 0}));
  EXPECT_EQ(credit(belief, std::vector<double>{3, 1}, 0), std::vector<double>(4, 0.0));
  EXPECT_EQ(credit(belief, std::vector<double>{0, 0}, 4), std::vector<double>(4, 0.0));
}

TEST(Credit, OfAStochasticPolicySumsToUnitsTimesSteps) {
  const Mdp mdp = gap::m3();
  const std::vector<double> n =
      expected_observations(mdp, gap::m3_target(mdp), std::vector<double>{2, 0, 5}, 9);
  EXPECT_NEAR(std::accumulate(n.begin(), n.end(), 0.0), 63, 1e-10);
  EXPECT_NEAR(n[0] / (n[0] + n[1]), .6, 1e-12);
}

TEST(Target, BadArguments) {
  const Mdp mdp = gap::m3();
  const Belief belief = even_belief(mdp, .5, 5);
  EXPECT_THROW(target_weights(belief, of(TargetKind::ensemble, 0)), InvalidArgument);
  EXPECT_THROW(target_weights(belief, of(TargetKind::difference, -1)), InvalidArgument);
  Target cold = of(TargetKind::softmax);
  cold.temperature = 0;
  EXPECT_THROW(target_weights(belief, cold), InvalidArgument);
  EXPECT_THROW(target_weights(belief, of(TargetKind::policy)), StoreError);  // no file
  TargetOptions options;
  options.uniform_transition = -1;
  EXPECT_THROW(target_weights(belief, Target{}, options), InvalidArgument);
  options = {};
  options.member_probes = 1;
  EXPECT_THROW(target_weights(belief, Target{}, options), InvalidArgument);
  options = {};
  options.tolerance = 0;
  EXPECT_THROW(target_weights(belief, Target{}, options), InvalidArgument);
  options = {};
  options.policy = Policy::uniform(gap::treasure_truth());
  EXPECT_THROW(target_weights(belief, of(TargetKind::policy), options), InvalidArgument);
  EXPECT_THROW(target_weights(even_belief(mdp.with_discount(1), .5, 5), Target{}), InvalidArgument);
  EXPECT_THROW(ensemble_weights(mdp, std::vector<Member>{{Policy::uniform(mdp), .5}}), InvalidArgument);
  EXPECT_THROW(credit(belief, std::vector<double>{1, 1}, 3), InvalidArgument);
  EXPECT_THROW(credit(belief, std::vector<double>{1, -1, 0}, 3), InvalidArgument);
  EXPECT_THROW(credit(belief, std::vector<double>{1, 1, 0}, -3), InvalidArgument);
}

// One member is a target like any other: probed as often as was asked, whatever is asked of several.
TEST(EnsembleWeights, OfOneMemberAreThoseOfItsPolicy) {
  const Mdp mdp = mdp::random_mdp(3, {.states = 30, .actions = 3});
  TargetOptions options;
  options.weights.method = gap::WeightsMethod::probing;
  options.weights.probes = 64;
  options.member_probes = 2;
  const Policy policy = mdp::solve(mdp).policy;
  const gap::PvvWeights found = ensemble_weights(mdp, std::vector<Member>{{policy, 1}}, options);
  const gap::PvvWeights wanted = gap::pvv_weights(mdp, policy, options.weights);
  for (std::size_t k = 0; k < wanted.reward.size(); ++k) {
    EXPECT_NEAR(found.reward[k], wanted.reward[k], 1e-12 * wanted.reward[k]);
    EXPECT_NEAR(found.transition[k], wanted.transition[k], 1e-12 * wanted.transition[k] + 1e-300);
  }
}

}  // namespace target_test
}  // namespace mindgap::design
