#pragma once

#include <string>

#include "mindgap/view/decide.h"

// How long a pilot should be by a bound on its regret, beside what was found by simulation.
namespace mindgap::view {

/// One line; "" where no plan is a pilot or the bound says nothing.
std::string pilot_length_text(const DecideView& view);
/// The same for a page.
std::string pilot_length_fact(const DecideView& view);
/// null where no plan is a pilot.
Json json_of_pilot_length(const DecideView& view);

}  // namespace mindgap::view
