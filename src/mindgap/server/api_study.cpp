#include <fmt/format.h>

#include "mindgap/command/study.h"
#include "mindgap/server/api.h"
#include "mindgap/server/shown.h"
#include "mindgap/study/deeds.h"
#include "mindgap/study/summary.h"
#include "mindgap/view/study.h"

namespace mindgap::server {
namespace {

constexpr const char* kReportPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'; "
    "form-action "
    "'none'; sandbox";
constexpr int kMostComputing = 6, kMostDrafts = 3;

ApiJson states_json(const mdp::Mdp& mdp) {
  const mdp::Labels& labels = mdp.labels();
  ApiJson states = ApiJson::array();
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    ApiJson state = {{"name", mdp.state_name(s)}};
    const auto at = static_cast<std::size_t>(s);
    const std::int32_t group = at < labels.group_of_state.size() ? labels.group_of_state[at] : -1;
    if (group >= 0) state["group"] = mdp::name_or_number(labels.groups, group);
    if (at < labels.x.size() && at < labels.y.size()) {
      state["x"] = labels.x[at];
      state["y"] = labels.y[at];
    }
    states.push_back(std::move(state));
  }
  return states;
}

ApiJson unit_json(const study::State& state, std::size_t u) {
  const study::UnitPlace& place = state.places[u];
  const study::UnitRow& unit = state.units[u];
  // Whoever has a step to do is where it begins.
  const std::int32_t at =
      place.pending ? state.assignments[state.assignments_of_unit[u].back()].state : place.state;
  return {{"name", unit.name},
          {"state", at < 0 ? ApiJson(nullptr) : ApiJson(state.mdp().state_name(at))},
          {"group", unit.group},
          {"step", place.pending ? place.next_step - 1 : place.next_step},
          {"pending", place.pending}};
}

// Counts those who compute or wait for it, so that they cannot take all workers.
class ComputingTurn {
 public:
  explicit ComputingTurn(std::atomic<int>& count) : count_(count) {
    if (++count_ > kMostComputing) {
      --count_;
      throw ApiError(503, "busy", "others wait for the same: try again in a moment");
    }
  }
  ~ComputingTurn() { --count_; }
  ComputingTurn(const ComputingTurn&) = delete;
  ComputingTurn& operator=(const ComputingTurn&) = delete;

 private:
  std::atomic<int>& count_;
};

ApiJson done_json(const study::Done& done, const study::Author& author, study::LiveStudy& study) {
  return {{"id", author.id},
          {"event", done.event == 0 ? ApiJson(nullptr) : ApiJson(done.event)},
          {"sequence", study.read([](const study::LiveLog& log) { return log.sequence(); })},
          {"repeated", done.repeated}};
}

}  // namespace

Response Api::study_shown(const Call& call) {
  return json_response(200, study_.read([&](const study::LiveLog& log) {
    const study::State& state = log.state;
    ApiJson json = {{"name", state.model.name},         {"id", state.id},
                    {"horizon", state.options.horizon}, {"phase", study::to_string(study::phase_of(state))},
                    {"stopped_why", state.why},         {"allow_new_states", state.options.allow_new_states},
                    {"sequence", log.sequence()}};
    json["actions"] = ApiJson::array();
    for (std::int32_t a = 0; a < state.mdp().actions(); ++a)
      json["actions"].push_back(state.mdp().action_name(a));
    json["states"] = states_json(state.mdp());
    json["units"] = ApiJson::array();
    for (std::size_t u = 0; u < state.units.size(); ++u) {
      if (call.caller.sees(state.units[u].name)) json["units"].push_back(unit_json(state, u));
    }
    return json;
  }));
}

Response Api::assignments(const Call& call) {
  Parameters parameters(call.request);
  const bool open = parameters.whole("open", 1, 0, 1) == 1;
  const std::string unit = parameters.text("unit");
  parameters.done();
  return json_response(200, study_.read([&](const study::LiveLog& log) {
    const study::State& state = log.state;
    ApiJson json = {{"sequence", log.sequence()}, {"assignments", ApiJson::array()}};
    for (std::size_t u = 0; u < state.units.size(); ++u) {
      const std::string& name = state.units[u].name;
      if (!call.caller.sees(name) || (!unit.empty() && unit != name)) continue;
      const study::UnitPlace& place = state.places[u];
      const auto& steps = state.assignments_of_unit[u];
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const bool is_open = i + 1 == steps.size() && (place.pending || place.state < 0);
        if (!open || is_open)
          json["assignments"].push_back(assignment_json(log, steps[i], call.caller.role != Role::field));
      }
    }
    return json;
  }));
}

Response Api::assign(const Call& call) {
  const ApiJson body = read_body(call.request.body);
  Fields fields(body);
  const study::Author author = read_author(fields, call.caller, false);
  const std::optional<std::int64_t> step = fields.whole_or_none("step");
  fields.done();
  const ComputingTurn turn(computing_count_);
  const std::lock_guard lock(deciding_);
  const std::optional<study::Draft> update = study::draft_update(study_, step, options_.threads);
  const study::AssignedNow done = writer_.write([&](study::LiveWriting& writing) {
    return study::assign_next(writing, step, author, options_.threads, update);
  });
  ApiJson json = done_json(done, author, study_);
  json["added"] = done.added;
  json["updated"] = done.updated;
  json["finished"] = done.finished;
  json["waiting"] = done.waiting;
  return json_response(200, json);
}

Response Api::redesign(const Call& call) {
  const ApiJson body = read_body(call.request.body);
  Fields fields(body);
  const study::Author author = read_author(fields, call.caller, false);
  const bool follow = fields.flag("follow");
  fields.done();
  return json_response(200, decide({study::Order::Kind::redesign, author, !follow}));
}

Response Api::stop(const Call& call) {
  const ApiJson body = read_body(call.request.body);
  Fields fields(body);
  const study::Author author = read_author(fields, call.caller, true);
  fields.done();
  return json_response(200, decide({study::Order::Kind::stop, author}));
}

// Computed on a copy, so that results are recorded meanwhile. Only where the log moves on time after time
// does everybody else wait for it.
ApiJson Api::decide(const study::Order& order) {
  const ComputingTurn turn(computing_count_);
  const std::lock_guard lock(deciding_);
  std::optional<study::Done> done;
  for (int i = 0; i < kMostDrafts && !done; ++i) {
    const std::optional<study::Draft> draft = study::draft(study_, order, options_.threads);
    done =
        writer_.write([&](study::LiveWriting& writing) { return study::carry_out(writing, order, draft); });
  }
  if (!done) {
    done = writer_.write(
        [&](study::LiveWriting& writing) { return study::carry_out_now(writing, order, options_.threads); },
        true);
  }
  return done_json(*done, order.author, study_);
}

// Computed once for each state of the log, from a copy: nobody who writes waits for it.
std::shared_ptr<const command::StudyStatus> Api::status_now(std::int64_t& sequence) {
  const ComputingTurn turn(computing_count_);
  const std::lock_guard lock(computing_);
  sequence = study_.read([](const study::LiveLog& log) { return log.sequence(); });
  if (status_ && sequence == status_sequence_) return status_;
  const study::LiveLog copy = study_.read([](const study::LiveLog& log) { return log; });
  study::Log events;
  for (const study::LiveLog::Entry& entry : copy.entries) events.events.push_back(entry.event);
  study::Summary summary = study::summarise(copy.state, events);
  summary.model_difference = study::changed_model(copy.state);
  status_ = std::make_shared<const command::StudyStatus>(
      command::StudyStatus{study::Status{copy.state, std::move(summary), copy.after}});
  sequence = status_sequence_ = copy.sequence();
  return status_;
}

Response Api::status(const Call&) {
  std::int64_t sequence = 0;
  const std::shared_ptr<const command::StudyStatus> now = status_now(sequence);
  const ApiJson json = {{"sequence", sequence},
                        {"open_conflicts", now->status.state.open_conflicts()},
                        {"status", ApiJson::parse(now->json())},
                        {"text", now->text()},
                        {"warnings", view::warnings_of(now->status)}};
  return json_response(200, json);
}

Response Api::report(const Call& call) {
  Parameters parameters(call.request);
  const bool download = parameters.whole("download", 0, 0, 1) == 1;
  parameters.done();
  std::int64_t sequence = 0;
  Response response{.type = "text/html; charset=utf-8",
                    .body = report::to_html(status_now(sequence)->page())};
  response.headers.emplace_back("Content-Security-Policy", kReportPolicy);
  if (download)
    response.headers.emplace_back("Content-Disposition", "attachment; filename=\"study-report.html\"");
  return response;
}

Response Api::export_all(const Call&) {
  const ComputingTurn turn(computing_count_);
  const std::lock_guard lock(computing_);
  Response response{.body = command::study_export_json(study_.folder().string())};
  response.headers.emplace_back("Content-Disposition", "attachment; filename=\"study-export.json\"");
  return response;
}

}  // namespace mindgap::server
