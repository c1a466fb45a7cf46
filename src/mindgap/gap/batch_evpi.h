#pragma once

#include "mindgap/gap/evpi.h"

namespace mindgap::gap {

/// expected_value_of_perfect_information() with all models side by side on options.engine, which must be
/// there; `deployed` must be deterministic. The same draws and the same total within options.tolerance; local
/// and reach of a draw within a ten-thousandth of its total, as error_bound says; the optimal visitation
/// within 1e-7.
Evpi batch_evpi(const belief::Belief& belief, const mdp::Policy& deployed, std::int64_t draws,
                const EvpiOptions& options);

}  // namespace mindgap::gap
