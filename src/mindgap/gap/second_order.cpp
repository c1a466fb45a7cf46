#include "mindgap/gap/second_order.h"

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "mindgap/base/error.h"

namespace mindgap::gap {
namespace {

using Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// One row of the belief's mean that the target uses.
struct UsedRow {
  std::int32_t pair;
  double share;     // pi(a|s)
  double strength;  // alpha; infinite where the row is known
};

class Expansion {
 public:
  Expansion(const belief::Belief& belief, const mdp::Policy& target)
      : mdp_(belief.mean()), states_(mdp_.states()), discount_(mdp_.discount()), used_(states_) {
    const std::vector<double> pi = target.probability_of_pair(mdp_);
    const std::vector<double> variance = belief.reward_variances(), strength = belief.transition_strengths();
    MatrixXd system = MatrixXd::Identity(states_, states_);
    Vector reward = Vector::Zero(states_), start(states_);
    reward_variance_ = Vector::Zero(states_);
    for (std::int32_t s = 0; s < states_; ++s) {
      start[s] = mdp_.start()[s];
      for (const std::int32_t k : mdp_.pairs_of(s)) {
        if (pi[k] == 0) continue;
        used_[static_cast<std::size_t>(s)].push_back({k, pi[k], strength[k]});
        reward[s] += pi[k] * mdp_.reward()[k];
        reward_variance_[s] += pi[k] * pi[k] * variance[k];
        for (const std::int64_t i : mdp_.entries_of(k))
          system(s, mdp_.next_state()[i]) -= discount_ * pi[k] * mdp_.probability()[i];
      }
    }
    resolvent_ = system.partialPivLu().inverse();
    value_ = resolvent_ * reward;
    visitation_ = (1 - discount_) * (start.transpose() * resolvent_).transpose();
  }

  SecondOrder run() {
    MatrixXd covariance = MatrixXd::Zero(states_, states_);  // Cov(E_ut, g_1(u))
    Vector v = reward_variance_;
    for (std::int32_t u = 0; u < states_; ++u) {
      const Vector times = times_covariance(u, value_);
      covariance.row(u) = discount_ * times.transpose();
      v[u] += discount_ * discount_ * times.dot(value_);
    }
    const MatrixXd k = covariance * resolvent_;
    const MatrixXd g = resolvent_ * v.asDiagonal() * resolvent_.transpose();
    const MatrixXd weighted = visitation_.asDiagonal() * resolvent_;
    const MatrixXd q = resolvent_.transpose() * weighted;
    const MatrixXd gdr = g * weighted;
    SecondOrder result;
    double trace = 0, crossed = 0, chained = 0, mixed = 0;
    for (std::int32_t u = 0; u < states_; ++u) {
      const Vector column = resolvent_.col(u);
      result.first += q(u, u) * v[u];
      result.skewness += 2 * discount_ * q(u, u) * third_moment(u, column);
      trace += q(u, u) * trace_with(u, g);
      crossed += q.row(u).cwiseProduct(k.row(u)).dot(k.col(u).transpose());
      chained += q(u, u) * k.row(u).dot(k.diagonal().transpose());
      mixed += times_covariance(u, column).dot(gdr.col(u));
      result.mean_shift += discount_ * weighted.col(u).sum() * k(u, u);
    }
    result.curvature = discount_ * discount_ * (trace + 3 * crossed + 2 * chained + 2 * mixed);
    result.total = result.first + result.skewness + result.curvature;
    return result;
  }

 private:
  // C_u x: sum over the pairs of pi^2 (p o x - p p'x) / (alpha + 1).
  Vector times_covariance(std::int32_t u, const Vector& x) const {
    Vector result = Vector::Zero(states_);
    for (const UsedRow& row : used_[static_cast<std::size_t>(u)]) {
      if (!std::isfinite(row.strength)) continue;
      const double scale = row.share * row.share / (row.strength + 1), mean = mean_of(row, x);
      for (const std::int64_t i : mdp_.entries_of(row.pair)) {
        const std::int32_t t = mdp_.next_state()[i];
        result[t] += scale * mdp_.probability()[i] * (x[t] - mean);
      }
    }
    return result;
  }

  double mean_of(const UsedRow& row, const Vector& x) const {
    double mean = 0;
    for (const std::int64_t i : mdp_.entries_of(row.pair))
      mean += mdp_.probability()[i] * x[mdp_.next_state()[i]];
    return mean;
  }

  // E[(g E V)^2 (E h)] of the target's row at u.
  double third_moment(std::int32_t u, const Vector& h) const {
    double sum = 0;
    for (const UsedRow& row : used_[static_cast<std::size_t>(u)]) {
      if (!std::isfinite(row.strength)) continue;
      const double of_value = mean_of(row, value_), of_h = mean_of(row, h);
      double central = 0;
      for (const std::int64_t i : mdp_.entries_of(row.pair)) {
        const std::int32_t t = mdp_.next_state()[i];
        const double off = discount_ * (value_[t] - of_value);
        central += mdp_.probability()[i] * off * off * (h[t] - of_h);
      }
      sum += row.share * row.share * row.share * 2 * central / ((row.strength + 1) * (row.strength + 2));
    }
    return sum;
  }

  // tr(C_u G).
  double trace_with(std::int32_t u, const MatrixXd& g) const {
    double sum = 0;
    for (const UsedRow& row : used_[static_cast<std::size_t>(u)]) {
      if (!std::isfinite(row.strength)) continue;
      double diagonal = 0, full = 0;
      for (const std::int64_t i : mdp_.entries_of(row.pair)) {
        const std::int32_t t = mdp_.next_state()[i];
        diagonal += mdp_.probability()[i] * g(t, t);
        for (const std::int64_t j : mdp_.entries_of(row.pair))
          full += mdp_.probability()[i] * mdp_.probability()[j] * g(t, mdp_.next_state()[j]);
      }
      sum += row.share * row.share * (diagonal - full) / (row.strength + 1);
    }
    return sum;
  }

  const mdp::Mdp mdp_;
  const std::int32_t states_;
  const double discount_;
  std::vector<std::vector<UsedRow>> used_;  // by state
  MatrixXd resolvent_;
  Vector reward_variance_, value_, visitation_;
};

}  // namespace

std::optional<SecondOrder> second_order_variance(const belief::Belief& belief, const mdp::Policy& target) {
  if (belief.simulator().discount() == 1)
    throw InvalidArgument("second_order_variance: discount is 1, but must be below 1");
  if (belief.simulator().states() > kSecondOrderStates || belief.learns_jointly()) return std::nullopt;
  return Expansion(belief, target).run();
}

}  // namespace mindgap::gap
