#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Whole requests in, whole answers out: the HTTP library (cpp-httplib) reads the one and writes the other,
// without a socket.
namespace mindgap::server {

struct Request {
  std::string method, path, body;
  std::map<std::string, std::string> headers;  // names in lower case
  std::map<std::string, std::string> parameters;
  bool twice = false;     // a parameter is there twice
  std::string address;    // of whoever sent it
  bool may_wait = false;  // whether it may be answered later

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

/// Asks to be asked again: as soon as the log is longer than `since`, or so much later.
struct Later {
  std::int64_t since = 0;
  std::chrono::milliseconds wait{0};
};

struct Response {
  int status = 200;
  std::string type = "application/json; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::optional<Later> later = {};  // then there is no answer yet
};

using Handler = std::function<Response(const Request&)>;

struct HttpAnswer {
  std::string bytes;
  bool close = false;
  std::optional<Later> later = {};
};

class Http {
 public:
  explicit Http(Handler handler);
  ~Http();
  /// Answers the bytes of one request. Any bytes will do. From any thread.
  HttpAnswer answer(std::string_view request, const std::string& address, bool may_wait, bool last) const;

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

/// {"error": {"code", "message"}}
std::string error_body(const std::string& code, const std::string& message);
/// An answer to bytes that are no request: the connection ends with it.
std::string refusal_bytes(int status, const std::string& code, const std::string& message);

}  // namespace mindgap::server
