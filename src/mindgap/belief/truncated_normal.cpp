#include "mindgap/belief/truncated_normal.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/belief/at_least.h"

namespace mindgap::belief {
namespace {

constexpr double kFar = 10;       // sds beyond which a bound changes no bit: the mass there is below 1e-22
constexpr double kNarrow = 1e-7;  // relative change of the density that is taken as none

void check_law(const char* function, double mean, double sd, const RewardBounds& bounds) {
  base::check_finite(function, "mean", mean);
  base::check_nonnegative(function, "sd", sd);
  if (!(bounds.lower < bounds.upper)) {
    throw InvalidArgument(fmt::format("{}: the lower bound {} must be below the upper bound {}", function,
                                      bounds.lower, bounds.upper));
  }
}

// The interval in standard deviations from the mean.
struct Standard {
  double a = 0, b = 0;

  Standard(double mean, double sd, const RewardBounds& bounds)
      : a((bounds.lower - mean) / sd), b((bounds.upper - mean) / sd) {}
  bool far() const { return a < -kFar && b > kFar; }
};

double upper_tail(double z) {
  return std::erfc(z / std::numbers::sqrt2) / 2;
}

// log(Q(a) / Q(a + t)), Q the upper tail, a >= 0, t >= 0 finite: Q = phi/rate, so
// a t + t^2/2 + log(rate(a + t)/rate(a)). Increasing and convex, with slope rate(a + t).
double log_survival(double a, double rate_at_a, double t) {
  return a * t + t * t / 2 + std::log(normal_hazard(a + t).rate / rate_at_a);
}

// The t in [0, d] with P(Z <= a + t | a <= Z <= a + d) = u, a >= 0; d may be infinite.
// Newton from t = target / rate(a), which is right of the root of an increasing convex function: the steps
// go left and stop at it.
double tail_quantile(double a, double d, double u) {
  const double rate = normal_hazard(a).rate;
  const double mass = std::isinf(d) ? 1 : -std::expm1(-log_survival(a, rate, d));
  const double target = -std::log1p(-u * mass);
  double t = target / rate;
  for (int i = 0; i < 60; ++i) {
    const double step = (log_survival(a, rate, t) - target) / normal_hazard(a + t).rate;
    t = std::max(0.0, t - step);
    if (std::abs(step) <= 1e-15 * (1 + t)) break;
  }
  return std::min(t, d);
}

// The standard normal quantile at u of the way through [a, b], a + b >= 0.
double quantile_between(double a, double b, double u) {
  const double width = b - a, steepest = std::max(std::abs(a), std::abs(b));
  if (width * (1 + steepest) < kNarrow) return a + u * width;  // flat
  if (a >= 0) return a + tail_quantile(a, width, u);
  const double below = upper_tail(-a), above = upper_tail(b), mass = 1 - below - above;
  const double p = below + u * mass;  // P(Z <= z)
  const double z = p < .5 ? base::normal_quantile(p) : -base::normal_quantile(above + (1 - u) * mass);
  return std::clamp(z, a, b);
}

// Where the density relative to its largest value in [a, b] is above e^-45.
Standard effective(Standard z) {
  constexpr double kDepth = 45;
  const double nearest = std::clamp(0.0, z.a, z.b), reach = std::abs(nearest);
  // (reach + t)^2/2 - reach^2/2 = depth
  const double t = 2 * kDepth / (reach + std::sqrt(reach * reach + 2 * kDepth));
  if (nearest >= 0) z.b = std::min(z.b, nearest + t);
  if (nearest <= 0) z.a = std::max(z.a, nearest - t);
  return z;
}

}  // namespace

bool bounded(const RewardBounds& bounds) {
  return bounds != RewardBounds{};
}

TruncatedMoments truncated_moments(double mean, double sd, const RewardBounds& bounds) {
  check_law("truncated_moments", mean, sd, bounds);
  if (sd == 0) return {std::clamp(mean, bounds.lower, bounds.upper), 0};
  const Standard all(mean, sd, bounds);
  if (all.far()) return {mean, sd * sd};
  const Standard z = effective(all);
  const double nearest = std::clamp(0.0, z.a, z.b);
  // In t = z - nearest, so that nothing is lost where the interval is narrow and far out.
  const double from = z.a - nearest, to = z.b - nearest, half = from + (to - from) / 2;
  using Rule = boost::math::quadrature::gauss<double, 30>;
  const auto integral = [&](auto f) {
    const auto g = [&](double t) { return f(t) * std::exp(-t * (t / 2 + nearest)); };
    return Rule::integrate(g, from, half) + Rule::integrate(g, half, to);
  };
  const double mass = integral([](double) { return 1.0; });
  const double first = integral([](double t) { return t; }) / mass;
  const double second = integral([&](double t) { return (t - first) * (t - first); }) / mass;
  return {std::clamp(mean + sd * nearest + sd * first, bounds.lower, bounds.upper), sd * sd * second};
}

double sample_truncated(double mean, double sd, const RewardBounds& bounds, base::Stream& stream) {
  check_law("sample_truncated", mean, sd, bounds);
  const Standard z(mean, sd, bounds);
  if (sd == 0 || z.far()) return std::clamp(mean + sd * base::normal(stream), bounds.lower, bounds.upper);
  const double u = base::uniform(stream);
  const double drawn = z.a + z.b >= 0 ? quantile_between(z.a, z.b, u) : -quantile_between(-z.b, -z.a, 1 - u);
  return std::clamp(mean + sd * drawn, bounds.lower, bounds.upper);
}

}  // namespace mindgap::belief
