#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/goodness_of_fit.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/random.h"

// Simulation-based calibration (Talts, Betancourt, Simpson, Vehtari, Gelman 2018, "Validating Bayesian
// inference algorithms with simulation-based calibration"): draw the truth from the prior, data given the
// truth, and L times from the posterior given the data. If all three agree, the truth is exchangeable with
// the draws, so its rank among them is uniform on 0 .. L, for every quantity.
namespace mindgap::belief {

struct CalibrationOptions {
  std::uint64_t seed = 20240611;
  int replications = 2000;
  int draws = 19;  // L, independent ones
};

/// One replication: the quantities of the truth, and those of each draw from the posterior.
struct Replication {
  std::vector<double> truth;
  std::vector<std::vector<double>> draws;  // [draw][quantity]
};

/// Where draws equal the truth (a discrete law), its place among them is drawn: ranks stay uniform.
inline std::size_t rank_among(const Replication& replication, std::size_t quantity, base::Stream& ties) {
  std::int64_t below = 0, equal = 0;
  for (const auto& draw : replication.draws) {
    below += draw.at(quantity) < replication.truth[quantity];
    equal += draw.at(quantity) == replication.truth[quantity];
  }
  return static_cast<std::size_t>(below + base::uniform_index(ties, equal + 1));
}

/// Per quantity the p-value of Pearson's test that ranks are uniform. `replicate(stream, draws)` returns a
/// Replication with so many draws and uses no other randomness than the stream.
template <typename Replicate>
std::vector<double> calibration_p_values(const CalibrationOptions& options, Replicate replicate) {
  std::vector<std::vector<double>> histograms;
  for (int r = 0; r < options.replications; ++r) {
    const auto trial = static_cast<std::uint64_t>(r);
    base::Stream stream({.seed = options.seed, .purpose = base::Purpose::test, .trial = trial, .unit = 0});
    base::Stream ties({.seed = options.seed, .purpose = base::Purpose::test, .trial = trial, .unit = 1});
    const Replication replication = replicate(stream, options.draws);
    if (replication.draws.size() != static_cast<std::size_t>(options.draws)) {
      throw std::logic_error("calibration_p_values: a replication with another number of draws");
    }
    histograms.resize(replication.truth.size(),
                      std::vector<double>(static_cast<std::size_t>(options.draws) + 1));
    for (std::size_t q = 0; q < histograms.size(); ++q) ++histograms[q].at(rank_among(replication, q, ties));
  }
  std::vector<double> p_values;
  for (const auto& histogram : histograms) {
    const double expected = static_cast<double>(options.replications) / static_cast<double>(histogram.size());
    p_values.push_back(base::chi_square_p_value(histogram, std::vector<double>(histogram.size(), expected)));
  }
  return p_values;
}

/// A p-value below this fails a test: once in ten thousand for a belief that is right.
constexpr double kMiscalibrated = 1e-4;

/// For suites named *Long.
constexpr CalibrationOptions kLongCalibration{.seed = 20240612, .replications = 60'000, .draws = 63};

template <typename Replicate>
void expect_calibrated(const CalibrationOptions& options, Replicate replicate) {
  const std::vector<double> p_values = calibration_p_values(options, replicate);
  for (std::size_t q = 0; q < p_values.size(); ++q)
    EXPECT_GT(p_values[q], kMiscalibrated) << "quantity " << q;
}

}  // namespace mindgap::belief
