#pragma once

#include "mindgap/base/random.h"

// A mean reward seen through noise whose variance is not known either.
namespace mindgap::belief {

/// NIG(mu, kappa, alpha, beta): the noise variance v has 1/v ~ Gamma(alpha, rate beta), and
/// theta | v ~ N(mu, v/kappa).
struct NormalInverseGamma {
  double mean = 0;      // mu
  double strength = 1;  // kappa > 0: pseudo-observations behind the mean
  double shape = 2;     // alpha > 0
  double scale = 2;     // beta > 0

  bool operator==(const NormalInverseGamma&) const = default;
};

/// What is needed of a sample: its size, mean and sum of squared deviations from that mean.
struct SampleSummary {
  double count = 0;
  double mean = 0;
  double squared_deviations = 0;
};

/// The prior of the paper (app:fisher-v2-eb): alpha = 2, beta = alpha sigma^2 with sigma^2 the stated
/// variance.
NormalInverseGamma stated_normal_inverse_gamma(double mean, double strength, double stated_variance);

/// Throws InvalidArgument unless every number is finite and in its domain.
void check(const NormalInverseGamma& belief);

/// After one observation.
NormalInverseGamma update(const NormalInverseGamma& belief, double observation);

/// After n observations with mean xbar and sum of squares SSE (app:fisher-v2-eb, with the mean it leaves
/// out):
///   kappa_n = kappa + n,  mu_n = (kappa mu + n xbar) / kappa_n,  alpha_n = alpha + n/2,
///   beta_n = beta + SSE/2 + kappa n (xbar - mu)^2 / (2 kappa_n).
/// The same as one by one, up to rounding. n = 0 changes nothing and wants SSE = 0.
NormalInverseGamma update(const NormalInverseGamma& belief, const SampleSummary& summary);

/// E[1/v] = alpha/beta, the information of one observation.
double mean_precision(const NormalInverseGamma& belief);

/// Var(theta) = beta / ((alpha - 1) kappa); infinite for alpha <= 1.
double variance(const NormalInverseGamma& belief);

/// location + scale T, T a Student t with the given degrees of freedom.
struct StudentT {
  double degrees = 1;
  double location = 0;
  double scale = 1;
};

/// The law of theta alone: 2 alpha degrees of freedom, location mu, scale^2 = beta/(alpha kappa).
StudentT marginal(const NormalInverseGamma& belief);

double density(const StudentT& law, double x);
double cdf(const StudentT& law, double x);
/// p in (0, 1).
double quantile(const StudentT& law, double p);

/// A mean and a noise variance drawn together.
struct MeanAndVariance {
  double mean = 0;
  double variance = 0;
};

/// Variable number of words. Throws NumericalError where the variance overflows (shapes far below 1).
MeanAndVariance sample(const NormalInverseGamma& belief, base::Stream& stream);

}  // namespace mindgap::belief
