#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

// Who is logged in, and who asks too often.
namespace mindgap::server {

struct Session {
  std::string name;
  std::string changed;       // of the account when it began: it ends with the next change
  std::int64_t expires = 0;  // seconds since 1970
};

/// Sessions outlive a restart of the server: sessions.json beside the study keeps the fingerprints of their
/// cookies.
class Sessions {
 public:
  explicit Sessions(const std::filesystem::path& folder, std::int64_t seconds = 12 * 3600);

  /// Returns the cookie's value.
  std::string open(const std::string& name, const std::string& changed);
  std::optional<Session> find(const std::string& cookie);
  void close(const std::string& cookie);

  /// What requests that change something must bring beside the cookie.
  static std::string csrf_of(const std::string& cookie);

 private:
  void save();  // with the mutex held

  std::filesystem::path file_;
  std::int64_t seconds_;
  std::mutex mutex_;
  std::map<std::string, Session> sessions_;  // by the cookie's fingerprint
};

using Clock = std::chrono::steady_clock;

/// At most `rate` a second for each caller, with bursts.
class RateLimit {
 public:
  RateLimit(double rate, double burst) : rate_(rate), burst_(burst) {}
  /// Whether the caller may go on.
  bool take(const std::string& caller, Clock::time_point now = Clock::now());

 private:
  struct Bucket {
    double left = 0;
    Clock::time_point at;
  };
  double rate_, burst_;
  std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
};

/// Wrong passwords make the next try wait: after five of one name from one address 2 s, then 4 s, ... up to
/// 15 minutes; after fifty from one address, or of one name from anywhere, the same.
class LoginThrottle {
 public:
  /// Seconds to wait, or 0.
  std::int64_t wait_of(const std::string& name, const std::string& address,
                       Clock::time_point now = Clock::now());
  void failed(const std::string& name, const std::string& address, Clock::time_point now = Clock::now());
  void succeeded(const std::string& name, const std::string& address);

 private:
  struct Count {
    int failures = 0;
    Clock::time_point until;
  };
  std::mutex mutex_;
  std::unordered_map<std::string, Count> counts_;
};

}  // namespace mindgap::server
