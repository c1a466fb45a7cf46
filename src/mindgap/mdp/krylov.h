#pragma once

#include <Eigen/Core>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <cstdint>
#include <functional>

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

/// Solves A x = b from the guess in x by rounds of BiCGSTAB on the remaining residual.
class KrylovSolver {
 public:
  /// Says of a residual b - A x and its x that they are good enough (or that time is up).
  using Done = std::function<bool(const Eigen::VectorXd& left, const Eigen::VectorXd& x)>;

  explicit KrylovSolver(const SparseRows& matrix);
  /// True where `done` was satisfied; false where a round no longer halved the residual.
  bool solve(const Eigen::VectorXd& b, Eigen::VectorXd& x, const Done& done);

 private:
  const SparseRows& matrix_;
  Eigen::BiCGSTAB<SparseRows, IncompleteLu0> solver_;
};

}  // namespace mindgap::mdp
