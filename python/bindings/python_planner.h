#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/bindings.h"
#include "mindgap/command/compare.h"

namespace mindgap::python {

/// One that is written in Python: `make(setting)` gives an object with choose(step, states) and, where it
/// learns, observe(step, states, actions, rewards, next_states). What it raises ends the call, which outlives
/// it. Ask with the interpreter held.
trial::MakePlanner python_planner(std::string name, nb::object make, LongCall& call);

/// What follows the plan that a decision recommends; none where the object is no decision. Ask with the
/// interpreter held.
std::optional<trial::MakePlanner> planner_of_decision(nb::handle made);

/// str() or repr() of anything, as UTF-8 with what is none escaped; says so where the object's own method
/// raises. Leaves no error set.
std::string text_of(nb::handle thing, PyObject* (*how)(PyObject*) = &PyObject_Str);

/// The pair of each (state, action). Throws InvalidArgument that names both where there is none.
std::vector<std::int32_t> pairs_of(const mdp::Mdp& mdp, std::span<const std::int32_t> states,
                                   std::span<const std::int32_t> actions, const std::string& who);

}  // namespace mindgap::python
