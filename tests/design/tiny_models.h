#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "mdp/random_models.h"
#include "mindgap/design/constraints.h"
#include "mindgap/design/objective.h"
#include "mindgap/design/occupancy.h"

// Small problems, and independent oracles for designs on models small enough to list every policy of.
namespace mindgap::design {

inline gap::Precision prior_of(const mdp::Mdp& mdp, double variance, double tau, double alpha) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return {std::vector<double>(pairs, variance), std::vector<double>(pairs, tau),
          std::vector<double>(pairs, alpha)};
}

/// A model of 2 or 3 states and steps with two groups, and random weights and priors.
struct Small {
  explicit Small(std::uint64_t seed) {
    const auto states = static_cast<std::int32_t>(2 + seed % 2), actions = 2;
    steps = states == 2 ? 3 : 2;
    mdp::MdpArrays arrays = mdp::random_arrays(
        seed, {.states = states, .actions = actions, .successors = 2, .all_actions = true});
    arrays.labels.groups = mdp::NameTable({"A", "B"});
    arrays.labels.group_of_state.assign(static_cast<std::size_t>(states), 0);
    arrays.labels.group_of_state[0] = 1;
    mdp = std::make_unique<mdp::Mdp>(std::move(arrays));
    std::vector<double> positions(static_cast<std::size_t>(states), 0.0);
    positions[0] = 2;
    positions[1] = 1;
    pilot = finite_occupancies(*mdp, positions, steps);
    const auto pairs = static_cast<std::size_t>(mdp->pairs());
    gap::PvvWeights weights;
    for (std::size_t k = 0; k < pairs; ++k) {
      weights.reward.push_back(1 + std::sin(static_cast<double>(seed + 3 * k)));
      weights.transition.push_back(.2 * (1 + std::cos(static_cast<double>(2 * seed + k))));
      cost.push_back(1.5 + std::sin(static_cast<double>(5 * seed + 2 * k)));
    }
    objective = std::make_unique<Objective>(weights, prior_of(*mdp, .5, 2, 3));
  }
  std::int64_t steps;
  std::unique_ptr<mdp::Mdp> mdp;
  std::unique_ptr<Occupancy> pilot;
  std::unique_ptr<Objective> objective;
  std::vector<double> cost;
};

/// The counts and step visits of every time-dependent deterministic policy.
struct Enumerated {
  std::vector<std::vector<double>> counts, visits;
};

inline Enumerated enumerate_policies(const Occupancy& pilot) {
  const mdp::Mdp& mdp = pilot.mdp();
  const auto states = static_cast<std::size_t>(mdp.states());
  const std::size_t places = states * static_cast<std::size_t>(pilot.steps());
  std::vector<std::int32_t> pair(places);
  for (std::size_t i = 0; i < places; ++i) pair[i] = mdp.pair_begin()[i % states];
  Enumerated result;
  while (true) {
    std::vector<double> counts(mdp.reward().size(), 0.0), visits(places, 0.0);
    std::vector<double> now(pilot.positions().begin(), pilot.positions().end());
    for (std::size_t i = 0; i < places; i += states) {
      std::vector<double> next(states, 0.0);
      for (std::size_t s = 0; s < states; ++s) {
        const std::int32_t k = pair[i + s];
        visits[i + s] = now[s];
        counts[k] += now[s];
        for (std::int64_t e = mdp.row_begin()[k]; e < mdp.row_begin()[k + 1]; ++e) {
          next[mdp.next_state()[e]] += now[s] * mdp.probability()[e];
        }
      }
      now = next;
    }
    result.counts.push_back(counts);
    result.visits.push_back(visits);
    std::size_t i = 0;
    while (i < places && ++pair[i] == mdp.pair_begin()[i % states + 1]) {
      pair[i] = mdp.pair_begin()[i % states];
      ++i;
    }
    if (i == places) return result;
  }
}

/// One row per constraint (capacities: per step) and policy.
inline std::vector<std::vector<double>> rows_of(const Occupancy& pilot, const Enumerated& all,
                                                const Constraints& constraints, std::vector<double>& bounds) {
  std::vector<std::vector<double>> rows;
  for (const LinearConstraint& row : constraints.linear) {
    rows.emplace_back();
    bounds.push_back(row.bound);
    for (const auto& n : all.counts) {
      double sum = 0;
      for (std::size_t i = 0; i < row.pair.size(); ++i) sum += row.coefficient[i] * n[row.pair[i]];
      rows.back().push_back(sum);
    }
  }
  const auto states = static_cast<std::size_t>(pilot.mdp().states());
  for (const Capacity& capacity : constraints.capacity) {
    for (std::size_t step = 0; step < static_cast<std::size_t>(pilot.steps()); ++step) {
      rows.emplace_back();
      bounds.push_back(capacity.units);
      for (const auto& v : all.visits) {
        rows.back().push_back(v[step * states + static_cast<std::size_t>(capacity.state)]);
      }
    }
  }
  return rows;
}

struct OracleResult {
  double value = 0;      // f of a mixture of policies that may miss rows by `violation`
  double violation = 0;  // largest, in the rows' units
};

/// min f over mixtures w of all policies by the logarithmic barrier (Boyd and Vandenberghe 2004,
/// section 11.3):
///   f(N w) + M t - mu (sum log w + log t + sum log(b + t - A w)),  sum w = 1,  mu to 1e-10,
/// within mu times the number of logarithms of the minimum; M t is an exact penalty.
class Oracle {
 public:
  Oracle(const Objective& objective, const Enumerated& all, const std::vector<std::vector<double>>& rows,
         const std::vector<double>& bounds)
      : objective_(objective), m_(static_cast<Eigen::Index>(all.counts.size())) {
    counts_.resize(static_cast<Eigen::Index>(objective.size()), m_);
    rows_.resize(static_cast<Eigen::Index>(rows.size()), m_);
    bounds_ = Eigen::Map<const Eigen::VectorXd>(bounds.data(), rows_.rows());
    for (Eigen::Index j = 0; j < m_; ++j) {
      for (Eigen::Index k = 0; k < counts_.rows(); ++k) counts_(k, j) = all.counts[j][k];
      for (Eigen::Index i = 0; i < rows_.rows(); ++i) rows_(i, j) = rows[i][j];
    }
  }

  OracleResult solve() {
    x_ = Eigen::VectorXd::Constant(m_ + 1, 1.0 / static_cast<double>(m_));
    x_[m_] = 1 + (rows_.rows() > 0 ? std::max(0.0, (rows_ * x_.head(m_) - bounds_).maxCoeff()) : 0.0);
    for (mu_ = 1; mu_ > 1e-10; mu_ /= 4) {
      for (int i = 0; i < 60 && newton(); ++i) {
      }
    }
    OracleResult result{objective_.value(n(x_)), 0};
    if (rows_.rows() > 0) result.violation = (rows_ * x_.head(m_) - bounds_).maxCoeff();
    return result;
  }

 private:
  static constexpr double kPenalty = 1e3;

  std::vector<double> n(const Eigen::VectorXd& x) const {
    const Eigen::VectorXd sum = counts_ * x.head(m_);
    return {sum.begin(), sum.end()};
  }
  Eigen::VectorXd room(const Eigen::VectorXd& x) const {
    return (bounds_ - rows_ * x.head(m_)).array() + x[m_];
  }
  double barrier(const Eigen::VectorXd& x) const {
    if (x.minCoeff() <= 0 || (rows_.rows() > 0 && room(x).minCoeff() <= 0)) return INFINITY;
    return objective_.value(n(x)) + kPenalty * x[m_] -
           mu_ * (x.array().log().sum() + room(x).array().log().sum());
  }

  bool newton() {
    const std::vector<double> at = n(x_);
    std::vector<double> slope(at.size()), bend(at.size());
    objective_.derivatives(at, slope, bend);
    const auto pairs = static_cast<Eigen::Index>(at.size());
    Eigen::MatrixXd wide(rows_.rows(), m_ + 1);  // of b + t - A w
    wide << -rows_, Eigen::VectorXd::Ones(rows_.rows());
    const Eigen::VectorXd inverse = room(x_).cwiseInverse();
    Eigen::VectorXd gradient = -mu_ * (x_.cwiseInverse() + wide.transpose() * inverse);
    gradient.head(m_) += counts_.transpose() * Eigen::Map<Eigen::VectorXd>(slope.data(), pairs);
    gradient[m_] += kPenalty;
    Eigen::MatrixXd kkt = Eigen::MatrixXd::Zero(m_ + 2, m_ + 2);
    kkt.topLeftCorner(m_ + 1, m_ + 1) = mu_ * wide.transpose() * inverse.cwiseAbs2().asDiagonal() * wide;
    kkt.topLeftCorner(m_, m_) +=
        counts_.transpose() * Eigen::Map<Eigen::VectorXd>(bend.data(), pairs).asDiagonal() * counts_;
    kkt.diagonal().head(m_ + 1) += mu_ * x_.cwiseInverse().cwiseAbs2();
    kkt.col(m_ + 1).head(m_).setOnes();
    kkt.row(m_ + 1).head(m_).setOnes();
    Eigen::VectorXd right = Eigen::VectorXd::Zero(m_ + 2);
    right.head(m_ + 1) = -gradient;
    const Eigen::VectorXd step = kkt.partialPivLu().solve(right).head(m_ + 1);
    const double fall = -gradient.dot(step), here = barrier(x_);
    double t = 1;
    while (t > 1e-12 && !(barrier(x_ + t * step) <= here - .1 * t * fall)) t /= 2;
    if (t > 1e-12) x_ += t * step;
    return t > 1e-12 && fall > 1e-3 * mu_;
  }

  const Objective& objective_;
  Eigen::Index m_;
  Eigen::MatrixXd counts_, rows_;
  Eigen::VectorXd bounds_, x_;
  double mu_ = 1;
};

}  // namespace mindgap::design
