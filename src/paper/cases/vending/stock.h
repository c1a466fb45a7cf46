#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace mindgap::cases::vending {

/// Counts by day, of `days` consecutive days at most: day d is kept in cell d mod a power of two.
class DayRing {
 public:
  explicit DayRing(std::int64_t days)
      : count_(std::bit_ceil(static_cast<std::size_t>(days)), 0), mask_(count_.size() - 1) {}

  std::int32_t& operator[](std::int64_t day) { return count_[static_cast<std::size_t>(day) & mask_]; }

 private:
  std::vector<std::int32_t> count_;
  std::size_t mask_;
};

/// Units of one product at one place, in a row by the day they were made, the oldest first.
class Stock {
 public:
  explicit Stock(std::int64_t shelf_life) : life_(static_cast<std::int32_t>(shelf_life)) { make_room(16); }

  std::int32_t units() const { return end_ - begin_; }

  /// New units, made on `day`, which is today.
  void add(std::int64_t day, std::int32_t units) {
    keep_room(units);
    std::int32_t* end = &made_[static_cast<std::size_t>(end_)];
    for (std::int32_t i = 0; i < units; i += kMore)
      std::fill_n(end + i, kMore, static_cast<std::int32_t>(day));
    end_ += units;
  }

  /// Takes `units` <= units() away, the oldest first.
  void take(std::int32_t units) { begin_ += units; }

  /// The same, to another place; age is kept.
  void ship(std::int32_t units, Stock& to) {
    if (units == 0) return;
    to.keep_room(units);
    const std::int32_t* from = &made_[static_cast<std::size_t>(begin_)];
    std::int32_t* end = &to.made_[static_cast<std::size_t>(to.end_)];
    const bool sorted = to.begin_ == to.end_ || end[-1] <= *from;
    for (std::int32_t i = 0; i < units; i += kMore) std::memcpy(end + i, from + i, kMore * sizeof *end);
    if (!sorted) [[unlikely]]
      std::inplace_merge(&to.made_[static_cast<std::size_t>(to.begin_)], end, end + units);
    begin_ += units;
    to.end_ += units;
  }

  /// At the end of a day: units of age >= life are thrown away. Returns how many.
  std::int32_t spoil(std::int64_t today) {
    const std::int32_t before = begin_, last = static_cast<std::int32_t>(today) - life_;
    while (begin_ < end_ && made_[static_cast<std::size_t>(begin_)] <= last) ++begin_;
    return begin_ - before;
  }

 private:
  // Units are written so many at a time, and so a few too many: there is room for them.
  static constexpr std::int32_t kMore = 8;

  void keep_room(std::int32_t more) {
    const std::int32_t needed = end_ + more + kMore;
    if (static_cast<std::size_t>(needed) > made_.size()) [[unlikely]]
      make_room(more);
  }

  // To the front, in a row so long that this is seldom.
  void make_room(std::int32_t more) {
    std::copy(made_.begin() + begin_, made_.begin() + end_, made_.begin());
    end_ -= begin_;
    begin_ = 0;
    const std::int32_t needed = end_ + more + kMore;
    const auto size = static_cast<std::size_t>(needed);
    if (made_.size() < 2 * size) made_.resize(3 * size);
  }

  std::vector<std::int32_t> made_;  // day of the units begin_ .. end_ - 1
  std::int32_t begin_ = 0, end_ = 0, life_;
};

/// Units on their way, by the day they arrive.
class Pipeline {
 public:
  /// `longest` days at most.
  explicit Pipeline(std::int64_t longest) : due_(longest + 1) {}

  std::int32_t units() const { return units_; }

  void order(std::int64_t day_of_arrival, std::int32_t units) {
    due_[day_of_arrival] += units;
    units_ += units;
  }

  std::int32_t arrive(std::int64_t today) {
    if (units_ == 0) return 0;
    std::int32_t& due = due_[today];
    const std::int32_t arrived = due;
    due = 0;
    units_ -= arrived;
    return arrived;
  }

 private:
  DayRing due_;
  std::int32_t units_ = 0;
};

}  // namespace mindgap::cases::vending
