#include "mindgap/design/quadratic_program.h"

#include <algorithm>
#include <cmath>

namespace mindgap::design {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr int kIterations = 80;
constexpr double kTolerance = 1e-15;  // complementarity, as a share of the problem's scale

// The primal and dual variables, and a direction in them. With slack s = h - Gx >= 0 and multipliers l of the
// rows, z of x >= 0, y of the equation e'x = 1, the optimum solves
//   Hx + c + G'l + e y - z = 0,  Gx + s = h,  e'x = 1,  s l = 0,  x z = 0.
struct Point {
  VectorXd x, s, l, z;
  double y = 0;
};

class Run {
 public:
  explicit Run(const QuadraticProgram& p) : p_(p), n_(p.cost.size()), rows_(p.bounds.size()) {
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
    for (; result.iterations < kIterations; ++result.iterations) {
      residuals();
      if (done()) break;
      if (!factorise()) break;
      const Point affine = direction(-v_.s.cwiseProduct(v_.l), -v_.x.cwiseProduct(v_.z));
      const double step = largest_step(affine);
      const double mu = complementarity(v_), after = complementarity(moved(affine, step));
      const double centring = std::pow(after / mu, 3) * mu;
      const Point both = direction(
          VectorXd::Constant(rows_, centring) - v_.s.cwiseProduct(v_.l) - affine.s.cwiseProduct(affine.l),
          VectorXd::Constant(n_, centring) - v_.x.cwiseProduct(v_.z) - affine.x.cwiseProduct(affine.z));
      const double length = largest_step(both);
      const double near = std::max(.995, 1 - 10 * mu);
      if (!(length > 1e-14)) break;
      v_ = moved(both, std::min(1.0, near * length));
    }
    residuals();
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

  bool done() const {
    const double primal = rows_ > 0 ? primal_.cwiseAbs().maxCoeff() : 0.0;
    return complementarity(v_) < kTolerance && primal < 1e-13 && std::abs(sum_) < 1e-13 &&
           dual_.cwiseAbs().maxCoeff() < 1e-12;
  }

  double complementarity(const Point& v) const {
    return (v.x.dot(v.z) + v.s.dot(v.l)) / static_cast<double>(n_ + rows_);
  }

  // M = H + Z/X + G' (L/S) G, positive definite.
  bool factorise() {
    Eigen::MatrixXd m = hessian_;
    m.diagonal() += v_.z.cwiseQuotient(v_.x);
    if (rows_ > 0) m.noalias() += p_.rows.transpose() * v_.l.cwiseQuotient(v_.s).asDiagonal() * p_.rows;
    factor_.compute(m);
    if (factor_.info() != Eigen::Success) return false;
    by_equation_ = factor_.solve(equation_);
    return by_equation_.allFinite() && equation_.dot(by_equation_) > 0;
  }

  // The Newton step towards s l = (rows: target_s above the present), x z likewise, all else exact.
  Point direction(const VectorXd& target_s, const VectorXd& target_x) const {
    const VectorXd pull = (target_s + v_.l.cwiseProduct(primal_)).cwiseQuotient(v_.s);
    const VectorXd right = -dual_ + target_x.cwiseQuotient(v_.x) - p_.rows.transpose() * pull;
    const VectorXd free = factor_.solve(right);
    Point d;
    d.y = (equation_.dot(free) + sum_) / equation_.dot(by_equation_);
    d.x = free - d.y * by_equation_;
    d.s = -primal_ - p_.rows * d.x;
    d.l = (target_s - v_.l.cwiseProduct(d.s)).cwiseQuotient(v_.s);
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
  double largest_step(const Point& d) const {
    const double step =
        std::min(std::min(room(v_.x, d.x), room(v_.s, d.s)), std::min(room(v_.l, d.l), room(v_.z, d.z)));
    return std::min(step, 2.0);
  }
  Point moved(const Point& d, double step) const {
    const double t = std::min(step, 1.0);
    return {v_.x + t * d.x, v_.s + t * d.s, v_.l + t * d.l, v_.z + t * d.z, v_.y + t * d.y};
  }

  const QuadraticProgram& p_;
  Index n_, rows_;
  double scale_ = 1;
  VectorXd cost_, equation_;
  Eigen::MatrixXd hessian_;
  Point v_;
  VectorXd dual_, primal_, by_equation_;
  double sum_ = 0;
  Eigen::LDLT<Eigen::MatrixXd> factor_;
};

}  // namespace

QuadraticSolution solve_quadratic_program(const QuadraticProgram& problem) {
  return Run(problem).solve();
}

}  // namespace mindgap::design
