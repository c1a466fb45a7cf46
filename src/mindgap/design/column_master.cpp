#include "mindgap/design/column_master.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mindgap::design {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kNoWeight = 1e-11;      // smaller weights are rounding of the interior point
constexpr double kRowTolerance = 1e-11;  // by which a row may be missed, in its own units
constexpr int kNewtonSteps = 100;

bool contains(const std::vector<std::size_t>& list, std::size_t i) {
  return std::find(list.begin(), list.end(), i) != list.end();
}

Index index(std::size_t i) {
  return static_cast<Index>(i);
}

bool same(const Corner& a, const Corner& b, double tolerance) {
  for (std::size_t k = 0; k < a.counts.size(); ++k) {
    if (std::abs(a.counts[k] - b.counts[k]) > tolerance) return false;
  }
  return true;
}

bool same(std::span<const double> a, std::span<const double> b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i] - b[i]) > 1e-13) return false;
  }
  return true;
}

}  // namespace

ColumnMaster::ColumnMaster(const ConstraintRows& rows, std::vector<std::int32_t> relevant)
    : rows_(rows),
      relevant_(std::move(relevant)),
      bound_(rows.bounds().begin(), rows.bounds().end()),
      multiplier_(rows.rows()) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (!rows.is_lazy(i)) active_.push_back(i);
  }
}

bool ColumnMaster::add(Corner corner) {
  std::vector<double> left = rows_.left(corner);
  const double tolerance = 1e-13 * rows_.pilot().budget();
  for (std::size_t j = 0; j < corners_.size(); ++j) {
    if (same(corners_[j], corner, tolerance) && same(left_[j], left)) return false;
  }
  const Index column = index(corners_.size());
  if (column == counts_.cols()) counts_.conservativeResize(index(relevant_.size()), 2 * column + 8);
  for (std::size_t i = 0; i < relevant_.size(); ++i) counts_(index(i), column) = corner.counts[relevant_[i]];
  weight_.push_back(corners_.empty() ? 1 : 0);
  corners_.push_back(std::move(corner));
  left_.push_back(std::move(left));
  return true;
}

std::vector<double> ColumnMaster::counts() const {
  return mixture(weight_vector());
}

std::vector<double> ColumnMaster::mixture(const VectorXd& weights) const {
  std::vector<double> n(corners_.front().counts.size(), 0.0);
  for (std::size_t j = 0; j < corners_.size(); ++j) {
    const double w = weights[index(j)];
    if (w == 0) continue;
    for (std::size_t k = 0; k < n.size(); ++k) n[k] += w * corners_[j].counts[k];
  }
  return n;
}

VectorXd ColumnMaster::weight_vector() const {
  return Eigen::Map<const VectorXd>(weight_.data(), index(weight_.size()));
}

void ColumnMaster::set_weights(const VectorXd& weights) {
  double sum = 0;
  for (std::size_t j = 0; j < weight_.size(); ++j) {
    weight_[j] = weights[index(j)] < kNoWeight ? 0 : weights[index(j)];
    sum += weight_[j];
  }
  for (double& w : weight_) w /= sum;
}

Eigen::MatrixXd ColumnMaster::active_rows(VectorXd& bounds) const {
  Eigen::MatrixXd g(index(active_.size()), index(corners_.size()));
  bounds.resize(g.rows());
  for (Index i = 0; i < g.rows(); ++i) {
    const std::size_t row = active_[static_cast<std::size_t>(i)];
    bounds[i] = bound_[row];
    for (std::size_t j = 0; j < corners_.size(); ++j) g(i, index(j)) = left_[j][row];
  }
  return g;
}

// A linear program in the weights and one slack per elastic constraint, which its rows share. Rows of
// capacities enter when a solution breaks them.
QuadraticProgram ColumnMaster::elastic_program(std::span<const std::size_t> used,
                                               std::span<const std::uint8_t> elastic) const {
  const Index m = index(corners_.size()), slacks = index(rows_.constraints());
  QuadraticProgram problem;
  problem.simplex = m;
  problem.cost = VectorXd::Zero(m + slacks);
  problem.cost.tail(slacks).setOnes();
  problem.rows = Eigen::MatrixXd::Zero(index(used.size()), m + slacks);
  problem.bounds.resize(index(used.size()));
  for (std::size_t i = 0; i < used.size(); ++i) {
    const std::size_t c = rows_.constraint_of(used[i]);
    for (Index j = 0; j < m; ++j) problem.rows(index(i), j) = left_[static_cast<std::size_t>(j)][used[i]];
    if (elastic[c]) problem.rows(index(i), m + index(c)) = -1;
    problem.bounds[index(i)] = bound_[used[i]];
  }
  return problem;
}

double ColumnMaster::relax(std::span<const std::uint8_t> elastic, std::span<const std::uint8_t> hard) {
  const Index m = index(corners_.size());
  std::vector<std::size_t> used;
  const auto in_play = [&](std::size_t row) {
    return elastic[rows_.constraint_of(row)] || hard[rows_.constraint_of(row)];
  };
  for (const std::size_t row : active_) {
    if (in_play(row)) used.push_back(row);
  }
  while (true) {
    const QuadraticSolution solution = solve_quadratic_program(elastic_program(used, elastic));
    std::fill(multiplier_.begin(), multiplier_.end(), 0.0);
    for (std::size_t i = 0; i < used.size(); ++i) multiplier_[used[i]] = solution.multipliers[index(i)];
    set_weights(solution.x.head(m));
    std::vector<double> slack(rows_.constraints(), 0.0);
    bool complete = true;
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
      if (!in_play(row)) continue;
      const std::size_t c = rows_.constraint_of(row);
      const double missed = left_of(row) - bound_[row];
      if (elastic[c]) slack[c] = std::max(slack[c], missed);
      const double allowed = elastic[c] ? std::max(0.0, solution.x[m + index(c)]) : 0.0;
      if (missed <= allowed + 100 * kRowTolerance || contains(used, row)) continue;
      used.push_back(row);
      if (!contains(active_, row)) active_.push_back(row);
      complete = false;
    }
    if (complete) return std::accumulate(slack.begin(), slack.end(), 0.0);
  }
}

void ColumnMaster::settle() {
  for (std::size_t row = 0; row < bound_.size(); ++row) bound_[row] = std::max(bound_[row], left_of(row));
}

double ColumnMaster::left_of(std::size_t row) const {
  double sum = 0;
  for (std::size_t j = 0; j < corners_.size(); ++j) sum += weight_[j] * left_[j][row];
  return sum;
}

// How far the weights can move along `direction` before a row that is not in the master problem breaks; those
// that break first or within the step are listed.
double ColumnMaster::room(const VectorXd& direction, std::vector<std::size_t>* blocking) const {
  double longest = 1;
  for (std::size_t row = 0; row < rows_.rows(); ++row) {
    if (blocking && contains(active_, row)) continue;
    double change = 0;
    for (std::size_t j = 0; j < corners_.size(); ++j) change += direction[index(j)] * left_[j][row];
    const double free = std::max(0.0, bound_[row] - left_of(row));
    if (change <= free + kRowTolerance || change <= 0) continue;
    longest = std::min(longest, free / change);
    if (blocking) blocking->push_back(row);
  }
  return longest;
}

// The t in [0, longest] that minimises f(w + t d), by bisection on the sign of its derivative.
double ColumnMaster::line_search(const Objective& objective, const VectorXd& direction,
                                 double longest) const {
  const std::vector<double> from = mixture(weight_vector()), along = mixture(direction);
  std::vector<double> n(from.size()), gradient(from.size());
  const auto slope = [&](double t) {
    for (std::size_t k = 0; k < n.size(); ++k) n[k] = std::max(0.0, from[k] + t * along[k]);
    objective.derivatives(n, gradient);
    double sum = 0;
    for (std::size_t k = 0; k < n.size(); ++k) sum += gradient[k] * along[k];
    return sum;
  };
  if (longest <= 0 || slope(0) >= 0) return 0;
  if (slope(longest) <= 0) return longest;
  double low = 0, high = longest;
  for (int i = 0; i < 40 && high - low > 1e-3 * high; ++i) {
    const double middle = (low + high) / 2;
    (slope(middle) <= 0 ? low : high) = middle;
  }
  return low;
}

// A first step along the newest corner alone: where its pairs were never seen, Newton's model of f at n = 0
// is far off, and this brings n to the right size.
void ColumnMaster::towards_newest(const Objective& objective) {
  if (weight_.size() < 2 || weight_.back() > 0) return;
  VectorXd direction = -weight_vector();
  direction[direction.size() - 1] += 1;
  const double step = line_search(objective, direction, room(direction, nullptr));
  if (step > 0) set_weights(weight_vector() + step * direction);
}

// One step of sequential quadratic programming: f is replaced by its second-order model, which is minimised
// over the simplex and the active rows; then a line search. The set is convex and the weights are in it, so
// every iterate keeps to the rows. Returns false where nothing more is to be gained.
bool ColumnMaster::newton_step(const Objective& objective, double accuracy) {
  const VectorXd w = weight_vector();
  const std::vector<double> n = mixture(w);
  std::vector<double> gradient(n.size()), curvature(n.size());
  const double value = objective.derivatives(n, gradient, curvature);
  const auto used = counts_.leftCols(w.size());
  VectorXd slope(index(relevant_.size())), bend(slope.size());
  for (std::size_t i = 0; i < relevant_.size(); ++i) {
    slope[index(i)] = gradient[relevant_[i]];
    bend[index(i)] = std::sqrt(curvature[relevant_[i]]);
  }
  QuadraticProgram problem;
  problem.simplex = w.size();
  const Eigen::MatrixXd scaled =
      bend.asDiagonal() * used;  // its square is C'HC for corners C, where pairs are
  problem.hessian = Eigen::MatrixXd::Zero(w.size(), w.size());  // independent
  problem.hessian.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
  problem.hessian = Eigen::MatrixXd(problem.hessian.selfadjointView<Eigen::Lower>());
  std::vector<std::span<const double>> corners;
  for (const Corner& corner : corners_) corners.emplace_back(corner.counts);
  const std::vector<double> shared = objective.shared_curvature(n, corners);
  if (!shared.empty())
    problem.hessian += Eigen::Map<const Eigen::MatrixXd>(shared.data(), w.size(), w.size());
  const VectorXd first = used.transpose() * slope, curved = problem.hessian * w;
  problem.cost = first - curved;
  problem.rows = active_rows(problem.bounds);
  const QuadraticSolution solution = solve_quadratic_program(problem);
  std::fill(multiplier_.begin(), multiplier_.end(), 0.0);
  for (std::size_t i = 0; i < active_.size(); ++i) multiplier_[active_[i]] = solution.multipliers[index(i)];

  const VectorXd direction = solution.x - w;
  std::vector<std::size_t> blocking;
  const double longest = room(direction, &blocking);
  active_.insert(active_.end(), blocking.begin(), blocking.end());
  const double gain = -(first.dot(direction) + .5 * direction.dot(problem.hessian * direction));
  if (!(gain > 1e-16 * value)) return !blocking.empty();
  double step = longest;
  if (longest == 1 && objective.value(mixture(solution.x)) > value - .25 * gain) {
    step = line_search(objective, direction, 1);
  } else if (longest < 1) {
    step = line_search(objective, direction, longest);
  }
  if (step > 0) set_weights(w + step * direction);
  return gain > accuracy || !blocking.empty();
}

void ColumnMaster::minimise(const Objective& objective, double accuracy) {
  towards_newest(objective);
  for (int i = 0; i < kNewtonSteps && newton_step(objective, accuracy); ++i) {
  }
}

// Any z with M z = 0, where M stacks counts, rows and ones, may be added to the weights. From a basis Z of
// such z: go along its first column until a weight is 0, then clear that weight's row from the others by that
// column, and so on.
void ColumnMaster::shorten() {
  drop_unused(0);
  const Index m = index(corners_.size()), pairs = index(relevant_.size()), rows = index(rows_.rows());
  Eigen::MatrixXd stacked(pairs + rows + 1, m);
  stacked.topRows(pairs) = counts_.leftCols(m) / rows_.pilot().budget();
  for (Index j = 0; j < m; ++j) {
    for (Index i = 0; i < rows; ++i) {
      stacked(pairs + i, j) = left_[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)];
    }
  }
  stacked.bottomRows(1).setOnes();
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(stacked);
  qr.setThreshold(1e-11);
  const Index rank = qr.rank();
  if (rank == m) return;
  const Eigen::MatrixXd r = qr.matrixR().topRows(rank);
  Eigen::MatrixXd permuted(m, m - rank);
  permuted.topRows(rank) =
      -r.leftCols(rank).triangularView<Eigen::Upper>().solve(Eigen::MatrixXd(r.rightCols(m - rank)));
  permuted.bottomRows(m - rank).setIdentity();
  Eigen::MatrixXd z = qr.colsPermutation() * permuted;
  VectorXd w = weight_vector();
  for (Index left = m - rank; left > 0; --left) {
    VectorXd along = z.col(left - 1);
    if (along.minCoeff() >= 0) along = -along;
    Index first = -1;
    double step = 0;
    for (Index j = 0; j < m; ++j) {
      if (!(along[j] < 0) || (first >= 0 && w[j] >= -along[j] * step)) continue;
      first = j;
      step = w[j] / -along[j];
    }
    if (first < 0) return;
    w = (w + step * along).cwiseMax(0.0);
    w[first] = 0;
    for (Index c = 0; c + 1 < left; ++c) {
      z.col(c) -= z(first, c) / along[first] * along;
      z(first, c) = 0;
    }
  }
  set_weights(w);
  drop_unused(0);
}

void ColumnMaster::drop_unused(std::size_t keep) {
  const std::size_t old = corners_.size() - std::min(keep, corners_.size());
  std::size_t out = 0;
  for (std::size_t j = 0; j < corners_.size(); ++j) {
    if (j < old && weight_[j] == 0) continue;
    if (out != j) {
      corners_[out] = std::move(corners_[j]);
      left_[out] = std::move(left_[j]);
      weight_[out] = weight_[j];
      counts_.col(index(out)) = counts_.col(index(j));
    }
    ++out;
  }
  corners_.resize(out);
  left_.resize(out);
  weight_.resize(out);
}

}  // namespace mindgap::design
