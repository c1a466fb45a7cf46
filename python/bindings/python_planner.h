#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/bindings.h"
#include "mindgap/trial/loop.h"

namespace mindgap::python {

/// A planner that a user brings to a comparison.
struct OwnPlanner {
  std::string name;
  trial::MakePlanner make;
  bool uses_horizon = false;
};

/// One that is written in Python: `make(setting)` gives an object with choose(step, states) and, where it
/// learns, observe(step, states, actions, rewards, next_states). Ask with the interpreter held, and do not
/// copy what comes back without it.
trial::MakePlanner python_planner(std::string name, nb::object make);

/// What follows the plan that a decision recommends; none where the object is no decision. Ask with the
/// interpreter held.
std::optional<trial::MakePlanner> planner_of_decision(nb::handle made);

/// str() or repr() of anything, as UTF-8 with what is none escaped; says so where the object's own method
/// raises. Leaves no error set.
std::string text_of(nb::handle thing, PyObject* (*how)(PyObject*) = &PyObject_Str);

/// The pair of each (state, action). Throws InvalidArgument that names both where there is none.
std::vector<std::int32_t> pairs_of(const mdp::Mdp& mdp, std::span<const std::int32_t> states,
                                   std::span<const std::int32_t> actions, const std::string& who);

/// The belief that planners begin with: a simulator's prior, or what follows from its coverage. Throws
/// InvalidArgument where it states neither, or no variance of one observed reward.
belief::Belief believed(const mdp::Model& simulator);

}  // namespace mindgap::python
