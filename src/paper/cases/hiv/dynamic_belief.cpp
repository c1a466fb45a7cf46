#include "paper/cases/hiv/dynamic_belief.h"

#include <algorithm>
#include <cmath>

namespace mindgap::cases::hiv {
namespace {

constexpr double kLeastDetection = 1e-3;
constexpr double kLeastStrength = 1;

}  // namespace

DynamicBelief::DynamicBelief(const Known& known, bool depletes)
    : known_(known),
      depletes_(depletes),
      warm_up_(*known.geography, known.warmup_days, known.cold_yield),
      shape_(prior_shapes(known)),
      diagnosed_(shape_.size(), 0.0),
      mean_(shape_.size()),
      share_(shape_.size()) {}

double DynamicBelief::mean(std::size_t zone) const {
  return belief::mean(shape_[zone]);
}

double DynamicBelief::standard_deviation(std::size_t zone) const {
  return std::sqrt(belief::variance(shape_[zone]));
}

void DynamicBelief::observe(std::span<const TeamDay> tests) {
  for (const TeamDay& test : tests) learn(test);
  for (const TeamDay& test : tests) {
    const auto j = static_cast<std::size_t>(test.zone);
    diagnosed_[j] = std::min(known_.transmission.population[j], diagnosed_[j] + test.positives);
  }
  for (const TeamDay& test : tests) warm_up_.visit(test.zone);
  warm_up_.end_day();
  carry_on();
}

// P(k) / C(n,k) = a (a+1) .. (a+k-1) b' (b'+1) .. (b'+n-k-1) / [(a+b') .. (a+b'+n-1)], b' = (a+b)/e - a.
void DynamicBelief::learn(const TeamDay& test) {
  const auto j = static_cast<std::size_t>(test.zone);
  double detection = warm_up_.detection(test.zone);
  if (depletes_) detection *= remaining(j) / known_.transmission.population[j];
  detection = std::max(detection, kLeastDetection);
  belief::BetaShape& shape = shape_[j];
  const double a = shape.positive, all = (shape.positive + shape.negative) / detection, b = all - a;
  double probability = 1;
  for (std::int32_t i = 0; i < test.tests; ++i) {
    const double way = i < test.positives ? a + i : b + (i - test.positives);
    probability *= way / (all + i);
  }
  log_evidence_ += std::log(std::max(probability, 1e-300));
  shape = belief::warmup_corrected_update(shape, test.tests, test.positives, detection);
}

void DynamicBelief::carry_on() {
  const Transmission& transmission = known_.transmission;
  for (std::size_t j = 0; j < size(); ++j) mean_[j] = mean(j);
  spread_one_day(*known_.geography, transmission, diagnosed_, mean_, share_);
  for (std::size_t j = 0; j < size(); ++j) {
    const double before = mean(j), after = mean_[j];
    const double force = (after - before) / (1 - before);
    const double slope =
        1 - force + (1 - before) * transmission.within * remaining(j) / transmission.population[j];
    const double variance = belief::variance(shape_[j]) * slope * slope;
    const double strength = std::max(kLeastStrength, after * (1 - after) / variance - 1);
    shape_[j] = {strength * after, strength * (1 - after)};
  }
}

}  // namespace mindgap::cases::hiv
