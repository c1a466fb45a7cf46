#pragma once

#include <string>

#include "mindgap/report/table.h"
#include "mindgap/view/decide.h"

// What a decision says of the value of information, of costs, of who gains and of how sure it is.
namespace mindgap::view {

/// A few lines for the terminal.
std::string value_text(const DecideView& view);
/// Adds `evppi`, `curve`, `groups`, `tornado`, `costs` and `draws`.
void add_value_json(Json& json, const DecideView& view);

/// Where the verdict flips, in one sentence: "The verdict, experiment, flips to deploy below about a quarter
/// of the stated prior width, and not up to 4 times it."
/// What a setting of a map says.
const char* meaning_of(decide::TippingAxis axis);
std::string tipping_sentence(const decide::TippingMap& map);
/// What a map lacks, in a sentence; "" where it is whole.
std::string left_out_sentence(const decide::TippingMap& map);

// The tables, for pages.
report::Table parts_table(const DecideView& view);
report::Table curve_table(const DecideView& view);
report::Table groups_table(const DecideView& view);
report::Table tornado_table(const DecideView& view);
/// "horizon", "cost of the pilot".
const char* in_words(decide::TornadoInput input);

/// "total", "discounted" or "cvar:0.1".
std::string name_of(const decide::Objective& objective);

}  // namespace mindgap::view
