#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mindgap/base/report_progress.h"

namespace mindgap::base {

/// Who waits for a long computation.
struct Listener {
  OnProgress progress = {};                                   // told how far it is
  std::function<bool()> stop = {};                            // asked now and then whether to come to an end
  std::function<void(double seconds)> estimate = {};          // told once about how long it will take
  std::function<void(const std::string& text)> warning = {};  // of the input, told before the long part

  bool wants_to_stop() const { return stop && stop(); }
  void warn(const std::vector<std::string>& texts) const {
    for (const std::string& text : texts)
      if (warning) warning(text);
  }
};

/// What every command is asked beside its own options.
struct Run {
  std::uint64_t seed = 42;
  int threads = 0;  // 0: all cores; no result depends on it
  Listener listener = {};
};

}  // namespace mindgap::base
