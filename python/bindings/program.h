#pragma once

#include <cstdint>
#include <vector>

#include "bindings/bindings.h"
#include "mindgap/mdp/observation_log.h"
#include "mindgap/program/grid.h"
#include "mindgap/program/observations.h"

namespace mindgap::python {

/// Steps that really happened, one element each (states: d numbers each; a next state of NaN is missing).
struct SeenSteps {
  const InArray<double>& state;
  const InArray<std::int32_t>& action;
  const InArray<double>& reward;
  const InArray<double>& next_state;
  const InArray<std::uint8_t>& terminated;
};

/// The same as observations of corners; Observation::step is the number of the step. `outside`: how many lie
/// partly outside the grid. Throws InvalidArgument.
std::vector<mdp::Observation> spread_steps(const mdp::Model& model, const program::Grid& grid,
                                           const SeenSteps& seen, std::int64_t& outside);

}  // namespace mindgap::python
