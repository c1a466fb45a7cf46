#include "mindgap/reproduce/estimate.h"

#include <cmath>

namespace mindgap::reproduce {

Estimate percent_of(std::span<const double> values, double whole) {
  const double count = static_cast<double>(values.size());
  Estimate estimate;
  for (const double value : values) estimate.mean += 100 * value / whole / count;
  if (values.size() < 2) return estimate;
  double squares = 0;
  for (const double value : values) squares += std::pow(100 * value / whole - estimate.mean, 2);
  estimate.standard_error = std::sqrt(squares / (count - 1) / count);
  return estimate;
}

trial::Results sweep(const trial::Case& on, const Options& options, const std::string& what,
                     std::vector<std::string> planners, std::vector<std::int64_t> horizons) {
  trial::SweepOptions wanted;
  wanted.planners = std::move(planners);
  wanted.horizons = std::move(horizons);
  wanted.trials = options.trials;
  wanted.threads = options.threads;
  if (options.on_progress) {
    wanted.on_progress = [&options, what](std::int64_t done, std::int64_t total) {
      options.on_progress(what, done, total);
    };
  }
  return trial::run_sweep(on, wanted);
}

}  // namespace mindgap::reproduce
