#include "mindgap/command/diagnose.h"

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/workers.h"
#include "mindgap/command/inputs.h"
#include "mindgap/files/log_file.h"
#include "mindgap/files/matrix_file.h"
#include "mindgap/mdp/gpu_engine.h"
#include "mindgap/view/diagnose.h"
#include "mindgap/view/diagnose_page.h"
#include "mindgap/view/hidden_cost.h"
#include "mindgap/view/history.h"
#include "mindgap/view/history_test.h"
#include "mindgap/world/world_folder.h"

namespace mindgap::command {
namespace {

std::vector<std::int64_t> places_in(const Source& log, const std::vector<std::size_t>& rows) {
  if (log.table) return std::vector<std::int64_t>(rows.begin(), rows.end());
  return rows.empty() ? std::vector<std::int64_t>() : files::lines_of_rows(log.file, rows);
}

view::DiagnoseView view_of(const DiagnoseAnswer& answer) {
  return {answer.model,           answer.diagnosis, answer.top,         answer.large_reward_places,
          answer.repeated_places, answer.warnings,  answer.contraction, answer.place};
}

constexpr std::int64_t kMostHidden = 5'000;  // pairs of an observed and a hidden state

gap::HistoryTest test_history(const DiagnoseRequest& request, const Known& known,
                              const std::optional<mdp::ObservationLog>& pilot) {
  const mdp::ObservationLog history = files::parse_log(request.history->file, known.model.mdp);
  gap::HistoryTestOptions options;
  options.run = request.run;
  return gap::history_test(known.model.mdp, history, belief::observation_variance(known.model),
                           pilot ? &*pilot : nullptr, options);
}

// What a user should know of the log and of the hidden dynamics.
void add_findings(const DiagnoseRequest& request, DiagnoseAnswer& answer) {
  view::DiagnoseView view = view_of(answer);
  view.warnings = view::sample_warnings(*answer.diagnosis.knowledge);
  if (request.jacobian) view::add_contraction(view, files::parse_square_matrix(request.jacobian->file));
  if (answer.diagnosis.pilot) {
    const Source& log = *request.evidence.log;
    view.place = log.table ? "row" : "line";
    view.large_reward_lines = places_in(log, answer.diagnosis.pilot->large_rewards);
    view.repeated_lines = places_in(log, answer.diagnosis.pilot->repeated_rows);
    const std::string large = view::large_rewards_problem(view, log.file.name);
    if (request.strict && !large.empty()) throw InvalidArgument(large);
    view::add_log_warnings(view, log.file.name);
  }
  answer.large_reward_places = std::move(view.large_reward_lines);
  answer.repeated_places = std::move(view.repeated_lines);
  answer.place = std::move(view.place);
  answer.warnings = std::move(view.warnings);
  answer.contraction = view.contraction;
}

}  // namespace

DiagnoseAnswer diagnose(const DiagnoseRequest& request) {
  base::check_range("diagnose", "draws", static_cast<double>(request.draws), -1, 1e7);
  gap::DiagnoseOptions options;
  options.prior = request.evidence.prior;
  options.support_threshold = request.support_threshold;
  options.level = request.level;
  options.draws = request.draws;
  options.run = request.run;
  options.precision_factor = request.precision_factor;
  options.engine = mdp::engine_of(request.device);
  Known known = read_evidence(request.model.value(), request.evidence);
  request.run.listener.warn(known.warnings);
  if (base::are_shared()) {
    base::Fingerprint inputs;
    inputs.add("diagnose");
    add_inputs(inputs, known.model, known.knowledge(request.evidence.prior));
    base::announce(inputs.add(request.run.seed).add(request.support_threshold).text());
  }
  gap::DiagnoseInput input;
  input.coverage = std::move(known.coverage);
  input.log = std::move(known.log);
  if (request.calibration) input.calibration = files::parse_log(request.calibration->file, known.model.mdp);
  if (!request.truth.empty()) input.truth = world::read_world(request.truth);
  std::optional<gap::HistoryTest> history;
  if (request.history) history = test_history(request, known, input.log);
  std::optional<gap::HiddenCost> hidden;
  if (input.truth && input.truth->hidden() > 1 && input.truth->discount() < 1 &&
      std::int64_t{input.truth->states()} * input.truth->hidden() <= kMostHidden)
    hidden = gap::hidden_cost(*input.truth);
  gap::Diagnosis diagnosis = gap::diagnose(known.model, input, options);
  DiagnoseAnswer answer{std::move(known.model), std::move(diagnosis), request.top};
  answer.notes = std::move(known.warnings);
  answer.history = std::move(history);
  answer.hidden_cost = hidden;
  add_findings(request, answer);
  return answer;
}

std::string DiagnoseAnswer::text() const {
  std::string text = view::text_of(view_of(*this));
  if (hidden_cost) text += view::hidden_text(*hidden_cost);
  if (history) text += view::history_text(model.mdp, *history, top);
  return text;
}
std::vector<gap::Route> DiagnoseAnswer::unreached() const {
  std::vector<gap::Route> wanted;
  for (const std::size_t i : view::by_importance(diagnosis)) wanted.push_back(diagnosis.routes.unreached[i]);
  return wanted;
}
std::vector<gap::RouteStep> DiagnoseAnswer::way_to(const gap::Route& route) const {
  return view::route_to(diagnosis, route);
}

view::Json DiagnoseAnswer::json() const {
  view::Json json = view::json_of(view_of(*this));
  if (hidden_cost) json["hidden_state"] = view::hidden_json(*hidden_cost);
  if (history) json["history_test"] = view::history_json(model.mdp, *history);
  return json;
}
report::Page DiagnoseAnswer::page() const {
  report::Page page = view::page_of(view_of(*this));
  if (hidden_cost) page.sections.push_back(view::hidden_section(*hidden_cost));
  if (history) page.sections.push_back(view::history_section(model.mdp, *history, top));
  return page;
}

}  // namespace mindgap::command
