#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/base/run.h"
#include "paper/cases/vending/briefing.h"
#include "paper/cases/vending/money.h"

// What stocks and prices the machines. This header and those of the planners know nothing of the world.
namespace mindgap::cases::vending {

/// What is in the machines after the day's deliveries, before they are filled.
struct Morning {
  std::int64_t day = 0;
  std::span<const std::int32_t> stock;  // by slot
};

/// What each slot is filled up to, from the depot and by orders, and what a unit costs there today.
struct Decision {
  std::vector<std::int32_t> target = {};  // by slot; below 0 is 0, above the capacity the capacity
  std::vector<Money> price = {};          // by slot
};

/// What a day showed: the operator's own books. Demand is not in it.
struct DaySeen {
  std::int64_t day = 0;
  std::span<const std::int32_t> start_stock;  // by slot, when the first customer came
  std::span<const std::int32_t> sales;        // by slot
  std::span<const std::uint8_t> sold_out;     // by slot: nothing was left, so demand may have been more
  std::span<const std::int32_t> shipped_in;   // by slot: from the depot, emergencies included
  std::span<const std::int32_t> spoiled;      // by slot
  std::span<const std::int32_t> end_stock;    // by slot, after emergencies and spoilage
  std::span<const std::uint8_t> down;         // by machine: it was broken and sold nothing
};

/// Chooses day by day. What it does is a function of its Briefing, its own random numbers and what it was
/// shown; the oracle alone (oracle.h) meets a world.
class VendingPlanner {
 public:
  virtual ~VendingPlanner() = default;
  /// Fills every entry of `decision`, whose vectors have the right size.
  virtual void decide(const Morning& morning, Decision& decision) = 0;
  virtual void learn(const DaySeen& seen) = 0;
};

/// A planner's own random numbers.
struct PlannerSeed {
  std::uint64_t seed = base::Run().seed;
  std::uint64_t trial = 0;
};

}  // namespace mindgap::cases::vending
