#pragma once

#include <cstdint>
#include <functional>
#include <string>

// How far a long computation is, told to whoever waits, without handing that through every call between.
// Functions whose options have a Run tell its listener instead.
namespace mindgap::base {

using OnProgress = std::function<void(const std::string& what, std::int64_t done, std::int64_t total)>;

/// While it lives, report_progress() of its thread calls `listen`; the innermost counts.
class ProgressListener {
 public:
  explicit ProgressListener(OnProgress listen);
  ~ProgressListener();
  ProgressListener(const ProgressListener&) = delete;
  ProgressListener& operator=(const ProgressListener&) = delete;

 private:
  OnProgress listen_;
  const OnProgress* before_;
};

/// Whom report_progress() of this thread calls, or null; for telling it something else.
const OnProgress* current_listener();

/// `done` of `total` (0: not known) of what is being done. An interruption point, too.
void report_progress(const char* what, std::int64_t done, std::int64_t total);

}  // namespace mindgap::base
