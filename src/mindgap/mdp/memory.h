#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <vector>

namespace mindgap::mdp {

/// Asks for large pages behind the memory a vector has reserved but not touched yet: fewer page faults while
/// it fills, fewer address misses when it is read at random. Where the system has none, nothing changes.
template <typename T>
void prefer_large_pages([[maybe_unused]] const std::vector<T>& values) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t kLarge = std::uintptr_t{1} << 21;
  const auto begin = reinterpret_cast<std::uintptr_t>(values.data());
  const std::uintptr_t first = (begin + kLarge - 1) / kLarge * kLarge;
  const std::uintptr_t last = (begin + values.capacity() * sizeof(T)) / kLarge * kLarge;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

}  // namespace mindgap::mdp
