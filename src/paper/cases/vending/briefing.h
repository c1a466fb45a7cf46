#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "paper/cases/vending/configuration.h"
#include "paper/cases/vending/money.h"
#include "paper/cases/vending/planning.h"

// What a planner is told before the first day. True rates, drift and events are not in it.
namespace mindgap::cases::vending {

/// A slot is a machine and a product, numbered machine * products + product.
struct Briefing {
  std::int32_t machines = 0, products = 0, segments = 0;
  std::int32_t day_parts = 1;  // the time of day that demand depends on has this period, in days
  std::int32_t slot_capacity = 0;
  double handling = 0;  // dollars a unit from the warehouse through the depot into a machine
  std::vector<double> wholesale = {}, holding = {};  // by product
  std::vector<double> least_willing = {};  // mean willingness to pay of the least willing segment, by product
  std::vector<Money> exploit_price = {}, explore_price = {};  // by product
  /// Purchases a day at the exploit price by slot, as the simulator has them.
  std::vector<double> simulator_rate = {};
  /// Purchases at each price of planning.price_grid over those at the exploit price, by slot and price.
  std::vector<double> grid_exposure = {};
  /// The same at any price, from these: arrivals that want the product, by slot and segment, and each
  /// segment's willingness to pay.
  std::vector<double> interested = {};
  std::vector<double> willingness = {}, willingness_spread = {};  // by segment, times wholesale
  Planning planning = {};

  std::int32_t slots() const { return machines * products; }
  std::size_t product_of(std::size_t slot) const {  // 32 bits: much the faster division
    return static_cast<std::uint32_t>(slot) % static_cast<std::uint32_t>(products);
  }
};

Briefing brief(const Configuration& configuration);

/// The share of customers who buy at `price`: P(X >= price) for X normal with mean m and sd spread * m, that
/// is Phi((m - price)/(spread m)). All times wholesale.
double conversion(double willingness, double spread, double price);

/// Purchases a day of a slot at a price (times wholesale), as the simulator has them.
double purchase_rate(const Briefing& briefing, std::size_t slot, double price);

/// Purchases at `price` over those at the exploit price. 1 where the simulator expects none at either.
double exposure(const Briefing& briefing, std::size_t slot, Money price);

/// min(capacity, max(1, floor(factor * rate + 1/2))); 0 where the capacity is 0.
inline std::int32_t stock_target(const Briefing& briefing, double rate) {
  const double wanted = std::min(static_cast<double>(briefing.slot_capacity),
                                 std::max(1.0, briefing.planning.stock_factor * rate + .5));
  return static_cast<std::int32_t>(wanted);
}

/// E min(D, units), D Poisson: sum over k < units of P(D > k). rate >= 0.
double expected_sales(double rate, std::int32_t units);

/// The value of a slot over planning.fisher_days at a fixed target S:
/// V = days * [((price - 1) w - handling) E min(D, S) - holding (S - E min(D, S))].
double slot_value(const Briefing& briefing, std::size_t slot, double rate, std::int32_t target);

/// g = V(rate + step) - V(max(0, rate - step)) at the target of `rate`.
double value_sensitivity(const Briefing& briefing, std::size_t slot, double rate);

/// The place in planning.price_grid of the price with the largest (price - w - handling) E min(D, target),
/// where D has mean rates[i] at price i. The first of equals.
std::size_t best_price(const Briefing& briefing, std::size_t product, std::span<const double> rates,
                       std::int32_t target);

}  // namespace mindgap::cases::vending
