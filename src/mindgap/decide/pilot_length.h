#pragma once

#include <optional>

#include "mindgap/decide/decide.h"

namespace mindgap::decide {

/// The pilot length at which the bound on regret is least (gap/regret_bound.h), for the explorers of the best
/// pilot that was compared: all pairs of the model, its rewards (between 0 and reward_max, or on either side
/// where some are negative), the horizon where totals count and the discount where those are discounted. None
/// where no plan is a pilot.
std::optional<gap::PilotLength> bounded_pilot_length(const Situation& situation, const DecideOptions& options,
                                                     const Decision& decision);

}  // namespace mindgap::decide
