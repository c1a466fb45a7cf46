#include "mindgap/mdp/krylov.h"

#include <vector>

namespace mindgap::mdp {

IncompleteLu0& IncompleteLu0::factorize(const SparseRows& matrix) {
  lu_ = matrix;
  const std::int32_t n = static_cast<std::int32_t>(lu_.rows());
  diagonal_.setConstant(n, -1);
  double* value = lu_.valuePtr();
  const std::int32_t* column = lu_.innerIndexPtr();
  const std::int32_t* begin = lu_.outerIndexPtr();
  std::vector<std::int32_t> position(n, -1);  // where in the current row a column is stored
  info_ = Eigen::Success;
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t p = begin[i]; p < begin[i + 1]; ++p) {
      position[column[p]] = p;
      if (column[p] == i) diagonal_[i] = p;
    }
    for (std::int32_t p = begin[i]; p < begin[i + 1] && column[p] < i; ++p) {
      const std::int32_t k = column[p];
      value[p] /= value[diagonal_[k]];
      for (std::int32_t q = diagonal_[k] + 1; q < begin[k + 1]; ++q) {
        if (position[column[q]] >= 0) value[position[column[q]]] -= value[p] * value[q];
      }
    }
    if (diagonal_[i] < 0 || value[diagonal_[i]] == 0) {
      info_ = Eigen::NumericalIssue;
      return *this;
    }
    for (std::int32_t p = begin[i]; p < begin[i + 1]; ++p) position[column[p]] = -1;
  }
  return *this;
}

Eigen::VectorXd IncompleteLu0::solve(const Eigen::VectorXd& b) const {
  Eigen::VectorXd x = b;
  const std::int32_t n = static_cast<std::int32_t>(lu_.rows());
  const double* value = lu_.valuePtr();
  const std::int32_t* column = lu_.innerIndexPtr();
  const std::int32_t* begin = lu_.outerIndexPtr();
  for (std::int32_t i = 0; i < n; ++i) {
    double sum = x[i];
    for (std::int32_t p = begin[i]; p < diagonal_[i]; ++p) sum -= value[p] * x[column[p]];
    x[i] = sum;
  }
  for (std::int32_t i = n - 1; i >= 0; --i) {
    double sum = x[i];
    for (std::int32_t p = diagonal_[i] + 1; p < begin[i + 1]; ++p) sum -= value[p] * x[column[p]];
    x[i] = sum / value[diagonal_[i]];
  }
  return x;
}

KrylovSolver::KrylovSolver(SparseRows matrix) : matrix_(std::move(matrix)) {
  solver_.compute(matrix_);
}

double KrylovSolver::solve(const Eigen::VectorXd& b, Eigen::VectorXd& x, double wanted,
                           std::int64_t& iterations) {
  Eigen::VectorXd left = b - matrix_ * x;
  double largest = left.cwiseAbs().maxCoeff();
  while (largest > wanted) {
    // BiCGSTAB stops on the 2-norm, relative to its right side; the maximum norm is never larger.
    solver_.setTolerance(std::max(0.5 * wanted / left.norm(), 1e-14));
    solver_.setMaxIterations(500);
    const Eigen::VectorXd step = solver_.solve(left);
    iterations += solver_.iterations();
    if (!step.allFinite()) break;
    const Eigen::VectorXd better = x + step;
    left = b - matrix_ * better;
    const double now = left.cwiseAbs().maxCoeff();
    if (!(now < largest)) break;
    const bool halved = now <= 0.5 * largest;
    x = better;
    largest = now;
    if (!halved) break;
  }
  return largest;
}

}  // namespace mindgap::mdp
