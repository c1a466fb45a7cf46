#include "mindgap/belief/reward_belief.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/belief/at_least.h"

namespace mindgap::belief {
namespace {

constexpr double kNearestToTheEnds = .01;  // of a Bernoulli mean, see beta_prior()
constexpr double kWeakestBeta = 2;

// The Normal-Inverse-Gamma with shape 2 and scale 2 v (stated_normal_inverse_gamma), and a strength such that
// the prior variance of the mean, scale / ((shape - 1) strength), is sd^2.
NormalInverseGamma estimated(const RewardBelief& belief) {
  NormalInverseGamma prior = stated_normal_inverse_gamma(belief.prior_mean, 1, belief.observation_variance);
  prior.strength = prior.scale / ((prior.shape - 1) * belief.prior_sd * belief.prior_sd);
  return update(prior, belief.seen);
}

BetaPrior beta_posterior(const RewardBelief& belief) {
  const BetaPrior prior = beta_prior(belief.prior_mean, belief.prior_sd);
  const double strength = prior.strength + belief.seen.count;
  return {prior.mean + belief.seen.count / strength * (belief.seen.mean - prior.mean), strength};
}

// The Gaussian without its bounds: the precisions 1/sd^2 and n/v add up, and the mean is weighted by them.
double gaussian_mean(const RewardBelief& belief) {
  const double r = belief.prior_mean, sd = belief.prior_sd, v = belief.observation_variance;
  const SampleSummary& seen = belief.seen;
  if (seen.count == 0 || sd == 0) return r;
  if (v == 0) return seen.mean;
  const double weight = seen.count * sd * sd / (seen.count * sd * sd + v);
  return r + weight * (seen.mean - r);
}

double gaussian_variance(const RewardBelief& belief) {
  const double sd = belief.prior_sd, v = belief.observation_variance, n = belief.seen.count;
  if (sd == 0 || n == 0) return sd * sd;
  return v == 0 ? 0 : sd * sd * (v / (v + n * sd * sd));
}

TruncatedMoments within_bounds(const RewardBelief& belief) {
  return truncated_moments(gaussian_mean(belief), std::sqrt(gaussian_variance(belief)), belief.bounds);
}

// What takes N(m, 1/p) to N(m', 1/p') is n = v (p' - p) observations of mean m + (m' - m) p' / (p' - p): the
// update of gaussian.h, solved for them.
template <typename Update>
SampleSummary after_bound(const RewardBelief& belief, double bound, Update update_by_bound) {
  SampleSummary seen = belief.seen;
  const double v = belief.observation_variance, spread = gaussian_variance(belief);
  if (belief.model == RewardModel::estimated_variance || v == 0 || spread == 0) return seen;
  const Gaussian now{gaussian_mean(belief), 1 / spread};
  const Gaussian then = update_by_bound(now, bound, v);
  const double gained = then.precision - now.precision;
  if (!(gained > 0)) return seen;  // a bound far on the other side says nothing
  seen.count += v * gained;
  seen.mean +=
      v * gained / seen.count * (now.mean + (then.mean - now.mean) * then.precision / gained - seen.mean);
  return seen;
}

}  // namespace

void add(SampleSummary& summary, double value) {  // Welford (1962)
  summary.count += 1;
  const double before = value - summary.mean;
  summary.mean += before / summary.count;
  summary.squared_deviations += before * (value - summary.mean);
}

BetaPrior beta_prior(double mean, double sd) {
  base::check_range("beta_prior", "mean", mean, 0, 1);
  base::check_positive("beta_prior", "sd", sd);
  const double end = std::min(kNearestToTheEnds, sd);
  const double m = std::clamp(mean, end, 1 - end);
  return {m, std::max(kWeakestBeta, m * (1 - m) / (sd * sd) - 1)};
}

double RewardBelief::mean() const {
  if (prior_sd == 0) return prior_mean;
  switch (model) {
    case RewardModel::bernoulli:
      return beta_posterior(*this).mean;
    case RewardModel::estimated_variance:
      return seen.count == 0 ? prior_mean : estimated(*this).mean;
    case RewardModel::known_variance:
      break;
  }
  return bounded(bounds) ? within_bounds(*this).mean : gaussian_mean(*this);
}

double RewardBelief::variance() const {
  if (prior_sd == 0) return 0;
  switch (model) {
    case RewardModel::bernoulli: {
      const BetaPrior now = beta_posterior(*this);
      return now.mean * (1 - now.mean) / (now.strength + 1);
    }
    case RewardModel::estimated_variance:
      return seen.count == 0 ? prior_sd * prior_sd : belief::variance(estimated(*this));
    case RewardModel::known_variance:
      break;
  }
  return bounded(bounds) ? within_bounds(*this).variance : gaussian_variance(*this);
}

double RewardBelief::observation_precision() const {
  if (model == RewardModel::bernoulli) {
    const double m = mean();
    return 1 / (m * (1 - m));
  }
  if (model == RewardModel::estimated_variance && prior_sd > 0) return mean_precision(estimated(*this));
  return 1 / observation_variance;
}

double RewardBelief::sample(base::Stream& stream) const {
  if (model == RewardModel::bernoulli && prior_sd > 0) {
    const BetaPrior now = beta_posterior(*this);
    return base::beta(stream, now.strength * now.mean, now.strength * (1 - now.mean));
  }
  if (model == RewardModel::estimated_variance && prior_sd > 0)
    return belief::sample(estimated(*this), stream).mean;
  const double center = gaussian_mean(*this), sd = std::sqrt(gaussian_variance(*this));
  if (bounded(bounds)) return sample_truncated(center, sd, bounds, stream);
  return center + sd * base::normal(stream);
}

SampleSummary RewardBelief::after_at_least(double bound) const {
  base::check_finite("observe_at_least", "bound", bound);
  if (model != RewardModel::bernoulli) return after_bound(*this, bound, update_at_least);
  base::check_range("observe_at_least", "the lower bound of a reward that is 0 or 1", bound,
                    -std::numeric_limits<double>::infinity(), 1);
  SampleSummary all = seen;
  if (bound > 0) add(all, 1);
  return all;
}

SampleSummary RewardBelief::after_at_most(double bound) const {
  base::check_finite("observe_at_most", "bound", bound);
  if (model != RewardModel::bernoulli) return after_bound(*this, bound, update_at_most);
  base::check_range("observe_at_most", "the upper bound of a reward that is 0 or 1", bound, 0,
                    std::numeric_limits<double>::infinity());
  SampleSummary all = seen;
  if (bound < 1) add(all, 0);
  return all;
}

}  // namespace mindgap::belief
