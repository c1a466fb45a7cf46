#include "mindgap/gap/instrument.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/belief/belief.h"
#include "mindgap/stats/multiple_testing.h"

namespace mindgap::gap {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using mdp::Mdp;
using mdp::ObservationLog;

struct InstrumentRow {
  std::int32_t row, unit, state, pair, value;  // value: of the instrument
  double reward;
};

double two_sided(double z) {
  return std::min(1.0, std::erfc(std::abs(z) / std::sqrt(2.0)));
}

// Numbers of what occurs, 0, 1, ..., in ascending order.
std::map<std::int32_t, Index> numbered(const std::vector<InstrumentRow>& rows,
                                       std::int32_t (*key)(const Mdp&, const InstrumentRow&),
                                       const Mdp& mdp) {
  std::map<std::int32_t, Index> numbers;
  for (const InstrumentRow& row : rows) numbers.emplace(key(mdp, row), 0);
  Index next = 0;
  for (auto& [what, number] : numbers) number = next++;
  return numbers;
}

// Two-stage least squares over the states of `rows`; effects of actions are shared by them.
class TwoStage {
 public:
  TwoStage(const Mdp& mdp, const std::vector<InstrumentRow>& rows)
      : mdp_(mdp),
        rows_(rows),
        actions_(numbered(
            rows, [](const Mdp& m, const InstrumentRow& r) { return m.pair_action()[r.pair]; }, mdp)),
        values_(numbered(
            rows, [](const Mdp&, const InstrumentRow& r) { return r.value; }, mdp)),
        states_(numbered(
            rows, [](const Mdp&, const InstrumentRow& r) { return r.state; }, mdp)),
        clusters_(numbered(
            rows, [](const Mdp&, const InstrumentRow& r) { return r.unit; }, mdp)),
        by_unit_(static_cast<std::int64_t>(clusters_.size()) >= kUnitsOfErrors) {
    if (!by_unit_)
      clusters_ = numbered(
          rows, [](const Mdp&, const InstrumentRow& r) { return r.row; }, mdp);
    if (actions_.size() < 2 || values_.size() < actions_.size()) return;
    centre();
    fit();
  }

  bool identified() const { return identified_; }
  double first_stage() const { return first_stage_; }

  // Of one pair, plain mean and estimate; `rows` are those of its state.
  InstrumentPair pair(std::int32_t k, const std::vector<InstrumentRow>& rows) const {
    const Index s = states_.at(mdp_.state_of_pair(k));
    InstrumentPair one{.pair = k, .first_stage = first_stage_};
    one.weak = first_stage_ < kWeakInstrument;
    one.by_unit = by_unit_;
    double sum = 0;
    for (const InstrumentRow& row : rows) {
      if (row.pair == k) sum += row.reward, ++one.rows;
    }
    one.mean = sum / static_cast<double>(one.rows);
    const VectorXd off = action(mdp_.pair_action()[k]) - mean_action_.col(s);
    one.estimate = mean_reward_(s) + beta_.dot(off);
    one.confounding = one.mean - one.estimate;
    // What each cluster adds to the estimate beyond beta's part, and to the plain mean.
    std::map<std::int32_t, std::pair<double, double>> added;
    for (const InstrumentRow& row : rows) {
      auto& [level, plain] = added[cluster(row)];
      level += residual(row, s) / count_(s);
      if (row.pair == k) plain += (row.reward - one.mean) / static_cast<double>(one.rows);
    }
    double of_estimate = off.dot(spread_ * off), of_difference = of_estimate;
    for (const auto& [which, parts] : added) {
      const double shared = off.dot(influence_.col(clusters_.at(which)));
      const double other = parts.first - parts.second;
      of_estimate += parts.first * (parts.first + 2 * shared);
      of_difference += other * (other + 2 * shared);
    }
    const auto clusters = static_cast<double>(clusters_.size());
    const double few = clusters / (clusters - 1);
    one.estimate_error = std::sqrt(std::max(0.0, few * of_estimate));
    one.standard_error = std::sqrt(std::max(0.0, few * of_difference));
    if (one.standard_error > 0) one.p_value = two_sided(one.confounding / one.standard_error);
    return one;
  }

 private:
  std::int32_t cluster(const InstrumentRow& row) const { return by_unit_ ? row.unit : row.row; }
  // Dummies, without the first of each.
  VectorXd action(std::int32_t a) const {
    return dummy(actions_.at(a), static_cast<Index>(actions_.size()) - 1);
  }
  VectorXd value(std::int32_t z) const {
    return dummy(values_.at(z), static_cast<Index>(values_.size()) - 1);
  }
  static VectorXd dummy(Index number, Index size) {
    VectorXd one = VectorXd::Zero(size);
    if (number > 0) one(number - 1) = 1;
    return one;
  }
  VectorXd x(const InstrumentRow& row) const {
    return action(mdp_.pair_action()[row.pair]) - mean_action_.col(states_.at(row.state));
  }
  VectorXd z(const InstrumentRow& row) const {
    return value(row.value) - mean_value_.col(states_.at(row.state));
  }
  double residual(const InstrumentRow& row, Index s) const {
    return row.reward - mean_reward_(s) - beta_.dot(x(row));
  }

  void centre() {
    const auto states = static_cast<Index>(states_.size());
    mean_action_ = MatrixXd::Zero(static_cast<Index>(actions_.size()) - 1, states);
    mean_value_ = MatrixXd::Zero(static_cast<Index>(values_.size()) - 1, states);
    mean_reward_ = count_ = VectorXd::Zero(states);
    for (const InstrumentRow& row : rows_) {
      const Index s = states_.at(row.state);
      count_(s) += 1;
      mean_reward_(s) += row.reward;
      mean_action_.col(s) += action(mdp_.pair_action()[row.pair]);
      mean_value_.col(s) += value(row.value);
    }
    for (Index s = 0; s < states; ++s) {
      mean_reward_(s) /= count_(s);
      mean_action_.col(s) /= count_(s);
      mean_value_.col(s) /= count_(s);
    }
  }

  void fit() {
    const Index actions = mean_action_.rows(), values = mean_value_.rows();
    MatrixXd zz = MatrixXd::Zero(values, values), zx = MatrixXd::Zero(values, actions),
             xx = MatrixXd::Zero(actions, actions);
    VectorXd zr = VectorXd::Zero(values);
    for (const InstrumentRow& row : rows_) {
      const VectorXd of_x = x(row), of_z = z(row);
      zz += of_z * of_z.transpose();
      zx += of_z * of_x.transpose();
      xx += of_x * of_x.transpose();
      zr += of_z * (row.reward - mean_reward_(states_.at(row.state)));
    }
    const Eigen::LDLT<MatrixXd> solver(zz);
    if (!is_regular(zz)) return;
    const MatrixXd first = solver.solve(zx);  // first stage: coefficients of actions on the instrument
    const MatrixXd moved = zx.transpose() * first;
    if (!is_regular(moved)) return;
    identified_ = true;
    const MatrixXd bread = moved.inverse();
    beta_ = bread * (first.transpose() * zr);
    influence_ = MatrixXd::Zero(actions, static_cast<Index>(clusters_.size()));
    for (const InstrumentRow& row : rows_) {
      const double u = residual(row, states_.at(row.state));
      influence_.col(clusters_.at(cluster(row))) += bread * (first.transpose() * z(row)) * u;
    }
    spread_ = influence_ * influence_.transpose();
    const auto freedom =
        static_cast<double>(rows_.size()) - static_cast<double>(values) - static_cast<double>(states_.size());
    if (freedom <= 0) return;  // F stays 0: weak
    first_stage_ = std::min(cragg_donald(moved, (xx - moved) / freedom), robust(solver, first));
  }

  static bool is_regular(const MatrixXd& matrix) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(matrix);
    return eigen.eigenvalues()(0) > 1e-9 * std::max(1.0, eigen.eigenvalues().maxCoeff());
  }

  // Smallest eigenvalue of what the instrument explains of actions against what it does not.
  double cragg_donald(const MatrixXd& moved, MatrixXd left) const {
    left.diagonal().array() += 1e-12;  // where actions follow the instrument exactly
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(moved, left);
    return eigen.eigenvalues()(0) / static_cast<double>(mean_value_.rows());
  }

  // The smallest over actions of Wald's statistic that the instrument moves it, over its number of values but
  // one, with errors by cluster.
  double robust(const Eigen::LDLT<MatrixXd>& solver, const MatrixXd& first) const {
    const Index values = mean_value_.rows();
    double least = std::numeric_limits<double>::infinity();
    for (Index a = 0; a < first.cols(); ++a) {
      MatrixXd score = MatrixXd::Zero(values, static_cast<Index>(clusters_.size()));
      for (const InstrumentRow& row : rows_) {
        const VectorXd of_z = z(row);
        score.col(clusters_.at(cluster(row))) += of_z * (x(row)(a) - first.col(a).dot(of_z));
      }
      const MatrixXd part = solver.solve(score);
      MatrixXd covariance = part * part.transpose();
      covariance.diagonal().array() += 1e-15;
      const VectorXd gamma = first.col(a);
      least = std::min(least, gamma.dot(covariance.ldlt().solve(gamma)) / static_cast<double>(values));
    }
    return least;
  }

  const Mdp& mdp_;
  const std::vector<InstrumentRow>& rows_;
  std::map<std::int32_t, Index> actions_, values_, states_, clusters_;
  bool by_unit_ = false;
  MatrixXd mean_action_, mean_value_;  // a column per state
  VectorXd mean_reward_, count_;       // per state
  bool identified_ = false;
  VectorXd beta_;
  MatrixXd influence_;  // on beta, a column per cluster
  MatrixXd spread_;     // of beta
  double first_stage_ = 0;
};

// Rows with a reward and a value of the instrument, by state.
std::map<std::int32_t, std::vector<InstrumentRow>> rows_by_state(const Mdp& simulator,
                                                                 const ObservationLog& history) {
  std::map<std::int32_t, std::vector<InstrumentRow>> rows;
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (!history.has_plain_reward(i) || history.instrument[i] == ObservationLog::kNoInstrument) continue;
    const std::int32_t state = simulator.state_of_pair(history.pair[i]);
    rows[state].push_back({static_cast<std::int32_t>(i), history.unit[i], state, history.pair[i],
                           history.instrument[i], history.reward[i]});
  }
  return rows;
}

void add_drift(const Mdp& simulator, const ObservationLog& pilot, std::span<const double> variance,
               InstrumentTest& test) {
  std::vector<belief::SampleSummary> seen(static_cast<std::size_t>(simulator.pairs()));
  for (std::size_t i = 0; i < pilot.size(); ++i) {
    if (pilot.has_plain_reward(i)) add(seen[static_cast<std::size_t>(pilot.pair[i])], pilot.reward[i]);
  }
  for (InstrumentPair& one : test.pairs) {
    const belief::SampleSummary& there = seen[static_cast<std::size_t>(one.pair)];
    if (there.count <= 0) continue;
    one.drift = one.estimate - there.mean;
    one.drift_error =
        std::hypot(one.estimate_error, std::sqrt(variance[static_cast<std::size_t>(one.pair)] / there.count));
  }
}

}  // namespace

InstrumentTest instrument_test(const Mdp& simulator, const ObservationLog& history,
                               std::span<const double> variance, const ObservationLog* pilot) {
  if (history.instrument.empty()) throw InvalidArgument("instrument_test: the log has no instrument");
  base::check_size("instrument_test", "variance", variance.size(),
                   static_cast<std::size_t>(simulator.pairs()));
  InstrumentTest test;
  for (std::int32_t z = 0; z < history.instruments.size(); ++z)
    test.values.emplace_back(history.instruments[z]);
  const auto of_state = rows_by_state(simulator, history);
  std::vector<InstrumentRow> all;
  for (const auto& [state, rows] : of_state) all.insert(all.end(), rows.begin(), rows.end());
  test.rows = static_cast<std::int64_t>(all.size());
  const TwoStage together(simulator, all);
  std::vector<double> p;
  for (const auto& [state, rows] : of_state) {
    const TwoStage alone(simulator, rows);
    const bool own = alone.identified() && alone.first_stage() >= kWeakInstrument &&
                     static_cast<std::int64_t>(rows.size()) >= kOwnRows;
    const bool pool = !own && together.identified() && of_state.size() > 1;
    std::map<std::int32_t, std::int64_t> count;
    for (const InstrumentRow& row : rows) ++count[row.pair];
    for (const auto& [pair, times] : count) {
      if (times < 2) continue;
      // A state in which one thing was done shows no confounding, whatever moves actions elsewhere.
      if ((!pool && !alone.identified()) || count.size() < 2) {
        ++test.not_identified;
        continue;
      }
      InstrumentPair one = (pool ? together : alone).pair(pair, rows);
      one.pooled = pool;
      test.weak += one.weak ? 1 : 0;
      test.pooled += pool ? 1 : 0;
      p.push_back(one.p_value);
      test.pairs.push_back(one);
    }
  }
  const std::vector<double> adjusted = stats::bonferroni(p);
  for (std::size_t i = 0; i < adjusted.size(); ++i) test.pairs[i].bonferroni = adjusted[i];
  if (pilot != nullptr) add_drift(simulator, *pilot, variance, test);
  return test;
}

}  // namespace mindgap::gap
