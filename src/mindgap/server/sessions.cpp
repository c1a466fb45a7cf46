#include "mindgap/server/sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "mindgap/base/error.h"
#include "mindgap/files/place.h"
#include "mindgap/files/text_file.h"
#include "mindgap/server/people.h"

namespace mindgap::server {
namespace {

using SessionJson = nlohmann::ordered_json;

constexpr std::size_t kMostSessions = 16;  // of one person
constexpr std::size_t kMostCallers = 20'000;
constexpr int kFreeTries = 5, kFreeTriesOfAll = 50;
constexpr std::int64_t kLongestWait = 900;

// Which counts a try at a password belongs to, each with how many wrong ones are free.
std::array<std::pair<std::string, int>, 3> counts_of(const std::string& name, const std::string& address) {
  return {{{"both " + address + " " + name, kFreeTries},
           {"name " + name, kFreeTriesOfAll},
           {"from " + address, kFreeTriesOfAll}}};
}

}  // namespace

Sessions::Sessions(const std::filesystem::path& folder, std::int64_t seconds)
    : file_((files::is_file(folder) ? folder.parent_path() : folder) / "sessions.json"), seconds_(seconds) {
  if (!files::is_there(file_)) return;
  try {
    const files::TextFile text = files::open_text_file(file_);
    const SessionJson json = SessionJson::parse(text.text);
    for (const auto& session : json.at("sessions"))
      sessions_[session.at("fingerprint").get<std::string>()] = {session.at("name").get<std::string>(),
                                                                 session.at("changed").get<std::string>(),
                                                                 session.at("expires").get<std::int64_t>()};
  } catch (const nlohmann::json::exception&) {  // everybody logs in again
    sessions_.clear();
  }
}

void Sessions::save() {
  SessionJson json = {{"sessions", SessionJson::array()}};
  for (const auto& [print, session] : sessions_)
    json["sessions"].push_back({{"fingerprint", print},
                                {"name", session.name},
                                {"changed", session.changed},
                                {"expires", session.expires}});
  write_private(file_, json.dump() + "\n");
}

std::string Sessions::open(const std::string& name, const std::string& changed) {
  std::string cookie = random_hex(32);
  const std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [](const auto& entry) { return entry.second.expires <= unix_now(); });
  std::vector<std::pair<std::int64_t, std::string>> own;
  for (const auto& [print, session] : sessions_) {
    if (session.name == name) own.emplace_back(session.expires, print);
  }
  std::sort(own.begin(), own.end());
  for (std::size_t i = 0; i + kMostSessions <= own.size(); ++i) sessions_.erase(own[i].second);
  sessions_[fingerprint(cookie)] = {name, changed, unix_now() + seconds_};
  save();
  return cookie;
}

std::optional<Session> Sessions::find(const std::string& cookie) {
  const std::string print = fingerprint(cookie);
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(print);
  if (found == sessions_.end() || found->second.expires <= unix_now()) return std::nullopt;
  return found->second;
}

void Sessions::close(const std::string& cookie) {
  const std::lock_guard lock(mutex_);
  if (sessions_.erase(fingerprint(cookie)) > 0) save();
}

std::string Sessions::csrf_of(const std::string& cookie) {
  return fingerprint("csrf " + cookie);
}

bool RateLimit::take(const std::string& caller, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (buckets_.size() > kMostCallers)
    std::erase_if(buckets_,
                  [&](const auto& entry) { return now - entry.second.at > std::chrono::seconds(60); });
  if (buckets_.size() > 2 * kMostCallers) buckets_.clear();
  Bucket& bucket = buckets_.try_emplace(caller, Bucket{burst_, now}).first->second;
  const double seconds = std::chrono::duration<double>(now - bucket.at).count();
  bucket.left = std::min(burst_, bucket.left + rate_ * seconds);
  bucket.at = now;
  if (bucket.left < 1) return false;
  bucket.left -= 1;
  return true;
}

std::int64_t LoginThrottle::wait_of(const std::string& name, const std::string& address,
                                    Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  std::int64_t wait = 0;
  for (const auto& [key, free] : counts_of(name, address)) {
    const auto found = counts_.find(key);
    if (found == counts_.end() || found->second.until <= now) continue;
    wait = std::max<std::int64_t>(
        wait, std::chrono::duration_cast<std::chrono::seconds>(found->second.until - now).count() + 1);
  }
  return wait;
}

void LoginThrottle::failed(const std::string& name, const std::string& address, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (counts_.size() > kMostCallers)
    std::erase_if(counts_, [&](const auto& entry) { return entry.second.until <= now; });
  for (const auto& [key, free] : counts_of(name, address)) {
    Count& count = counts_[key];
    // An hour without a wrong one makes up for those before.
    if (now - count.until > std::chrono::hours(1)) count.failures = 0;
    ++count.failures;
    const int beyond = count.failures - free;
    const std::int64_t wait =
        beyond < 0 ? 0 : std::min<std::int64_t>(kLongestWait, std::int64_t{2} << std::min(beyond, 20));
    count.until = now + std::chrono::seconds(wait);
  }
}

void LoginThrottle::succeeded(const std::string& name, const std::string& address) {
  const std::lock_guard lock(mutex_);
  counts_.erase(counts_of(name, address)[0].first);
}

}  // namespace mindgap::server
