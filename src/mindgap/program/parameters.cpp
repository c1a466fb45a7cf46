#include "mindgap/program/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"

namespace mindgap::program {
namespace {

// The quantile of a law of Boost's that is cut off at both ends; `from` is where it begins itself.
template <typename Boost>
double cut_quantile(const Boost& law, const Distribution& d, double from, double u) {
  const auto below = [&](double at) {
    if (at <= from) return 0.0;
    return std::isinf(at) ? 1.0 : boost::math::cdf(law, at);
  };
  const double low = below(d.low), high = below(d.high);
  return std::clamp(boost::math::quantile(law, low + u * (high - low)), std::max(d.low, from), d.high);
}

void check_choice(const std::string& name, const Distribution& d) {
  if (d.values.empty()) throw InvalidArgument(fmt::format("{} has no values to choose from", name));
  base::check_finite(name, "values", d.values);
  if (d.weights.empty()) return;
  base::check_size(name, "weights", d.weights.size(), d.values.size());
  base::check_nonnegative(name, "weights", d.weights);
  base::check_positive(name, "the sum of weights", std::accumulate(d.weights.begin(), d.weights.end(), 0.0));
}

double chosen(const Distribution& d, double u) {
  if (d.weights.empty()) {
    const auto size = static_cast<double>(d.values.size());
    return d.values[static_cast<std::size_t>(std::min(std::floor(u * size), size - 1))];
  }
  double left = u * std::accumulate(d.weights.begin(), d.weights.end(), 0.0);
  for (std::size_t i = 0; i < d.values.size(); ++i) {
    if (left < d.weights[i]) return d.values[i];
    left -= d.weights[i];
  }
  return d.values.back();
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

void check_distribution(std::string_view name, const Distribution& d) {
  const std::string said = fmt::format("parameter '{}'", name);
  if (d.law == Law::choice) return check_choice(said, d);
  base::check_finite(said, "the first number", d.a);
  base::check_finite(said, "the second number", d.b);
  if (d.law == Law::uniform) {
    if (!(d.a < d.b))
      throw InvalidArgument(fmt::format("{} is from {} to {}, but low must be below high", said, d.a, d.b));
    return;
  }
  base::check_positive(
      said, d.law == Law::normal || d.law == Law::lognormal ? "the standard deviation" : "the second number",
      d.b);
  if (d.law == Law::beta || d.law == Law::gamma) base::check_positive(said, "the first number", d.a);
  if (!(d.low < d.high))
    throw InvalidArgument(
        fmt::format("{} is from {} to {}, but low must be below high", said, d.low, d.high));
  if (d.law == Law::beta && !(std::isfinite(d.low) && std::isfinite(d.high)))
    throw InvalidArgument(fmt::format("{} has a beta distribution from {} to {}, but both must be finite",
                                      said, d.low, d.high));
  if (d.law == Law::lognormal || d.law == Law::gamma)
    base::check_positive(said, "high", std::min(d.high, 1e300));
  if (!std::isfinite(quantile(d, .5)))
    throw InvalidArgument(
        fmt::format("{} has next to no probability between {} and {}", said, d.low, d.high));
}

double quantile(const Distribution& d, double u) {
  switch (d.law) {
    case Law::uniform:
      return d.a + (d.b - d.a) * u;
    case Law::normal:
      return cut_quantile(boost::math::normal(d.a, d.b), d, -kInfinity, u);
    case Law::lognormal:
      return cut_quantile(boost::math::lognormal(d.a, d.b), d, 0, u);
    case Law::beta:
      return d.low + (d.high - d.low) * boost::math::quantile(boost::math::beta_distribution<>(d.a, d.b), u);
    case Law::gamma:
      return cut_quantile(boost::math::gamma_distribution<>(d.a, d.b), d, 0, u);
    case Law::choice:
      break;
  }
  return chosen(d, u);
}

double lowest(const Distribution& d) {
  if (d.law == Law::uniform) return d.a;
  if (d.law == Law::choice) return *std::min_element(d.values.begin(), d.values.end());
  return d.law == Law::lognormal || d.law == Law::gamma ? std::max(d.low, 0.0) : d.low;
}

double highest(const Distribution& d) {
  if (d.law == Law::uniform) return d.b;
  return d.law == Law::choice ? *std::max_element(d.values.begin(), d.values.end()) : d.high;
}

std::vector<double> latin_hypercube(std::span<const Distribution> parameters, std::int32_t draws,
                                    std::uint64_t seed) {
  base::check_range("latin_hypercube", "draws", draws, 1, 1e9);
  std::vector<double> found(static_cast<std::size_t>(draws) * parameters.size());
  std::vector<std::int32_t> order(static_cast<std::size_t>(draws));
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    base::Stream random({.seed = seed, .purpose = base::Purpose::belief, .trial = k});
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1],
                order[static_cast<std::size_t>(base::uniform_index(random, static_cast<std::int64_t>(i)))]);
    for (std::size_t i = 0; i < order.size(); ++i)
      found[i * parameters.size() + k] = quantile(parameters[k], (order[i] + base::uniform(random)) / draws);
  }
  return found;
}

}  // namespace mindgap::program
