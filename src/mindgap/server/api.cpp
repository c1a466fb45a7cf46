#include "mindgap/server/api.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/command/study.h"
#include "mindgap/server/page_files.h"
#include "mindgap/study/deeds.h"

namespace mindgap::server {
namespace {

constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src "
    "'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors "
    "'none'";
constexpr const char* kDataPolicy =
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (at <= path.size()) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    parts.push_back(path.substr(at, slash - at));
    at = slash + 1;
  }
  return parts;
}

// What stands in place of {...}, where the path is of the form.
std::optional<std::vector<std::string>> matched(const std::string& form, const std::string& path) {
  const std::vector<std::string> wanted = parts_of(form), given = parts_of(path);
  if (wanted.size() != given.size()) return std::nullopt;
  std::vector<std::string> values;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].starts_with('{')) {
      if (given[i].empty()) return std::nullopt;
      values.push_back(given[i]);
    } else if (wanted[i] != given[i]) {
      return std::nullopt;
    }
  }
  return values;
}

// "host:port" of a URL such as an Origin.
std::string authority_of(const std::string& url) {
  const std::size_t at = url.find("://");
  if (at == std::string::npos) return "";
  return url.substr(at + 3, url.find('/', at + 3) - at - 3);
}

bool is_loopback_host(std::string host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1) == "[::1]";
  host = host.substr(0, host.find(':'));
  return host == "localhost" || host == "127.0.0.1" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos);
}

std::string cookie_value(const std::string& header, const std::string& name) {
  std::size_t at = 0;
  while (at < header.size()) {
    const std::size_t end = std::min(header.find(';', at), header.size());
    std::string_view pair(header.data() + at, end - at);
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    if (pair.starts_with(name + "=")) return std::string(pair.substr(name.size() + 1));
    at = end + 1;
  }
  return "";
}

Response error_response(int status, const std::string& code, const std::string& message) {
  return {.status = status, .body = error_body(code, message)};
}

int status_of(const std::string& code) {
  static const std::map<std::string, int> kStatuses = {
      {"id_reused", 409}, {"ahead", 409},      {"stopped", 409}, {"finished", 409},  {"settled", 409},
      {"moved_on", 409},  {"last_owner", 409}, {"exists", 409},  {"not_found", 404}, {"not_your_unit", 403}};
  const auto found = kStatuses.find(code);
  return found == kStatuses.end() ? 422 : found->second;
}

}  // namespace

Response json_response(int status, const ApiJson& json) {
  return {.status = status, .body = json.dump(-1, ' ', false, ApiJson::error_handler_t::replace) + "\n"};
}

study::Author read_author(Fields& fields, const Caller& caller, bool why_needed) {
  study::Author author{.who = caller.name, .role = to_string(caller.role)};
  author.id = fields.text("id", 64);
  if (!study::is_id(author.id)) refuse_field("id must be 8 to 64 letters, digits, hyphens or underscores");
  author.seen = fields.whole("seen");
  author.why = fields.text_or_none("why", 500).value_or("");
  if (why_needed && author.why.find_first_not_of(' ') == std::string::npos)
    throw ApiError(422, "why_missing", "say why");
  return author;
}

Api::Api(study::LiveStudy& study, LogWriter& writer, People& people, Sessions& sessions, ApiOptions options)
    : study_(study),
      writer_(writer),
      people_(people),
      sessions_(sessions),
      options_(std::move(options)),
      rate_(options_.rate, options_.burst),
      local_csrf_(random_hex(32)) {
  note_people_changes();
}

Api::~Api() = default;

const std::vector<int>& Api::common_statuses() {
  static const std::vector<int> kStatuses = {400, 401, 403, 404, 405, 411, 413,
                                             415, 417, 421, 429, 431, 500, 503};
  return kStatuses;
}

const std::vector<Api::Route>& Api::routes() {
  static const std::vector<std::string> kAnyone = {"anyone"}, kAll = {"owner", "field", "viewer"},
                                        kOwner = {"owner"}, kReaders = {"owner", "viewer"},
                                        kRecorders = {"owner", "field"};
  static const std::vector<Route> kRoutes = {
      {"GET", "/api/v1/health", kAnyone, {200}, &Api::health},
      {"GET", "/api/v1/session", kAnyone, {200}, &Api::session},
      {"POST", "/api/v1/session", kAnyone, {200, 401, 409, 422, 429}, &Api::log_in, false},
      {"DELETE", "/api/v1/session", kAll, {200}, &Api::log_out},
      {"GET", "/api/v1/study", kAll, {200}, &Api::study_shown},
      {"GET", "/api/v1/assignments", kAll, {200, 422}, &Api::assignments},
      {"POST", "/api/v1/assignments", kOwner, {200, 409, 422}, &Api::assign},
      {"GET", "/api/v1/results", kAll, {200, 422}, &Api::results},
      {"POST", "/api/v1/results", kRecorders, {200, 201, 403, 409, 422}, &Api::record},
      {"POST", "/api/v1/results/batch", kRecorders, {200, 422}, &Api::record_batch},
      {"GET", "/api/v1/conflicts", kAll, {200, 422}, &Api::conflicts},
      {"POST", "/api/v1/conflicts/{conflict}", kOwner, {200, 404, 409, 422}, &Api::settle_conflict},
      {"GET", "/api/v1/status", kReaders, {200}, &Api::status},
      {"POST", "/api/v1/redesign", kOwner, {200, 409, 422}, &Api::redesign},
      {"POST", "/api/v1/stop", kOwner, {200, 409, 422}, &Api::stop},
      {"GET", "/api/v1/export", kReaders, {200}, &Api::export_all},
      {"GET", "/api/v1/report", kReaders, {200, 422}, &Api::report},
      {"GET", "/api/v1/events", kAll, {200, 422}, &Api::events},
      {"GET", "/api/v1/audit", kReaders, {200, 422}, &Api::audit},
      {"GET", "/api/v1/audit.csv", kReaders, {200, 422}, &Api::audit_csv},
      {"GET", "/api/v1/people", kReaders, {200}, &Api::people_list},
      {"POST", "/api/v1/people", kOwner, {201, 409, 422}, &Api::person_add},
      {"PUT", "/api/v1/people/{name}", kOwner, {200, 404, 409, 422}, &Api::person_change},
      {"DELETE", "/api/v1/people/{name}", kOwner, {200, 404, 409}, &Api::person_remove},
      {"PUT", "/api/v1/people/{name}/password", kAll, {200, 401, 404, 422}, &Api::password_set},
      {"POST", "/api/v1/people/{name}/tokens", kOwner, {201, 404, 422}, &Api::token_add},
      {"DELETE", "/api/v1/people/{name}/tokens/{token}", kOwner, {200, 404}, &Api::token_remove},
  };
  return kRoutes;
}

Response Api::handle(const Request& request) {
  Response response;
  try {
    response = answer(request);
  } catch (const ApiError& error) {
    response = error_response(error.status(), error.code(), error.what());
    if (error.status() == 429 || error.status() == 503) response.headers.emplace_back("Retry-After", "2");
  } catch (const study::Refused& error) {
    response = error_response(status_of(error.code()), error.code(), error.what());
  } catch (const PeopleError& error) {
    response = error_response(status_of(error.code()), error.code(), error.what());
  } catch (const LogWriter::Busy&) {
    response = error_response(503, "busy", "a long computation is going on: send it again in a while");
    response.headers.emplace_back("Retry-After", "5");
  } catch (const StoreError& error) {
    response = error_response(503, "busy", fmt::format("nothing was written: {}", error.what()));
    response.headers.emplace_back("Retry-After", "5");
  } catch (const Error& error) {
    response = error_response(422, "invalid", error.what());
  } catch (const std::exception&) {
    response = error_response(500, "internal", "something went wrong in the server");
  }
  add_headers(request, response);
  return response;
}

Response Api::answer(const Request& request) {
  const std::shared_ptr<const Accounts> accounts = people_.all();
  check_host(request, !accounts->empty());
  if (!request.path.starts_with("/api/")) return page_file(request);
  if (!is_noted(accounts)) note_people_changes();
  const std::optional<Caller> caller = caller_of(request);
  if (!rate_.take(caller ? "user " + caller->name : "from " + address_of(request)))
    throw ApiError(429, "slow_down", "too many requests: wait a little");
  std::string allowed;
  for (const Route& route : routes()) {
    const std::optional<std::vector<std::string>> path = matched(route.path, request.path);
    if (!path) continue;
    allowed += (allowed.empty() ? "" : ", ") + route.method;
    if (route.method != (request.method == "HEAD" ? "GET" : request.method)) continue;
    const bool anyone = route.roles.front() == "anyone";
    if (!caller && !anyone) throw ApiError(401, "login_required", "log in first");
    if (!anyone &&
        std::find(route.roles.begin(), route.roles.end(), to_string(caller->role)) == route.roles.end())
      throw ApiError(403, "forbidden", fmt::format("this is not for the role {}", to_string(caller->role)));
    if (route.method != "GET") {
      check_origin(request);
      if (route.csrf && caller) check_csrf(request, *caller);
    }
    const bool has_body = route.method == "POST" || route.method == "PUT";
    if (has_body && !request.header("content-type").starts_with("application/json"))
      throw ApiError(415, "not_json", "the body must be application/json");
    return (this->*route.answer)({request, caller.value_or(Caller{}), *path});
  }
  if (allowed.empty()) throw ApiError(404, "not_found", "there is nothing here");
  Response response = error_response(405, "method", "this can be asked with " + allowed);
  response.headers.emplace_back("Allow", allowed);
  return response;
}

void Api::check_host(const Request& request, bool has_users) const {
  const std::string host = request.header("host");
  const bool known =
      is_loopback_host(host) || (!options_.public_url.empty() && host == authority_of(options_.public_url));
  if (!has_users && !options_.loopback)
    throw ApiError(503, "stopping", "the study has no users any more, and this server is open to others");
  if (!has_users && !request.header("x-forwarded-for").empty())
    throw ApiError(403, "forbidden", "a study without users is for this computer alone: add users first");
  const bool strict = !has_users || !options_.public_url.empty();
  if (strict && !known) throw ApiError(421, "wrong_host", "this server has another name");
}

std::string Api::address_of(const Request& request) const {
  const std::string forwarded = request.header("x-forwarded-for");
  const bool by_proxy = !options_.public_url.empty() && !forwarded.empty() &&
                        (request.address == "::1" || request.address.starts_with("127."));
  if (!by_proxy) return request.address;
  const std::size_t comma = forwarded.rfind(',');  // the last one is what our own proxy saw
  std::string last = comma == std::string::npos ? forwarded : forwarded.substr(comma + 1);
  last.erase(0, last.find_first_not_of(' '));
  return last.substr(0, 64);
}

std::optional<Caller> Api::account_caller(const std::string& name, const std::string& changed) {
  const std::optional<Account> account = people_.find(name);
  if (!account || (!changed.empty() && account->changed != changed)) return std::nullopt;
  return Caller{name, account->role, {account->units.begin(), account->units.end()}, "", false};
}

std::optional<Caller> Api::caller_of(const Request& request) {
  if (people_.all()->empty()) return Caller{"local", Role::owner, {}, "", false};
  const std::string authorization = request.header("authorization");
  if (!authorization.empty()) {
    if (!authorization.starts_with("Bearer ")) return std::nullopt;
    const std::optional<std::string> name = people_.owner_of(authorization.substr(7));
    if (!name) return std::nullopt;
    std::optional<Caller> caller = account_caller(*name, "");
    if (caller) caller->is_token = true;
    return caller;
  }
  const std::string cookie = cookie_value(request.header("cookie"), cookie_name());
  if (cookie.empty()) return std::nullopt;
  const std::optional<Session> session = sessions_.find(cookie);
  if (!session) return std::nullopt;
  std::optional<Caller> caller = account_caller(session->name, session->changed);
  if (caller) caller->cookie = cookie;
  return caller;
}

void Api::check_origin(const Request& request) const {
  const std::string origin = request.header("origin"), site = request.header("sec-fetch-site");
  const std::string host = authority_of(origin);
  const bool good =
      origin.empty() ||
      (!host.empty() && (host == request.header("host") || host == authority_of(options_.public_url)));
  if (!good || site == "cross-site") throw ApiError(403, "csrf", "another site asks for this");
}

std::string Api::csrf_of(const Caller& caller) const {
  return caller.cookie.empty() ? local_csrf_ : Sessions::csrf_of(caller.cookie);
}

void Api::check_csrf(const Request& request, const Caller& caller) const {
  if (caller.is_token) return;
  if (!equal_secrets(request.header("x-csrf-token"), csrf_of(caller)))
    throw ApiError(403, "csrf",
                   "the header X-CSRF-Token is missing or not the session's: load the page anew");
}

void Api::note_people_changes() {
  if (!is_noted(people_.all())) note_people_by("command line", "owner");
}

Response Api::page_file(const Request& request) const {
  if (request.method != "GET" && request.method != "HEAD")
    throw ApiError(405, "method", "this can only be read");
  const std::string name = request.path == "/" ? "index.html" : request.path.substr(1);
  const std::optional<PageFile> file = find_page_file(name, options_.page);
  if (!file) throw ApiError(404, "not_found", "there is nothing here");
  Response response{.status = 200, .type = file->type, .body = std::string(file->body)};
  const std::string tag = fmt::format("\"{}\"", fingerprint(file->body).substr(0, 32));
  response.headers = {{"ETag", tag}, {"Cache-Control", "no-cache"}, {"Content-Security-Policy", kPagePolicy}};
  if (request.header("if-none-match") == tag) {
    response.status = 304;
    response.body.clear();
  }
  return response;
}

void Api::add_headers(const Request&, Response& response) const {
  const auto add = [&](const char* name, const char* value) {
    const bool there = std::any_of(response.headers.begin(), response.headers.end(),
                                   [&](const auto& header) { return header.first == name; });
    if (!there) response.headers.emplace_back(name, value);
  };
  add("Content-Security-Policy", kDataPolicy);
  add("Cache-Control", "no-store");
  add("X-Content-Type-Options", "nosniff");
  add("X-Frame-Options", "DENY");
  add("Referrer-Policy", "no-referrer");
  add("Cross-Origin-Opener-Policy", "same-origin");
  add("Cross-Origin-Resource-Policy", "same-origin");
  add("Permissions-Policy", "camera=(), microphone=(), payment=()");
  if (is_secure()) add("Strict-Transport-Security", "max-age=31536000");
}

}  // namespace mindgap::server
