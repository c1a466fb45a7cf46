#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/report/page.h"
#include "mindgap/view/check.h"

namespace mindgap::command {

struct CheckRequest {
  std::optional<mdp::Model> model = {};  // must be there
  /// Models drawn from the prior that the model states, to show what it implies; 0: none.
  std::int64_t draws = gap::kImpliedDraws;
  base::Run run = {};
};

/// What is in a model.
struct CheckAnswer {
  mdp::Model model;
  mdp::Findings findings;
  view::CheckedPrior prior;  // nothing where the model states neither prior nor coverage

  std::string text() const;
  view::Json json() const;
  report::Page page() const;
  /// What looks odd, in sentences.
  std::vector<std::string> warnings() const;
};

/// Over this many steps, where the discount is 1, sampled models show what the prior implies.
constexpr std::int64_t kCheckedSteps = 100;

CheckAnswer check(const CheckRequest& request);

}  // namespace mindgap::command
