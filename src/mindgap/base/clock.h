#pragma once

#include <chrono>

namespace mindgap::base {

/// Seconds since it was made, for time limits and reports of time; never for a result.
class Clock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

 private:
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace mindgap::base
