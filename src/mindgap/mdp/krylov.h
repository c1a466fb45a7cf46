#pragma once

#include <Eigen/Core>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <cmath>
#include <cstdint>

// Preconditioned BiCGSTAB for M-matrices I - g P. Not part of the library's interface.
namespace mindgap::mdp {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;

/// Incomplete LU with no fill-in (Saad 2003, algorithm 10.4), in the form of an Eigen preconditioner. For a
/// diagonally dominant M-matrix it exists and is stable (Meijerink and van der Vorst 1977).
class IncompleteLu0 {
 public:
  using StorageIndex = std::int32_t;
  enum { ColsAtCompileTime = Eigen::Dynamic, MaxColsAtCompileTime = Eigen::Dynamic };

  IncompleteLu0& analyzePattern(const SparseRows&) { return *this; }
  IncompleteLu0& factorize(const SparseRows& matrix);
  IncompleteLu0& compute(const SparseRows& matrix) { return factorize(matrix); }
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  Eigen::ComputationInfo info() const { return info_; }

 private:
  SparseRows lu_;
  Eigen::Matrix<std::int32_t, Eigen::Dynamic, 1> diagonal_;  // where each row's diagonal entry is stored
  Eigen::ComputationInfo info_ = Eigen::Success;
};

/// Solves A x = b from the guess in x until the largest residual is at most `wanted` (absolute), by rounds of
/// BiCGSTAB on the remaining residual. Stops early where a round no longer halves it. Returns the largest
/// residual that is left; adds the iterations spent to `iterations`.
class KrylovSolver {
 public:
  explicit KrylovSolver(SparseRows matrix);
  double solve(const Eigen::VectorXd& b, Eigen::VectorXd& x, double wanted, std::int64_t& iterations);
  const SparseRows& matrix() const { return matrix_; }

 private:
  SparseRows matrix_;
  Eigen::BiCGSTAB<SparseRows, IncompleteLu0> solver_;
};

}  // namespace mindgap::mdp
