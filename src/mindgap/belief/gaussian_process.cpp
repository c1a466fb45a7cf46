#include "mindgap/belief/gaussian_process.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <utility>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"

namespace mindgap::belief {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using ConstMap = Eigen::Map<const MatrixXd>;

ConstMap matrix_of(const Kernel& kernel) {
  return {kernel.values.data(), kernel.states, kernel.states};
}

// What rounding may do to an entry of a covariance, relative to the largest variance it was computed from.
double rounding(Index states) {
  return 16 * static_cast<double>(states) * std::numeric_limits<double>::epsilon();
}

[[noreturn]] void not_positive(std::string_view function, Index state) {
  throw NumericalError(fmt::format(
      "{}: the covariance is not positive semidefinite; state {} is where it fails", function, state));
}

// K = R R' with R of full column rank, by Cholesky with the largest remaining variance as pivot (Higham 1990,
// "Analysis of the Cholesky decomposition of a semi-definite matrix"). Stops where the remaining variances
// are rounding errors of numbers of size `scale`. NumericalError where one is negative beyond that, or what
// is left is not small: then K is not positive semidefinite.
MatrixXd pivoted_root(std::string_view function, const ConstMap& covariance, double scale) {
  const Index n = covariance.rows();
  VectorXd left = covariance.diagonal();
  const double negligible = rounding(n) * scale;
  MatrixXd root(n, n);
  Index rank = 0;
  for (; rank < n; ++rank) {
    Index worst = 0, pivot = 0;
    if (left.minCoeff(&worst) < -negligible) not_positive(function, worst);
    if (left.maxCoeff(&pivot) <= negligible) break;
    const double sd = std::sqrt(left(pivot));
    auto column = root.col(rank);
    column = covariance.col(pivot);
    column.noalias() -= root.leftCols(rank) * root.row(pivot).head(rank).transpose();
    column /= sd;
    left -= column.cwiseAbs2();
  }
  root.conservativeResize(n, rank);
  Index row = 0, col = 0;
  const double error = (covariance - root * root.transpose()).cwiseAbs().maxCoeff(&row, &col);
  if (error > 16 * negligible) not_positive(function, row);
  return root;
}

void check_kernel(const Kernel& kernel) {
  const char* function = "GaussianProcess";
  base::check_positive(function, "the number of states", static_cast<double>(kernel.states));
  base::check_size(function, "covariance", kernel.values.size(),
                   static_cast<std::size_t>(kernel.states * kernel.states));
  const auto refuse = [&](std::int64_t i, std::int64_t j, const char* wanted) {
    throw InvalidArgument(fmt::format("{}: the covariance of states {} and {} is {}, but must be {}",
                                      function, i, j, kernel(i, j), wanted));
  };
  for (std::int64_t i = 0; i < kernel.states; ++i) {
    if (kernel(i, i) < 0) refuse(i, i, "zero or more");
    for (std::int64_t j = 0; j < kernel.states; ++j) {
      if (!std::isfinite(kernel(i, j))) refuse(i, j, "finite");
      if (j < i && kernel(i, j) != kernel(j, i)) refuse(i, j, "the same both ways");
    }
  }
}

std::vector<Index> visited_states(std::span<const double> count) {
  std::vector<Index> visited;
  for (std::size_t i = 0; i < count.size(); ++i) {
    if (count[i] > 0) visited.push_back(static_cast<Index>(i));
  }
  return visited;
}

void check_counts(const char* function, std::span<const double> count, std::span<const double> variance,
                  std::int64_t states) {
  base::check_size(function, "count", count.size(), static_cast<std::size_t>(states));
  base::check_size(function, "variance", variance.size(), static_cast<std::size_t>(states));
  base::check_nonnegative(function, "count", count);
  for (std::size_t i = 0; i < count.size(); ++i) {
    if (count[i] == 0) continue;
    base::check_nonnegative(function, fmt::format("variance[{}]", i), variance[i]);
    base::check_finite(function, fmt::format("variance/count[{}]", i), variance[i] / count[i]);
  }
}

// The first visited state whose pivot, the variance left of its observation given those before it, is zero up
// to rounding. Eigen says only that a factorisation failed, so the pivots are found again one by one.
Index singular_state(const MatrixXd& block, const std::vector<Index>& visited) {
  const Index n = block.rows();
  MatrixXd lower = MatrixXd::Zero(n, n);
  for (Index j = 0; j < n; ++j) {
    const double pivot = block(j, j) - lower.row(j).head(j).squaredNorm();
    if (pivot <= rounding(n) * block(j, j)) return visited[static_cast<std::size_t>(j)];
    lower(j, j) = std::sqrt(pivot);
    for (Index i = j + 1; i < n; ++i) {
      lower(i, j) = (block(i, j) - lower.row(i).head(j).dot(lower.row(j).head(j))) / lower(j, j);
    }
  }
  return visited.back();
}

// The lower Cholesky factor of K_VV + diag(variance/count).
MatrixXd visited_factor(const char* function, const ConstMap& covariance, const std::vector<Index>& visited,
                        std::span<const double> count, std::span<const double> variance) {
  MatrixXd block = covariance(visited, visited);
  for (Index k = 0; k < block.rows(); ++k) {
    const auto state = static_cast<std::size_t>(visited[static_cast<std::size_t>(k)]);
    block(k, k) += variance[state] / count[state];
  }
  const Eigen::LLT<MatrixXd> cholesky(block);
  MatrixXd lower = cholesky.matrixL();
  const bool singular =
      cholesky.info() != Eigen::Success || !lower.allFinite() ||
      (lower.diagonal().array().square() <= rounding(block.rows()) * block.diagonal().array()).any();
  if (singular) {
    throw NumericalError(
        fmt::format("{}: the observation of state {} has no noise and is already determined by "
                    "those of other states; give it a variance above 0",
                    function, singular_state(block, visited)));
  }
  return lower;
}

// L^-1 K_V. with one row per visited state.
MatrixXd whitened(const MatrixXd& lower, const ConstMap& covariance, const std::vector<Index>& visited) {
  MatrixXd rows = covariance(visited, Eigen::all);
  lower.triangularView<Eigen::Lower>().solveInPlace(rows);
  return rows;
}

}  // namespace

GaussianProcess::GaussianProcess(std::vector<double> mean, Kernel covariance) : mean_(std::move(mean)) {
  check_kernel(covariance);
  base::check_size("GaussianProcess", "mean", mean_.size(), static_cast<std::size_t>(covariance.states));
  base::check_finite("GaussianProcess", "mean", mean_);
  scale_ = matrix_of(covariance).diagonal().maxCoeff();
  pivoted_root("GaussianProcess", matrix_of(covariance), scale_);
  covariance_ = std::make_shared<const Kernel>(std::move(covariance));
}

std::vector<double> GaussianProcess::variances() const {
  std::vector<double> result(mean_.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = (*covariance_)(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i));
  }
  return result;
}

double GaussianProcess::trace(std::span<const std::int64_t> states) const {
  double sum = 0;
  for (const std::int64_t state : states) {
    base::check_range("GaussianProcess::trace", "state", static_cast<double>(state), 0,
                      static_cast<double>(covariance_->states - 1));
    sum += (*covariance_)(state, state);
  }
  return sum;
}

GaussianProcess GaussianProcess::posterior(const FieldObservations& observations) const {
  const char* function = "GaussianProcess::posterior";
  check_counts(function, observations.count, observations.variance, states());
  base::check_size(function, "mean", observations.mean.size(), mean_.size());
  const std::vector<Index> visited = visited_states(observations.count);
  if (visited.empty()) return *this;
  VectorXd surprise(static_cast<Index>(visited.size()));
  for (std::size_t k = 0; k < visited.size(); ++k) {
    const auto state = static_cast<std::size_t>(visited[k]);
    base::check_finite(function, fmt::format("mean[{}]", state), observations.mean[state]);
    surprise(static_cast<Index>(k)) = observations.mean[state] - mean_[state];
  }
  const ConstMap prior = matrix_of(*covariance_);
  const MatrixXd lower = visited_factor(function, prior, visited, observations.count, observations.variance);
  const MatrixXd rows = whitened(lower, prior, visited);
  lower.triangularView<Eigen::Lower>().solveInPlace(surprise);

  GaussianProcess result;
  result.mean_ = mean_;
  result.scale_ = scale_;
  Eigen::Map<VectorXd>(result.mean_.data(), states()) += rows.transpose() * surprise;
  Kernel covariance = *covariance_;
  Eigen::Map<MatrixXd> matrix(covariance.values.data(), states(), states());
  matrix.selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose(), -1);
  for (Index j = 1; j < matrix.cols(); ++j) matrix.col(j).head(j) = matrix.row(j).head(j).transpose();
  matrix.diagonal() = matrix.diagonal().cwiseMax(0);  // a state that is now known may round below 0
  result.covariance_ = std::make_shared<const Kernel>(std::move(covariance));
  return result;
}

std::vector<double> GaussianProcess::posterior_variances(std::span<const double> count,
                                                         std::span<const double> variance) const {
  const char* function = "GaussianProcess::posterior_variances";
  check_counts(function, count, variance, states());
  std::vector<double> result = variances();
  const std::vector<Index> visited = visited_states(count);
  if (visited.empty()) return result;
  const ConstMap prior = matrix_of(*covariance_);
  const MatrixXd rows = whitened(visited_factor(function, prior, visited, count, variance), prior, visited);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = std::max(0.0, result[i] - rows.col(static_cast<Index>(i)).squaredNorm());
  }
  return result;
}

FieldSampler::FieldSampler(const GaussianProcess& process)
    : mean_(process.mean().begin(), process.mean().end()) {
  const MatrixXd root = pivoted_root("FieldSampler", matrix_of(process.covariance()), process.scale());
  rank_ = root.cols();
  root_.assign(root.data(), root.data() + root.size());
}

void FieldSampler::sample(base::Stream& stream, std::span<double> out) const {
  base::check_size("FieldSampler::sample", "out", out.size(), mean_.size());
  const auto n = static_cast<Index>(mean_.size());
  const Eigen::Map<const MatrixXd> root(root_.data(), n, rank_);
  Eigen::Map<VectorXd> field(out.data(), n);
  field = Eigen::Map<const VectorXd>(mean_.data(), n);
  for (Index k = 0; k < rank_; ++k) field += base::normal(stream) * root.col(k);
}

}  // namespace mindgap::belief
