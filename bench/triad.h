#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <vector>

namespace mindgap::bench {

/// Bytes per second of a[i] = b[i] + scalar * c[i] on one thread, over arrays far larger than any cache: the
/// fastest of `repeat` passes. Counted as STREAM counts, 3 x 8 bytes per element (two read, one written);
/// what the hardware reads before it writes (write-allocate) is not counted.
inline double triad_bandwidth(std::size_t elements = std::size_t{1} << 25, int repeat = 10) {
  std::vector<double> a(elements, 0), b(elements, 1), c(elements, 2);
  double best = std::numeric_limits<double>::infinity();
  double scalar = 3;
  for (int run = 0; run < repeat; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < elements; ++i) a[i] = b[i] + scalar * c[i];
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    best = std::min(best, seconds.count());
    scalar += a[static_cast<std::size_t>(run)] * 1e-9;  // no pass can be left out
  }
  return 24 * static_cast<double>(elements) / best;
}

}  // namespace mindgap::bench
