#pragma once

#include <cstdint>

#include "mindgap/base/listener.h"

namespace mindgap::base {

/// How something is computed, beside what: of every command, and of options whose computation draws, takes
/// long or may be stopped. A kernel that only computes has a number of threads.
struct Run {
  std::uint64_t seed = 42;
  int threads = 0;  // 0: all cores; no result depends on it
  Listener listener = {};
};

}  // namespace mindgap::base
