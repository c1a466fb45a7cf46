#include "mindgap/design/coordinate_descent.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "design/cases.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/design/interior_point.h"

namespace mindgap::design {
namespace coordinate_descent_test {

// One iteration by hand: state s of the stream's first draw gets the best of two rows, .7/2 + .3 on one of
// its actions (paper, listing "fishersep").
TEST(CoordinateDescent, OneIteration) {
  const M3Design m3;
  const Objective objective(m3.weights, m3.prior);
  base::Stream stream({42, base::Purpose::design});
  const auto s = base::uniform_index(stream, 3);
  const std::vector<double> uniform(6, .5);
  double best = objective.value(m3.pilot->counts(uniform));
  std::vector<double> best_pi = uniform;
  for (const std::size_t a : {0U, 1U}) {
    std::vector<double> pi = uniform;
    pi[2 * s + a] = .65;
    pi[2 * s + 1 - a] = .35;
    const double value = objective.value(m3.pilot->counts(pi));
    if (value < best) best = value, best_pi = pi;
  }
  const CoordinateDescent found = coordinate_descent(m3.weights, m3.prior, *m3.pilot, {.iterations = 1});
  EXPECT_NEAR(found.value, best, 1e-14);
  EXPECT_EQ(found.evaluations, 3);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(found.pi[k], best_pi[k], 1e-15);
}

// tr F = sum_k tau_k pi_k^2 sum_u d(u) R[u,s]^2, by the dense resolvent; the trace rises.
TEST(CoordinateDescent, TheTraceOfTheFisherInformation) {
  const M3Design m3;
  const mdp::Mdp& mdp = m3.pilot->mdp();
  const Eigen::Index states = mdp.states();
  Eigen::MatrixXd p = Eigen::MatrixXd::Zero(states, states);
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    for (const std::int64_t i : mdp.entries_of(k))
      p(mdp.state_of_pair(k), mdp.next_state()[i]) += .5 * mdp.probability()[i];
  }
  const Eigen::MatrixXd r = (Eigen::MatrixXd::Identity(states, states) - mdp.discount() * p).inverse();
  Eigen::RowVectorXd start(states);
  for (Eigen::Index s = 0; s < states; ++s) start(s) = mdp.start()[static_cast<std::size_t>(s)];
  const Eigen::RowVectorXd d = (1 - mdp.discount()) * start * r;
  double trace = 0;
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    for (Eigen::Index u = 0; u < states; ++u)
      trace += m3.prior.observation_precision[static_cast<std::size_t>(k)] * .25 * d(u) *
               std::pow(r(u, mdp.state_of_pair(k)), 2);
  }
  CoordinateDescentOptions options;
  options.iterations = 0;
  options.target_is_explorer = options.fisher_trace = true;
  EXPECT_NEAR(coordinate_descent({}, m3.prior, *m3.pilot, options).value, -trace, 1e-10 * trace);
  options.iterations = 30;
  EXPECT_LT(coordinate_descent({}, m3.prior, *m3.pilot, options).value, -trace);
  options.target_is_explorer = false;
  EXPECT_THROW(coordinate_descent(m3.weights, m3.prior, *m3.pilot, options), InvalidArgument);
}

TEST(CoordinateDescent, FallsButNotBelowTheMinimum) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomDesign design(seed);
    const gap::PvvWeights weights = gap::pvv_weights(design.mdp, mdp::Policy::uniform(design.mdp));
    const Objective objective(weights, design.prior);
    for (const Occupancy* pilot : {design.discounted.get(), design.finite.get()}) {
      const CoordinateDescent found = coordinate_descent(weights, design.prior, *pilot);
      EXPECT_LE(found.value, objective.value(pilot->counts(uniform_pi(*pilot))));
      EXPECT_GE(found.value, interior_point(objective, *pilot).value * (1 - 2e-9));
      EXPECT_EQ(found.value, objective.value(found.counts));
    }
  }
}

// With the explorer as its own target the value is that of the weights of the policy found.
TEST(CoordinateDescent, TheExplorerAsItsOwnTarget) {
  const M3Design m3;
  const CoordinateDescent found =
      coordinate_descent({}, m3.prior, *m3.pilot, {.target_is_explorer = true, .block = Block::rewards});
  const gap::PvvWeights own = gap::pvv_weights(m3.mdp, mdp::Policy::stochastic(m3.mdp, found.pi));
  EXPECT_NEAR(found.value, gap::pvv(m3.mdp, own, m3.prior, found.counts).reward, 1e-12);
  const gap::PvvWeights uniform = gap::pvv_weights(m3.mdp, mdp::Policy::uniform(m3.mdp));
  EXPECT_LT(found.value,
            gap::pvv(m3.mdp, uniform, m3.prior, m3.pilot->counts(std::vector<double>(6, .5))).reward);
}

TEST(CoordinateDescent, BadArguments) {
  const M3Design m3;
  const auto run = [&](const CoordinateDescentOptions& options) {
    coordinate_descent(m3.weights, m3.prior, *m3.pilot, options);
  };
  EXPECT_THROW(run({.iterations = -1}), InvalidArgument);
  EXPECT_THROW(run({.rate = 0}), InvalidArgument);
  EXPECT_THROW(run({.rate = 1.5}), InvalidArgument);
  EXPECT_THROW(run({.credit = {1, 2}}), InvalidArgument);
  EXPECT_THROW(run({.initial_pi = {1, 2}}), InvalidArgument);
  EXPECT_THROW(coordinate_descent({}, m3.prior, *m3.pilot), InvalidArgument);
  const auto finite = finite_occupancies(m3.mdp, {1, 0, 0}, 4);
  EXPECT_THROW(coordinate_descent({}, m3.prior, *finite, {.target_is_explorer = true}), InvalidArgument);
  EXPECT_THROW(coordinate_descent(m3.weights, m3.prior, *TreasureDesign().pilot), InvalidArgument);
}

}  // namespace coordinate_descent_test
}  // namespace mindgap::design
