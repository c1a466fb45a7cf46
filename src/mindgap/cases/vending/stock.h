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
    count_[cell(day)] += units;
    units_ += units;
  }

  /// Takes `units` <= units() away, the oldest first.
  void take(std::int64_t today, std::int32_t units) { move(today, units, nullptr); }

  /// The same, to another place; age is kept.
  void ship(std::int64_t today, std::int32_t units, Stock& to) { move(today, units, &to); }

  /// At the end of a day: units of age >= life are thrown away. Returns how many.
  std::int32_t spoil(std::int64_t today) {
    std::int32_t& oldest = count_[cell(today + 1)];
    const std::int32_t spoiled = oldest;
    oldest = 0;
    units_ -= spoiled;
    return spoiled;
  }

 private:
  std::size_t cell(std::int64_t day) const { return static_cast<std::size_t>(day) % count_.size(); }

  void move(std::int64_t today, std::int32_t units, Stock* to) {
    units_ -= units;
    if (to != nullptr) to->units_ += units;
    for (std::size_t i = cell(today + 1); units > 0; i = i + 1 == count_.size() ? 0 : i + 1) {
      const std::int32_t moved = std::min(units, count_[i]);
      count_[i] -= moved;
      units -= moved;
      if (to != nullptr) to->count_[i] += moved;
    }
  }

  std::vector<std::int32_t> count_;
  std::int32_t units_ = 0;
};

/// Units on their way, by the day they arrive.
class Pipeline {
 public:
  /// `longest` days at most.
  explicit Pipeline(std::int64_t longest) : due_(static_cast<std::size_t>(longest) + 1, 0) {}

  std::int32_t units() const { return units_; }

  void order(std::int64_t day_of_arrival, std::int32_t units) {
    due_[static_cast<std::size_t>(day_of_arrival) % due_.size()] += units;
    units_ += units;
  }

  std::int32_t arrive(std::int64_t today) {
    std::int32_t& due = due_[static_cast<std::size_t>(today) % due_.size()];
    const std::int32_t arrived = due;
    due = 0;
    units_ -= arrived;
    return arrived;
  }

 private:
  std::vector<std::int32_t> due_;
  std::int32_t units_ = 0;
};

}  // namespace mindgap::cases::vending
