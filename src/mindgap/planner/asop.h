#pragma once

#include <memory>

#include "mindgap/planner/planner.h"

namespace mindgap::planner {

/// The adaptive simulator-optimal policy (paper listing asop): every unit follows the optimal policy of the
/// posterior mean, which is looked at every replan_every steps. It learns only what its own way shows.
std::unique_ptr<Planner> make_asop(const Setting& setting);

/// The same after a pilot: for the first pilot_steps steps every unit takes one of its state's actions, each
/// as likely.
std::unique_ptr<Planner> make_asop_pilot(const Setting& setting);

/// The same with a belief that forgets (learning_planner.h), at the rate options.drift.
std::unique_ptr<Planner> make_forgetting_asop(const Setting& setting);

}  // namespace mindgap::planner
