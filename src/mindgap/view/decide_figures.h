#pragma once

#include <vector>

#include "mindgap/report/figure.h"
#include "mindgap/report/table.h"
#include "mindgap/view/decide.h"

// The pictures of a decision's page.
namespace mindgap::view {

/// What each plan that was not screened out has gathered by each step, with the band of 80 % of sampled
/// models.
report::Figure value_over_time(const DecideView& view);

/// Verdicts over a setting and the horizon.
report::Figure tipping_figure(const decide::TippingMap& map);

/// Where states have places: expected visits of the pilot with its routes, and what is uncertain and matters
/// before it. Empty elsewhere, and where there are more states than a page can draw.
std::vector<report::Figure> pilot_maps(const DecideView& view);

/// Who goes where, most likely.
report::Table routes_table(const DecideView& view);

/// The pairs that contribute most to the variance of the target's value, before and after the pilot.
report::Figure uncertainty_bars(const DecideView& view);

}  // namespace mindgap::view
