#include <gtest/gtest.h>

#include <numeric>

#include "belief/ensembles.h"
#include "design/frank_wolfe.h"
#include "mindgap/design/column_generation.h"
#include "mindgap/design/routes.h"
#include "mindgap/design/target.h"
#include "mindgap/gap/member_models.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

// Designs where the belief is an ensemble of models.
namespace mindgap::design {
namespace member_errors_test {

// An ensemble of random members after some data, and the optimal policies of draws from it.
struct Problem {
  belief::Ensemble ensemble;
  mdp::Mdp mean;
  gap::Precision precision;
  std::vector<Member> members;
  TargetOptions options;

  explicit Problem(std::uint64_t seed)
      : ensemble(observed(seed)), mean(ensemble.mean()), precision(gap::precision_of(ensemble)) {
    constexpr int kDraws = 12;
    for (std::uint64_t draw = 0; draw < kDraws; ++draw)
      members.push_back({mdp::solve(ensemble.sample(seed, draw)).policy, 1.0 / kDraws});
    options.weights = {.loads = true, .member_models = precision.dependence->member_models()};
  }

  static belief::Ensemble observed(std::uint64_t seed) {
    const auto models = belief::differing_models(seed, 2 + seed % 5, static_cast<std::int32_t>(4 + seed % 5));
    const auto pairs = static_cast<std::size_t>(models[0].pairs());
    base::Stream stream({seed, base::Purpose::test});
    std::vector<double> sd(pairs), strength(pairs);
    for (std::size_t k = 0; k < pairs; ++k) {
      sd[k] = .5 * base::uniform(stream);
      strength[k] = 1 + 10 * base::uniform(stream);
    }
    belief::Ensemble result(belief::Members(models), {sd, strength}, std::vector<double>(pairs, .5));
    for (std::int32_t k = 0; k < models[0].pairs(); k += 5)
      result.observe(
          {.pair = k, .reward = base::normal(stream), .next_state = models[0].row(k).next_state[0]});
    return result;
  }
};

// The design is certified, and no worse than Frank-Wolfe's: for differences of policies where the seed is
// even, for the policies' own values where it is odd.
void check_certified(std::uint64_t seed) {
  const Problem problem(seed);
  const gap::PvvWeights weights = seed % 2 == 0
                                      ? difference_weights(problem.mean, problem.members,
                                                           mdp::solve(problem.mean).policy, problem.options)
                                      : ensemble_weights(problem.mean, problem.members, problem.options);
  const Objective objective(weights, problem.precision);
  expect_certified(problem.mean, objective, seed);
}

TEST(MemberErrors, CertifiedOnRandomModels) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) check_certified(seed);
}

TEST(MemberErrorsLong, CertifiedOnRandomModels) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) check_certified(seed);
}

// What a difference owes to the members is the covariance matrix of V_m - V_0 at the start over them.
TEST(MemberErrors, LoadsOfDifferences) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Problem problem(seed);
    const mdp::Policy now = mdp::solve(problem.mean).policy;
    const gap::PvvWeights weights = difference_weights(problem.mean, problem.members, now, problem.options);
    ASSERT_EQ(weights.member_loads.size(), weights.loads.size());
    double sum = 0, wanted = 0;
    for (const auto& load : weights.member_loads)
      sum += std::inner_product(load.begin(), load.end(), load.begin(), 0.0);
    const auto w = problem.ensemble.weights();
    for (const Member& member : problem.members) {
      double mean = 0, squares = 0;
      for (std::int32_t i = 0; i < problem.ensemble.members().size(); ++i) {
        const mdp::Mdp model = problem.ensemble.member_mean(i);
        const double off =
            mdp::evaluate(model, member.policy).value_at_start - mdp::evaluate(model, now).value_at_start;
        mean += w[i] * off;
        squares += w[i] * off * off;
      }
      wanted += member.share * (squares - mean * mean);
    }
    EXPECT_NEAR(sum, wanted, 1e-9 * (1 + wanted)) << seed;
  }
}

TEST(MemberErrors, RoutesAreExchanged) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Problem problem(seed);
    const Objective objective(ensemble_weights(problem.mean, problem.members, problem.options),
                              problem.precision);
    std::vector<double> positions(static_cast<std::size_t>(problem.mean.states()), 0.0);
    positions[0] = 2;
    positions[1] = 1;
    const auto pilot = finite_occupancies(problem.mean, positions, 4);
    const auto optimum = minimise_by_columns(objective, *pilot);
    const RouteAssignment assigned =
        assign_routes(objective, *pilot, optimum, std::vector<std::int32_t>{0, 0, 1});
    EXPECT_LE(assigned.value, assigned.value_before_exchanges * (1 + 1e-12)) << seed;
    EXPECT_NEAR(assigned.value, objective.value(assigned.counts), 1e-10 * assigned.value) << seed;
    EXPECT_GE(assigned.value, optimum.value - optimum.gap - 1e-12) << seed;
  }
}

// Every pair counts the same: the sum of all variances of mean rewards, between members and within.
TEST(MemberErrors, LoadsOfUniformTarget) {
  const Problem problem(2);
  gap::PvvWeights weights{.transition = std::vector<double>(problem.precision.reward_variance.size(), 0.0)};
  const std::size_t pairs = weights.transition.size();
  weights.reward.assign(pairs, 1.0);
  weights.loads.assign(pairs, std::vector<double>(pairs, 0.0));
  for (std::size_t k = 0; k < pairs; ++k) weights.loads[k][k] = 1;
  weights.member_loads = problem.options.weights.member_models->reward_loads();
  const auto& variance = problem.precision.reward_variance;
  EXPECT_NEAR(Objective(weights, problem.precision).value(std::vector<double>(pairs, 0.0)),
              std::accumulate(variance.begin(), variance.end(), 0.0), 1e-10);
}

}  // namespace member_errors_test
}  // namespace mindgap::design
