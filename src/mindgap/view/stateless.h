#pragma once

#include <string>
#include <vector>

#include "mindgap/gap/allocation.h"
#include "mindgap/gap/stateless.h"
#include "mindgap/report/page.h"
#include "mindgap/view/json.h"

// Whether to experiment where there is no state: what the answer says.
namespace mindgap::view {

/// Two actions, in closed form.
struct TwoActions {
  gap::StatelessProblem problem;
  gap::ExperimentSize best = {}, best_whole = {};
  double threshold = 0;        // kappa from which on no experiment on whole units pays
  double paper_threshold = 0;  // root of 2 gamma psi(k) = k
  double regret = 0;           // of not experimenting: the worth of perfect information
  gap::SquareRootLaw law = {};
};

/// Several actions.
struct ManyActions {
  gap::AllocationProblem problem;
  gap::Allocation allocation = {};
  std::vector<std::string> names = {};
};

std::string text_of(const TwoActions& two);
std::string text_of(const ManyActions& many);
Json json_of(const TwoActions& two);
Json json_of(const ManyActions& many);
report::Page page_of(const TwoActions& two);
report::Page page_of(const ManyActions& many);

}  // namespace mindgap::view
