#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

// Large pages where the system has them: fewer page faults while memory fills, fewer address misses when it
// is read at random. Where it has none, nothing changes.
namespace mindgap::mdp {

constexpr std::size_t kLargePage = std::size_t{1} << 21;

inline void advise_large_pages([[maybe_unused]] std::uintptr_t begin, [[maybe_unused]] std::uintptr_t end) {
#ifdef MADV_HUGEPAGE
  const std::uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t last = end / kLargePage * kLargePage;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

/// Asks for large pages behind the memory a vector has reserved but not touched yet.
template <typename T>
void prefer_large_pages(const std::vector<T>& values) {
  const auto begin = reinterpret_cast<std::uintptr_t>(values.data());
  advise_large_pages(begin, begin + values.capacity() * sizeof(T));
}

/// Memory on large pages, not initialised.
inline std::unique_ptr<std::byte[]> uninitialised_on_large_pages(std::size_t bytes) {
  auto memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.get());
  advise_large_pages(begin, begin + bytes);
  return memory;
}

/// values.resize(size) for an empty vector, on large pages.
template <typename T>
void resize_on_large_pages(std::vector<T>& values, std::size_t size) {
  values.reserve(size);
  prefer_large_pages(values);
  values.resize(size);
}

/// Puts vectors of a large page and more on large pages of their own, given back to the system at the
/// end.
template <typename T>
struct LargePageAllocator {
  using value_type = T;
  LargePageAllocator() = default;
  template <typename U>
  LargePageAllocator(const LargePageAllocator<U>&) {}  // NOLINT: allocators convert into each other

  T* allocate(std::size_t n) {
    if (is_small(n)) return static_cast<T*>(::operator new(n * sizeof(T)));
    // A large page more than needed, so that it can begin on one; the rest is given back.
    const std::size_t whole = whole_pages(n);
    void* memory =
        ::mmap(nullptr, whole + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    const auto mapped = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t begin = (mapped + kLargePage - 1) / kLargePage * kLargePage;
    if (begin > mapped) ::munmap(memory, begin - mapped);
    ::munmap(reinterpret_cast<void*>(begin + whole), mapped + kLargePage - begin);
    advise_large_pages(begin, begin + whole);
    return reinterpret_cast<T*>(begin);
  }
  void deallocate(T* memory, std::size_t n) {
    if (is_small(n)) {
      ::operator delete(memory);
    } else {
      ::munmap(memory, whole_pages(n));
    }
  }
  bool operator==(const LargePageAllocator&) const = default;

 private:
  static bool is_small(std::size_t n) { return n < kLargePage / sizeof(T); }
  // What does not fill a large page at the end lies on ordinary ones.
  static std::size_t whole_pages(std::size_t n) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return (n * sizeof(T) + page - 1) / page * page;
  }
};

template <typename T>
using LargeVector = std::vector<T, LargePageAllocator<T>>;

}  // namespace mindgap::mdp
