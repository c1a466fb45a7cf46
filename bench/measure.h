#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "mindgap/mdp/mdp.h"

namespace mindgap::bench {

/// Seconds that a call takes.
template <typename Call>
double seconds_of(Call call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Seconds of the processor that a call takes, in all threads: on a machine that others use, too, what else
/// runs there does not count.
template <typename Call>
double processor_seconds_of(Call call) {
  const auto now = [] {
    std::timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  call();
  return now() - begin;
}

/// The upper median; at least one number.
inline double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

/// The most memory this process has had resident so far (VmHWM), in bytes.
inline std::int64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmHWM:") continue;
    std::int64_t kilobytes = 0;
    status >> kilobytes;
    return kilobytes * 1024;
  }
  return 0;
}

/// What the arrays of a model take.
inline std::int64_t model_bytes(const mdp::Mdp& mdp) {
  return static_cast<std::int64_t>(mdp.pair_begin().size_bytes() + mdp.pair_action().size_bytes() +
                                   mdp.row_begin().size_bytes() + mdp.next_state().size_bytes() +
                                   mdp.probability().size_bytes() + mdp.reward().size_bytes() +
                                   mdp.start().size_bytes());
}

}  // namespace mindgap::bench
