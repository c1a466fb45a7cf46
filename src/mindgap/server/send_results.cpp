#include "mindgap/server/send_results.h"

#include <fmt/format.h>
#include <httplib.h>

#include <nlohmann/json.hpp>

#include "mindgap/base/error.h"
#include "mindgap/study/field_result.h"
#include "mindgap/view/study_conflicts.h"

namespace mindgap::server {
namespace {

using SentJson = nlohmann::ordered_json;

constexpr std::size_t kTogether = 100;
constexpr time_t kPatience = 60;  // seconds

study::FieldResult field_result(const SendRequest& request, const study::ObservationRow& row) {
  const study::State& state = request.rows.state;
  study::FieldResult result;
  result.unit = state.units[row.unit].name;
  result.step = row.step;
  result.state = state.mdp().state_name(row.state);
  result.action = state.mdp().action_name(row.action);
  if (row.has_reward) result.reward = row.reward;
  if (row.has_reward && row.censored)
    result.bound = row.at_most ? mdp::Censoring::at_most : mdp::Censoring::at_least;
  if (row.next_state >= 0) result.next_state = state.mdp().state_name(row.next_state);
  result.is_void = row.is_void;
  result.correct = request.correct && row.replaces >= 0;
  return result;
}

// The interface and the log know a result by the same keys.
SentJson body_of(const SendRequest& request, const study::FieldResult& result) {
  SentJson json = SentJson::parse(study::to_json(result));
  json["seen"] = request.rows.state.times.size();
  json["why"] = request.why;
  // The same row, checked by the same log, is the same deed.
  json["id"] = "import-" + study::hex(study::sha256(json.dump())).substr(0, 40);
  return json;
}

class Connection {
 public:
  explicit Connection(const SendRequest& request) : url_(request.url), client_(request.url) {
    if (!client_.is_valid())
      throw InvalidArgument(fmt::format("'{}' is no address of a server, such as http://127.0.0.1:8080",
                                        base::printable(url_)));
    client_.set_connection_timeout(10);
    client_.set_read_timeout(kPatience);
    client_.set_write_timeout(kPatience);
    if (!request.token.empty()) client_.set_bearer_token_auth(request.token);
    const SentJson session = answer(client_.Get("/api/v1/session"), 0);
    if (session.value("user", SentJson()).is_null())
      throw StoreError(
          fmt::format("{}: {} (mindgap study user token makes one)", base::printable(url_),
                      request.token.empty()
                          ? "the server wants to know who sends: give a token (--token-file)"
                          : "the server does not know this token, or it has expired: take another one"));
    if (session.contains("csrf") && session["csrf"].is_string())  // programs with a token need none
      headers_.emplace("X-CSRF-Token", session["csrf"].get<std::string>());
  }

  SentJson post(const std::string& path, const SentJson& body, std::int64_t sent) {
    const std::string text = body.dump();
    return answer(client_.Post(path, headers_, text, "application/json"), sent);
  }

 private:
  SentJson answer(const httplib::Result& result, std::int64_t sent) const {
    const std::string before = sent == 0
                                   ? "nothing was sent"
                                   : fmt::format("{} results were sent before, send the rest again", sent);
    if (!result)
      throw StoreError(fmt::format("{}: no answer ({}); {}", base::printable(url_),
                                   httplib::to_string(result.error()), before));
    SentJson json = SentJson::parse(result->body, nullptr, false);
    if (result->status == 200 && json.is_object()) return json;
    const SentJson error = json.is_object() ? json.value("error", SentJson::object()) : SentJson::object();
    throw StoreError(fmt::format("{}: the server answered {} ({}); {}", base::printable(url_), result->status,
                                 base::printable(error.value("message", "no reason"), 300), before));
  }

  std::string url_;
  httplib::Client client_;
  httplib::Headers headers_;
};

void count(const SentJson& answer, const std::string& words, SentResults& sent) {
  const std::string outcome = answer.value("outcome", "");
  if (answer.value("status", 500) >= 300)
    sent.refused.push_back(
        fmt::format("{}: {}", words,
                    answer.value("error", SentJson::object()).value("message", "the server gave no reason")));
  else if (outcome == "conflict")
    sent.conflicts.push_back(words);
  else
    ++(outcome == "completed"   ? sent.completed
       : outcome == "corrected" ? sent.corrected
       : outcome == "already"   ? sent.already
                                : sent.recorded);
}

[[noreturn]] void refuse_answer(const SendRequest& request) {
  throw StoreError(
      fmt::format("{}: the answer is not one of mindgap study serve", base::printable(request.url)));
}

SentResults send_all(const SendRequest& request) {
  const std::vector<study::ObservationRow>& rows = request.rows.results.rows;
  SentResults sent;
  if (rows.empty()) return sent;
  Connection connection(request);
  for (std::size_t begin = 0; begin < rows.size(); begin += kTogether) {
    SentJson list = SentJson::array();
    std::vector<std::string> words;
    for (std::size_t i = begin; i < std::min(rows.size(), begin + kTogether); ++i) {
      const study::FieldResult result = field_result(request, rows[i]);
      list.push_back(body_of(request, result));
      words.push_back(view::result_in_words(result));
    }
    const SentJson answer =
        connection.post("/api/v1/results/batch", {{"results", list}}, static_cast<std::int64_t>(begin));
    const SentJson answers = answer.value("results", SentJson::array());
    if (answers.size() != words.size()) refuse_answer(request);
    for (std::size_t i = 0; i < words.size(); ++i) count(answers[i], words[i], sent);
  }
  return sent;
}

}  // namespace

SentResults send_results(const SendRequest& request) {
  try {
    return send_all(request);
  } catch (const SentJson::exception&) {
    refuse_answer(request);
  }
}

}  // namespace mindgap::server
