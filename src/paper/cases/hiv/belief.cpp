#include "paper/cases/hiv/belief.h"

namespace mindgap::cases::hiv {

WarmUp::WarmUp(const Geography& geography, std::int32_t days, double cold_yield)
    : cold_yield_(cold_yield), visited_(static_cast<std::size_t>(geography.zones()), -1) {
  missing_.reserve(visited_.size());
  for (Zone j = 0; j < geography.zones(); ++j) missing_.push_back(geography.in_b(j) ? days : 0);
}

std::vector<belief::BetaShape> prior_shapes(const Known& known) {
  std::vector<belief::BetaShape> shapes;
  for (const double prevalence : known.simulator) {
    shapes.push_back({known.prior_strength * prevalence + 1, known.prior_strength * (1 - prevalence) + 1});
  }
  return shapes;
}

ZoneBelief::ZoneBelief(const Known& known, BeliefForm form)
    : form_(form), warm_up_(*known.geography, known.warmup_days, known.cold_yield) {
  for (const belief::BetaShape& shape : prior_shapes(known)) {
    positive_.push_back(shape.positive);
    negative_.push_back(shape.negative);
  }
}

void ZoneBelief::observe(std::span<const TeamDay> tests) {
  for (const TeamDay& test : tests) {
    const auto j = static_cast<std::size_t>(test.zone);
    if (form_ == BeliefForm::corrected) {
      const belief::BetaShape shape =
          belief::warmup_corrected_update(at(j), test.tests, test.positives, warm_up_.detection(test.zone));
      positive_[j] = shape.positive;
      negative_[j] = shape.negative;
    } else {
      positive_[j] += test.positives;
      negative_[j] += test.tests - test.positives;
    }
  }
  for (const TeamDay& test : tests) warm_up_.visit(test.zone);
  warm_up_.end_day();
}

std::vector<double> ZoneBelief::means() const {
  std::vector<double> means(size());
  for (std::size_t j = 0; j < size(); ++j) means[j] = positive_[j] / (positive_[j] + negative_[j]);
  return means;
}

}  // namespace mindgap::cases::hiv
