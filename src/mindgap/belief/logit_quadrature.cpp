#include "mindgap/belief/logit_quadrature.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

namespace mindgap::belief {
namespace {

constexpr double kNegligibleDensity = -50;  // log of the density, relative to the mode, where the range ends

// log(1 + e^x)
double softplus(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

// 1/(1 + e^-x)
double logistic(double x) {
  return x > 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

}  // namespace

LogitQuadrature::LogitQuadrature(const BetaBinomial& belief)
    : positive_(belief.positive()), negative_(belief.negative()), missed_(belief.missed()) {
  mode_ = mode();
  peak_p_ = logistic(mode_);
  peak_q_ = logistic(-mode_);
  for (const auto& missed : missed_) peak_odds_.push_back(logistic(mode_ + std::log1p(-missed.detection)));

  cut_into_panels();
  below_.assign(edges_.size(), 0);
  double first_moment = 0;
  for (std::size_t k = 0; k + 1 < edges_.size(); ++k) {
    below_[k + 1] = below_[k] + integrate(edges_[k], edges_[k + 1], [](double) { return 1.0; });
    first_moment += integrate(edges_[k], edges_[k + 1], [](double p) { return p; });
  }
  mean_ = first_moment / below_.back();
}

// 1 - phi p is written (1 - phi) + phi q: no digit is lost when both phi and p are near 1.
double LogitQuadrature::slope(double x) const {
  const double p = logistic(x), q = logistic(-x);
  double sum = positive_ * q - negative_ * p;
  for (const auto& [detection, negatives] : missed_) {
    sum -= static_cast<double>(negatives) * detection * p * q / ((1 - detection) + detection * q);
  }
  return sum;
}

// With stars at the mode and s = (1-phi) e^x / (1 + (1-phi) e^x):
//   log(p/p*) = -log1p(q* expm1(-d)),  log(q/q*) = -log1p(p* expm1(d)),
//   log((1-phi p)/(1-phi p*)) = log1p(s* expm1(d)) - log1p(p* expm1(d)).
// The difference of two values of log g would lose all digits for counts of 1e15; this loses half of them.
// Far from the mode, where expm1 would overflow, the plain difference does.
double LogitQuadrature::log_ratio(double d) const {
  double log_p, log_q;
  const bool near = std::abs(d) < 30;
  const double growth = near ? std::expm1(d) : 0;
  if (near) {
    log_p = -std::log1p(peak_q_ * std::expm1(-d));
    log_q = -std::log1p(peak_p_ * growth);
  } else {
    log_p = softplus(-mode_) - softplus(-(mode_ + d));
    log_q = softplus(mode_) - softplus(mode_ + d);
  }
  double sum = positive_ * log_p + negative_ * log_q;
  for (std::size_t j = 0; j < missed_.size(); ++j) {
    const double shift = std::log1p(-missed_[j].detection);
    const double log_s =
        near ? std::log1p(peak_odds_[j] * growth) : softplus(mode_ + d + shift) - softplus(mode_ + shift);
    sum += static_cast<double>(missed_[j].negatives) * (log_s + log_q);
  }
  return sum;
}

// Bisection on the slope, which is positive below the mode and negative above. With nothing missed the mode
// is log(A/B); what was missed moves it down, by no more than if it had been seen.
double LogitQuadrature::mode() const {
  double unseen = 0;
  for (const auto& missed : missed_) unseen += static_cast<double>(missed.negatives);
  double low = std::log(positive_ / (negative_ + unseen)) - 1;
  double high = std::log(positive_ / negative_) + 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = low + (high - low) / 2;
    (slope(middle) > 0 ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

// The width of the mode, 1/sqrt(-d2 log g/dx2), at most 1. The second derivative is at least
// B p in size, since the slope is convex in p and is -B at p = 1.
double LogitQuadrature::panel_width() const {
  const double step = 1e-4;
  const double curvature = (slope(mode_ - step) - slope(mode_ + step)) / (2 * step);
  return 1 / std::sqrt(std::max(1.0, curvature));
}

// From the mode outwards. Singularities lie over x = 0 .. -log(1 - largest phi): a panel may be as wide as
// half the distance to there and to the mode, whichever is nearer.
void LogitQuadrature::cut_into_panels() {
  const double width = panel_width();
  const double last_singularity = missed_.empty() ? 0 : -std::log1p(-missed_.back().detection);
  const double left_of = std::min(0.0, -mode_), right_of = std::max(0.0, last_singularity - mode_);
  double d = 0;
  for (edges_ = {d}; log_ratio(d) > kNegligibleDensity; edges_.push_back(d))
    d -= std::max(width, (left_of - d) / 2);
  std::reverse(edges_.begin(), edges_.end());
  for (d = 0; log_ratio(d) > kNegligibleDensity; edges_.push_back(d))
    d += std::max(width, (d - right_of) / 2);
}

// Integral of integrand(p) g / g(mode) over distances from the mode that lie in one panel.
template <typename Integrand>
double LogitQuadrature::integrate(double low, double high, Integrand integrand) const {
  const auto value = [&](double d) { return std::exp(log_ratio(d)) * integrand(logistic(mode_ + d)); };
  const double centre = (low + high) / 2, half = (high - low) / 2;
  const auto& nodes = boost::math::quadrature::gauss<double, 20>::abscissa();
  const auto& weights = boost::math::quadrature::gauss<double, 20>::weights();
  double sum = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    sum += weights[i] * (value(centre - half * nodes[i]) + value(centre + half * nodes[i]));
  }
  return half * sum;
}

double LogitQuadrature::variance() const {
  double sum = 0;
  for (std::size_t k = 0; k + 1 < edges_.size(); ++k) {
    sum += integrate(edges_[k], edges_[k + 1], [this](double p) { return (p - mean_) * (p - mean_); });
  }
  return sum / below_.back();
}

// The density of p is that of x over dp/dx = p (1-p).
double LogitQuadrature::density(double p) const {
  const double d = std::log(p) - std::log1p(-p) - mode_;
  return std::exp(log_ratio(d)) / below_.back() / (p * (1 - p));
}

double LogitQuadrature::cdf(double p) const {
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  const double d = std::log(p) - std::log1p(-p) - mode_;
  if (d <= edges_.front()) return 0;
  if (d >= edges_.back()) return 1;
  const auto k =
      static_cast<std::size_t>(std::upper_bound(edges_.begin(), edges_.end(), d) - edges_.begin()) - 1;
  const double part = integrate(edges_[k], d, [](double) { return 1.0; });
  return std::min(1.0, (below_[k] + part) / below_.back());
}

// The panel by search, then Newton's method kept inside the interval that is known to hold the root. It
// converges quadratically: after a step below 1e-8 of the panel no other is needed.
double LogitQuadrature::quantile(double probability) const {
  if (probability <= 0) return 0;
  if (probability >= 1) return 1;
  const double wanted = probability * below_.back();
  const auto after = std::upper_bound(below_.begin() + 1, below_.end() - 1, wanted);
  const auto k = static_cast<std::size_t>(after - below_.begin()) - 1;
  double low = edges_[k], high = edges_[k + 1];
  const double start = low, width = high - low;
  double d = low + width * (wanted - below_[k]) / (below_[k + 1] - below_[k]);
  for (int i = 0; i < 100; ++i) {
    const double excess = below_[k] + integrate(start, d, [](double) { return 1.0; }) - wanted;
    (excess < 0 ? low : high) = d;
    const double newton = d - excess / std::exp(log_ratio(d));
    const bool inside = newton >= low && newton <= high;
    const double next = inside ? newton : low + (high - low) / 2;
    const bool done = (inside && std::abs(next - d) <= 1e-8 * width) || high - low <= 1e-16 * width;
    d = next;
    if (done) break;
  }
  return logistic(mode_ + d);
}

}  // namespace mindgap::belief
