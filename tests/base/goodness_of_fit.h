#pragma once

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

// Tests of a sample against a distribution function: the p-value, small when they disagree.
namespace mindgap::base {

/// sup over x of |F_n(x) - F(x)|, Kolmogorov-Smirnov, for continuous F. The p-value is Kolmogorov's limit law
/// with Stephens's (1970) correction for n.
template <typename Cdf>
double ks_p_value(std::vector<double> sample, Cdf cdf) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double f = cdf(sample[i]);
    if (std::isnan(f)) return 0;
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, (rank + 1) / n - f, f - rank / n});
  }
  const double lambda = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
  if (lambda < 0.2) return 1;  // the series below converges slowly there, to 1 - 1e-12 or more
  double sum = 0;
  for (int j = 100; j >= 1; --j) sum += (j % 2 == 1 ? 2 : -2) * std::exp(-2 * j * j * lambda * lambda);
  return std::clamp(sum, 0.0, 1.0);
}

/// Pearson's chi-square of counts against expected ones, after neighbours with an expected count below 10 are
/// joined. One degree of freedom less than bins.
inline double chi_square_p_value(const std::vector<double>& counts, const std::vector<double>& expected) {
  double count = 0, wanted = 0, left = 0, statistic = 0;
  int bins = 0;
  for (const double e : expected) left += e;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    count += counts[i];
    wanted += expected[i];
    left -= expected[i];
    if (i + 1 < counts.size() && (wanted < 10 || left < 10)) continue;
    statistic += wanted > 0 ? (count - wanted) * (count - wanted) / wanted : (count > 0 ? INFINITY : 0);
    ++bins;
    count = wanted = 0;
  }
  if (bins < 2) throw std::logic_error("chi_square_p_value: fewer than two bins");
  return std::isinf(statistic) ? 0 : boost::math::gamma_q((bins - 1) / 2.0, statistic / 2);
}

/// Chi-square with the bins (-inf, e_0], (e_0, e_1], ..., (e_last, inf). F(e) = cdf(e).
template <typename Value, typename Cdf>
double chi_square_p_value(const std::vector<Value>& sample, const std::vector<Value>& edges, Cdf cdf) {
  const auto n = static_cast<double>(sample.size());
  std::vector<double> counts(edges.size() + 1), expected;
  for (const Value& value : sample)
    ++counts[static_cast<std::size_t>(std::lower_bound(edges.begin(), edges.end(), value) - edges.begin())];
  double below = 0;
  for (const Value& edge : edges) {
    const double f = cdf(edge);
    expected.push_back(n * (f - below));
    below = f;
  }
  expected.push_back(n * (1 - below));
  return chi_square_p_value(counts, expected);
}

/// Chi-square for counts 0, 1, ..., with about 50 bins of equal probability and finer ones in the tails.
template <typename Cdf>
double count_p_value(const std::vector<std::int64_t>& sample, Cdf cdf) {
  std::vector<double> levels = {1e-4, 1e-3, 5e-3, 0.995, 0.999, 0.9999};
  for (int i = 1; i < 50; ++i) levels.push_back(i / 50.0);
  std::vector<std::int64_t> edges;
  for (const double level : levels) {
    std::int64_t high = 1;
    while (cdf(high) < level) high *= 2;
    std::int64_t low = -1;  // F(low) < level <= F(high)
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (cdf(middle) < level ? low : high) = middle;
    }
    edges.push_back(high);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return chi_square_p_value(sample, edges, cdf);
}

}  // namespace mindgap::base
