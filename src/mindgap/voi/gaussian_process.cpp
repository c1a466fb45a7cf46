#include "mindgap/voi/gaussian_process.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/voi/penalised_fit.h"

namespace mindgap::voi {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kForLengths = 400;  // draws that length scales are found from
constexpr int kMostSteps = 40;
constexpr double kJitter = 1e-8;

// exp(-1/2 |a_i - b_j|^2)
MatrixXd kernel(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd k = a * b.transpose();
  k.colwise() -= a.rowwise().squaredNorm() / 2;
  k.rowwise() -= b.rowwise().squaredNorm().transpose() / 2;
  return k.cwiseMin(0.0).array().exp();
}

MatrixXd some_rows(const MatrixXd& all, std::span<const std::int64_t> rows) {
  MatrixXd some(static_cast<Index>(rows.size()), all.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) some.row(static_cast<Index>(i)) = all.row(rows[i]);
  return some;
}

// Climbs with steps of their own per parameter, which grow while the slope keeps its sign (Riedmiller and
// Braun 1993); the best point met.
VectorXd most_likely(const MatrixXd& inputs, const VectorXd& outcome, VectorXd at, double low, double high) {
  VectorXd step = VectorXd::Constant(at.size(), .3), before = VectorXd::Zero(at.size()), best = at;
  double highest = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMostSteps && step.maxCoeff() > .02; ++i) {
    const MarginalLikelihood here = marginal_likelihood(inputs, outcome, at);
    if (here.value > highest) {
      highest = here.value;
      best = at;
    }
    for (Index j = 0; j < at.size(); ++j) {
      const double turn = before[j] * here.gradient[j];
      step[j] = std::clamp(step[j] * (turn > 0 ? 1.3 : (turn < 0 ? .5 : 1.0)), .01, 1.0);
      at[j] = std::clamp(at[j] + (here.gradient[j] > 0 ? step[j] : -step[j]), low, high);
    }
    before = here.gradient;
  }
  return best;
}

}  // namespace

// With A = K + t I for t the noise's share and the signal's variance s = y' A^-1 y / n at its best,
//   log L = -n/2 log s - 1/2 log |A| + const,   d log L = 1/2 (a' dA a / s - tr(A^-1 dA)),  a = A^-1 y.
MarginalLikelihood marginal_likelihood(const MatrixXd& inputs, const VectorXd& outcome,
                                       const VectorXd& log_parameters) {
  const Index n = inputs.rows(), d = inputs.cols();
  const VectorXd length = log_parameters.head(d).array().exp();
  const double noise = std::exp(log_parameters[d]);
  const MatrixXd scaled = inputs * length.cwiseInverse().asDiagonal();
  const MatrixXd k = kernel(scaled, scaled);
  MatrixXd a = k;
  a.diagonal().array() += noise + kJitter;
  const Eigen::LLT<MatrixXd> root(a);
  if (root.info() != Eigen::Success)
    throw NumericalError("value of information: the covariance of a Gaussian process is singular");
  const VectorXd weight = root.solve(outcome);
  const double signal = std::max(outcome.dot(weight) / static_cast<double>(n), 1e-300);
  const MatrixXd inverse = root.solve(MatrixXd::Identity(n, n));
  MarginalLikelihood found;
  const MatrixXd lower = root.matrixL();
  found.value = -static_cast<double>(n) / 2 * std::log(signal) - lower.diagonal().array().log().sum();
  // Of each element of A.
  const MatrixXd slope = (weight * weight.transpose() / signal - inverse) / 2;
  found.gradient.resize(d + 1);
  const MatrixXd of_kernel = slope.cwiseProduct(k);
  for (Index j = 0; j < d; ++j) {
    // sum_ab w_ab (x_a - x_b)^2 = 2 (sum_a w_a. x_a^2 - x' W x)
    const VectorXd x = scaled.col(j);
    found.gradient[j] = 2 * (of_kernel.rowwise().sum().dot(x.cwiseAbs2()) - x.dot(of_kernel * x));
  }
  found.gradient[d] = noise * slope.diagonal().sum();
  return found;
}

GaussianProcess::GaussianProcess(const MatrixXd& inputs, const VectorXd& outcome,
                                 std::span<const std::int64_t> use) {
  const Index d = inputs.cols(), n = static_cast<Index>(use.size());
  double mean = 0;
  for (const std::int64_t i : use) mean += outcome[i] / static_cast<double>(n);
  const Index few = std::min(n, kForLengths);
  VectorXd some(few);
  for (Index i = 0; i < few; ++i) some[i] = outcome[use[i]] - mean;
  VectorXd at = VectorXd::Constant(d + 1, std::log(std::sqrt(static_cast<double>(d))));
  at[d] = 0;
  length_ = most_likely(some_rows(inputs, use.first(static_cast<std::size_t>(few))), some, at, -3, 6).head(d);
  length_ = length_.array().exp();

  const Index count = std::min(n / 2, std::clamp<Index>(n / 50, 100, kMostInducing));
  const MatrixXd scaled = inputs * length_.cwiseInverse().asDiagonal();
  inducing_ = some_rows(scaled, use.first(static_cast<std::size_t>(count)));
  Moments moments(count, 1);
  constexpr Index kAtATime = 1'024;
  for (Index begin = 0; begin < n; begin += kAtATime) {
    const Index size = std::min(kAtATime, n - begin);
    const auto part = use.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size));
    const MatrixXd features = kernel(inducing_, some_rows(scaled, part));
    VectorXd y(size);
    for (Index i = 0; i < size; ++i) y[i] = outcome[part[i]];
    moments.draws += static_cast<double>(size);
    moments.sum += features.rowwise().sum();
    moments.gram.selfadjointView<Eigen::Lower>().rankUpdate(features);
    moments.outcome[0] += y.sum();
    moments.square[0] += y.squaredNorm();
    moments.cross.col(0) += features * y;
  }
  MatrixXd penalty = kernel(inducing_, inducing_);
  penalty.diagonal().array() += 1e-6;
  const LinearFit fit = PenalisedFit(moments, penalty).best(0);
  intercept_ = fit.intercept;
  coefficients_ = fit.coefficients;
  score_ = fit.score;
}

double GaussianProcess::at(const Eigen::RowVectorXd& input) const {
  if (coefficients_.size() == 0) return intercept_;
  const MatrixXd here = input * length_.cwiseInverse().asDiagonal();
  return intercept_ + kernel(inducing_, here).col(0).dot(coefficients_);
}

}  // namespace mindgap::voi
