#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mindgap/gap/prior_implies.h"
#include "mindgap/mdp/findings.h"
#include "mindgap/report/page.h"
#include "mindgap/view/json.h"

// The faces of `mindgap check`: text and a page for people, JSON for programs.
namespace mindgap::view {

/// What is in the prior, where the model states one.
struct CheckedPrior {
  std::optional<gap::PriorImplies> implied;  // none: it could not be found out, or was not asked for
  std::string problem;                       // why it could not
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};

/// What looks odd, in sentences. The findings must be of the model, here and below.
std::vector<std::string> warnings_of(const mdp::Model& model, const mdp::Findings& findings,
                                     const CheckedPrior& prior = {});

std::string text_of(const mdp::Model& model, const mdp::Findings& findings, const CheckedPrior& prior = {});
Json json_of(const mdp::Model& model, const mdp::Findings& findings, const CheckedPrior& prior = {});
report::Page page_of(const mdp::Model& model, const mdp::Findings& findings, const CheckedPrior& prior = {});

}  // namespace mindgap::view
