#pragma once

#include <cmath>
#include <cstdint>

namespace mindgap::cases::vending {

/// Millionths of a dollar. Whole numbers, so that what comes in and what goes out add up exactly; posted
/// prices are rounded to them.
using Money = std::int64_t;

constexpr Money kDollar = 1'000'000;

inline Money money(double dollars) {
  return std::llround(dollars * static_cast<double>(kDollar));
}

inline double dollars(Money amount) {
  return static_cast<double>(amount) / static_cast<double>(kDollar);
}

}  // namespace mindgap::cases::vending
