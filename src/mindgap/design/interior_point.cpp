#include "mindgap/design/interior_point.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/design/flow_program.h"

// min f(x), A x = b, x >= 0 (FlowProgram), f separable and convex. With multipliers y and z >= 0 the optimum
// satisfies
//   grad f - A'y - z = 0,  A x = b,  x z = 0 (each product),
// and Newton's method on it with x z = mu > 0 in place of 0 asks for
//   (H + z/x) dx - A'dy = -(grad f - A'y - z) - (x z - mu)/x,  A dx = b - A x,
// H = the second derivatives, a diagonal: so dy from the normal equations A (H + z/x)^-1 A'. Mehrotra (1992,
// "On the implementation of a primal-dual interior point method"): a step for mu = 0 shows how far mu can
// fall and what its second-order term is; a second one with both, from the same factors, is taken. One step
// length for x, y and z, as f is not quadratic. In units where the budget and f at the start are 1.
namespace mindgap::design {
namespace {

using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

constexpr double kToBoundary = 0.995;  // of the way to where a variable would become 0
constexpr double kCentral = 1e-4;      // the least product x z, as a share of their mean
constexpr int kShorter = 40;           // tries of a step, each .6 of the last

struct Point {
  Vector x, y, z;
  double merit = 0;
};

class InteriorSearch {
 public:
  InteriorSearch(const Objective& objective, const Occupancy& occupancies,
                 const InteriorPointOptions& options)
      : objective_(objective),
        occupancies_(occupancies),
        options_(options),
        program_(flow_program(occupancies)),
        certificate_(objective, occupancies, options.threads),
        n_(objective.size()),
        slope_(n_.size()),
        bend_(n_.size()) {
    if (static_cast<std::int64_t>(program_.equations()) > options.max_equations) {
      throw InvalidArgument(
          fmt::format("interior_point: the program has {} equations, but at most {} are allowed",
                      program_.equations(), options.max_equations));
    }
  }

  Minimum run();

 private:
  void begin();
  double derivatives(const Vector& x);  // f, gradient_, curvature_
  bool factorise();
  // dx, dy, dz for x z = target.
  void newton(const Vector& target);
  double step_length() const;
  bool advance();
  bool predict_and_correct();
  void look();                                     // what follows from now_
  Vector times(const Vector& x) const;             // A x
  Vector times_transposed(const Vector& y) const;  // A'y
  Minimum finish(MinimumStatus status);
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

  const Objective& objective_;
  const Occupancy& occupancies_;
  const InteriorPointOptions& options_;
  FlowProgram program_;
  Certificate certificate_;
  std::vector<double> n_, slope_, bend_;
  double scale_ = 1, value_ = 0;  // of f
  Point now_;
  Vector right_, gradient_, curvature_;
  Vector primal_, dual_;  // A x - b, grad f - A'y - z
  Vector diagonal_;       // H + z/x
  Eigen::LLT<Eigen::MatrixXd> factors_;
  Vector dx_, dy_, dz_;
  std::int64_t iterations_ = 0;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

Vector InteriorSearch::times(const Vector& x) const {
  Vector result = Vector::Zero(static_cast<Index>(program_.equations()));
  for (std::size_t j = 0; j < program_.size(); ++j) {
    for (auto i = program_.column_begin[j]; i < program_.column_begin[j + 1]; ++i) {
      result[program_.row[i]] += program_.entry[i] * x[static_cast<Index>(j)];
    }
  }
  return result;
}

Vector InteriorSearch::times_transposed(const Vector& y) const {
  Vector result = Vector::Zero(static_cast<Index>(program_.size()));
  for (std::size_t j = 0; j < program_.size(); ++j) {
    for (auto i = program_.column_begin[j]; i < program_.column_begin[j + 1]; ++i) {
      result[static_cast<Index>(j)] += program_.entry[i] * y[program_.row[i]];
    }
  }
  return result;
}

double InteriorSearch::derivatives(const Vector& x) {
  const double budget = occupancies_.budget();
  for (std::size_t j = 0; j < program_.size(); ++j) {
    const auto& variable = program_.variables[j];
    if (variable.counted) n_[variable.pair] = budget * x[static_cast<Index>(j)];
  }
  const double value = objective_.derivatives(n_, slope_, bend_);
  for (std::size_t j = 0; j < program_.size(); ++j) {
    const auto& variable = program_.variables[j];
    const double counted = variable.counted ? budget / scale_ : 0;
    gradient_[static_cast<Index>(j)] = counted * slope_[variable.pair];
    curvature_[static_cast<Index>(j)] = counted * budget * bend_[variable.pair];
  }
  return value / scale_;
}

// The uniform policy's flows, and multipliers that make all products x z equal.
void InteriorSearch::begin() {
  const auto size = static_cast<Index>(program_.size());
  now_.x = Eigen::Map<const Vector>(program_.inner.data(), size).cwiseMax(1e-300);
  gradient_.setZero(size);
  curvature_.setZero(size);
  const double first = derivatives(now_.x);
  if (first > 0) scale_ = first;
  derivatives(now_.x);
  right_ = Eigen::Map<const Vector>(program_.right.data(), static_cast<Index>(program_.equations()));
  now_.y = Vector::Zero(static_cast<Index>(program_.equations()));
  const double mu = -gradient_.dot(now_.x) / static_cast<double>(size);
  now_.z = std::max(mu, 1e-12) * now_.x.cwiseInverse();
  look();
}

bool InteriorSearch::factorise() {
  const auto equations = static_cast<Index>(program_.equations());
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(equations, equations);
  for (std::size_t j = 0; j < program_.size(); ++j) {
    const double weight = 1 / diagonal_[static_cast<Index>(j)];
    for (auto a = program_.column_begin[j]; a < program_.column_begin[j + 1]; ++a) {
      for (auto b = program_.column_begin[j]; b < program_.column_begin[j + 1]; ++b) {
        if (program_.row[a] < program_.row[b]) continue;
        normal(program_.row[a], program_.row[b]) += weight * program_.entry[a] * program_.entry[b];
      }
    }
  }
  factors_.compute(normal);
  return factors_.info() == Eigen::Success;
}

void InteriorSearch::newton(const Vector& target) {
  const Vector products = now_.x.cwiseProduct(now_.z) - target;
  const Vector right = -dual_ - products.cwiseQuotient(now_.x);
  dy_ = factors_.solve(-primal_ - times(right.cwiseQuotient(diagonal_)));
  dx_ = (right + times_transposed(dy_)).cwiseQuotient(diagonal_);
  // One step of refinement: the factors lose digits as variables near 0, and dx must stay in the flows.
  const Vector more = factors_.solve(-primal_ - times(dx_));
  dy_ += more;
  dx_ += times_transposed(more).cwiseQuotient(diagonal_);
  dz_ = -(products + now_.z.cwiseProduct(dx_)).cwiseQuotient(now_.x);
}

double InteriorSearch::step_length() const {
  double most = 1 / kToBoundary;
  for (Index j = 0; j < now_.x.size(); ++j) {
    if (dx_[j] < 0) most = std::min(most, -now_.x[j] / dx_[j]);
    if (dz_[j] < 0) most = std::min(most, -now_.z[j] / dz_[j]);
  }
  return most;
}

// Goes along (dx, dy, dz), shorter until the merit falls and no product is left far behind the others.
bool InteriorSearch::advance() {
  const Point from = now_;
  double step = std::min(1.0, kToBoundary * step_length());
  for (int i = 0; i < kShorter; ++i, step *= .6) {
    now_.x = from.x + step * dx_;
    now_.y = from.y + step * dy_;
    now_.z = from.z + step * dz_;
    look();
    const Vector products = now_.x.cwiseProduct(now_.z);
    // By the old x, in which the residual shrinks in proportion to a short step.
    const double merit = products.sum() + from.x.dot(dual_.cwiseAbs());
    if (merit <= (1 - 1e-3 * step) * from.merit && products.minCoeff() >= kCentral * products.mean()) {
      return true;
    }
  }
  now_ = from;
  look();
  return false;
}

// Where the corrected step helps nowhere, a plain one towards mu / 2 is tried.
bool InteriorSearch::predict_and_correct() {
  const double mu = now_.x.dot(now_.z) / static_cast<double>(now_.x.size());
  newton(Vector::Zero(now_.x.size()));
  const double reach = std::min(1.0, step_length());
  const double left = (now_.x + reach * dx_).dot(now_.z + reach * dz_) / static_cast<double>(now_.x.size());
  const double centring = std::pow(std::clamp(left / mu, 0.0, 1.0), 3);
  newton(Vector::Constant(now_.x.size(), centring * mu) - dx_.cwiseProduct(dz_));
  if (advance()) return true;
  newton(Vector::Constant(now_.x.size(), .5 * mu));
  return advance();
}

// The duality gap of (x, y, z) is x'z, and x'|dual residual| more at most: their sum is the merit.
void InteriorSearch::look() {
  value_ = derivatives(now_.x);
  primal_ = times(now_.x) - right_;
  dual_ = gradient_ - times_transposed(now_.y) - now_.z;
  now_.merit = now_.x.dot(now_.z) + now_.x.dot(dual_.cwiseAbs());
}

Minimum InteriorSearch::run() {
  begin();
  double wanted = .1 * options_.relative_gap;
  for (;;) {
    // Whether A x = b holds well enough shows in the counts of the policy: finish() judges those.
    if (now_.merit <= wanted * value_) {
      Minimum result = finish(MinimumStatus::converged);
      if (result.status == MinimumStatus::converged) return result;
      wanted *= .1;
    }
    if (iterations_ >= options_.max_iterations) return finish(MinimumStatus::iteration_limit);
    if (seconds() > options_.time_limit) return finish(MinimumStatus::time_limit);
    diagonal_ = curvature_ + now_.z.cwiseQuotient(now_.x);
    if (!factorise() || !predict_and_correct()) return finish(MinimumStatus::precision_limit);
    ++iterations_;
  }
}

// The policy of the flows, its own counts, and the gap there; `converged` where that is small enough.
Minimum InteriorSearch::finish(MinimumStatus status) {
  Minimum result;
  result.pi = policy_of(program_, occupancies_, std::span(now_.x.data(), program_.size()));
  result.counts = occupancies_.counts(result.pi);
  result.value = objective_.value(result.counts);
  certificate_.raise(result.counts, .01 * options_.relative_gap * result.value);
  result.gap = certificate_.gap(result.value);
  result.relative_gap = certificate_.relative_gap(result.value);
  const bool close = result.relative_gap <= options_.relative_gap;
  result.status = close                                ? MinimumStatus::converged
                  : status == MinimumStatus::converged ? MinimumStatus::precision_limit
                                                       : status;
  result.iterations = iterations_;
  result.seconds = seconds();
  return result;
}

}  // namespace

void InteriorPointOptions::validate() const {
  const char* function = "interior_point";
  base::check_positive(function, "relative_gap", relative_gap);
  base::check_range(function, "relative_gap", relative_gap, 0, 1);
  base::check_range(function, "max_iterations", static_cast<double>(max_iterations), 0, 1e18);
  base::check_range(function, "time_limit", time_limit, 0, std::numeric_limits<double>::infinity());
  base::check_range(function, "threads", threads, 0, 4096);
  base::check_range(function, "max_equations", static_cast<double>(max_equations), 1, 46'000);
}

Minimum interior_point(const Objective& objective, const Occupancy& occupancies,
                       const InteriorPointOptions& options) {
  options.validate();
  return InteriorSearch(objective, occupancies, options).run();
}

}  // namespace mindgap::design
