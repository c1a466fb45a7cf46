#include "mindgap/command/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/base/option_name.h"
#include "mindgap/files/log_file.h"
#include "mindgap/files/model_file.h"
#include "mindgap/files/place.h"
#include "mindgap/mdp/extend_states.h"
#include "mindgap/study/export.h"
#include "mindgap/study/plan.h"
#include "mindgap/view/study.h"
#include "mindgap/view/study_conflicts.h"
#include "mindgap/view/study_page.h"

namespace mindgap::command {
namespace {

using base::option_name;
using base::told;
using view::dumped;

study::Writer writer(const std::string& key) {
  study::Writer writer{"mindgap " MINDGAP_VERSION, study::utc_now()};
  if (!key.empty()) writer.key = std::make_shared<study::SigningKey>(key);
  return writer;
}

// The new head goes into heads.txt. It is written already: where this fails, it is said and nothing is
// undone.
void note_head(const std::string& folder, const study::Anchor& after, std::vector<std::string>& warnings) {
  const std::filesystem::path place(folder);
  try {
    study::note_anchor((files::is_file(place) ? place.parent_path() : place) / study::kHeadsFile, after);
  } catch (const Error& error) {
    warnings.push_back(
        fmt::format("the study is written, but the list of its heads is not: {}", error.what()));
  }
}

// What `deed` gives; whoever waits is told meanwhile how far it is.
template <typename Deed>
auto with_listener(const base::Run& run, Deed deed) {
  const base::Listening listening(run.listener);
  return deed();
}

// A plan as it was given, and what it says before a model is known.
struct GivenPlan {
  std::string text, file;
  study::PlannedStart start;
};

std::optional<GivenPlan> read_plan(const std::optional<Source>& source) {
  if (!source) return std::nullopt;
  GivenPlan plan{std::string(source->file.text), source->file.name, {}};
  plan.start = study::planned_start(plan.text, plan.file);
  return plan;
}

bool is_stated(const belief::PriorOverrides& prior) {
  return prior.odds || prior.drift_sd || prior.unseen || prior.reward_sd || prior.transition_strength ||
         prior.reward_min || prior.reward_max || prior.rewards || prior.shared_sd || prior.shared_length;
}

// Who takes part and for how long is said once: beside the plan, or by the plan.
void check_said_once(const StudyInitRequest& request, const std::optional<GivenPlan>& plan) {
  const bool complete = plan && plan->start.complete;
  if (complete && (request.horizon > 0 || request.coverage || is_stated(request.prior)))
    throw InvalidArgument(
        fmt::format("{}: the plan comes from a decision and says horizon, prior and coverage itself: leave "
                    "{} out, or decide again with them",
                    plan->file,
                    told("--horizon, --coverage and the options of the prior",
                         "horizon, coverage and what is said of the prior")));
  std::string missing = plan || request.units ? "" : option_name("units");
  if (!complete && request.horizon == 0) missing += (missing.empty() ? "" : " and ") + option_name("horizon");
  if (!missing.empty())
    throw InvalidArgument(fmt::format("{}: {} must be given, where the study follows {}",
                                      told("study init", "Study.init"), missing,
                                      told("no --plan of a decision", "no decision and no plan")));
}

// The model that the study is about, with the states that the plan's decision took in; `path` is filled in.
mdp::Model model_of(const StudyInitRequest& request, const std::optional<GivenPlan>& plan,
                    std::string& path) {
  path = request.model_path;
  std::optional<mdp::Model> model = request.model;
  if (!model) {
    if (path.empty() && plan) path = plan->start.model_path;
    if (path.empty())
      throw InvalidArgument(
          std::string(told("study init: name the simulator with --model",
                           "Study.init: model must be given: a mindgap.Mdp or the path of one")));
    if (request.run.listener.progress) request.run.listener.progress("reading " + path, 0, 0);
    model = files::read_model(path);
    path = files::absolute_path(path).string();
  }
  if (!plan) return *model;
  const mdp::NameTable names = mdp::names_or_numbers(model->mdp.labels().states, model->mdp.states());
  std::vector<std::string> added = plan->start.new_states;
  std::erase_if(added, [&](const std::string& name) { return names.find(name) >= 0; });
  return mdp::extend_states(*model, added);
}

}  // namespace

StudyBegun study_init(const StudyInitRequest& request) {
  const std::optional<GivenPlan> plan = read_plan(request.plan);
  check_said_once(request, plan);
  study::StudyOptions options;
  const mdp::Model model = model_of(request, plan, options.model_path);
  options.horizon = request.horizon;
  options.batch_steps = request.batch_steps;
  options.update_every = request.update_every;
  options.control_share = request.control_share;
  options.allow_new_states = request.allow_new_states;
  options.seed = request.run.seed;
  options.prior = request.prior;
  options.limits = request.limits.read(model.mdp);
  if (request.coverage) options.coverage = files::parse_coverage(request.coverage->file, model.mdp);
  std::vector<study::UnitRow> units;
  if (request.units) units = study::read_units(request.units->file, model.mdp);
  if (plan) study::follow_plan(plan->text, plan->file, model, options, units);
  StudyBegun answer{with_listener(request.run, [&] {
    return study::begin_study(*study::storage_at(request.folder), model, std::move(units), std::move(options),
                              writer(request.key), request.run.threads);
  })};
  answer.warnings = view::warnings_of(answer.begun);
  note_head(request.folder, answer.begun.after, answer.warnings);
  return answer;
}

void study_check(const std::string& folder) {
  study::storage_at(folder)->check_there();
}

void study_check_units(const std::string& folder, const std::vector<std::string>& units) {
  const study::State state = study::read_study(*study::storage_at(folder));
  for (const std::string& unit : units) {
    if (state.names.find(unit) < 0)
      throw InvalidArgument(fmt::format("the study has no unit '{}'", base::printable(unit)));
  }
}

StudyJoined study_add_units(const StudyUnitsRequest& request) {
  StudyJoined answer{with_listener(request.run, [&] {
    return study::add_units(*study::storage_at(request.folder), request.units.file, writer(request.key));
  })};
  note_head(request.folder, answer.joined.after, answer.warnings);
  return answer;
}

StudyAssigned study_assign(const StudyAssignRequest& request) {
  StudyAssigned answer{with_listener(request.run, [&] {
    return study::assign(*study::storage_at(request.folder), request.step, writer(request.key),
                         request.run.threads);
  })};
  note_head(request.folder, answer.assigned.after, answer.warnings);
  return answer;
}

StudyRecorded study_record(const StudyRecordRequest& request) {
  StudyRecorded answer{with_listener(request.run,
                                     [&] {
                                       return study::record(
                                           *study::storage_at(request.folder), request.results.file,
                                           {.correct = request.correct}, writer(request.key));
                                     }),
                       {}};
  const bool table = request.results.table;
  if (table) {
    for (std::int64_t& line : answer.recorded.results.lines)
      line -= 2;  // the header is line 1, rows begin with 0
  }
  answer.warnings = view::warnings_of(answer.recorded, table ? "row" : "line");
  note_head(request.folder, answer.recorded.after, answer.warnings);
  return answer;
}

StudyStatus study_status(const StudyRequest& request) {
  return {
      with_listener(request.run, [&] { return study::study_status(*study::storage_at(request.folder)); })};
}

StudyKnown study_known(const StudyRequest& request) {
  return with_listener(request.run, [&] {
    study::State state = study::read_study(*study::storage_at(request.folder));
    belief::Belief belief = study::knowledge_now(state).now;
    mdp::Model mean = state.model;
    mean.mdp = belief.mean();
    std::vector<std::int32_t> action;
    for (const std::int32_t pair : state.policies.back()) action.push_back(state.mdp().pair_action()[pair]);
    std::vector<std::int64_t> seen(static_cast<std::size_t>(state.mdp().pairs()), 0);
    for (std::size_t i = 0; i < state.observations.size(); ++i) {
      const study::ObservationRow& row = state.observations[i];
      if (state.holds(i) && !row.is_void && !row.deviation) ++seen[study::pair_of(state.mdp(), row)];
    }
    return StudyKnown{std::move(state), std::move(mean), std::move(belief), std::move(action),
                      std::move(seen)};
  });
}

StudyRedesigned study_redesign(const StudyRedesignRequest& request) {
  StudyRedesigned answer{with_listener(request.run, [&] {
    return study::redesign(*study::storage_at(request.folder), !request.follow, writer(request.key),
                           request.run.threads);
  })};
  note_head(request.folder, answer.redesigned.after, answer.warnings);
  return answer;
}

StudyRedesigned study_stop(const StudyStopRequest& request) {
  StudyRedesigned answer{with_listener(request.run, [&] {
    return study::stop(*study::storage_at(request.folder), request.why, writer(request.key));
  })};
  note_head(request.folder, answer.redesigned.after, answer.warnings);
  return answer;
}

StudyVerification study_verify(const StudyVerifyRequest& request) {
  study::Proofs proofs;
  proofs.head = request.head;
  if (request.anchors) {
    proofs.anchors = study::parse_anchors(request.anchors->file);
    if (proofs.anchors.empty())
      throw InvalidArgument(request.anchors->file.name + ": holds no anchor (study anchor writes them)");
  }
  for (const std::string& file : request.keys) proofs.keys.push_back(study::read_public_key(file));
  if (request.sign && !request.head && !request.anchors && !request.accept_loss) {
    throw InvalidArgument(fmt::format(
        "{}: signing accepts the file as it is now, even if entries were removed or "
        "rewritten, and nobody can tell afterwards. Give the last hash that you noted ({}) or kept lines "
        "({}; heads.txt beside the "
        "study has them, if you trust it), or give {} to sign anyway",
        told("study verify --sign", "Study.verify"), option_name("head"), option_name("anchors"),
        told("--accept-loss", "accept_loss=True")));
  }
  const auto deed = request.sign ? study::verify_and_sign : study::verify;
  return {
      with_listener(request.run,
                    [&] { return deed(*study::storage_at(request.folder), request.run.threads, proofs); }),
      request.head.has_value()};
}

StudyAnchored study_anchor(const std::string& folder, const std::string& out) {
  StudyAnchored answer{study::study_anchor(*study::storage_at(folder), study::utc_now())};
  if (!out.empty()) study::note_anchor(out, answer.anchor);
  return answer;
}

StudyKeyMade study_key_new(const std::string& file) {
  return {file, study::make_signing_key(file)};
}

void study_export(const std::string& folder, const std::string& out, bool csv_safe) {
  study::export_study(*study::storage_at(folder), out, csv_safe);
}

std::string study_export_json(const std::string& folder) {
  return study::export_json(*study::storage_at(folder));
}

std::string StudyBegun::text() const {
  return view::text_of(begun);
}
std::string StudyBegun::json() const {
  view::Json json = view::json_of(begun);
  json["warnings"] = warnings;
  return dumped(json);
}
std::string StudyJoined::text() const {
  return view::text_of(joined);
}
std::string StudyJoined::json() const {
  return dumped(view::json_of(joined));
}
std::string StudyAssigned::text() const {
  return view::text_of(assigned);
}
std::string StudyAssigned::json() const {
  return view::written_json(assigned);
}
std::string StudyRecorded::text() const {
  return view::text_of(recorded);
}
std::string StudyRecorded::json() const {
  return dumped(view::json_of(recorded));
}
std::vector<const study::Conflict*> StudyStatus::open_conflicts() const {
  return view::open_conflicts(status.state);
}
std::vector<std::string> StudyStatus::warnings() const {
  return view::warnings_of(status);
}
std::string StudyStatus::text() const {
  return view::text_of(status);
}
std::string StudyStatus::json() const {
  return dumped(view::json_of(status));
}
report::Page StudyStatus::page() const {
  return view::page_of(status, MINDGAP_VERSION);
}
std::string StudyRedesigned::text() const {
  return view::text_of(redesigned);
}
std::string StudyRedesigned::json() const {
  return dumped(view::json_of(redesigned));
}
std::string StudyAnchored::text() const {
  return study::to_line(anchor) + "\n";
}
std::string StudyAnchored::json() const {
  return dumped(
      {{"study", anchor.study}, {"events", anchor.events}, {"head", anchor.head}, {"time", anchor.time}});
}
std::string StudyKeyMade::text() const {
  return fmt::format(
      "{0}: the key that signs; keep it where nobody else can read it\n{0}.pub: give it to those who "
      "verify\nKey   {1}\n",
      file, public_key);
}
std::string StudyKeyMade::json() const {
  return dumped({{"file", file}, {"public_file", file + ".pub"}, {"public_key", public_key}});
}
std::string StudyVerification::text() const {
  return view::text_of(found, since_head);
}
std::string StudyVerification::json() const {
  return dumped(view::json_of(found, since_head));
}

}  // namespace mindgap::command
