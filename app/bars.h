#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "command.h"
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

  /// What a computation is told that should fill them; warnings go to standard error.
  base::Listener listener() {
    return {
        [this](const std::string& what, std::int64_t done, std::int64_t total) { show(what, done, total); },
        {},
        {},
        [this](const std::string& text) { warn({.quiet = quiet_}, text); }};
  }

 private:
  const bool quiet_;
  std::mutex mutex_;
  std::string what_;
  std::unique_ptr<base::Progress> bar_;
};

}  // namespace mindgap::app
