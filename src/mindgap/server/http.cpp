#include "mindgap/server/http.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mindgap::server {
namespace {

// A request that is all there, and room for the answer.
class MemoryStream final : public httplib::Stream {
 public:
  MemoryStream(std::string_view in, std::string address) : in_(in), address_(std::move(address)) {}

  bool is_readable() const override { return !in_.empty(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, in_.size());
    std::copy_n(in_.data(), count, to);
    in_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, std::size_t size) override {
    out_.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip = address_;
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    ip = "";
    port = 0;
  }
  socket_t socket() const override { return INVALID_SOCKET; }
  std::string& out() { return out_; }

 private:
  std::string_view in_;
  std::string out_;
  std::string address_;
};

const char* word_of_status(int status) {
  switch (status) {
    case 404:
      return "not_found";
    case 405:
      return "method";
    case 413:
    case 414:
    case 431:
      return "too_large";
    case 500:
      return "internal";
    default:
      return "malformed";
  }
}

Request request_from(const httplib::Request& from) {
  Request request{.method = from.method, .path = from.path, .body = from.body, .address = from.remote_addr};
  for (const auto& [name, value] : from.headers) {
    std::string lower = name;
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    // Two of the same: none of them counts, so that nobody can put one in front of another.
    const auto [at, is_new] = request.headers.emplace(lower, value);
    if (!is_new) at->second = lower == "x-forwarded-for" ? at->second + "," + value : "";
  }
  for (const auto& [name, value] : from.params)
    request.twice = !request.parameters.emplace(name, value).second || request.twice;
  return request;
}

}  // namespace

std::string error_body(const std::string& code, const std::string& message) {
  const nlohmann::ordered_json json = {{"error", {{"code", code}, {"message", message}}}};
  return json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string refusal_bytes(int status, const std::string& code, const std::string& message) {
  const std::string body = error_body(code, message);
  return fmt::format(
      "HTTP/1.1 {} Refused\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: "
      "{}\r\nX-Content-Type-Options: "
      "nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n{}",
      status, body.size(), body);
}

class Http::Library final : public httplib::Server {
 public:
  explicit Library(server::Handler handler) : handler_(std::move(handler)) {
    const Handler take = [this](const httplib::Request& request, httplib::Response& response) {
      answer_to(request, response);
    };
    constexpr const char* kAnything = ".*";
    Get(kAnything, take);
    Options(kAnything, take);
    Post(kAnything, take);
    Put(kAnything, take);
    Patch(kAnything, take);
    Delete(kAnything, take);
    set_error_handler(HandlerWithResponse([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty())
        response.set_content(error_body(word_of_status(response.status), "the request cannot be understood"),
                             "application/json; charset=utf-8");
      return HandlerResponse::Handled;
    }));
    set_keep_alive_max_count(1000);
    set_payload_max_length(1024 * 1024);
  }

  HttpAnswer answer(std::string_view bytes, const std::string& address, bool may_wait, bool last) {
    MemoryStream stream(bytes, address);
    Asked asked{may_wait, std::nullopt};
    bool closed = false;
    asked_ = &asked;
    const bool good =
        process_request(stream, last, closed, [](httplib::Request& request) { request.ranges.clear(); });
    asked_ = nullptr;
    HttpAnswer answer{std::move(stream.out()), last || closed || !good, asked.later};
    return answer;
  }

 private:
  using Handler = httplib::Server::Handler;
  struct Asked {
    bool may_wait = false;
    std::optional<Later> later;
  };

  void answer_to(const httplib::Request& from, httplib::Response& to) {
    Request request = request_from(from);
    request.may_wait = asked_->may_wait;
    Response response = handler_(request);
    asked_->later = response.later;
    to.status = response.status;
    for (const auto& [name, value] : response.headers) to.set_header(name, value);
    to.set_content(response.body, response.type);
  }

  server::Handler handler_;
  static thread_local Asked* asked_;
};

thread_local Http::Library::Asked* Http::Library::asked_ = nullptr;

Http::Http(Handler handler) : library_(std::make_unique<Library>(std::move(handler))) {}
Http::~Http() = default;

HttpAnswer Http::answer(std::string_view request, const std::string& address, bool may_wait,
                        bool last) const {
  return library_->answer(request, address, may_wait, last);
}

}  // namespace mindgap::server
