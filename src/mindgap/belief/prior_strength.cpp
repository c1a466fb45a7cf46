#include "mindgap/belief/prior_strength.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/base/check.h"

namespace mindgap::belief {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

void check_pair(std::string_view function, std::size_t index, const PilotPair& pair) {
  const auto name = [index](const char* member) { return fmt::format("pairs[{}].{}", index, member); };
  base::check_nonnegative(function, name("count"), pair.count);
  base::check_finite(function, name("mean"), pair.mean);
  base::check_nonnegative(function, name("variance"), pair.variance);
  base::check_finite(function, name("simulated_mean"), pair.simulated_mean);
  base::check_positive(function, name("stated_variance"), pair.stated_variance);
}

struct Sums {
  double information = 0;  // of n sigma_0^2 / v
  double excess = 0;       // of z^2 - 1
};

// Adds add(n sigma_0^2/v-hat, z^2, n, sums) over the pairs that can be used, and counts the others.
template <typename Add>
Sums sum_pairs(std::string_view function, std::span<const PilotPair> pairs, const StrengthOptions& options,
               StrengthEstimate& estimate, Add add) {
  options.validate();
  Sums sums;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const PilotPair& pair = pairs[i];
    check_pair(function, i, pair);
    if (pair.count < options.minimum_count) {
      ++estimate.too_few;
    } else if (pair.variance == 0) {
      ++estimate.without_spread;
    } else {
      ++estimate.used;
      const double per_variance = pair.count / pair.variance;
      const double off = pair.mean - pair.simulated_mean;
      add(per_variance * pair.stated_variance, per_variance * off * off, pair.count, sums);
    }
  }
  return sums;
}

}  // namespace

void StrengthOptions::validate() const {
  base::check_range("StrengthOptions", "minimum_count", minimum_count, 20, kLargest);
  base::check_positive("StrengthOptions", "fallback", fallback);
  base::check_positive("StrengthOptions", "lower", lower);
  base::check_range("StrengthOptions", "upper", upper, lower, kLargest);
}

StrengthEstimate effective_strength(std::span<const PilotPair> pairs, const StrengthOptions& options) {
  StrengthEstimate estimate;
  const auto add = [](double information, double z2, double n, Sums& sums) {
    const double c = (n - 3) / (n - 1);
    sums.information += c * information;
    sums.excess += c * z2 - 1;
  };
  const Sums sums = sum_pairs("effective_strength", pairs, options, estimate, add);
  if (estimate.used == 0) {
    estimate.strength = options.fallback;
  } else if (sums.excess <= 0) {
    estimate.strength = options.upper;
    estimate.basis = StrengthBasis::agreement;
  } else {
    estimate.strength = std::clamp(sums.information / sums.excess, options.lower, options.upper);
    estimate.basis = StrengthBasis::estimated;
  }
  return estimate;
}

StrengthEstimate truncated_strength(std::span<const PilotPair> pairs, const StrengthOptions& options) {
  StrengthEstimate estimate;
  const auto add = [](double information, double z2, double, Sums& sums) {
    sums.information += information;
    sums.excess += std::max(0.0, z2 - 1);
  };
  const Sums sums = sum_pairs("truncated_strength", pairs, options, estimate, add);
  if (sums.excess > 0) {
    estimate.strength = std::max(options.lower, sums.information / sums.excess);
    estimate.basis = StrengthBasis::estimated;
  } else {
    estimate.strength = options.fallback;
    estimate.basis = estimate.used == 0 ? StrengthBasis::no_data : StrengthBasis::agreement;
  }
  return estimate;
}

void SelfConsistencyOptions::validate() const {
  base::check_positive("SelfConsistencyOptions", "lower", lower);
  base::check_range("SelfConsistencyOptions", "upper", upper, lower, kLargest);
}

std::vector<double> self_consistency_strength(std::span<const double> rollout_variance,
                                              std::span<const double> stated_variance,
                                              std::span<const double> sensitivity,
                                              const SelfConsistencyOptions& options) {
  const char* function = "self_consistency_strength";
  options.validate();
  base::check_size(function, "stated_variance", stated_variance.size(), rollout_variance.size());
  base::check_size(function, "sensitivity", sensitivity.size(), rollout_variance.size());
  base::check_nonnegative(function, "rollout_variance", rollout_variance);
  base::check_nonnegative(function, "stated_variance", stated_variance);
  base::check_nonnegative(function, "sensitivity", sensitivity);

  double largest = 0;
  for (const double g : sensitivity) largest = std::max(largest, g);
  std::vector<double> strength(rollout_variance.size());
  for (std::size_t k = 0; k < strength.size(); ++k) {
    const auto [low, high] = std::minmax(rollout_variance[k], stated_variance[k]);
    const double consistency = high == 0 ? 1 : low / high;
    const double importance = largest == 0 ? 0 : sensitivity[k] / largest;
    strength[k] = options.lower + (options.upper - options.lower) * consistency * importance;
  }
  return strength;
}

}  // namespace mindgap::belief
