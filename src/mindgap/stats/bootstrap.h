#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "mindgap/base/run.h"
#include "mindgap/stats/interval.h"

// The bootstrap (Efron 1979): how far a statistic of the rows of a table would move, had other rows come.
namespace mindgap::stats {

enum class BootstrapMethod {
  percentile,  ///< between two quantiles of the replicates
  bca,         ///< the same, corrected for bias and for an error that depends on the value (Efron 1987)
};

struct BootstrapOptions {
  BootstrapMethod method = BootstrapMethod::bca;
  std::int64_t replicates = 10'000;  // at least 2 / (1 - level), so that each tail holds one
  double level = .95;
  std::uint64_t position = 0;  // tells the bootstraps of one seed apart: other positions, other resamples
  base::Run run = {};
};

struct BootstrapInterval {
  double estimate = 0;        // the statistic of the rows as they are
  double standard_error = 0;  // standard deviation of the replicates
  Interval interval = {};
};

/// A statistic of the rows that are listed: each number names a row, and one may come several times.
using RowStatistic = std::function<double(std::span<const std::int32_t> rows)>;

/// Rows 0 .. rows-1 (at least 2) are resampled with replacement, whole rows together, so that what is paired
/// stays so. `statistic` must be a function of the list alone; it is called from several threads, and for
/// `bca` once more without each row. Replicate b has the stream {seed, Purpose::analysis, position, b}.
/// Throws InvalidArgument for a bad argument; NumericalError where the statistic is not finite, or bca is not
/// defined (bca_interval()).
BootstrapInterval bootstrap(std::int64_t rows, const RowStatistic& statistic,
                            const BootstrapOptions& options = {});

/// The (1 - level)/2 and (1 + level)/2 quantiles of the replicates (at least 1).
Interval percentile_interval(std::span<const double> replicates, double level = .95);

/// The bias-corrected and accelerated interval, from the replicates, the statistic of all rows and those with
/// one row left out (at least 2). Throws NumericalError where all replicates lie on one side of the estimate:
/// the correction is infinite there.
Interval bca_interval(std::span<const double> replicates, double estimate,
                      std::span<const double> leave_one_out, double level = .95);

}  // namespace mindgap::stats
