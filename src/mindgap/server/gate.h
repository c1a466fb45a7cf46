#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "mindgap/server/frame.h"
#include "mindgap/server/http.h"

// The door to the network: one thread looks after all connections and gives whole requests to a bounded
// number of workers. A connection that is slow, idle or waiting costs its buffer and no thread.
namespace mindgap::server {

struct GateOptions {
  std::string host = "127.0.0.1";
  int port = 0;                                    // 0: any that is free
  std::string tls_certificate = {}, tls_key = {};  // files (PEM); "": no TLS
  int workers = 64;
  std::size_t connections = 1000;  // beyond them the slowest is closed
  std::size_t queue = 1000;        // requests that wait for a worker; beyond them 503
  std::chrono::milliseconds header_time{10'000}, request_time{30'000}, write_time{30'000}, idle_time{5'000},
      stop_time{10'000};
  FrameLimits limits = {};
  std::function<bool()> asked_to_stop = {};  // looked at several times a second
};

/// "HOST:PORT", "[::1]:8080". Throws InvalidArgument.
void read_address(const std::string& text, GateOptions& options);

class Gate {
 public:
  /// What answers the bytes of one request; `last`: the connection ends after it.
  using Answer = std::function<HttpAnswer(std::string_view request, const std::string& address, bool may_wait,
                                          bool last)>;

  /// Listens already. Throws StoreError where it cannot, InvalidArgument where certificate or key are none.
  Gate(const GateOptions& options, Answer answer);
  ~Gate();

  int port() const;
  /// Whether only this computer can reach it.
  bool is_loopback() const;
  /// Until stop(); requests that have begun are answered first.
  void run();
  /// From any thread, or from a signal handler.
  void stop();
  /// The log has this many events now: who waits for one more is asked again. From any thread.
  void grown(std::int64_t sequence);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mindgap::server
