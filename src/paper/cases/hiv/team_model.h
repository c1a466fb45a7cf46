#pragma once

#include <span>

#include "mindgap/belief/beta_binomial.h"
#include "mindgap/mdp/model.h"
#include "paper/cases/hiv/planner.h"

namespace mindgap::cases::hiv {

/// A team on the grid, for designs: a day's move is the action, and what the day is expected to find the
/// reward. What is not known is what a day spent in a zone finds: its sd is that of the prior's prevalence.
/// Counted as known, so that a zone is one parameter and not one per way into it: what is found on the way
/// through. The count of positives has about the variance of a Poisson variable. One shape per zone.
mdp::Model team_model(const Known& known, std::span<const belief::BetaShape> shapes);

}  // namespace mindgap::cases::hiv
