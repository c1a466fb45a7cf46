#pragma once

#include <string>
#include <vector>

#include "mindgap/decide/decide.h"
#include "mindgap/decide/tipping.h"
#include "mindgap/mdp/model.h"
#include "mindgap/report/page.h"

// A decision as a page to hand over.
namespace mindgap::decide {

struct PageInput {
  const mdp::Model& model;
  const Situation& situation;
  const DecideOptions& options;
  const Decision& decision;
  const std::vector<TippingMap>& tipping;      // may be empty
  const std::vector<std::string>& unit_names;  // of the situation's units
  std::string version = {};                    // of the program, for the footer
};

/// The verdict first; value over time per plan; tipping points; where the pilot goes; what is uncertain and
/// matters, before and after the pilot; what it assumes.
report::Page page_of(const PageInput& input);

/// What to do, in one sentence, and why, in one or two.
std::string headline_of(const PageInput& input);
std::string reason_of(const PageInput& input);

/// A plan for people: "a pilot of 8 units over 10 steps, then learn".
std::string in_words(const Plan& plan);

}  // namespace mindgap::decide
