#include "mindgap/cases/hiv/belief.h"

#include <algorithm>

namespace mindgap::cases::hiv {

WarmUp::WarmUp(const Known& known) : days_(known.warmup_days), cold_yield_(known.cold_yield) {
  for (Zone j = 0; j < known.geography->zones(); ++j) level_.push_back(known.geography->in_b(j) ? 0 : days_);
}

void WarmUp::observe(std::span<const TeamDay> tests) {
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const auto here = [&](const TeamDay& other) { return other.zone == tests[i].zone; };
    const auto before = tests.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find_if(tests.begin(), before, here) != before) continue;
    std::int32_t& level = level_[static_cast<std::size_t>(tests[i].zone)];
    level = std::min(days_, level + 1);
  }
}

std::vector<belief::BetaShape> prior_shapes(const Known& known) {
  std::vector<belief::BetaShape> shapes;
  for (const double prevalence : known.simulator) {
    shapes.push_back({known.prior_strength * prevalence + 1, known.prior_strength * (1 - prevalence) + 1});
  }
  return shapes;
}

ZoneBelief::ZoneBelief(const Known& known, BeliefForm form)
    : form_(form), warm_up_(known), shape_(prior_shapes(known)) {}

void ZoneBelief::observe(std::span<const TeamDay> tests) {
  for (const TeamDay& test : tests) {
    belief::BetaShape& shape = shape_[static_cast<std::size_t>(test.zone)];
    const double detection = form_ == BeliefForm::corrected ? warm_up_.detection(test.zone) : 1;
    shape = belief::warmup_corrected_update(shape, test.tests, test.positives, detection);
  }
  warm_up_.observe(tests);
}

std::vector<double> ZoneBelief::means() const {
  std::vector<double> means;
  means.reserve(shape_.size());
  for (const belief::BetaShape& shape : shape_) {
    means.push_back(shape.positive / (shape.positive + shape.negative));
  }
  return means;
}

}  // namespace mindgap::cases::hiv
