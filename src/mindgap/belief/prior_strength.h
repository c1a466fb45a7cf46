#pragma once

#include <cstdint>
#include <span>
#include <vector>

// How much a simulator is worth, in pseudo-observations kappa: from how far a pilot finds its means off, or
// from the simulator alone.
namespace mindgap::belief {

/// What a pilot and the simulator say of one pair.
struct PilotPair {
  double count = 0;            // n, pilot observations
  double mean = 0;             // xbar, their mean
  double variance = 0;         // v-hat, their sample variance (divisor n-1)
  double simulated_mean = 0;   // mu_0
  double stated_variance = 0;  // sigma_0^2, of one reward as the simulator states it
};

struct StrengthOptions {
  double minimum_count = 20;  // pairs with fewer pilot observations are left out; at least 20
  double fallback = 2;        // where no pair can be used
  double lower = 1;           // the estimate is kept in lower .. upper
  double upper = 1e6;

  void validate() const;
};

enum class StrengthBasis {
  estimated,  // the estimate, or lower where it is below that
  agreement,  // the pilot is no further from the simulator than its own noise: upper
  no_data,    // no pair could be used: fallback
};

struct StrengthEstimate {
  double strength = 0;
  StrengthBasis basis = StrengthBasis::no_data;
  std::int64_t used = 0;            // pairs used
  std::int64_t too_few = 0;         // pairs left out for their count
  std::int64_t without_spread = 0;  // pairs left out since the pilot saw one value only (v-hat = 0)
};

/// kappa_eff by the method of moments. Where theta ~ N(mu_0, sigma_0^2/kappa) and xbar is the mean of n
/// rewards of variance v, z^2 = n (xbar - mu_0)^2 / v has E z^2 = 1 + n sigma_0^2/(kappa v), so
///   kappa = sum n sigma_0^2 c/v-hat / sum (c z^2 - 1),  c = (n-3)/(n-1),  kept in lower .. upper.
/// Departures from the paper (app:fisher-v2-eb):
///  - The sum is taken before any truncation (docs/math/beliefs.md). The paper drops the negative terms one
///  by
///    one, which keeps the noise that points one way: 14.1 in the limit of many pairs (14.3 on average for
///    some 250) for a truth of 20 at n = 20, sigma_0^2 = v.
///  - c makes c/v-hat unbiased for 1/v (normal rewards). Without it the limit above is 18.1.
///  - A sum of zero or less says that the pilot is as near to the simulator as its noise lets it be: evidence
///    for a strength beyond what these data can measure, so it gives `upper`. The paper falls back to 2
///    there, which would trust a simulator least when it agrees best. 2 is for no data only.
StrengthEstimate effective_strength(std::span<const PilotPair> pairs, const StrengthOptions& options = {});

/// The paper's own form: max(lower, sum n sigma_0^2/v-hat / sum max(0, z^2 - 1)); `fallback` where there is
/// no pair or the denominator is 0. Biased low, as above. `upper` does not apply.
StrengthEstimate truncated_strength(std::span<const PilotPair> pairs, const StrengthOptions& options = {});

struct SelfConsistencyOptions {
  double lower = 1;  // kappa_min > 0
  double upper = 20;

  void validate() const;
};

/// kappa_0 per pair from the simulator alone (app:fisher-v3-kappa0): lower + (upper - lower) c g, where
/// c = min/max of the variance in rollouts and the stated variance (1 where both are 0), and g = the squared
/// sensitivity of the simulator's value to the pair over the largest of them (0 where all are 0).
/// Reads no data, so it says how consistent a simulator is, not how right.
std::vector<double> self_consistency_strength(std::span<const double> rollout_variance,
                                              std::span<const double> stated_variance,
                                              std::span<const double> sensitivity,
                                              const SelfConsistencyOptions& options = {});

}  // namespace mindgap::belief
