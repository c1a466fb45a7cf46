#pragma once

#include <Eigen/Dense>

// A small dense convex quadratic program over a simplex. Not part of the library's interface.
namespace mindgap::design {

/// min 1/2 x'Hx + c'x  subject to  G x <= h,  sum_{i < simplex} x_i = 1,  x >= 0,
/// with H positive semidefinite. The first `simplex` (>= 1) variables are shares, the others free above 0.
struct QuadraticProgram {
  Eigen::MatrixXd hessian;  // H; an empty one is 0: a linear program
  Eigen::VectorXd cost;     // c
  Eigen::MatrixXd rows;     // G, may have no rows
  Eigen::VectorXd bounds;   // h
  Eigen::Index simplex = 0;
};

struct QuadraticSolution {
  Eigen::VectorXd x;
  Eigen::VectorXd multipliers;  // of G x <= h, >= 0
  double complementarity = 0;   // mean of slack times multiplier, as a share of the problem's scale
  double infeasibility = 0;     // largest violation of the rows
  int iterations = 0;
};

/// Mehrotra's predictor-corrector method (Nocedal and Wright 2006, section 16.6), infeasible start. Rows
/// should be scaled to entries near 1. A problem without feasible points ends with a large `infeasibility`.
QuadraticSolution solve_quadratic_program(const QuadraticProgram& problem);

}  // namespace mindgap::design
