#include <fmt/format.h>

#include "mindgap/server/api.h"
#include "mindgap/study/deeds.h"

namespace mindgap::server {
namespace {

ApiJson account_json(const std::string& name, const Account& account, bool with_tokens) {
  ApiJson json = {{"name", name},
                  {"role", to_string(account.role)},
                  {"units", account.role == Role::field ? ApiJson(account.units) : ApiJson(nullptr)}};
  if (!with_tokens) return json;
  json["tokens"] = ApiJson::array();
  for (const Token& token : account.tokens)
    json["tokens"].push_back(
        {{"token", token.number}, {"label", token.label}, {"expires", time_text(token.expires)}});
  return json;
}

Role read_role(Fields& fields) {
  const std::optional<Role> role = role_from(fields.text("role"));
  if (!role) refuse_field("role must be owner, field or viewer");
  return *role;
}

// Passwords may hold any characters.
std::string read_password(Fields& fields, const char* key) {
  const ApiJson* found = fields.find(key);
  if (found == nullptr || !found->is_string()) refuse_field(fmt::format("{} is missing", key));
  return found->get<std::string>();
}

}  // namespace

void Api::check_units_exist(const std::vector<std::string>& units) const {
  study_.read([&](const study::LiveLog& log) {
    for (const std::string& unit : units) {
      if (log.state.names.find(unit) < 0)
        throw ApiError(422, "unknown_unit", fmt::format("the study has no unit '{}'", base::printable(unit)));
    }
    return true;
  });
}

bool Api::is_noted(const std::shared_ptr<const Accounts>& accounts) {
  const std::lock_guard lock(noted_mutex_);
  return accounts == noted_;
}

void Api::note_people_by(const std::string& who, const std::string& role) {
  const std::lock_guard lock(noting_);
  const std::shared_ptr<const Accounts> accounts = people_.all();
  if (is_noted(accounts)) return;
  const std::map<std::string, study::Person> persons = people_.persons();
  writer_.write([&](study::LiveWriting& writing) {
    study::Author author{.who = who, .role = role};
    author.seen = writing.log().sequence();
    return study::note_people(writing, persons, author);
  });
  const std::lock_guard noted(noted_mutex_);
  noted_ = accounts;
}

Response Api::people_list(const Call& call) {
  ApiJson json = {{"people", ApiJson::array()}};
  const std::shared_ptr<const Accounts> accounts = people_.all();
  for (const auto& [name, account] : *accounts)
    json["people"].push_back(account_json(name, account, call.caller.role == Role::owner));
  return json_response(200, json);
}

Response Api::person_add(const Call& call) {
  const ApiJson body = read_body(call.request.body);
  Fields fields(body);
  const std::string name = fields.text("name", 64), password = read_password(fields, "password");
  const Role role = read_role(fields);
  const std::vector<std::string> units = fields.texts_or_none("units").value_or(std::vector<std::string>{});
  fields.done();
  check_units_exist(units);
  if (people_.all()->empty() && role != Role::owner)
    throw ApiError(422, "last_owner", "the first person of a study must be an owner");
  people_.add(name, password, role, units);
  note_people_by(call.caller.name, to_string(call.caller.role));
  return json_response(201, account_json(name, people_.find(name).value(), true));
}

Response Api::person_change(const Call& call) {
  const ApiJson body = read_body(call.request.body);
  Fields fields(body);
  const Role role = read_role(fields);
  const std::vector<std::string> units = fields.texts_or_none("units").value_or(std::vector<std::string>{});
  fields.done();
  check_units_exist(units);
  people_.change(call.path[0], role, units);
  note_people_by(call.caller.name, to_string(call.caller.role));
  return json_response(200, account_json(call.path[0], people_.find(call.path[0]).value(), true));
}

Response Api::person_remove(const Call& call) {
  // The last owner may not go, although a study without any users is one: that is for the command line.
  if (people_.all()->size() == 1 && people_.find(call.path[0]))
    throw PeopleError("last_owner", "a study with users keeps an owner");
  people_.remove(call.path[0]);
  note_people_by(call.caller.name, to_string(call.caller.role));
  return json_response(200, ApiJson::object());
}

Response Api::password_set(const Call& call) {
  const ApiJson body = read_body(call.request.body);
  Fields fields(body);
  const std::string password = read_password(fields, "password");
  const bool has_old = fields.find("old") != nullptr;
  const std::string old = has_old ? read_password(fields, "old") : "";
  fields.done();
  const std::string& name = call.path[0];
  const bool own = name == call.caller.name;
  if (!own && call.caller.role != Role::owner)
    throw ApiError(403, "forbidden", "only an owner sets somebody else's password");
  if (own) {
    const std::string address = address_of(call.request);
    if (throttle_.wait_of(name, address) > 0)
      throw ApiError(429, "slow_down", "too many wrong passwords: wait a while");
    if (!people_.is_right(name, old)) {
      throttle_.failed(name, address);
      throw ApiError(401, "wrong_password", "the old password is wrong");
    }
  }
  people_.set_password(name, password);
  Response response = json_response(200, ApiJson::object());
  if (!own || call.caller.cookie.empty()) return response;
  // All sessions ended with it; this one goes on as a new one.
  sessions_.close(call.caller.cookie);
  const std::string cookie = sessions_.open(name, people_.find(name).value().changed);
  Caller caller = call.caller;
  caller.cookie = cookie;
  response = json_response(200, session_json(caller));
  response.headers.emplace_back(
      "Set-Cookie", fmt::format("{}={}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict{}", cookie_name(),
                                cookie, is_secure() ? "; Secure" : ""));
  return response;
}

Response Api::token_add(const Call& call) {
  const ApiJson body = read_body(call.request.body);
  Fields fields(body);
  const std::string label = fields.text("label", 100);
  const std::int64_t days = fields.whole_or_none("days").value_or(90);
  fields.done();
  const People::NewToken token = people_.add_token(call.path[0], label, days);
  return json_response(
      201, {{"token", token.number}, {"secret", token.secret}, {"expires", time_text(token.expires)}});
}

Response Api::token_remove(const Call& call) {
  people_.remove_token(call.path[0], call.path[1]);
  return json_response(200, ApiJson::object());
}

}  // namespace mindgap::server
