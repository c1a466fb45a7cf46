#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/gap/criterion.h"
#include "mindgap/gap/pvv.h"

namespace mindgap::gap {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Index at(std::size_t i) {
  return static_cast<Index>(i);
}

// The variance of a target's value where mean rewards are r = m + U z + delta, delta_k ~ N(0, s_k^2), and the
// target weighs them with loads c_t (PvvWeights::loads), after n_k observations of precision tau_k. With
//   g_k = 1 / (1 + n_k tau_k s_k^2),  w_k = n_k tau_k g_k,
//   I_z = I + sum_k w_k U_k U_k',  h_t = sum_k c_tk g_k U_k,  x_t = I_z^-1 h_t:
//   reward block = sum_t [ sum_k c_tk^2 s_k^2 g_k + h_t'x_t ],
//   C_tk = Cov(c_t'r, r_k) = g_k (c_tk s_k^2 + U_k'x_t),
//   its derivative by n_k = -tau_k sum_t C_tk^2,
//   its second derivatives = 2 tau_j tau_k P_jk sum_t C_tj C_tk,  P = diag(g s^2) + (g U) I_z^-1 (g U)'
// (docs/math/shared-errors.md). Convex: it is c'(Sigma^-1 + diag(tau n))^-1 c. Transitions are independent.
class SharedCriterion final : public Criterion {
 public:
  SharedCriterion(const belief::SharedErrors& left, const PvvWeights& weights, const Precision& precision,
                  Block block, std::span<const double> credit);

  std::size_t size() const override { return transitions_->size(); }
  double value(std::span<const double> n) const override;
  double derivatives(std::span<const double> n, std::span<double> gradient,
                     std::span<double> curvature) const override;
  std::vector<double> shared_curvature(std::span<const double> n,
                                       std::span<const std::span<const double>> directions) const override;
  std::unique_ptr<const Around> around(std::span<const double> n) const override;
  void worth_of_one_more(std::span<const double> n, std::span<double> worth) const override;
  std::vector<std::int32_t> relevant() const override;
  std::vector<double> contributions(std::span<const double> n) const override;
  std::vector<double> reducible(std::span<const double> n) const override;

  /// What each pair contributes to the reward block: sum_t c_tk C_tk.
  std::vector<double> reward_contributions(std::span<const double> n) const;

 private:
  // Everything above at one n.
  struct Place {
    VectorXd g;       // per pair
    MatrixXd root;    // L, with I_z = L L'
    MatrixXd x;       // factors x targets
    MatrixXd spread;  // C, pairs x targets
    double value = 0;
  };
  VectorXd kept_of(std::span<const double> n) const;
  Place place(std::span<const double> n) const;
  double reward_value(std::span<const double> n) const;

  class AroundCounts final : public Around {
   public:
    AroundCounts(const SharedCriterion& all, std::span<const double> n);
    double change(std::span<const std::int32_t> pairs, std::span<const double> after) const override;

   private:
    const SharedCriterion& all_;
    VectorXd counts_;
    Place now_;
    MatrixXd left_;  // L^-1 diag(g) U', factors x pairs: P_jk for j != k is the product of two columns
    std::unique_ptr<const Around> transitions_;
  };

  MatrixXd loading_;  // U', factors x pairs
  MatrixXd load_;     // c, pairs x targets
  VectorXd own_;      // s^2
  VectorXd tau_, credit_;
  std::shared_ptr<const Criterion> transitions_;  // the other block, pair by pair
};

SharedCriterion::SharedCriterion(const belief::SharedErrors& left, const PvvWeights& weights,
                                 const Precision& precision, Block block, std::span<const double> credit)
    : transitions_(independent_pairs()->criterion(weights, precision, Block::transitions, credit)) {
  const std::size_t pairs = weights.transition.size();
  base::check_size("Objective", "shared errors", left.pairs(), pairs);
  const bool rewards = block != Block::transitions;
  if (rewards && weights.loads.empty() &&
      std::any_of(weights.reward.begin(), weights.reward.end(), [](double w) { return w > 0; }))
    throw InvalidArgument(
        "Objective: errors are shared, but the target has no loads (WeightsOptions::loads)");
  if (block == Block::rewards)
    transitions_ = independent_pairs()->criterion(
        {.reward = std::vector<double>(pairs, 0.0), .transition = std::vector<double>(pairs, 0.0)}, precision,
        Block::rewards, {});
  loading_.resize(left.factors(), at(pairs));
  load_ = MatrixXd::Zero(at(pairs), rewards ? at(weights.loads.size()) : 0);
  own_.resize(at(pairs));
  tau_.resize(at(pairs));
  credit_ = VectorXd::Zero(at(pairs));
  for (std::size_t k = 0; k < pairs; ++k) {
    const auto pair = static_cast<std::int32_t>(k);
    const std::span<const double> row = left.loadings(pair);
    for (std::size_t j = 0; j < row.size(); ++j) loading_(at(j), at(k)) = row[j];
    own_[at(k)] = left.own_variance(pair);
    const double variance = own_[at(k)] + left.variance(pair);
    tau_[at(k)] = variance > 0 ? std::min(precision.observation_precision[k], kNoiseless / variance) : 0;
    if (!credit.empty()) credit_[at(k)] = credit[k];
    for (std::size_t t = 0; rewards && t < weights.loads.size(); ++t)
      load_(at(k), at(t)) = weights.loads[t][k];
  }
}

VectorXd SharedCriterion::kept_of(std::span<const double> n) const {
  VectorXd g(own_.size());
  for (Index k = 0; k < g.size(); ++k)
    g[k] = 1 / (1 + (n[static_cast<std::size_t>(k)] + credit_[k]) * tau_[k] * own_[k]);
  return g;
}

SharedCriterion::Place SharedCriterion::place(std::span<const double> n) const {
  Place here;
  here.g = kept_of(n);
  const Index q = loading_.rows();
  MatrixXd information = MatrixXd::Identity(q, q);
  std::vector<Index> seen;
  for (Index k = 0; k < own_.size(); ++k) {
    if ((n[static_cast<std::size_t>(k)] + credit_[k]) * tau_[k] > 0) seen.push_back(k);
  }
  MatrixXd scaled(q, at(seen.size()));
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const Index k = seen[i];
    const double w = (n[static_cast<std::size_t>(k)] + credit_[k]) * tau_[k] * here.g[k];
    scaled.col(at(i)) = std::sqrt(w) * loading_.col(k);
  }
  if (!seen.empty()) information.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
  const Eigen::LLT<MatrixXd> factor(information);
  here.root = factor.matrixL();
  const MatrixXd weighed = here.g.asDiagonal() * load_;
  const MatrixXd h = loading_ * weighed;
  here.x = factor.solve(h);
  here.spread = own_.asDiagonal() * weighed;
  here.value = load_.cwiseProduct(here.spread).sum() + h.cwiseProduct(here.x).sum();
  here.spread += here.g.asDiagonal() * (loading_.transpose() * here.x);
  return here;
}

// As place(), without what only derivatives need.
double SharedCriterion::reward_value(std::span<const double> n) const {
  return load_.cols() == 0 ? 0 : place(n).value;
}

double SharedCriterion::value(std::span<const double> n) const {
  return reward_value(n) + transitions_->value(n);
}

double SharedCriterion::derivatives(std::span<const double> n, std::span<double> gradient,
                                    std::span<double> curvature) const {
  const double transitions = transitions_->derivatives(n, gradient, curvature);
  const Place here = place(n);
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    const double squares = here.spread.row(at(k)).squaredNorm();
    gradient[k] -= tau_[at(k)] * squares;
    if (!curvature.empty())
      curvature[k] += 2 * tau_[at(k)] * tau_[at(k)] * own_[at(k)] * here.g[at(k)] * squares;
  }
  return transitions + here.value;
}

std::vector<double> SharedCriterion::shared_curvature(
    std::span<const double> n, std::span<const std::span<const double>> directions) const {
  const Place here = place(n);
  const Index m = at(directions.size());
  MatrixXd along(own_.size(), m);
  for (Index i = 0; i < m; ++i) {
    for (Index k = 0; k < own_.size(); ++k)
      along(k, i) =
          tau_[k] * here.g[k] * directions[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  }
  // 2 sum_t Y_t'Y_t with Y_t = L^-1 U' diag(g C_t tau) D, for directions D
  const MatrixXd whitened = here.root.triangularView<Eigen::Lower>().solve(loading_);
  MatrixXd bend = MatrixXd::Zero(m, m);
  for (Index t = 0; t < load_.cols(); ++t) {
    const MatrixXd y = whitened * (here.spread.col(t).asDiagonal() * along);
    bend.selfadjointView<Eigen::Lower>().rankUpdate(y.transpose(), 2);
  }
  bend = MatrixXd(bend.selfadjointView<Eigen::Lower>());
  return {bend.data(), bend.data() + bend.size()};
}

SharedCriterion::AroundCounts::AroundCounts(const SharedCriterion& all, std::span<const double> n)
    : all_(all),
      counts_(Eigen::Map<const VectorXd>(n.data(), at(n.size()))),
      now_(all.place(n)),
      left_(now_.root.triangularView<Eigen::Lower>().solve(all.loading_ * now_.g.asDiagonal())),
      transitions_(all.transitions_->around(n)) {}

// With P_S the covariance of the changed pairs now, D = diag(tau (after - now)) and C_S their covariances
// with the targets, Woodbury gives the change as -sum_t C_tS' (D^-1 + P_S)^-1 C_tS, written without D^-1:
// -C_tS' D (I + P_S D)^-1 C_tS.
double SharedCriterion::AroundCounts::change(std::span<const std::int32_t> pairs,
                                             std::span<const double> after) const {
  const Index m = at(pairs.size());
  MatrixXd joint(m, m), spread(m, all_.load_.cols());
  VectorXd more(m);
  for (Index i = 0; i < m; ++i) {
    const Index k = pairs[static_cast<std::size_t>(i)];
    more[i] = all_.tau_[k] * (after[static_cast<std::size_t>(i)] - counts_[k]);
    spread.row(i) = now_.spread.row(k);
    for (Index j = 0; j <= i; ++j) {
      const Index l = pairs[static_cast<std::size_t>(j)];
      joint(i, j) = joint(j, i) = left_.col(k).dot(left_.col(l)) + (i == j ? all_.own_[k] * now_.g[k] : 0);
    }
  }
  const double transitions = transitions_->change(pairs, after);
  if (spread.cols() == 0) return transitions;
  const MatrixXd inside = MatrixXd::Identity(m, m) + joint * more.asDiagonal();
  const MatrixXd solved = inside.partialPivLu().solve(spread);
  return transitions - (more.asDiagonal() * solved).cwiseProduct(spread).sum();
}

std::unique_ptr<const Criterion::Around> SharedCriterion::around(std::span<const double> n) const {
  return std::make_unique<AroundCounts>(*this, n);
}

void SharedCriterion::worth_of_one_more(std::span<const double> n, std::span<double> worth) const {
  transitions_->worth_of_one_more(n, worth);
  const Place here = place(n);
  const MatrixXd left = here.root.triangularView<Eigen::Lower>().solve(loading_ * here.g.asDiagonal());
  for (Index k = 0; k < own_.size(); ++k) {
    const double variance = own_[k] * here.g[k] + left.col(k).squaredNorm();
    worth[static_cast<std::size_t>(k)] +=
        tau_[k] * here.spread.row(k).squaredNorm() / (1 + tau_[k] * variance);
  }
}

std::vector<std::int32_t> SharedCriterion::relevant() const {
  std::vector<double> gradient(size());
  derivatives(std::vector<double>(size(), 0.0), gradient, {});
  std::vector<std::int32_t> result;
  for (std::size_t k = 0; k < size(); ++k) {
    if (gradient[k] != 0) result.push_back(static_cast<std::int32_t>(k));
  }
  return result;
}

std::vector<double> SharedCriterion::reward_contributions(std::span<const double> n) const {
  const VectorXd parts = load_.cwiseProduct(place(n).spread).rowwise().sum();
  return {parts.begin(), parts.end()};
}

std::vector<double> SharedCriterion::contributions(std::span<const double> n) const {
  std::vector<double> parts = transitions_->contributions(n);
  const std::vector<double> rewards = reward_contributions(n);
  for (std::size_t k = 0; k < parts.size(); ++k) parts[k] += rewards[k];
  return parts;
}

// What observations of this pair or any other can reduce: where nothing can be observed at all, nothing.
std::vector<double> SharedCriterion::reducible(std::span<const double> n) const {
  std::vector<double> parts = transitions_->reducible(n);
  if (tau_.maxCoeff() == 0) return parts;
  const std::vector<double> rewards = reward_contributions(n);
  for (std::size_t k = 0; k < parts.size(); ++k) parts[k] += rewards[k];
  return parts;
}

class SharedPairs final : public Dependence {
 public:
  explicit SharedPairs(belief::SharedErrors left) : left_(std::move(left)) {}

  bool needs_loads() const override { return true; }
  std::shared_ptr<const Criterion> criterion(const PvvWeights& weights, const Precision& precision,
                                             Block block, std::span<const double> credit) const override {
    return std::make_shared<SharedCriterion>(left_, weights, precision, block, credit);
  }

  Terms terms(const PvvWeights& weights, const Precision& precision,
              std::span<const double> counts) const override {
    Terms result = independent_pairs()->terms(weights, precision, counts);
    const std::vector<double> none(weights.transition.size(), 0.0);
    const SharedCriterion rewards(left_, weights, precision, Block::rewards, {});
    result.reward = rewards.reward_contributions(counts.empty() ? none : counts);
    return result;
  }

 private:
  belief::SharedErrors left_;
};

}  // namespace

std::shared_ptr<const Dependence> shared_pairs(belief::SharedErrors left) {
  return std::make_shared<SharedPairs>(std::move(left));
}

}  // namespace mindgap::gap
