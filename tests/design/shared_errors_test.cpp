#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "design/frank_wolfe.h"
#include "design/tiny_models.h"
#include "mindgap/base/distributions.h"
#include "mindgap/design/column_generation.h"
#include "mindgap/design/route_search.h"
#include "mindgap/design/routes.h"
#include "mindgap/design/target.h"

// Designs ask a criterion only what gap/criterion.h says, so they work where pairs share their errors, too.
namespace mindgap::design {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd vector_of(std::span<const double> numbers) {
  return Eigen::Map<const VectorXd>(numbers.data(), static_cast<Index>(numbers.size()));
}

// Mean rewards r ~ N(., S), a target's value c'r, observations of variance v. With P = (S^-1 + diag(n/v))^-1:
//   f = c'Pc,  df/dn_k = -(Pc)_k^2 / v_k,  d2f/dn_j dn_k = 2 (Pc)_j P_jk (Pc)_k / (v_j v_k).
class Shared final : public gap::Criterion {
 public:
  Shared(const MatrixXd& covariance, VectorXd load, VectorXd variance)
      : information_(covariance.inverse()), load_(std::move(load)), variance_(std::move(variance)) {}

  std::size_t size() const override { return static_cast<std::size_t>(load_.size()); }
  double value(std::span<const double> n) const override { return load_.dot(posterior(n) * load_); }
  double derivatives(std::span<const double> n, std::span<double> gradient,
                     std::span<double> curvature) const override {
    const VectorXd covariance = posterior(n) * load_;
    for (std::size_t k = 0; k < size(); ++k) {
      const auto i = static_cast<Index>(k);
      gradient[k] = -covariance[i] * covariance[i] / variance_[i];
      if (!curvature.empty()) curvature[k] = 0;
    }
    return load_.dot(covariance);
  }
  std::vector<double> shared_curvature(std::span<const double> n,
                                       std::span<const std::span<const double>> directions) const override {
    const MatrixXd left = posterior(n);
    const VectorXd scale = (left * load_).cwiseQuotient(variance_);
    MatrixXd along(left.rows(), static_cast<Index>(directions.size()));
    for (std::size_t i = 0; i < directions.size(); ++i)
      along.col(static_cast<Index>(i)) = scale.cwiseProduct(vector_of(directions[i]));
    const MatrixXd bend = 2 * along.transpose() * left * along;
    return {bend.data(), bend.data() + bend.size()};
  }
  std::unique_ptr<const Around> around(std::span<const double> n) const override {
    return std::make_unique<AroundCounts>(*this, n);
  }
  void worth_of_one_more(std::span<const double> n, std::span<double> worth) const override {
    const AroundCounts here(*this, n);
    for (std::size_t k = 0; k < size(); ++k) {
      const auto pair = static_cast<std::int32_t>(k);
      const double more = n[k] + 1;
      worth[k] = -here.change({&pair, 1}, {&more, 1});
    }
  }
  std::vector<std::int32_t> relevant() const override {
    std::vector<std::int32_t> all;
    all.reserve(static_cast<std::size_t>(load_.size()));
    for (std::int32_t k = 0; k < load_.size(); ++k) all.push_back(k);
    return all;
  }
  std::vector<double> contributions(std::span<const double> n) const override {
    const VectorXd parts = load_.cwiseProduct(posterior(n) * load_);
    return {parts.begin(), parts.end()};
  }
  std::vector<double> reducible(std::span<const double> n) const override { return contributions(n); }

 private:
  class AroundCounts final : public Around {
   public:
    AroundCounts(const Shared& all, std::span<const double> n)
        : all_(all), counts_(n.begin(), n.end()), now_(all.value(n)) {}
    double change(std::span<const std::int32_t> pairs, std::span<const double> after) const override {
      std::vector<double> other = counts_;
      for (std::size_t i = 0; i < pairs.size(); ++i) other[static_cast<std::size_t>(pairs[i])] = after[i];
      return all_.value(other) - now_;
    }

   private:
    const Shared& all_;
    std::vector<double> counts_;
    double now_;
  };

  MatrixXd posterior(std::span<const double> n) const {
    MatrixXd information = information_;
    information.diagonal() += vector_of(n).cwiseQuotient(variance_);
    return information.inverse();
  }

  MatrixXd information_;
  VectorXd load_, variance_;
};

// One error that all pairs share, unequally, beside their own.
Shared shared_errors(Index pairs, double shared) {
  VectorXd load(pairs), factor(pairs), own(pairs);
  for (Index k = 0; k < pairs; ++k) {
    const auto at = static_cast<double>(k);
    load[k] = 1 + std::sin(3 * at);
    factor[k] = shared * (1 + std::cos(at));
    own[k] = .3 + .1 * std::sin(at);
  }
  return {factor * factor.transpose() + MatrixXd(own.asDiagonal()), load, VectorXd::Constant(pairs, .7)};
}

TEST(SharedErrors, ColumnsFindTheMinimum) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Small small(seed);
    const Objective objective(std::make_shared<Shared>(shared_errors(small.mdp->pairs(), .8)));
    const ColumnGenerationResult found =
        minimise_by_columns(objective, *small.pilot, {}, {.relative_gap = 1e-9, .max_iterations = 40});
    EXPECT_EQ(found.status, MinimumStatus::converged) << seed;
    const FrankWolfe other = frank_wolfe(objective, *small.pilot, 1e-4);
    EXPECT_LE(found.value, other.value * (1 + 1e-9)) << seed;
    EXPECT_GE(found.value, other.value - other.gap - 1e-9) << seed;
  }
}

// Without anything shared it is the criterion of independent pairs: W_r = c^2, tau = 1/v.
TEST(SharedErrors, NothingSharedIsIndependent) {
  const Small small(3);
  const auto pairs = static_cast<Index>(small.mdp->pairs());
  gap::PvvWeights weights;
  gap::Precision prior;
  for (Index k = 0; k < pairs; ++k) {
    const auto at = static_cast<double>(k);
    weights.reward.push_back(std::pow(1 + std::sin(3 * at), 2));
    weights.transition.push_back(0);
    prior.reward_variance.push_back(.3 + .1 * std::sin(at));
    prior.observation_precision.push_back(1 / .7);
    prior.transition_strength.push_back(1);
  }
  const Objective independent(weights, prior);
  const Objective shared(std::make_shared<Shared>(shared_errors(pairs, 0)));
  const ColumnGenerationOptions tight{.relative_gap = 1e-9};
  const auto one = minimise_by_columns(independent, *small.pilot, {}, tight);
  const auto two = minimise_by_columns(shared, *small.pilot, {}, tight);
  EXPECT_NEAR(one.value, two.value, 2e-9 * one.value);
  std::vector<double> a(weights.reward.size()), b(a.size());
  independent.worth_of_one_more(one.counts, a);
  shared.worth_of_one_more(one.counts, b);
  const std::vector<std::int32_t> both{0, 2};
  const std::vector<double> after{1.5, 0};
  EXPECT_NEAR(independent.around(one.counts)->change(both, after),
              shared.around(one.counts)->change(both, after), 1e-12);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-12);
}

TEST(SharedErrors, RoutesAreExchangedAndImproved) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Small small(seed);
    const Objective objective(std::make_shared<Shared>(shared_errors(small.mdp->pairs(), .8)));
    const auto optimum = minimise_by_columns(objective, *small.pilot);
    const std::vector<std::int32_t> units{0, 0, 1};
    RouteAssignment assigned = assign_routes(objective, *small.pilot, optimum, units);
    EXPECT_LE(assigned.value, assigned.value_before_exchanges * (1 + 1e-12)) << seed;
    EXPECT_NEAR(assigned.value, objective.value(assigned.counts), 1e-12) << seed;
    const double before = assigned.value;
    EXPECT_TRUE(improve_routes(objective, *small.pilot, units, {}, optimum.value, assigned));
    EXPECT_LE(assigned.value, before) << seed;
    EXPECT_GE(assigned.value, optimum.value - optimum.gap - 1e-12) << seed;
    EXPECT_NEAR(assigned.value, objective.value(assigned.counts), 1e-12) << seed;
  }
}

// A random model, some observations, and errors of rewards that random factors share: the design for the
// difference target is certified, and no worse than Frank-Wolfe's.
void check_certified(std::uint64_t seed) {
  const auto states = static_cast<std::int32_t>(4 + seed % 9);
  const mdp::Mdp mdp{mdp::random_arrays(seed, {.states = states, .actions = 3, .successors = 3})};
  base::Stream stream({seed, base::Purpose::test});
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  const auto factors = static_cast<std::int32_t>(1 + seed % 5);
  std::vector<double> loadings(pairs * static_cast<std::size_t>(factors)), own(pairs, 0.0), sd(pairs);
  std::vector<std::int32_t> rows(pairs);
  for (double& x : loadings) x = base::uniform(stream) < .5 ? 0 : base::normal(stream);
  for (std::size_t k = 0; k < pairs; ++k) {
    rows[k] = static_cast<std::int32_t>(k);
    sd[k] = base::uniform(stream);
  }
  belief::Belief belief(mdp, {sd, std::vector<double>(pairs, 4.0)}, std::vector<double>(pairs, .5),
                        {.shared = belief::SharedErrors(factors, loadings, rows, own)});
  for (std::int32_t k = 0; k < mdp.pairs(); k += 3)
    belief.observe(k, base::normal(stream), mdp.row(k).next_state[0]);
  const TargetWeights target = target_weights(belief, {.kind = TargetKind::difference, .members = 24});
  const Objective objective(target.weights, gap::precision_of(belief));
  expect_certified(mdp, objective, seed);
}

TEST(SharedErrors, CertifiedOnRandomModels) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) check_certified(seed);
}

TEST(SharedErrorsLong, CertifiedOnRandomModels) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) check_certified(seed);
}

}  // namespace
}  // namespace mindgap::design
