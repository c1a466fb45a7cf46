#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
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

/// Units of one product at one place, counted by the day they were made: on day t these are t - life .. t.
class Stock {
 public:
  explicit Stock(std::int64_t shelf_life) : count_(shelf_life + 1), life_(shelf_life) {}

  std::int32_t units() const { return units_; }

  /// New units, made on `day`, which is today.
  void add(std::int64_t day, std::int32_t units) {
    if (units_ == 0) oldest_ = day;
    count_[day] += units;
    units_ += units;
  }

  /// Takes `units` <= units() away, the oldest first.
  void take(std::int32_t units) { move(units, nullptr); }

  /// The same, to another place; age is kept.
  void ship(std::int32_t units, Stock& to) { move(units, &to); }

  /// At the end of a day: units of age >= life are thrown away. Returns how many.
  std::int32_t spoil(std::int64_t today) {
    if (oldest_ > today - life_ || units_ == 0) return 0;
    std::int32_t& last = count_[today - life_];
    const std::int32_t spoiled = last;
    last = 0;
    units_ -= spoiled;
    ++oldest_;
    return spoiled;
  }

 private:
  void move(std::int32_t units, Stock* to) {
    if (units == 0) return;
    if (to != nullptr) {
      to->oldest_ = to->units_ == 0 ? oldest_ : std::min(oldest_, to->oldest_);
      to->units_ += units;
    }
    units_ -= units;
    for (;; ++oldest_) {
      std::int32_t& here = count_[oldest_];
      const std::int32_t moved = std::min(units, here);
      here -= moved;
      units -= moved;
      if (to != nullptr) to->count_[oldest_] += moved;
      if (units == 0) return;
    }
  }

  DayRing count_;
  std::int64_t life_;
  std::int32_t units_ = 0;
  std::int64_t oldest_ = 0;  // no unit was made before this day
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
