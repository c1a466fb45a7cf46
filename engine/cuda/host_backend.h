#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels.h"

// A Backend (batch.h) that computes here, one thing after the other: for tests without a device, and to
// compare a device with.
namespace mindgap::engine {

struct HostBackend {
  template <typename T>
  class Buffer {
   public:
    void allocate(std::int64_t n) { values_.assign(static_cast<std::size_t>(n), T{}); }
    void reserve(std::int64_t n) {
      if (size() < n) allocate(n);
    }
    void reserve_upload(const T* from, std::int64_t n) {
      reserve(n);
      std::memcpy(values_.data(), from, static_cast<std::size_t>(n) * sizeof(T));
    }
    void download(T* to, std::int64_t n) const {
      std::memcpy(to, values_.data(), static_cast<std::size_t>(n) * sizeof(T));
    }
    void zero() { values_.assign(values_.size(), T{}); }
    std::int64_t size() const { return static_cast<std::int64_t>(values_.size()); }
    T* data() { return values_.data(); }
    const T* data() const { return values_.data(); }

   private:
    std::vector<T> values_;
  };

  template <typename Kernel>
  static void launch(std::int32_t rows, const Chosen& chosen, const Kernel& kernel) {
    for (std::int32_t i = 0; i < chosen.count; ++i) kernel(0, rows, chosen(i));
  }
  template <typename Kernel>
  static void launch_rows(std::int32_t rows, const Kernel& kernel) {
    for (std::int32_t row = 0; row < rows; ++row) kernel(row);
  }
  static void finish() {}
  static std::int64_t free_bytes() { return std::int64_t{1} << 30; }
};

}  // namespace mindgap::engine
