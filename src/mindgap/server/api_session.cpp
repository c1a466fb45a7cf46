#include <fmt/format.h>

#include "mindgap/server/api.h"

namespace mindgap::server {

ApiJson Api::session_json(const std::optional<Caller>& caller) {
  const bool login = !people_.all()->empty();
  ApiJson json = {
      {"user", nullptr}, {"role", nullptr}, {"units", nullptr}, {"csrf", nullptr}, {"expires", nullptr}};
  if (caller) {
    json["user"] = caller->name;
    json["role"] = to_string(caller->role);
    if (caller->role == Role::field) json["units"] = caller->units;
    if (!caller->is_token) json["csrf"] = csrf_of(*caller);
    if (const auto session = caller->cookie.empty() ? std::nullopt : sessions_.find(caller->cookie))
      json["expires"] = time_text(session->expires);
    json["sequence"] = study_.read([](const study::LiveLog& log) { return log.sequence(); });
  }
  json["login"] = login;
  return json;
}

Response Api::health(const Call& call) {
  ApiJson json = {{"ok", true}, {"version", options_.version}};
  if (!call.caller.name.empty())
    json["sequence"] = study_.read([](const study::LiveLog& log) { return log.sequence(); });
  return json_response(200, json);
}

Response Api::session(const Call& call) {
  return json_response(200,
                       session_json(call.caller.name.empty() ? std::nullopt : std::optional(call.caller)));
}

Response Api::log_in(const Call& call) {
  if (people_.all()->empty())
    throw ApiError(409, "no_users", "the study has no users: nobody needs to log in");
  const ApiJson body = read_body(call.request.body);
  Fields fields(body);
  const std::string name = fields.text("name", 64), password = fields.text("password", 256);
  fields.done();
  const std::string address = address_of(call.request);
  const auto refuse_for = [](std::int64_t seconds) {
    Response response{
        .status = 429,
        .body = error_body("slow_down", fmt::format("too many wrong passwords: wait {} s", seconds))};
    response.headers.emplace_back("Retry-After", std::to_string(seconds));
    return response;
  };
  if (const std::int64_t wait = throttle_.wait_of(name, address); wait > 0) return refuse_for(wait);
  if (!hashing_.try_acquire_for(std::chrono::seconds(5)))
    throw ApiError(503, "busy", "many people log in right now: try again");
  bool right = false;
  try {
    right = people_.is_right(name, password);
  } catch (...) {
    hashing_.release();
    throw;
  }
  hashing_.release();
  const std::optional<Account> account = right ? people_.find(name) : std::nullopt;
  if (!account) {
    throttle_.failed(name, address);
    throw ApiError(401, "wrong_password", "the name or the password is wrong");
  }
  throttle_.succeeded(name, address);
  const std::string cookie = sessions_.open(name, account->changed);
  Caller caller{name, account->role, {account->units.begin(), account->units.end()}, cookie, false};
  Response response = json_response(200, session_json(caller));
  response.headers.emplace_back(
      "Set-Cookie", fmt::format("{}={}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict{}", cookie_name(),
                                cookie, is_secure() ? "; Secure" : ""));
  return response;
}

Response Api::log_out(const Call& call) {
  if (!call.caller.cookie.empty()) sessions_.close(call.caller.cookie);
  Response response = json_response(200, ApiJson::object());
  response.headers.emplace_back(
      "Set-Cookie", fmt::format("{}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict{}", cookie_name(),
                                is_secure() ? "; Secure" : ""));
  return response;
}

}  // namespace mindgap::server
