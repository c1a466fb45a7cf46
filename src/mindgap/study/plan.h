#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mindgap/design/pilot.h"
#include "mindgap/mdp/model.h"
#include "mindgap/study/log.h"
#include "mindgap/study/options.h"

// From a plan's file to a study that begins with it; view/plan_file.h writes such files.
namespace mindgap::study {

constexpr const char* kPlanFormat = "mindgap-plan/1";

/// Of a model wherever it starts: a decision's model starts where its units are.
std::string sha_wherever_it_starts(const mdp::Model& model);

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
