#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/mdp/finite_horizon.h"
#include "mindgap/mdp/lump.h"
#include "mindgap/mdp/model.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/report/page.h"
#include "mindgap/view/solve.h"

namespace mindgap::command {

struct SolveRequest {
  std::optional<mdp::Model> model = {};      // must be there
  std::optional<double> discount = {};       // instead of the model's
  std::optional<std::int64_t> horizon = {};  // solve for this many steps, exactly; none: for ever
  std::string method = "auto";               // this and what follows: without a horizon
  double tolerance = mdp::SolveOptions().tolerance;
  std::int64_t max_iterations = mdp::SolveOptions().max_iterations;
  double time_limit = mdp::SolveOptions().time_limit;  // seconds
  std::vector<double> initial_value = {};              // a first guess, or empty
  bool lump = false;                                   // solve the lumped model first (mdp/lump.h)
  base::Run run = {};
};

/// A solution with the model that its words and its policy are about.
struct SolveAnswer {
  mdp::Model model;
  std::variant<mdp::Solution, mdp::FiniteHorizonSolution> solution;
  std::optional<view::LumpView> lumped = {};                        // where that was asked for
  std::vector<std::int32_t> class_of_state = {}, first_state = {};  // likewise, as in mdp::Lumping
  std::string policy_file = {};                                     // written, or ""
  std::string classes_file = {};                                    // likewise

  bool converged() const;
  /// Each of these finds out where the policy goes, which takes about as long as a solve.
  std::string text() const;
  view::Json json() const;
  report::Page page() const;
  /// As CSV: state,action,probability, with a horizon also step. Throws StoreError.
  void write_policy(const std::string& path) const;
  /// As CSV: state,class. Throws InvalidArgument where states were not lumped, StoreError.
  void write_classes(const std::string& path) const;
};

/// The optimal policy, its value with certified bounds. Throws InvalidArgument.
SolveAnswer solve(const SolveRequest& request);

}  // namespace mindgap::command
