#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/command/evidence.h"
#include "mindgap/gap/contraction.h"
#include "mindgap/gap/diagnose.h"
#include "mindgap/gap/hidden_cost.h"
#include "mindgap/gap/history_test.h"
#include "mindgap/report/page.h"
#include "mindgap/view/json.h"

namespace mindgap::command {

struct DiagnoseRequest {
  std::optional<mdp::Model> model = {};  // must be there
  Evidence evidence = {};
  std::string truth = {};                  // a world folder that the simulator is held against, or ""
  std::optional<Source> history = {};      // what was done and seen before: it is tested against itself
  std::optional<Source> jacobian = {};     // one-step Jacobian of the hidden dynamics
  std::optional<Source> calibration = {};  // a log of what the simulator was fitted to
  double precision_factor = gap::DiagnoseOptions().precision_factor;
  std::size_t top = 10;  // how many pairs and states to list; 0: all
  double support_threshold = mdp::kSupportThreshold;
  double level = gap::DiagnoseOptions().level;
  std::int64_t draws = -1;     // for the value of information; -1: 1,000, fewer for large models
  bool strict = false;         // rewards far beyond reward_max in the log are an error
  std::string device = "cpu";  // or "gpu": where the value of information is computed
  base::Run run = {};
};

/// A diagnosis with everything that its words are about.
struct DiagnoseAnswer {
  mdp::Model model;
  gap::Diagnosis diagnosis;
  std::size_t top = 10;
  std::vector<std::int64_t> large_reward_places = {}, repeated_places = {};  // lines or rows of the log
  std::string place = "line";                                                // which of the two
  std::vector<std::string> warnings = {};                                    // part of the result
  std::vector<std::string> notes = {};                                       // beside it: of the input
  std::optional<gap::Contraction> contraction = {};
  std::optional<gap::HistoryTest> history = {};  // where a history was given
  std::optional<gap::HiddenCost> hidden_cost =
      {};  // where a truth with a hidden state was, of up to 5,000 (s,h)

  std::string text() const;
  view::Json json() const;
  report::Page page() const;
  /// The states that the policy practically never sees, the most wanted first, and the way to one of them.
  std::vector<gap::Route> unreached() const;
  std::vector<gap::RouteStep> way_to(const gap::Route& route) const;
};

/// Where the simulator could be wrong, whether it matters there, and whether waiting helps. Throws
/// InvalidArgument, InvalidModel and StoreError.
DiagnoseAnswer diagnose(const DiagnoseRequest& request);

}  // namespace mindgap::command
