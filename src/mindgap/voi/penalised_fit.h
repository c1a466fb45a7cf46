#pragma once

#include <Eigen/Dense>
#include <utility>
#include <vector>

namespace mindgap::voi {

/// Places and values of the features of one draw that are not 0.
using SparseRow = std::vector<std::pair<Eigen::Index, double>>;

/// Sums over draws that a least-squares fit of several outcomes on the same features needs. Sums of parts
/// add, so that a fit without some of the draws costs no look at the others.
struct Moments {
  Moments() = default;
  Moments(Eigen::Index features, Eigen::Index outcomes);

  double draws = 0;
  Eigen::VectorXd sum;              // of features
  Eigen::MatrixXd gram;             // of products of features; lower triangle
  Eigen::VectorXd outcome, square;  // sums of outcomes and of their squares
  Eigen::MatrixXd cross;            // features x outcomes

  void add(const SparseRow& features, const Eigen::VectorXd& outcomes);
  Moments& operator+=(const Moments& other);
  Moments& operator-=(const Moments& other);
  /// Of the first features alone.
  Moments first(Eigen::Index features) const;
  /// The Gram matrix of features less their means, whole.
  Eigen::MatrixXd centred_gram() const;
};

/// intercept + features . coefficients, and how well it should predict.
struct LinearFit {
  double intercept = 0;
  Eigen::VectorXd coefficients;  // empty: the constant
  double score = 0;              // generalised cross-validation: of squared errors, lower is better

  double at(const SparseRow& features) const;
};

/// The mean alone.
LinearFit constant_fit(const Moments& moments, Eigen::Index outcome);

/// Penalised least squares for a path of smoothing parameters at once: minimise
///   sum (y - c - (x - mean x)' b)^2 + lambda b' P b.
/// With M = G + P = L L' (G the centred Gram matrix) and L^-1 P L^-T = Q diag(theta) Q', in the coordinates
/// Q' L' b each lambda is a division (Demmler and Reinsch 1975; Wood 2017, 4.2). Of all lambdas the one of
/// the best score n RSS / (n - 1.4 (df + 1))^2 is taken: generalised cross-validation (Craven and Wahba 1979)
/// in which a degree of freedom counts 1.4-fold (Kim and Gu 2004), which keeps noise from being fitted.
class PenalisedFit {
 public:
  /// `penalty` symmetric and not negative. Throws NumericalError where G + P is singular.
  PenalisedFit(const Moments& moments, const Eigen::MatrixXd& penalty);

  LinearFit best(Eigen::Index outcome) const;

 private:
  const Moments& moments_;
  Eigen::MatrixXd back_;     // L^-T Q
  Eigen::VectorXd penalty_;  // theta
};

}  // namespace mindgap::voi
