#include "mindgap/mdp/krylov.h"

#include <vector>

#include "mindgap/base/listener.h"

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

KrylovSolver::KrylovSolver(const SparseRows& matrix) : matrix_(matrix) {
  solver_.compute(matrix_);
}

bool KrylovSolver::solve(const Eigen::VectorXd& b, Eigen::VectorXd& x, const Done& done) {
  if (solver_.preconditioner().info() != Eigen::Success) return false;
  Eigen::VectorXd left = b - matrix_ * x;
  while (!done(left, x)) {
    base::interruption_point();
    // Three digits a round: the norm that matters is another than BiCGSTAB's, and is looked at in between.
    solver_.setTolerance(1e-3);
    solver_.setMaxIterations(200);
    const Eigen::VectorXd better = x + solver_.solve(left);
    if (!better.allFinite()) return false;
    const Eigen::VectorXd left_then = b - matrix_ * better;
    const double before = left.norm(), now = left_then.norm();
    if (!(now < before)) return false;
    x = better;
    left = left_then;
    if (now > 0.5 * before) return done(left, x);
  }
  return true;
}

}  // namespace mindgap::mdp
