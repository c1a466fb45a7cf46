#pragma once

#include <string>

#include "mindgap/base/fingerprint.h"
#include "mindgap/belief/knowledge.h"
#include "mindgap/design/limits.h"
#include "mindgap/mdp/model.h"

// What a computation was given, in short: processes that share one must have been given the same.
namespace mindgap::command {

/// The model with its names, and everything that is believed of it.
void add_inputs(base::Fingerprint& inputs, const mdp::Model& model, const belief::Knowledge& knowledge);
void add_inputs(base::Fingerprint& inputs, const design::Limits& limits);

}  // namespace mindgap::command
