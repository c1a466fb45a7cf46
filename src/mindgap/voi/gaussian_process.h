#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <span>
#include <vector>

namespace mindgap::voi {

/// Inducing draws of a Gaussian process at most.
constexpr Eigen::Index kMostInducing = 1'000;

/// A Gaussian-process regression of one outcome with a length scale per input,
///   k(x, x') = exp(-1/2 sum_j (x_j - x'_j)^2 / l_j^2),
/// by its values at inducing draws (subset of regressors, Quinonero-Candela and Rasmussen 2005). Length
/// scales have the highest marginal likelihood on some of the draws; the noise is by generalised
/// cross-validation on all of them (penalised_fit.h).
class GaussianProcess {
 public:
  /// Rows of `inputs` are draws. Fitted to the draws in `use`, which are in no particular order: the first of
  /// them are the inducing ones.
  GaussianProcess(const Eigen::MatrixXd& inputs, const Eigen::VectorXd& outcome,
                  std::span<const std::int64_t> use);

  /// Generalised cross-validation, as LinearFit::score.
  double score() const { return score_; }
  double at(const Eigen::RowVectorXd& input) const;
  const Eigen::VectorXd& length_scales() const { return length_; }

 private:
  Eigen::MatrixXd inducing_;  // divided by the length scales
  Eigen::VectorXd length_, coefficients_;
  double intercept_ = 0, score_ = 0;
};

/// The length scales (log) and the log of the noise's share of the signal's variance, and by how much the
/// log marginal likelihood, with the signal's variance at its best, rises with each.
struct MarginalLikelihood {
  double value = 0;
  Eigen::VectorXd gradient;
};
MarginalLikelihood marginal_likelihood(const Eigen::MatrixXd& inputs, const Eigen::VectorXd& outcome,
                                       const Eigen::VectorXd& log_parameters);

}  // namespace mindgap::voi
