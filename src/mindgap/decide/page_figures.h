#pragma once

#include <vector>

#include "mindgap/decide/page.h"
#include "mindgap/report/figure.h"
#include "mindgap/report/table.h"

// The pictures of a decision's page.
namespace mindgap::decide {

/// What each plan that was not screened out has gathered by each step, with the band of 80 % of worlds.
report::Figure value_over_time(const PageInput& input);

/// Verdicts over a setting and the horizon.
report::Figure tipping_figure(const TippingMap& map);

/// Where states have places: expected visits of the pilot with its routes, and what is uncertain and matters
/// before it. Empty elsewhere, and where there are more states than a page can draw.
std::vector<report::Figure> pilot_maps(const PageInput& input);

/// Who goes where, most likely.
report::Table routes_table(const PageInput& input);

/// The pairs that contribute most to the variance of the target's value, before and after the pilot.
report::Figure uncertainty_bars(const PageInput& input);

}  // namespace mindgap::decide
