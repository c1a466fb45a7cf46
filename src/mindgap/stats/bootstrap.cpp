#include "mindgap/stats/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <string_view>
#include <vector>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/parallel.h"
#include "mindgap/base/random.h"
#include "mindgap/base/readable.h"
#include "mindgap/stats/moments.h"

namespace mindgap::stats {
namespace {

constexpr std::int64_t kGrain = 16;  // calls of the statistic in one piece of work

// Linear between order statistics, the p-quantile of B at (B - 1) p from the first (Hyndman and Fan 1996,
// definition 7).
double quantile(const std::vector<double>& ascending, double p) {
  const double place = p * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= ascending.size()) return ascending.back();
  const double share = place - static_cast<double>(below);
  return ascending[below] + share * (ascending[below + 1] - ascending[below]);
}

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> ascending(values.begin(), values.end());
  std::sort(ascending.begin(), ascending.end());
  return ascending;
}

void check_replicates(const char* function, std::span<const double> replicates, double level) {
  check_level(function, level);
  if (replicates.empty()) throw InvalidArgument(fmt::format("{}: there are no replicates", function));
  base::check_finite(function, "replicates", replicates);
}

double normal_distribution(double z) {
  return std::erfc(-z / std::numbers::sqrt2) / 2;
}

// z0 = Phi^-1(share of the replicates below the estimate, half of those equal to it).
double bias_correction(const std::vector<double>& ascending, double estimate) {
  const auto [first, last] = std::equal_range(ascending.begin(), ascending.end(), estimate);
  const auto below = static_cast<double>(first - ascending.begin());
  const auto not_above = static_cast<double>(last - ascending.begin());
  const double share = (below + not_above) / (2 * static_cast<double>(ascending.size()));
  if (share > 0 && share < 1) return base::normal_quantile(share);
  throw NumericalError(
      fmt::format("bca_interval: every replicate is {} the estimate {}, so the bias correction is infinite",
                  share == 0 ? "above" : "below", estimate));
}

// a = sum u^3 / (6 (sum u^2)^(3/2)), u_i = mean of the leave-one-out values less the i-th. |a| <= 1/6, since
// the 3-norm is at most the 2-norm; 0 where leaving out a row changes nothing.
double acceleration(std::span<const double> leave_one_out) {
  const double center = mean(leave_one_out);
  double largest = 0;
  for (const double value : leave_one_out) largest = std::max(largest, std::abs(center - value));
  base::check_finite("bca_interval", "the largest deviation of leave_one_out", largest);
  if (largest == 0) return 0;
  double squares = 0, cubes = 0;
  for (const double value : leave_one_out) {
    const double u = (center - value) / largest;
    squares += u * u;
    cubes += u * u * u;
  }
  return cubes / (6 * squares * std::sqrt(squares));
}

// Phi(z0 + (z0 + z) / (1 - a (z0 + z))), the level of the quantile to take in place of Phi(z). Where the
// denominator is not positive, its limit as that falls to 0: Phi(+-infinity).
double corrected_level(double z, double z0, double a) {
  const double shifted = z0 + z;
  const double denominator = 1 - a * shifted;
  if (denominator <= 0) return shifted > 0 ? 1 : 0;
  return normal_distribution(z0 + shifted / denominator);
}

void check_options(std::int64_t rows, const RowStatistic& statistic, const BootstrapOptions& options) {
  const char* function = "bootstrap";
  base::check_range(function, "rows", static_cast<double>(rows), 2, std::numeric_limits<std::int32_t>::max());
  if (!statistic) throw InvalidArgument("bootstrap: there is no statistic");
  check_level(function, options.level);
  const double wanted = 2 / (1 - options.level) * (1 - 1e-12);  // 40 at .95, not the 41st for rounding's sake
  if (static_cast<double>(options.replicates) < wanted) {
    throw InvalidArgument(fmt::format("{}: replicates is {}, but must be at least {} at level {}", function,
                                      options.replicates, base::fixed(std::ceil(wanted), 0), options.level));
  }
}

double checked(double value, std::string_view what) {
  if (std::isfinite(value)) return value;
  throw NumericalError(fmt::format("bootstrap: the statistic of {} is {}", what, value));
}

// The statistic of `count` lists of `size` rows; fill(number, list) writes one.
template <typename Fill>
std::vector<double> statistics(const base::Threads& threads, const RowStatistic& statistic,
                               std::int64_t count, std::int64_t size, const char* what, Fill fill) {
  std::vector<double> found(static_cast<std::size_t>(count));
  base::parallel_for(threads, count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int32_t> list(static_cast<std::size_t>(size));
    for (std::int64_t number = begin; number < end; ++number) {
      fill(number, list);
      found[static_cast<std::size_t>(number)] = checked(statistic(list), fmt::format("{} {}", what, number));
    }
  });
  return found;
}

}  // namespace

Interval percentile_interval(std::span<const double> replicates, double level) {
  check_replicates("percentile_interval", replicates, level);
  const std::vector<double> ascending = sorted(replicates);
  return {quantile(ascending, (1 - level) / 2), quantile(ascending, (1 + level) / 2)};
}

// Efron (1987), "Better bootstrap confidence intervals", J. Amer. Statist. Assoc. 82, section 2 and (6.6).
Interval bca_interval(std::span<const double> replicates, double estimate,
                      std::span<const double> leave_one_out, double level) {
  const char* function = "bca_interval";
  check_replicates(function, replicates, level);
  base::check_finite(function, "estimate", estimate);
  base::check_finite(function, "leave_one_out", leave_one_out);
  if (leave_one_out.size() < 2) {
    throw InvalidArgument(fmt::format("{}: leave_one_out has {} entries, but must have 2 or more", function,
                                      leave_one_out.size()));
  }
  const std::vector<double> ascending = sorted(replicates);
  const double z0 = bias_correction(ascending, estimate);
  const double a = acceleration(leave_one_out);
  const double z = base::normal_quantile((1 - level) / 2);
  return {quantile(ascending, corrected_level(z, z0, a)), quantile(ascending, corrected_level(-z, z0, a))};
}

BootstrapInterval bootstrap(std::int64_t rows, const RowStatistic& statistic,
                            const BootstrapOptions& options) {
  check_options(rows, statistic, options);
  const base::Threads threads(options.run.threads);
  std::vector<std::int32_t> all(static_cast<std::size_t>(rows));
  std::iota(all.begin(), all.end(), 0);
  const double estimate = checked(statistic(all), "all rows");
  const auto replicates = statistics(
      threads, statistic, options.replicates, rows, "replicate", [&](std::int64_t replicate, auto& list) {
        base::Stream stream({options.run.seed, base::Purpose::analysis, options.position,
                             static_cast<std::uint64_t>(replicate)});
        for (auto& row : list) row = static_cast<std::int32_t>(base::uniform_index(stream, rows));
      });
  BootstrapInterval result{.estimate = estimate, .standard_error = standard_deviation(replicates)};
  if (options.method == BootstrapMethod::percentile) {
    result.interval = percentile_interval(replicates, options.level);
    return result;
  }
  const auto leave_one_out =
      statistics(threads, statistic, rows, rows - 1, "all rows but", [](std::int64_t left_out, auto& list) {
        const auto gap = list.begin() + static_cast<std::ptrdiff_t>(left_out);
        std::iota(list.begin(), gap, 0);
        std::iota(gap, list.end(), static_cast<std::int32_t>(left_out + 1));
      });
  result.interval = bca_interval(replicates, estimate, leave_one_out, options.level);
  return result;
}

}  // namespace mindgap::stats
