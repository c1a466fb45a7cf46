#pragma once

#include <vector>

#include "mindgap/mdp/model.h"

// A model with one thing changed; of an ensemble, in every member.
namespace mindgap::mdp {

/// Another start distribution; checked as Mdp::with_start() does.
Model with_start(const Model& model, const std::vector<double>& start);
/// Another discount; checked as Mdp::with_discount() does.
Model with_discount(const Model& model, double discount);

/// For changes that an ensemble cannot take, because its members have numbers of their own: throws
/// InvalidArgument where the model is one. `what` is what cannot be changed, as in "states".
void refuse_ensemble(const Model& model, const char* what);

}  // namespace mindgap::mdp
