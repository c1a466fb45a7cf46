#pragma once

#include <span>
#include <string>

#include "mindgap/trial/sweep.h"
#include "paper/reproduce/artefact.h"

namespace mindgap::reproduce {

/// A mean over trials, with its standard error and 95 % interval (Student's t); 0 and the mean for one trial.
struct Estimate {
  double mean = 0, standard_error = 0;
  stats::Interval interval = {};
};

/// Of 100 value / whole, whole > 0.
Estimate percent_of(std::span<const double> values, double whole);

/// run_sweep with the trials, threads and progress of `options`; 0 trials: the case's own.
trial::Results sweep(const trial::Case& on, const Options& options, const std::string& what,
                     std::vector<std::string> planners = {}, std::vector<std::int64_t> horizons = {});

}  // namespace mindgap::reproduce
