#include "mindgap/belief/demand_filter.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/log_pmf.h"
#include "mindgap/base/number.h"

namespace mindgap::belief {
namespace {

using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
constexpr double kMostSales = 1e6;
constexpr double kLeastDispersion = 1e-3;

double spacing(const DemandFilterOptions& options) {
  return std::log(options.highest_rate / options.lowest_rate) / (options.points - 1);
}

// e^-t I_j(t) for j = 0, 1, ..., until what is left cannot be seen, scaled so that both sides sum to 1. By
// the recurrence I_(j-1) = I_(j+1) + (2j/t) I_j downwards from far out (Miller), which is stable and never
// overflows after the scaling.
// Below t = 1e-20 no step is ever seen beside rounding.
std::vector<double> walk_kernel(double t) {
  if (t < 1e-20) return {1};
  const auto reach = static_cast<std::size_t>(std::ceil(10 * std::sqrt(t) + 30));
  std::vector<double> kernel(reach + 1, 0);
  double above = 0, here = 1e-300;
  for (std::size_t j = reach; j > 0; --j) {
    kernel[j] = here;
    const double below = above + 2 * static_cast<double>(j) / t * here;
    above = here;
    here = below;
    if (here > 1e200) {
      for (std::size_t i = j; i <= reach; ++i) kernel[i] *= 1e-200;
      here *= 1e-200;
      above *= 1e-200;
    }
  }
  kernel[0] = here;
  double sum = kernel[0];
  for (std::size_t j = 1; j <= reach; ++j) sum += 2 * kernel[j];
  for (double& weight : kernel) weight /= sum;
  while (kernel.back() < 1e-20) kernel.pop_back();
  return kernel;
}

// sum_{j>=0} of p(k+j)/p(k), where p falls from k on: ratios (k+j+r)/(k+j+1) m/(r+m), or m/(k+j+1).
double tail_over_first(double k, double mean, double dispersion) {
  double sum = 1, term = 1;
  for (double at = k; term > 1e-17 * sum; at += 1) {
    term *= dispersion == base::kInfinity ? mean / (at + 1)
                                          : (at + dispersion) / (at + 1) * (mean / (dispersion + mean));
    sum += term;
  }
  return sum;
}

}  // namespace

void DemandFilterOptions::validate() const {
  const char* name = "DemandFilterOptions";
  base::check_positive(name, "lowest_rate", lowest_rate);
  base::check_positive(name, "highest_rate", highest_rate);
  base::check_positive(name, "highest_rate - lowest_rate", highest_rate - lowest_rate);
  base::check_range(name, "points", points, 2, 1e4);
  base::check_positive(name, "prior_sd", prior_sd);
  base::check_nonnegative(name, "drift_sd", drift_sd);
  base::check_probability(name, "jump_probability", jump_probability);
  base::check_range(name, "dispersion", dispersion, kLeastDispersion, base::kInfinity);
}

// P(D >= k) for k >= 1 is the regularised incomplete gamma function P(k, m) or, for the negative binomial,
// the incomplete beta function I_x(k, r), x = m/(r+m). It underflows only far above the mean, where the
// probabilities fall from k on.
double log_probability_at_least(std::int64_t stock, double mean, double dispersion) {
  const char* function = "log_probability_at_least";
  base::check_range(function, "stock", static_cast<double>(stock), 0, kMostSales);
  base::check_nonnegative(function, "mean", mean);
  base::check_range(function, "dispersion", dispersion, kLeastDispersion, base::kInfinity);
  if (stock == 0) return 0;
  if (mean == 0) return -base::kInfinity;
  const auto k = static_cast<double>(stock);
  const double probability = dispersion == base::kInfinity
                                 ? boost::math::gamma_p(k, mean, Policy())
                                 : boost::math::ibeta(k, dispersion, mean / (dispersion + mean), Policy());
  if (probability > 1e-290) return std::log(probability);
  return base::negative_binomial_log_pmf(stock, mean, dispersion) +
         std::log(tail_over_first(k, mean, dispersion));
}

DemandFilter::DemandFilter(double rate, const DemandFilterOptions& options) : options_(options) {
  options_.validate();
  base::check_range("DemandFilter", "rate", rate, options.lowest_rate, options.highest_rate);
  const auto points = static_cast<std::size_t>(options.points);
  const double step = spacing(options);
  rates_.resize(points);
  log_weight_.resize(points);
  probability_.resize(points);
  for (std::size_t i = 0; i < points; ++i) {
    const double above = static_cast<double>(i) * step;  // log(rate of the point / lowest rate)
    rates_[i] = options.lowest_rate * std::exp(above);
    const double z = (above - std::log(rate / options.lowest_rate)) / options.prior_sd;
    log_weight_[i] = -z * z / 2;
  }
  rates_.back() = options.highest_rate;
  kernel_ = walk_kernel(options.drift_sd * options.drift_sd / (step * step));
  normalise();
}

// The probability of `point` after the walk. Beyond an end the grid goes on as its own mirror image, so point
// -1-i stands for i and points + i for points - 1 - i; the walk may be folded several times.
double DemandFilter::walk(std::int64_t point) const {
  const auto size = static_cast<std::int64_t>(probability_.size());
  const auto at = [&](std::int64_t i) {
    i %= 2 * size;
    if (i < 0) i += 2 * size;
    return probability_[static_cast<std::size_t>(i < size ? i : 2 * size - 1 - i)];
  };
  double sum = kernel_[0] * at(point);
  for (std::size_t j = 1; j < kernel_.size(); ++j) {
    const auto move = static_cast<std::int64_t>(j);
    sum += kernel_[j] * (at(point - move) + at(point + move));
  }
  return sum;
}

void DemandFilter::predict() {
  const double jump = options_.jump_probability;
  if (kernel_.size() == 1 && jump == 0) return;
  const double uniform = 1 / static_cast<double>(rates_.size());
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    log_weight_[i] = std::log((1 - jump) * walk(static_cast<std::int64_t>(i)) + jump * uniform);
  }
  normalise();
}

void DemandFilter::observe(std::int64_t sales, bool censored, double exposure) {
  base::check_range("DemandFilter::observe", "sales", static_cast<double>(sales), 0, kMostSales);
  base::check_positive("DemandFilter::observe", "exposure", exposure);
  base::check_positive("DemandFilter::observe", "exposure * rate", exposure * rates_.front());
  base::check_finite("DemandFilter::observe", "exposure * rate", exposure * rates_.back());
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    const double demand = rates_[i] * exposure;
    log_weight_[i] += censored ? log_probability_at_least(sales, demand, options_.dispersion)
                               : base::negative_binomial_log_pmf(sales, demand, options_.dispersion);
  }
  normalise();
}

// Weights are kept as logs, so a rate that became improbable can come back. Every count is possible at every
// rate: the largest log weight is finite.
void DemandFilter::normalise() {
  const double largest = *std::max_element(log_weight_.begin(), log_weight_.end());
  double sum = 0;
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    log_weight_[i] -= largest;
    probability_[i] = std::exp(log_weight_[i]);
    sum += probability_[i];
  }
  for (double& p : probability_) p /= sum;
}

double DemandFilter::mean() const {
  return std::inner_product(rates_.begin(), rates_.end(), probability_.begin(), 0.0);
}

double DemandFilter::quantile(double probability) const {
  base::check_probability("DemandFilter::quantile", "probability", probability);
  double below = 0;
  std::size_t last = 0;  // the last point with any probability, should rounding keep the sum below 1
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    if (probability_[i] == 0) continue;
    last = i;
    below += probability_[i];
    if (below >= probability) break;
  }
  return rates_[last];
}

double DemandFilter::sample(base::Stream& stream) const {
  return quantile(base::uniform(stream));
}

}  // namespace mindgap::belief
