#include <fmt/format.h>

#include <charconv>

#include "mindgap/mdp/names.h"
#include "mindgap/server/api.h"
#include "mindgap/server/shown.h"
#include "mindgap/study/deeds.h"
#include "mindgap/study/results.h"

namespace mindgap::server {
namespace {

constexpr std::size_t kMostResults = 500;

// One result that somebody sends, and who they are.
struct SentResult {
  study::FieldResult result;
  study::Author author;
};

SentResult read_result(const ApiJson& json, const Caller& caller) {
  Fields fields(json);
  SentResult sent;
  sent.author = read_author(fields, caller, false);
  study::FieldResult& result = sent.result;
  result.unit = fields.text("unit");
  result.step = fields.whole("step");
  result.state = fields.text_or_none("state");
  result.action = fields.text_or_none("action");
  result.reward = fields.number_or_none("reward");
  if (const std::optional<std::string> bound = fields.text_or_none("bound")) {
    if (*bound != "at_least" && *bound != "at_most") refuse_field("bound must be at_least or at_most");
    if (!result.reward) refuse_field("a bound needs its reward");
    result.bound = *bound == "at_most" ? mdp::Censoring::at_most : mdp::Censoring::at_least;
  }
  result.next_state = fields.text_or_none("next_state");
  result.is_void = fields.flag("void");
  if (result.is_void && result.reward) refuse_field("what is void has no reward");
  result.correct = fields.flag("correct");
  sent.author.at = fields.text_or_none("at").value_or("");
  if (!sent.author.at.empty() && !study::is_time(sent.author.at))
    refuse_field("at must be a time as 2026-03-01T09:30:00Z");
  if (result.correct && sent.author.why.find_first_not_of(' ') == std::string::npos)
    throw ApiError(422, "why_missing", "a correction says why");
  fields.done();
  if (!caller.sees(result.unit)) throw ApiError(403, "not_your_unit", "this unit is not one of yours");
  return sent;
}

std::vector<std::string> warnings_of(const study::State& state, const study::Taken& taken) {
  std::vector<std::string> warnings;
  if (!taken.row) return warnings;
  const study::ObservationRow& row = *taken.row;
  if (row.deviation)
    warnings.emplace_back("another action than the assigned one: it does not count as evidence");
  if (!study::is_possible(state.mdp(), row))
    warnings.push_back(fmt::format("the simulator calls the move to {} impossible: is it right?",
                                   state.mdp().state_name(row.next_state)));
  return warnings;
}

struct TakenResult {
  int status = 200;
  ApiJson json;
};

TakenResult answer_of(const study::Taken& taken, const std::string& id,
                      const std::vector<std::string>& warnings) {
  const bool wrote = !taken.repeated && taken.outcome != study::Outcome::already;
  ApiJson json = {
      {"id", id},
      {"outcome", study::to_string(taken.outcome)},
      {"event", taken.event},
      {"conflict", taken.outcome == study::Outcome::conflict ? ApiJson(taken.event) : ApiJson(nullptr)}};
  if (!taken.reason.empty()) json["reason"] = taken.reason;
  json["sequence"] = taken.event;
  json["repeated"] = taken.repeated;
  json["warnings"] = warnings;
  return {wrote ? 201 : 200, std::move(json)};
}

// In the writer's thread.
TakenResult take_one(study::LiveWriting& writing, const SentResult& sent) {
  const study::Taken taken = study::take_result(writing, sent.result, sent.author);
  return answer_of(taken, sent.author.id, warnings_of(writing.state(), taken));
}

}  // namespace

Response Api::results(const Call& call) {
  Parameters parameters(call.request);
  const std::string unit = parameters.text("unit");
  parameters.done();
  return json_response(200, study_.read([&](const study::LiveLog& log) {
    const study::State& state = log.state;
    ApiJson json = {{"sequence", log.sequence()}, {"results", ApiJson::array()}};
    for (std::size_t a = 0; a < state.assignments.size(); ++a) {
      const std::string& name = state.units[state.assignments[a].unit].name;
      if (state.result[a] < 0 || !call.caller.sees(name) || (!unit.empty() && unit != name)) continue;
      json["results"].push_back(result_json(log, state.result[a], true));
    }
    return json;
  }));
}

Response Api::record(const Call& call) {
  const ApiJson body = read_body(call.request.body);
  const SentResult sent = read_result(body, call.caller);
  TakenResult taken = writer_.write([&](study::LiveWriting& writing) { return take_one(writing, sent); });
  return json_response(taken.status, taken.json);
}

Response Api::record_batch(const Call& call) {
  const ApiJson body = read_body(call.request.body);
  Fields fields(body);
  const ApiJson* list = fields.find("results");
  fields.done();
  if (list == nullptr || !list->is_array() || list->empty() || list->size() > kMostResults)
    refuse_field(fmt::format("results must be a list of 1 to {}", kMostResults));
  // One after the other, and all before the disk is waited for: each is taken or refused by itself.
  ApiJson answers = ApiJson::array();
  writer_.write([&](study::LiveWriting& writing) {
    answers = ApiJson::array();
    for (const ApiJson& one : *list) {
      ApiJson answer = {{"id", one.is_object() && one.contains("id") && one["id"].is_string()
                                   ? one["id"]
                                   : ApiJson(nullptr)}};
      const auto refused = [&](int status, const std::string& code, const std::string& message) {
        answer["status"] = status;
        answer["error"] = {{"code", code}, {"message", message}};
      };
      try {
        const TakenResult taken = take_one(writing, read_result(one, call.caller));
        answer["status"] = taken.status;
        answer.update(taken.json);
      } catch (const ApiError& error) {
        refused(error.status(), error.code(), error.what());
      } catch (const study::Refused& error) {
        refused(error.code() == "id_reused" || error.code() == "ahead" ? 409 : 422, error.code(),
                error.what());
      }
      answers.push_back(std::move(answer));
    }
    return true;
  });
  return json_response(200,
                       {{"sequence", study_.read([](const study::LiveLog& log) { return log.sequence(); })},
                        {"results", std::move(answers)}});
}

Response Api::conflicts(const Call& call) {
  Parameters parameters(call.request);
  const bool open = parameters.whole("open", 1, 0, 1) == 1;
  parameters.done();
  return json_response(200, study_.read([&](const study::LiveLog& log) {
    ApiJson json = {{"sequence", log.sequence()}, {"conflicts", ApiJson::array()}};
    for (auto at = log.state.conflicts.rbegin(); at != log.state.conflicts.rend(); ++at) {
      if ((!open || at->settled == 0) && call.caller.sees(at->sent.unit))
        json["conflicts"].push_back(conflict_json(log, *at));
    }
    return json;
  }));
}

Response Api::settle_conflict(const Call& call) {
  const std::string& text = call.path[0];
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw ApiError(404, "not_found", "there is no such conflict");
  const ApiJson body = read_body(call.request.body);
  Fields fields(body);
  const study::Author author = read_author(fields, call.caller, true);
  const std::optional<study::Choice> choice = study::choice_from(fields.text("choose"));
  fields.done();
  if (!choice) refuse_field("choose must be keep, take or take_reward");
  const study::Done done = writer_.write(
      [&](study::LiveWriting& writing) { return study::settle(writing, number, *choice, author); });
  return json_response(200,
                       {{"id", author.id},
                        {"event", done.event},
                        {"conflict", number},
                        {"sequence", study_.read([](const study::LiveLog& log) { return log.sequence(); })},
                        {"repeated", done.repeated}});
}

}  // namespace mindgap::server
