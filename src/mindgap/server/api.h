#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <set>
#include <string>
#include <vector>

#include "mindgap/server/fields.h"
#include "mindgap/server/http.h"
#include "mindgap/server/people.h"
#include "mindgap/server/sessions.h"
#include "mindgap/server/writer.h"
#include "mindgap/study/place_result.h"

// The JSON API and the page's files (docs/reference/study-api.yaml): who asks, may they, what do they get.
namespace mindgap::command {
struct StudyStatus;
}
namespace mindgap::study {
struct Order;
}

namespace mindgap::server {

struct ApiOptions {
  std::string version = "mindgap";
  std::string public_url =
      {};            // "https://study.example.org": what people type, where a proxy stands before the server
  bool tls = false;  // the server speaks TLS itself
  bool loopback = true;  // only this computer reaches it: without users there is no other way
  double rate = 50, burst = 200;
  int threads = 0;                  // of computations
  std::filesystem::path page = {};  // serve this folder instead of the files that are built in
};

/// Who asks.
struct Caller {
  std::string name;
  Role role = Role::viewer;
  std::set<std::string> units = {};  // of a field person
  std::string cookie = {};           // of a session
  bool is_token = false;

  bool sees(const std::string& unit) const { return role != Role::field || units.contains(unit); }
};

/// One request on its way.
struct Call {
  const Request& request;
  Caller caller;
  std::vector<std::string> path;  // what stood in place of {...}
};

class Api {
 public:
  Api(study::LiveStudy& study, LogWriter& writer, People& people, Sessions& sessions, ApiOptions options);
  ~Api();

  /// Throws nothing.
  Response handle(const Request& request);

  struct Route {
    std::string method, path;
    std::vector<std::string> roles;  // or "anyone"
    std::vector<int> statuses;       // that it answers, beside those that any may
    Response (Api::*answer)(const Call& call);
    bool csrf = true;
  };
  static const std::vector<Route>& routes();
  /// What any operation may answer.
  static const std::vector<int>& common_statuses();

  /// Writes down who takes part, where the file of people says something new.
  void note_people_changes();

 private:
  // Who asks, and whether this may be: api.cpp.
  Response answer(const Request& request);
  std::optional<Caller> caller_of(const Request& request);
  std::optional<Caller> account_caller(const std::string& name, const std::string& changed);
  void check_host(const Request& request, bool has_users) const;
  void check_origin(const Request& request) const;
  void check_csrf(const Request& request, const Caller& caller) const;
  std::string address_of(const Request& request) const;
  Response page_file(const Request& request) const;
  void add_headers(const Request& request, Response& response) const;
  std::string csrf_of(const Caller& caller) const;
  bool is_secure() const { return options_.tls || options_.public_url.starts_with("https://"); }
  const char* cookie_name() const { return is_secure() ? "__Host-mindgap" : "mindgap"; }

  // api_session.cpp
  Response health(const Call& call);
  Response session(const Call& call);
  Response log_in(const Call& call);
  Response log_out(const Call& call);
  ApiJson session_json(const std::optional<Caller>& caller);

  // api_study.cpp
  Response study_shown(const Call& call);
  Response assignments(const Call& call);
  Response assign(const Call& call);
  Response status(const Call& call);
  Response redesign(const Call& call);
  Response stop(const Call& call);
  Response export_all(const Call& call);
  Response report(const Call& call);
  ApiJson decide(const study::Order& order);
  std::shared_ptr<const command::StudyStatus> status_now(std::int64_t& sequence);

  // api_results.cpp
  Response results(const Call& call);
  Response record(const Call& call);
  Response record_batch(const Call& call);
  Response conflicts(const Call& call);
  Response settle_conflict(const Call& call);

  // api_log.cpp
  Response events(const Call& call);
  Response audit(const Call& call);
  Response audit_csv(const Call& call);

  // api_people.cpp
  Response people_list(const Call& call);
  Response person_add(const Call& call);
  Response person_change(const Call& call);
  Response person_remove(const Call& call);
  Response password_set(const Call& call);
  Response token_add(const Call& call);
  Response token_remove(const Call& call);
  void check_units_exist(const std::vector<std::string>& units) const;
  void note_people_by(const std::string& who, const std::string& role);
  bool is_noted(const std::shared_ptr<const Accounts>& accounts);

  study::LiveStudy& study_;
  LogWriter& writer_;
  People& people_;
  Sessions& sessions_;
  const ApiOptions options_;
  RateLimit rate_;
  LoginThrottle throttle_;
  std::counting_semaphore<4> hashing_{2};  // passwords at a time: each takes 64 MiB
  const std::string local_csrf_;
  std::mutex noting_, noted_mutex_;
  std::shared_ptr<const Accounts> noted_;  // what the log says of people

  std::mutex computing_;  // one status at a time
  std::mutex deciding_;   // one decision at a time
  std::atomic<int> computing_count_ = 0;
  std::int64_t status_sequence_ = -1;
  std::shared_ptr<const command::StudyStatus> status_;
};

Response json_response(int status, const ApiJson& json);
/// Who did it, by the request's id, seen and why; throws ApiError 422.
study::Author read_author(Fields& fields, const Caller& caller, bool why_needed);

}  // namespace mindgap::server
