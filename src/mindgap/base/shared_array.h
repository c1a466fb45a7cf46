#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace mindgap::base {

/// Numbers that never change; copies share them. They lie in a vector of ours, or where somebody else has
/// them already (an array of NumPy's, a mapped file) and keeps them, unchanged, as long as `keeper` is held.
template <typename T>
class SharedArray {
 public:
  SharedArray() = default;
  SharedArray(std::vector<T> values) {
    auto held = std::make_shared<const std::vector<T>>(std::move(values));
    values_ = *held;
    keeper_ = std::move(held);
  }
  SharedArray(std::span<const T> values, std::shared_ptr<const void> keeper)
      : values_(values), keeper_(std::move(keeper)) {}

  std::span<const T> values() const { return values_; }
  std::size_t size() const { return values_.size(); }

  bool operator==(const SharedArray& other) const { return std::ranges::equal(values_, other.values_); }

 private:
  std::span<const T> values_;
  std::shared_ptr<const void> keeper_;
};

}  // namespace mindgap::base
