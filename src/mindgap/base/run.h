#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mindgap/base/report_progress.h"

namespace mindgap::base {

/// Who waits for a long computation.
struct Listener {
  OnProgress progress = {};                                   // told how far it is, from any thread
  std::function<bool()> stop = {};                            // asked now and then whether to come to an end
  std::function<void(double seconds)> estimate = {};          // told once about how long it will take
  std::function<void(const std::string& text)> warning = {};  // of the input, told before the long part

  void tell(const std::string& what, std::int64_t done, std::int64_t total) const {
    if (progress) progress(what, done, total);
  }
  bool wants_to_stop() const { return stop && stop(); }
  void warn(const std::vector<std::string>& texts) const {
    for (const std::string& text : texts)
      if (warning) warning(text);
  }
};

/// How something is computed, beside what: of every command, and of options whose computation draws, takes
/// long or may be stopped. A kernel that only computes has a number of threads.
struct Run {
  std::uint64_t seed = 42;
  int threads = 0;  // 0: all cores; no result depends on it
  Listener listener = {};
};

}  // namespace mindgap::base
