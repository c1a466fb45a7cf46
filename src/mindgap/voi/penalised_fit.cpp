#include "mindgap/voi/penalised_fit.h"

#include <cmath>
#include <limits>

#include "mindgap/base/error.h"

namespace mindgap::voi {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kCountOfFreedom = 1.4;
constexpr double kLeastLambda = 1e-7, kMostLambda = 1e9, kLambdaRatio = 1.6;

double score_of(double draws, double squares, double freedom) {
  const double left = draws - kCountOfFreedom * (freedom + 1);
  if (left <= 0) return std::numeric_limits<double>::infinity();
  return draws * squares / (left * left);
}

}  // namespace

Moments::Moments(Index features, Index outcomes)
    : sum(VectorXd::Zero(features)),
      gram(MatrixXd::Zero(features, features)),
      outcome(VectorXd::Zero(outcomes)),
      square(VectorXd::Zero(outcomes)),
      cross(MatrixXd::Zero(features, outcomes)) {}

void Moments::add(const SparseRow& features, const VectorXd& outcomes) {
  ++draws;
  outcome += outcomes;
  square += outcomes.cwiseAbs2();
  for (std::size_t i = 0; i < features.size(); ++i) {
    const auto [place, value] = features[i];
    sum[place] += value;
    cross.row(place) += value * outcomes.transpose();
    double* column = gram.col(place).data();
    for (std::size_t j = i; j < features.size(); ++j) column[features[j].first] += value * features[j].second;
  }
}

Moments& Moments::operator+=(const Moments& other) {
  draws += other.draws;
  sum += other.sum;
  gram += other.gram;
  outcome += other.outcome;
  square += other.square;
  cross += other.cross;
  return *this;
}

Moments& Moments::operator-=(const Moments& other) {
  draws -= other.draws;
  sum -= other.sum;
  gram -= other.gram;
  outcome -= other.outcome;
  square -= other.square;
  cross -= other.cross;
  return *this;
}

Moments Moments::first(Index features) const {
  Moments some;
  some.draws = draws;
  some.sum = sum.head(features);
  some.gram = gram.topLeftCorner(features, features);
  some.outcome = outcome;
  some.square = square;
  some.cross = cross.topRows(features);
  return some;
}

MatrixXd Moments::centred_gram() const {
  MatrixXd whole = gram.selfadjointView<Eigen::Lower>();
  whole.noalias() -= sum * sum.transpose() / draws;
  return whole;
}

double LinearFit::at(const SparseRow& features) const {
  double value = intercept;
  if (coefficients.size() == 0) return value;
  for (const auto& [place, one] : features) {
    if (place < coefficients.size()) value += one * coefficients[place];
  }
  return value;
}

LinearFit constant_fit(const Moments& moments, Index outcome) {
  const double mean = moments.outcome[outcome] / moments.draws;
  const double squares = std::max(0.0, moments.square[outcome] - moments.draws * mean * mean);
  return {mean, {}, score_of(moments.draws, squares, 0)};
}

PenalisedFit::PenalisedFit(const Moments& moments, const MatrixXd& penalty) : moments_(moments) {
  const Eigen::LLT<MatrixXd> root(moments.centred_gram() + penalty);
  if (root.info() != Eigen::Success)
    throw NumericalError("value of information: the regression's matrix is singular");
  MatrixXd inner = root.matrixL().solve(penalty);
  inner = root.matrixL().solve(inner.transpose()).eval();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(inner);
  penalty_ = eigen.eigenvalues().cwiseMax(0.0).cwiseMin(1.0);
  back_ = root.matrixU().solve(eigen.eigenvectors());
}

LinearFit PenalisedFit::best(Index outcome) const {
  const double n = moments_.draws, mean = moments_.outcome[outcome] / n;
  const double all = std::max(0.0, moments_.square[outcome] - n * mean * mean);
  const VectorXd load = back_.transpose() * (moments_.cross.col(outcome) - moments_.sum * mean);
  const VectorXd free = 1 - penalty_.array();
  LinearFit best = constant_fit(moments_, outcome);
  double chosen = 0;
  for (double lambda = kLeastLambda; lambda < kMostLambda; lambda *= kLambdaRatio) {
    const VectorXd shrunk = (free + lambda * penalty_).cwiseInverse();
    const VectorXd inner = load.cwiseProduct(shrunk);
    const double squares = all - 2 * inner.dot(load) + inner.cwiseAbs2().dot(free);
    const double score = score_of(n, std::max(squares, 0.0), free.dot(shrunk));
    if (score < best.score) {
      best.score = score;
      chosen = lambda;
    }
  }
  if (chosen == 0) return best;
  best.coefficients = back_ * load.cwiseQuotient(free + chosen * penalty_);
  best.intercept = mean - moments_.sum.dot(best.coefficients) / n;
  return best;
}

}  // namespace mindgap::voi
