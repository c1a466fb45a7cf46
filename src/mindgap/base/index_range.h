#pragma once

#include <cstddef>
#include <span>

namespace mindgap::base {

/// The numbers first, first + 1, ..., last - 1, for a loop: for (const auto i : range). As fast as a plain
/// one.
template <typename Index>
class IndexRange {
 public:
  class Iterator {
   public:
    explicit constexpr Iterator(Index at) : at_(at) {}
    constexpr Index operator*() const { return at_; }
    constexpr Iterator& operator++() {
      ++at_;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    Index at_;
  };

  constexpr IndexRange(Index first, Index last) : first_(first), last_(last) {}

  constexpr Iterator begin() const { return Iterator(first_); }
  constexpr Iterator end() const { return Iterator(last_); }
  constexpr Index first() const { return first_; }
  constexpr Index last() const { return last_; }  // one behind the last number
  constexpr std::size_t size() const { return static_cast<std::size_t>(last_ - first_); }
  constexpr bool contains(Index index) const { return first_ <= index && index < last_; }

 private:
  Index first_, last_;
};

/// The part of an array that a range of places takes.
template <typename T, std::size_t extent, typename Index>
std::span<T> part_of(std::span<T, extent> values, const IndexRange<Index>& range) {
  return values.subspan(static_cast<std::size_t>(range.first()), range.size());
}

}  // namespace mindgap::base
