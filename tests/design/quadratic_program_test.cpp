#include "mindgap/design/quadratic_program.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mindgap::design {
namespace quadratic_program_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// min x1^2 + 2 x2^2 over the simplex: x = (2/3, 1/3). With x1 <= 1/2: (1/2, 1/2) and the multiplier
// 4 x2 - 2 x1 = 1.
TEST(QuadraticProgram, ByHand) {
  QuadraticProgram problem;
  problem.hessian = MatrixXd{{2, 0}, {0, 4}};
  problem.cost = VectorXd::Zero(2);
  problem.rows.resize(0, 2);
  problem.bounds.resize(0);
  problem.simplex = 2;
  const QuadraticSolution free = solve_quadratic_program(problem);
  EXPECT_NEAR(free.x[0], 2.0 / 3, 1e-12);
  EXPECT_NEAR(free.x[1], 1.0 / 3, 1e-12);
  problem.rows = MatrixXd{{1, 0}};
  problem.bounds = VectorXd::Constant(1, .5);
  const QuadraticSolution held = solve_quadratic_program(problem);
  EXPECT_NEAR(held.x[0], .5, 1e-10);
  EXPECT_NEAR(held.multipliers[0], 1, 1e-9);
  EXPECT_LT(held.infeasibility, 1e-10);
}

// min 3 x1 + x2 + t with x1 + x2 = 1, x2 <= 1/4 + t: a slack costs 1 and saves 2, so t = 3/4 and x2 = 1; the
// multiplier is the slack's price, 1.
TEST(QuadraticProgram, LinearWithSlack) {
  QuadraticProgram problem;
  problem.cost = VectorXd{{3, 1, 1}};
  problem.rows = MatrixXd{{0, 1, -1}};
  problem.bounds = VectorXd::Constant(1, .25);
  problem.simplex = 2;
  const QuadraticSolution solution = solve_quadratic_program(problem);
  EXPECT_NEAR(solution.x[1], 1, 1e-10);
  EXPECT_NEAR(solution.x[2], .75, 1e-10);
  EXPECT_NEAR(solution.multipliers[0], 1, 1e-9);
}

TEST(QuadraticProgram, OneVariableAndNoFeasiblePoint) {
  QuadraticProgram problem;
  problem.cost = VectorXd::Ones(1);
  problem.rows = MatrixXd{{1}};
  problem.bounds = VectorXd::Constant(1, 2.0);
  problem.simplex = 1;
  EXPECT_NEAR(solve_quadratic_program(problem).x[0], 1, 1e-12);
  problem.bounds[0] = .5;
  EXPECT_GT(solve_quadratic_program(problem).infeasibility, .1);
}

// First-order conditions on random problems with a singular Hessian: every variable's reduced cost is at
// least that of those in use, rows hold, multipliers only where they bind.
TEST(QuadraticProgram, OptimalityOfRandomProblems) {
  for (int seed = 1; seed <= 100; ++seed) {
    const Eigen::Index n = 3 + seed % 20, rank = 1 + seed % 5, rows = seed % 4;
    const auto noise = [&](Eigen::Index i, Eigen::Index j) {
      return std::sin(12.9898 * static_cast<double>(i) + 78.233 * static_cast<double>(j) + seed);
    };
    const MatrixXd root = MatrixXd::NullaryExpr(rank, n, noise);
    QuadraticProgram problem;
    problem.hessian = root.transpose() * root;
    problem.cost = VectorXd::NullaryExpr(n, [&](Eigen::Index i) { return noise(i, 99); });
    problem.rows =
        MatrixXd::NullaryExpr(rows, n, [&](Eigen::Index i, Eigen::Index j) { return noise(i + 50, j); });
    // The uniform point keeps to every row with a little room.
    problem.bounds = problem.rows.rowwise().mean().array() + .01;
    problem.simplex = n;
    const QuadraticSolution s = solve_quadratic_program(problem);
    const VectorXd reduced = problem.hessian * s.x + problem.cost + problem.rows.transpose() * s.multipliers;
    EXPECT_NEAR(s.x.sum(), 1, 1e-12) << seed;
    EXPECT_GE(s.x.minCoeff(), 0) << seed;
    EXPECT_LE(s.infeasibility, 1e-10) << seed;
    EXPECT_NEAR(s.x.dot(reduced), reduced.minCoeff(), 1e-9) << seed;
    for (Eigen::Index i = 0; i < rows; ++i) {
      EXPECT_GE(s.multipliers[i], 0);
      EXPECT_NEAR(s.multipliers[i] * (problem.bounds[i] - problem.rows.row(i).dot(s.x)), 0, 1e-9) << seed;
    }
  }
}

}  // namespace quadratic_program_test
}  // namespace mindgap::design
