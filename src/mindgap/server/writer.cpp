#include "mindgap/server/writer.h"

#include "mindgap/base/error.h"

namespace mindgap::server {
namespace {

constexpr std::size_t kMostTogether = 256;
constexpr std::size_t kMostBehindSlow = 24;
constexpr std::chrono::seconds kBetweenHeads{5};

}  // namespace

LogWriter::LogWriter(study::LiveStudy& study, std::function<void(std::int64_t)> written)
    : study_(study), written_(std::move(written)), thread_([this] { run(); }) {}

LogWriter::~LogWriter() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LogWriter::submit(study::LiveStudy::Deed deed, bool slow) {
  auto waiting = std::make_unique<Waiting>(Waiting{std::move(deed), slow});
  std::future<void> done = waiting->done.get_future();
  {
    const std::lock_guard lock(mutex_);
    if (ends_ || (is_slow_ && waiting_.size() >= kMostBehindSlow)) throw Busy{};
    waiting_.push_back(std::move(waiting));
  }
  changed_.notify_all();
  done.get();
}

// Those that are written together: up to the next slow one, or that one alone.
std::vector<std::unique_ptr<LogWriter::Waiting>> LogWriter::next() {
  std::unique_lock lock(mutex_);
  is_slow_ = false;
  changed_.wait_for(lock, kBetweenHeads, [this] { return ends_ || !waiting_.empty(); });
  std::vector<std::unique_ptr<Waiting>> group;
  while (!waiting_.empty() && group.size() < kMostTogether) {
    if (waiting_.front()->slow && !group.empty()) break;
    is_slow_ = waiting_.front()->slow;
    group.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    if (is_slow_) break;
  }
  return group;
}

void LogWriter::run() {
  auto noted = std::chrono::steady_clock::now();
  const auto note = [&] {
    try {
      study_.note_head();
    } catch (const Error&) {  // the list of heads is a help; the log itself is written
    }
    noted = std::chrono::steady_clock::now();
  };
  while (true) {
    const std::vector<std::unique_ptr<Waiting>> group = next();
    if (!group.empty()) {
      std::vector<study::LiveStudy::Deed> deeds;
      deeds.reserve(group.size());
      for (const auto& waiting : group) deeds.push_back(std::move(waiting->deed));
      const std::vector<std::exception_ptr> failures = study_.write(deeds);
      // Before anybody is answered: who is answered may end the server, and with it who is told.
      written_(study_.read([](const study::LiveLog& log) { return log.sequence(); }));
      for (std::size_t i = 0; i < group.size(); ++i) {
        if (failures[i]) {
          group[i]->done.set_exception(failures[i]);
        } else {
          group[i]->done.set_value();
        }
      }
    }
    const bool idle = group.empty();
    if (idle || std::chrono::steady_clock::now() - noted > kBetweenHeads) note();
    if (!idle) continue;
    const std::lock_guard lock(mutex_);
    if (ends_ && waiting_.empty()) return;
  }
}

}  // namespace mindgap::server
