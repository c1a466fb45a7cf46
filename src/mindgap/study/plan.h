#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mindgap/decide/decide.h"
#include "mindgap/mdp/model.h"
#include "mindgap/study/log.h"
#include "mindgap/study/options.h"

// From a decision to a study: what was recommended, as a file that says all that a study needs to begin with
// it.
namespace mindgap::study {

/// A decision with what it was about.
struct DecisionInput {
  const mdp::Model& model;  // as it starts from where the units are
  const decide::Situation& situation;
  const decide::DecideOptions& options;
  const decide::Decision& decision;
  const std::vector<std::string>& unit_names;
  belief::PriorOverrides prior = {};
  std::string log = {};         // the text of the log it was made with, or ""
  std::string model_path = {};  // where the model came from, or ""
};

/// The plan of the best pilot as a file (format mindgap-plan/1, design::plan_json) with an object `study`:
/// the units, the horizon, how often to look, prior, coverage and log. "" where there is no pilot among the
/// plans.
std::string pilot_plan(const DecisionInput& input);

/// The same of what was recommended. A study can run a pilot (routes, then the policy that is best by what
/// was learnt), asop (nobody explores, the policy is found again as results come) and sop (the policy of
/// today, never changed). Throws InvalidArgument for any other plan, and says so.
std::string recommended_plan(const DecisionInput& input);

/// What a study takes from such a file.
struct StudyPlan {
  std::string name;     // "pilot-8x10", "asop", "sop"
  design::Pilot pilot;  // of its members; without steps and routes for asop and sop
  struct Member {
    std::string unit;
    std::int32_t state = 0;  // where it begins
  };
  std::vector<Member> members;
  double before = 0, after = 0, relative_gap = 0, expected_loss = 0;
};
/// Throws InvalidModel, with the file, where the text is no plan of this model.
StudyPlan parse_plan(const std::string& text, const std::string& file, const mdp::Mdp& mdp);

/// How a study begins that follows a plan. What the file does not say is left as it was.
struct PlannedStart {
  bool complete = false;                // it says horizon, prior and units, too: it comes from a decision
  std::string model_path;               // "": it says none
  std::vector<std::string> new_states;  // that the model is to be extended by
  std::string model_sha256;             // of the model with these, wherever it starts
};
PlannedStart planned_start(const std::string& text, const std::string& file);
/// Fills in options and units from the plan, for a study of this model. Units that are given are kept: then
/// there must be as many in each state as the plan wants. Throws InvalidModel as parse_plan() does, and
/// InvalidArgument where model or units are not the plan's.
void follow_plan(const std::string& text, const std::string& file, const mdp::Model& model,
                 StudyOptions& options, std::vector<UnitRow>& units);

}  // namespace mindgap::study
