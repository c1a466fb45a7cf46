#pragma once

#include <span>
#include <string>
#include <vector>

#include "mindgap/design/routes.h"
#include "mindgap/mdp/mdp.h"
#include "mindgap/report/table.h"

namespace mindgap::view {

/// Whether states have places, few enough for a page to draw them.
bool has_places(const mdp::Mdp& mdp);

/// For a map: state, x, y and `what`, a number per place. States in the same place (which differ on an axis
/// that is not drawn) are one row with the sum of their numbers.
report::Table places_table(const mdp::Mdp& mdp, const std::string& what, std::span<const double> value);

/// "zone-1 with 12.3": the place with the largest number.
std::string largest_place(const mdp::Mdp& mdp, std::span<const double> value);

/// The actions of a way: "down x2, right x3, stay x20", at most 12 runs of them.
std::string in_words(const mdp::Mdp& mdp, std::span<const design::Leg> way);

}  // namespace mindgap::view
