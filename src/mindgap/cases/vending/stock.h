#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mindgap::cases::vending {

/// Units of one product at one place, counted by the day they were made. Units made on day b are kept in cell
/// b mod (life + 1): on day t these are the days t - life .. t, each in a cell of its own.
class Stock {
 public:
  explicit Stock(std::int64_t shelf_life) : count_(static_cast<std::size_t>(shelf_life) + 1, 0) {}

  std::int32_t units() const { return units_; }

  /// New units, made on `day`, which is today.
  void add(std::int64_t day, std::int32_t units) {
    if (units_ == 0) oldest_ = day;
    count_[cell(day)] += units;
    units_ += units;
  }

  /// Takes `units` <= units() away, the oldest first.
  void take(std::int32_t units) { move(units, nullptr); }

  /// The same, to another place; age is kept.
  void ship(std::int32_t units, Stock& to) { move(units, &to); }

  /// At the end of a day: units of age >= life are thrown away. Returns how many.
  std::int32_t spoil(std::int64_t today) {
    if (oldest_ > today + 1 - static_cast<std::int64_t>(count_.size()) || units_ == 0) return 0;
    std::int32_t& last = count_[cell(today + 1)];
    const std::int32_t spoiled = last;
    last = 0;
    units_ -= spoiled;
    ++oldest_;
    return spoiled;
  }

 private:
  std::size_t cell(std::int64_t day) const {
    return static_cast<std::uint32_t>(day) % static_cast<std::uint32_t>(count_.size());
  }

  void move(std::int32_t units, Stock* to) {
    if (units == 0) return;
    if (to != nullptr) {
      to->oldest_ = to->units_ == 0 ? oldest_ : std::min(oldest_, to->oldest_);
      to->units_ += units;
    }
    units_ -= units;
    for (std::size_t i = cell(oldest_);;) {
      const std::int32_t moved = std::min(units, count_[i]);
      count_[i] -= moved;
      units -= moved;
      if (to != nullptr) to->count_[i] += moved;
      if (units == 0) return;
      ++oldest_;
      i = i + 1 == count_.size() ? 0 : i + 1;
    }
  }

  std::vector<std::int32_t> count_;
  std::int32_t units_ = 0;
  std::int64_t oldest_ = 0;  // no unit was made before this day
};

/// Units on their way, by the day they arrive.
class Pipeline {
 public:
  /// `longest` days at most.
  explicit Pipeline(std::int64_t longest) : due_(static_cast<std::size_t>(longest) + 1, 0) {}

  std::int32_t units() const { return units_; }

  void order(std::int64_t day_of_arrival, std::int32_t units) {
    due_[cell(day_of_arrival)] += units;
    units_ += units;
  }

  std::int32_t arrive(std::int64_t today) {
    if (units_ == 0) return 0;
    std::int32_t& due = due_[cell(today)];
    const std::int32_t arrived = due;
    due = 0;
    units_ -= arrived;
    return arrived;
  }

 private:
  std::size_t cell(std::int64_t day) const {
    return static_cast<std::uint32_t>(day) % static_cast<std::uint32_t>(due_.size());
  }

  std::vector<std::int32_t> due_;
  std::int32_t units_ = 0;
};

}  // namespace mindgap::cases::vending
