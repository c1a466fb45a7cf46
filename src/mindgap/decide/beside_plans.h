#pragma once

#include <optional>
#include <vector>

#include "mindgap/decide/decide.h"

// What a decision says beside the comparison of its plans.
namespace mindgap::decide {

/// Which rows of the model it is worth to know, from the first draws of the value of information; of a large
/// model from fewer, and none where that leaves too few.
std::optional<voi::RowsValue> rows_worth_knowing(const Situation& situation, const mdp::Policy& deployed,
                                                 const DecideOptions& options);

/// What the belief promises, before anything rests on it; none without draws.
std::optional<gap::PriorImplies> implied_by(const Situation& situation, const DecideOptions& options);

/// How much an error of the simulator in each state would touch the deployed policy (gap/epi.h).
std::vector<double> priority_of_states(const Situation& situation, const mdp::Policy& deployed);

/// The decision's pilot as the next batch of an experiment.
BatchPrice price_next_batch(const Situation& situation, const DecideOptions& options,
                            const Decision& decision);

}  // namespace mindgap::decide
