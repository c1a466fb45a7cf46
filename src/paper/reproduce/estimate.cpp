#include "paper/reproduce/estimate.h"

#include "mindgap/stats/paired.h"

namespace mindgap::reproduce {

Estimate percent_of(std::span<const double> values, double whole) {
  std::vector<double> percent;
  for (const double value : values) percent.push_back(100 * value / whole);
  const stats::PairedT found = stats::paired_t(percent);
  return {found.mean, found.standard_error.value_or(0),
          found.interval.value_or(stats::Interval{found.mean, found.mean})};
}

trial::Results sweep(const trial::Case& on, const Options& options, const std::string& what,
                     std::vector<std::string> planners, std::vector<std::int64_t> horizons) {
  trial::SweepOptions wanted;
  wanted.planners = std::move(planners);
  wanted.horizons = std::move(horizons);
  wanted.trials = options.trials;
  wanted.run = options.run;
  wanted.what = what;
  return trial::run_sweep(on, wanted);
}

}  // namespace mindgap::reproduce
