#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include "mindgap/study/live.h"

namespace mindgap::server {

/// The one thread that writes to the study. What waits while it writes is written together next: one wait for
/// the disk for all of them.
class LogWriter {
 public:
  /// `written` is told the new sequence number after each transaction, in the writer's thread, before those
  /// whose deeds it was are answered.
  LogWriter(study::LiveStudy& study, std::function<void(std::int64_t)> written);
  ~LogWriter();  // after everything that waits is written
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// Thrown where a deed would have to wait for a long one behind many others.
  struct Busy {};

  /// What `deed(LiveWriting&)` gives, after the disk has what it wrote. Throws what it throws. A `slow` one
  /// has a transaction of its own.
  template <typename Deed>
  auto write(Deed deed, bool slow = false) {
    using Result = std::invoke_result_t<Deed, study::LiveWriting&>;
    auto result = std::make_shared<std::optional<Result>>();
    submit([result, deed = std::move(deed)](study::LiveWriting& writing) { result->emplace(deed(writing)); },
           slow);
    return std::move(**result);
  }

 private:
  struct Waiting {
    study::LiveStudy::Deed deed;
    bool slow = false;
    std::promise<void> done = {};
  };
  void submit(study::LiveStudy::Deed deed, bool slow);
  void run();
  std::vector<std::unique_ptr<Waiting>> next();

  study::LiveStudy& study_;
  std::function<void(std::int64_t)> written_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Waiting>> waiting_;
  bool is_slow_ = false;  // a slow one is being done
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace mindgap::server
