#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "mindgap/base/progress.h"
#include "mindgap/base/run.h"

namespace mindgap::app {

/// One progress bar after another, as a long call goes from one thing to the next. Any thread may call
/// show().
class Bars {
 public:
  explicit Bars(bool quiet) : quiet_(quiet) {}

  void show(const std::string& what, std::int64_t done, std::int64_t total) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!bar_ || what != what_) {
      bar_ = std::make_unique<base::Progress>(
          base::ProgressOptions{.label = what, .total = total > 1 ? total : 0, .quiet = quiet_});
      what_ = what;
    }
    bar_->advance(std::max<std::int64_t>(0, done - bar_->done()));
  }

  /// What a computation is told that should fill them, and whom it asks whether to stop (null: nobody).
  base::Listener listener(std::function<bool()> stop = {}) {
    return {
        [this](const std::string& what, std::int64_t done, std::int64_t total) { show(what, done, total); },
        std::move(stop),
        {}};
  }

 private:
  const bool quiet_;
  std::mutex mutex_;
  std::string what_;
  std::unique_ptr<base::Progress> bar_;
};

}  // namespace mindgap::app
