#include "mindgap/command/check.h"

#include "mindgap/base/error.h"
#include "mindgap/belief/knowledge.h"
#include "mindgap/view/history.h"
#include "mindgap/view/prior_implies.h"
#include "mindgap/view/shared_errors.h"

namespace mindgap::command {
namespace {

view::CheckedPrior check_prior(const mdp::Model& model, const CheckRequest& request) {
  view::CheckedPrior checked;
  if (request.draws == 0 || (!model.prior && model.coverage.empty())) {
    if (model.members) checked.notes.push_back(view::note_on_members(*model.members));
    return checked;
  }
  try {
    const belief::Knowledge knowledge = belief::gather_knowledge(model, std::nullopt, std::nullopt);
    checked.notes = view::notes_on_prior(knowledge);
    checked.warnings = view::sample_warnings(knowledge);
    checked.implied = gap::prior_implies(
        knowledge.now,
        {.draws = request.draws, .steps = model.mdp.discount() == 1 ? kCheckedSteps : 0, .run = request.run});
  } catch (const Error& error) {  // an unfinished prior does not make a model ill formed
    checked.problem = error.what();
  }
  return checked;
}

}  // namespace

CheckAnswer check(const CheckRequest& request) {
  const mdp::Model& model = request.model.value();
  return {model, mdp::look_at(model.mdp), check_prior(model, request)};
}

std::string CheckAnswer::text() const {
  return view::text_of(model, findings, prior);
}
view::Json CheckAnswer::json() const {
  return view::json_of(model, findings, prior);
}
report::Page CheckAnswer::page() const {
  return view::page_of(model, findings, prior);
}
std::vector<std::string> CheckAnswer::warnings() const {
  return view::warnings_of(model, findings, prior);
}

}  // namespace mindgap::command
