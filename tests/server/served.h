#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "mindgap/server/serve.h"
#include "study/field.h"

// A study, a server on the loopback, and a client that says exactly what it is told to.
namespace mindgap::server {

using Json = nlohmann::ordered_json;

struct Reply {
  int status = 0;                              // 0: the connection ended without an answer
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  Json json() const { return Json::parse(body, nullptr, false); }
  std::string code() const {
    const Json parsed = json();
    return parsed.is_object() && parsed.contains("error") ? parsed["error"].value("code", "") : "";
  }
};

/// One connection.
class Line {
 public:
  explicit Line(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_open_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
    const int yes = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }
  ~Line() { ::close(socket_); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  bool is_open() const { return is_open_; }
  bool send(const std::string& bytes) {
    std::size_t at = 0;
    while (is_open_ && at < bytes.size()) {
      const ssize_t sent = ::send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) is_open_ = false;
      at += sent > 0 ? static_cast<std::size_t>(sent) : 0;
    }
    return is_open_;
  }
  /// The next answer on this connection.
  Reply receive(int seconds = 30) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (true) {
      const std::size_t end = in_.find("\r\n\r\n");
      if (end != std::string::npos) {
        Reply reply = parsed(in_.substr(0, end));
        const std::size_t size = reply.headers.contains("content-length")
                                     ? static_cast<std::size_t>(std::stoull(reply.headers["content-length"]))
                                     : 0;
        if (in_.size() >= end + 4 + size || reply.status == 304) {
          reply.body = in_.substr(end + 4, size);
          in_.erase(0, end + 4 + size);
          return reply;
        }
      }
      pollfd wait{socket_, POLLIN, 0};
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
      if (left.count() <= 0 || ::poll(&wait, 1, static_cast<int>(left.count())) <= 0) return {};
      char bytes[16384];
      const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
      if (count <= 0) {
        is_open_ = false;
        return {};
      }
      in_.append(bytes, static_cast<std::size_t>(count));
    }
  }
  /// Whether the server has closed it, within so many seconds.
  bool is_closed_within(int seconds) {
    pollfd wait{socket_, POLLIN, 0};
    char byte = 0;
    while (::poll(&wait, 1, 1000 * seconds) == 1) {
      if (::recv(socket_, &byte, 1, 0) <= 0) return true;
    }
    return false;
  }

 private:
  static Reply parsed(const std::string& header) {
    Reply reply;
    reply.status = header.size() > 12 ? std::atoi(header.c_str() + 9) : 0;
    std::size_t at = header.find("\r\n");
    while (at != std::string::npos && at + 2 < header.size()) {
      const std::size_t end = std::min(header.find("\r\n", at + 2), header.size());
      const std::string line = header.substr(at + 2, end - at - 2);
      const std::size_t colon = line.find(':');
      if (colon != std::string::npos) {
        std::string name = line.substr(0, colon);
        for (char& c : name) c = static_cast<char>(std::tolower(c));
        reply.headers[name] = line.substr(std::min(line.size(), colon + 2));
      }
      at = end == header.size() ? std::string::npos : end;
    }
    return reply;
  }

  int socket_;
  bool is_open_ = false;
  std::string in_;
};

/// Somebody who asks: with a cookie, a token, or neither.
struct Client {
  int port = 0;
  std::map<std::string, std::string> headers = {};

  std::string bytes(const std::string& method, const std::string& path, const std::string& body,
                    const std::map<std::string, std::string>& more = {}) const {
    std::map<std::string, std::string> all = {{"Host", "127.0.0.1"}};
    if (!body.empty()) all["Content-Type"] = "application/json";
    for (const auto* list : {&headers, &more}) {
      for (const auto& [name, value] : *list) all[name] = value;
    }
    std::string text = method + " " + path + " HTTP/1.1\r\n";
    for (const auto& [name, value] : all) text.append(name).append(": ").append(value).append("\r\n");
    if (method != "GET") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return text + "\r\n" + body;
  }
  Reply ask(const std::string& method, const std::string& path, const Json& body = nullptr,
            const std::map<std::string, std::string>& more = {}) const {
    return ask_text(method, path, body.is_null() ? "" : body.dump(), more);
  }
  Reply ask_text(const std::string& method, const std::string& path, const std::string& body,
                 const std::map<std::string, std::string>& more = {}) const {
    Line line(port);
    line.send(bytes(method, path, body, more));
    return line.receive();
  }
  Reply get(const std::string& path) const { return ask("GET", path); }
  Reply post(const std::string& path, const Json& body) const { return ask("POST", path, body); }
};

/// A study of eight units in four places, with its first steps assigned, and a server for it.
class ServedTest : public study::StudyTest {
 protected:
  void SetUp() override {
    StudyTest::SetUp();
    folder_ = path("served");
    begin(8);
  }
  void TearDown() override {
    stop();
    StudyTest::TearDown();
  }

  void begin(std::int32_t units, bool allow_new_states = false) {
    std::filesystem::remove_all(folder_);
    study::StudyOptions options;
    options.horizon = 6;
    options.allow_new_states = allow_new_states;
    study::begin_study(*study::storage_at(folder_), study::row_of_places(), study::units_in(units, 4),
                       options, study::kWriter, 1);
    study::assign(*study::storage_at(folder_), std::nullopt, study::kWriter, 1);
  }

  void add_people() {
    People people(folder_, HashCost::least);
    people.add("olga", "owner password", Role::owner, {});
    people.add("finn", "field password", Role::field, {"u0", "u1"});
    people.add("vera", "viewer password", Role::viewer, {});
  }

  /// The limits of requests are out of the way unless a test is about them.
  ServeRequest request() const {
    ServeRequest request{.folder = folder_.string(), .listen = "127.0.0.1:0"};
    request.cost = HashCost::least;
    request.rate = request.burst = 1e6;
    request.run.threads = 1;
    request.gate.workers = 16;
    return request;
  }
  void start() { start(request()); }
  void start(const ServeRequest& request) {
    server_ = std::make_unique<Server>(request);
    thread_ = std::thread([this] { server_->run(); });
  }
  void stop() {
    if (!server_) return;
    server_->stop();
    thread_.join();
    server_.reset();
  }

  Client nobody() const { return {server_->port()}; }
  /// Where there are no users everybody is the owner.
  Client local() const {
    Client client = nobody();
    client.headers["X-CSRF-Token"] = client.get("/api/v1/session").json().value("csrf", "");
    return client;
  }
  Client logged_in(const std::string& name, const std::string& password) const {
    Client client = nobody();
    const Reply reply = client.post("/api/v1/session", {{"name", name}, {"password", password}});
    EXPECT_EQ(reply.status, 200) << reply.body;
    const std::string cookie = reply.headers.contains("set-cookie") ? reply.headers.at("set-cookie") : "";
    client.headers["Cookie"] = cookie.substr(0, cookie.find(';'));
    client.headers["X-CSRF-Token"] = reply.json().value("csrf", "");
    return client;
  }
  Client owner() const { return logged_in("olga", "owner password"); }
  Client field() const { return logged_in("finn", "field password"); }
  Client viewer() const { return logged_in("vera", "viewer password"); }

  std::string id() { return "id-number-" + std::to_string(++ids_); }
  Json result(const std::string& unit, int step, double reward, std::int64_t seen) {
    return {{"id", id()},   {"seen", seen},     {"unit", unit},
            {"step", step}, {"reward", reward}, {"next_state", "north"}};
  }
  std::int64_t sequence(const Client& client) const {
    return client.get("/api/v1/session").json().value("sequence", std::int64_t{-1});
  }
  void expect_verified() {
    const study::Verification found = study::verify(*study::storage_at(folder_), 1);
    EXPECT_TRUE(found.good) << found.problem;
  }

  std::filesystem::path folder_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
  int ids_ = 0;
};

}  // namespace mindgap::server
