#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "mindgap/mdp/model.h"
#include "mindgap/view/number.h"

// Pieces of text that several subcommands print.
namespace mindgap::view {

/// The names of some states, as many as fit a line or two: "a, b, c and 17 more".
std::string state_list(const mdp::Mdp& mdp, std::span<const std::int32_t> states, std::size_t most = 8);
/// "Mobile testing vans: 40 states, 5 actions, 166 pairs, 166 transitions, discount 0.95".
std::string headline(const mdp::Model& model);

/// The title of a page: "Mobile testing vans: a pilot"; "A model: a pilot" where it has no name.
std::string title_of(const mdp::Model& model, const std::string& what);

/// What was done about states that the simulator does not have (Model::added); "" where there are none.
std::string new_states_in_words(const mdp::Model& model);

/// Where the whole of a pilot's plan is to be had.
std::string whole_plan();

/// Lines of at most 110 columns, the first behind `head`, the others indented as far.
std::string wrapped(const std::string& head, const std::string& text);

}  // namespace mindgap::view
