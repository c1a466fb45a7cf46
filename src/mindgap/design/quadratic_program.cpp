#include "mindgap/design/quadratic_program.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mindgap::design {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr int kIterations = 80;
constexpr double kTolerance = 1e-15;  // on merit(), as a share of the problem's scale

// The primal and dual variables, and a direction in them. With slack s = h - Gx >= 0 and multipliers l of the
// rows, z of x >= 0, y of the equation e'x = 1, the optimum solves
//   Hx + c + G'l + e y - z = 0,  Gx + s = h,  e'x = 1,  s l = 0,  x z = 0.
struct Iterate {
  VectorXd x, s, l, z;
  double y = 0;
};

class Solver {
 public:
  explicit Solver(const QuadraticProgram& p) : p_(p), n_(p.cost.size()), rows_(p.bounds.size()) {
    equation_ = VectorXd::Zero(n_);
    equation_.head(p.simplex).setOnes();
    // Only differences between the costs of shares matter.
    cost_ = p.cost - p.cost.head(p.simplex).minCoeff() * equation_;
    scale_ =
        std::max(cost_.cwiseAbs().maxCoeff(), p.hessian.size() > 0 ? p.hessian.diagonal().maxCoeff() : 0.0);
    if (!(scale_ > 0)) scale_ = 1;
    cost_ /= scale_;
    hessian_ = p.hessian.size() > 0 ? Eigen::MatrixXd(p.hessian / scale_) : Eigen::MatrixXd::Zero(n_, n_);
  }

  QuadraticSolution solve() {
    start();
    QuadraticSolution result;
    Iterate best = v_;
    double least = std::numeric_limits<double>::infinity();
    for (; result.iterations < kIterations; ++result.iterations) {
      residuals();
      const double now = merit();
      if (!(now < 1e3 * least)) break;  // rounding has taken over
      if (now < least) {
        least = now;
        best = v_;
      }
      if (least < kTolerance || !step()) break;
    }
    v_ = best;
    result.complementarity = complementarity(v_);
    result.infeasibility = rows_ > 0 ? std::max(0.0, (p_.rows * v_.x - p_.bounds).maxCoeff()) : 0.0;
    result.x = v_.x;
    result.multipliers = v_.l * scale_;
    return result;
  }

 private:
  void start() {
    v_.x = VectorXd::Constant(n_, 1.0);
    v_.x.head(p_.simplex).setConstant(1.0 / static_cast<double>(p_.simplex));
    v_.z = VectorXd::Constant(n_, 1.0);
    v_.s = (p_.bounds - p_.rows * v_.x).cwiseMax(.1);
    v_.l = VectorXd::Constant(rows_, 1.0);
  }

  void residuals() {
    dual_ = hessian_ * v_.x + cost_ + p_.rows.transpose() * v_.l + v_.y * equation_ - v_.z;
    primal_ = p_.rows * v_.x + v_.s - p_.bounds;
    sum_ = equation_.dot(v_.x) - 1;
  }

  // Predictor and corrector. False where no step can be made.
  bool step() {
    factorise();
    const Iterate affine = direction(-v_.s.cwiseProduct(v_.l), -v_.x.cwiseProduct(v_.z));
    const double mu = complementarity(v_), after = complementarity(moved(affine, largest_step(affine)));
    const double centring = std::pow(after / mu, 3) * mu;
    const Iterate both = direction(
        VectorXd::Constant(rows_, centring) - v_.s.cwiseProduct(v_.l) - affine.s.cwiseProduct(affine.l),
        VectorXd::Constant(n_, centring) - v_.x.cwiseProduct(v_.z) - affine.x.cwiseProduct(affine.z));
    const double length = largest_step(both);
    if (!(length > 1e-14) || !both.x.allFinite() || !both.l.allFinite()) return false;
    v_ = moved(both, std::min(1.0, .999 * length));
    return true;
  }

  // How far from optimal the point is: the largest of complementarity and all residuals.
  double merit() const {
    const double primal = rows_ > 0 ? primal_.cwiseAbs().maxCoeff() : 0.0;
    return std::max(
        {complementarity(v_), .01 * primal, .01 * std::abs(sum_), .01 * dual_.cwiseAbs().maxCoeff()});
  }

  double complementarity(const Iterate& v) const {
    return (v.x.dot(v.z) + v.s.dot(v.l)) / static_cast<double>(n_ + rows_);
  }

  // The Newton step in x, l and y solves, with s and z put in terms of them,
  //   H + Z/X   G'    e
  //   G        -S/L   0
  //   e'        0     0
  // which stays well conditioned near the optimum, unlike what is left after l is put in terms of x too.
  void factorise() {
    const Index size = n_ + rows_ + 1;
    Eigen::MatrixXd m = Eigen::MatrixXd::Zero(size, size);
    m.topLeftCorner(n_, n_) = hessian_;
    m.topLeftCorner(n_, n_).diagonal() += v_.z.cwiseQuotient(v_.x);
    m.block(n_, 0, rows_, n_) = p_.rows;
    m.block(0, n_, n_, rows_) = p_.rows.transpose();
    m.block(n_, n_, rows_, rows_).diagonal() = -v_.s.cwiseQuotient(v_.l);
    m.col(size - 1).head(n_) = equation_;
    m.row(size - 1).head(n_) = equation_.transpose();
    factor_.compute(m);
  }

  // The step after which, to first order, s l and x z have changed by the targets and all else is exact.
  Iterate direction(const VectorXd& target_s, const VectorXd& target_x) const {
    VectorXd right(n_ + rows_ + 1);
    right.head(n_) = -dual_ + target_x.cwiseQuotient(v_.x);
    right.segment(n_, rows_) = -primal_ - target_s.cwiseQuotient(v_.l);
    right[n_ + rows_] = -sum_;
    const VectorXd step = factor_.solve(right);
    Iterate d;
    d.x = step.head(n_);
    d.l = step.segment(n_, rows_);
    d.y = step[n_ + rows_];
    d.s = (target_s - v_.s.cwiseProduct(d.l)).cwiseQuotient(v_.l);
    d.z = (target_x - v_.z.cwiseProduct(d.x)).cwiseQuotient(v_.x);
    return d;
  }

  static double room(const VectorXd& v, const VectorXd& d) {
    double step = 1e300;
    for (Index i = 0; i < v.size(); ++i) {
      if (d[i] < 0) step = std::min(step, -v[i] / d[i]);
    }
    return step;
  }
  // May exceed 1: the caller stays inside by a margin of it.
  double largest_step(const Iterate& d) const {
    const double step =
        std::min(std::min(room(v_.x, d.x), room(v_.s, d.s)), std::min(room(v_.l, d.l), room(v_.z, d.z)));
    return std::min(step, 2.0);
  }
  Iterate moved(const Iterate& d, double step) const {
    const double t = std::min(step, 1.0);
    return {v_.x + t * d.x, v_.s + t * d.s, v_.l + t * d.l, v_.z + t * d.z, v_.y + t * d.y};
  }

  const QuadraticProgram& p_;
  Index n_, rows_;
  double scale_ = 1;
  VectorXd cost_, equation_;
  Eigen::MatrixXd hessian_;
  Iterate v_;
  VectorXd dual_, primal_;
  double sum_ = 0;
  Eigen::PartialPivLU<Eigen::MatrixXd> factor_;
};

}  // namespace

QuadraticSolution solve_quadratic_program(const QuadraticProgram& problem) {
  return Solver(problem).solve();
}

}  // namespace mindgap::design
