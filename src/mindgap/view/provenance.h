#pragma once

#include <string>
#include <vector>

#include "mindgap/report/page.h"
#include "mindgap/view/decide.h"

// What a decision was made from, and the points that reviewers of such analyses look for.
namespace mindgap::view {

/// One number or text that went in.
struct Input {
  std::string what, value;
  std::string from;  // "the model", "asked for", "default", ...
};

/// Every input of a decision with where it came from.
std::vector<Input> inputs_of(const DecideView& view);

/// A point of CHEERS-VOI (Value in Health 26:1461, 2023).
struct Point {
  std::string key;    // of the JSON: "perspective"
  std::string point;  // "Perspective"
  std::string where;  // the section of the page, or ""
  std::string value;  // or "not stated by the owner", or why there is none
};

std::vector<Point> checklist_of(const DecideView& view);

/// SHA-256 over the model and the log, 64 hexadecimal digits.
std::string hash_of_inputs(const DecideView& view);

report::Section inputs_section(const DecideView& view);
report::Section checklist_section(const DecideView& view);
/// Every key of [about]; null where it is not stated.
Json json_of_about(const mdp::About& about);
Json json_of_inputs(const DecideView& view);
Json json_of_checklist(const DecideView& view);

}  // namespace mindgap::view
