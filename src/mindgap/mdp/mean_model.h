#pragma once

#include <span>

#include "mindgap/mdp/mdp.h"

// Several models of one thing: the same states and actions, other rewards and other probabilities. They may
// be one simulator with different parameters, or rival models.
namespace mindgap::mdp {

/// Throws InvalidArgument where there is no model, and InvalidModel, with the model by name (or by number
/// from 0) and the state and action, unless all have the same states, actions, pairs, discount and start.
void check_same_pairs(std::span<const Mdp> models, const NameTable& names = {});

/// The model of the weighted means of rewards and probabilities. A move is possible where a model with a
/// positive weight has it. Weights are nonnegative and sum to 1, one per model. Throws InvalidArgument and
/// as check_same_pairs() does.
Mdp mean_model(std::span<const Mdp> models, std::span<const double> weights);

}  // namespace mindgap::mdp
