#include "mindgap/belief/kernel_factors.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace mindgap::belief {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kNegligible = 1e-6;  // of the trace

// L with L L' close to the matrix, the state of the largest remaining variance first (the lowest of equals).
MatrixXd pivoted_cholesky(Index n, const std::function<double(std::int64_t, std::int64_t)>& covariance,
                          Index most) {
  VectorXd left(n);
  for (Index i = 0; i < n; ++i) left[i] = covariance(i, i);
  const double trace = left.sum();
  MatrixXd root(n, std::min(n, most));
  Index columns = 0;
  while (columns < root.cols() && left.sum() > kNegligible * trace) {
    Index pivot = 0;
    const double largest = left.maxCoeff(&pivot);
    VectorXd column(n);
    for (Index i = 0; i < n; ++i) column[i] = covariance(i, pivot);
    column -= root.leftCols(columns) * root.row(pivot).head(columns).transpose();
    column /= std::sqrt(largest);
    root.col(columns++) = column;
    left = (left - column.cwiseAbs2()).cwiseMax(0.0);
    left[pivot] = 0;
  }
  return root.leftCols(columns);
}

}  // namespace

KernelFactors kernel_factors(std::int64_t states,
                             const std::function<double(std::int64_t, std::int64_t)>& covariance,
                             double share, std::int32_t most) {
  const MatrixXd root = pivoted_cholesky(states, covariance, 2 * static_cast<Index>(most));
  double trace = 0;
  for (std::int64_t i = 0; i < states; ++i) trace += covariance(i, i);
  KernelFactors result{.rest = std::vector<double>(static_cast<std::size_t>(states))};
  if (!(trace > 0)) {  // an sd whose square is below the smallest number
    result.kept = 1;
    return result;
  }
  // The eigenvectors of L L' are L v, with v those of the small matrix L'L.
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(root.transpose() * root);
  const Index columns = root.cols();
  double kept = 0;
  while (result.factors < std::min<Index>(most, columns) && kept < share * trace)
    kept += std::max(0.0, eigen.eigenvalues()[columns - 1 - result.factors++]);
  const MatrixXd leading = root * eigen.eigenvectors().rightCols(result.factors).rowwise().reverse();
  result.kept = kept / trace;
  for (Index i = 0; i < leading.rows(); ++i) {
    for (Index j = 0; j < leading.cols(); ++j) result.loadings.push_back(leading(i, j));
    result.rest[static_cast<std::size_t>(i)] = std::max(0.0, covariance(i, i) - leading.row(i).squaredNorm());
  }
  return result;
}

}  // namespace mindgap::belief
