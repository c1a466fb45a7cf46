#include <algorithm>
#include <cmath>

#include "mindgap/base/distributions.h"
#include "paper/cases/vending/world.h"

// Deliveries, filling, orders, emergencies, spoilage.
namespace mindgap::cases::vending {

void World::deliver() {
  const auto arrive = [&](Pipeline& pipeline, Stock& stock, std::int64_t capacity, UnitLedger& units) {
    const std::int32_t arrived = pipeline.arrive(day_);
    if (arrived == 0) return 0;
    const auto room = static_cast<std::int32_t>(capacity) - stock.units();
    const std::int32_t kept = std::clamp(arrived, 0, std::max(0, room));
    stock.add(day_, kept);
    units.arrived += arrived;
    units.discarded += arrived - kept;
    return arrived;
  };
  const Logistics& logistics = configuration_.logistics;
  for (std::size_t slot = 0; direct_coming_ > 0 && slot < slot_.size(); ++slot) {
    direct_coming_ -=
        arrive(direct_[slot], slot_[slot], logistics.slot_capacity, unit_ledger_[product_of_[slot]]);
  }
  for (std::size_t p = 0; p < products_; ++p) {
    arrive(depot_pipeline_[p], depot_[p], logistics.depot_capacity, unit_ledger_[p]);
  }
}

inline void World::ship(std::size_t slot, Stock& depot, std::int32_t units) {
  depot.ship(units, slot_[slot]);
  shipped_in_[slot] += units;
  ledger_.shipping += units * shipping_;
}

// Lead max(1, round(normal)); some come a day later, some in two parts. Paid now.
void World::order_direct(std::size_t slot, std::int32_t units) {
  const Logistics& logistics = configuration_.logistics;
  base::Stream words = stream(Kind::direct, slot);
  const std::int64_t lead = direct_lead_.days(base::uniform(words));
  const bool late = base::uniform(words) < logistics.direct_late;
  const bool split = base::uniform(words) < logistics.direct_split;
  const std::int64_t due = day_ + lead + (late ? 1 : 0);
  const auto first =
      split ? static_cast<std::int32_t>(std::floor(logistics.direct_split_share * units)) : units;
  direct_coming_ += units;
  direct_[slot].order(due, first);
  direct_[slot].order(due + 1, units - first);
  const std::size_t product = product_of_[slot];
  unit_ledger_[product].ordered += units;
  ledger_.wholesale += units * wholesale_[product];
  ledger_.shipping += units * direct_shipping_;
}

// Never so many that what is there and what is coming exceed the depot.
void World::order_depot(std::size_t product, std::int32_t units, double luck) {
  const Logistics& logistics = configuration_.logistics;
  const std::int32_t room = static_cast<std::int32_t>(logistics.depot_capacity) - depot_[product].units() -
                            depot_pipeline_[product].units();
  const std::int32_t ordered = std::min(units, room);
  if (ordered <= 0) return;
  depot_pipeline_[product].order(day_ + depot_lead_.days(luck), ordered);
  unit_ledger_[product].ordered += ordered;
  ledger_.wholesale += ordered * wholesale_[product];
  ledger_.shipping += ordered * depot_shipping_;
}

// Machines are filled from the depot, in proportion to need where it has too little, the rest by one unit
// each in the order of machines; what is still short is ordered directly, and the depot orders what it is to
// hold.
void World::fill_product(std::size_t product, const Decision& decision) {
  const auto capacity = static_cast<std::int32_t>(configuration_.logistics.slot_capacity);
  Stock& depot = depot_[product];
  std::int64_t needed = 0, wanted = 0;
  for (std::size_t i = 0; i < machines_; ++i) {
    const std::size_t slot = i * products_ + product;
    const std::int32_t target = std::clamp(decision.target[slot], 0, capacity);
    need_[i] = std::max(0, target - slot_[slot].units());
    needed += need_[i];
    wanted += target;
  }
  if (needed <= depot.units()) {
    for (std::size_t i = 0; i < machines_; ++i) {
      if (need_[i] > 0) ship(i * products_ + product, depot, need_[i]);
    }
  } else {
    share_product(product, needed);
  }
  const auto level = static_cast<std::int32_t>(std::min(wanted, configuration_.logistics.depot_capacity));
  order_depot(product, level - depot.units() - depot_pipeline_[product].units(), depot_luck_[2 * product]);
}

void World::share_product(std::size_t product, std::int64_t needed) {
  Stock& depot = depot_[product];
  const std::int64_t available = depot.units();
  std::int64_t over = available;
  for (std::size_t i = 0; i < machines_; ++i) over -= need_[i] * available / needed;
  for (std::size_t i = 0; i < machines_; ++i) {
    const std::size_t slot = i * products_ + product;
    const std::int32_t lacking = need_[i];
    if (lacking == 0) continue;
    auto sent = static_cast<std::int32_t>(lacking * available / needed);
    if (over > 0 && sent < lacking) {
      ++sent;
      --over;
    }
    ship(slot, depot, sent);
    const std::int32_t short_of = lacking - sent - direct_[slot].units();
    if (short_of > 0) order_direct(slot, short_of);
  }
}

// What was sold is taken out of the slots; then each empty one gets a few from the depot, in the order of
// machines, and a low depot orders; then what is too old is thrown away and the rest is held.
void World::end_day(std::size_t product, const Decision& decision) {
  Stock& depot = depot_[product];
  std::size_t empty = 0;
  std::int32_t sold = 0;
  Money revenue = 0;
  for (std::size_t i = 0; i < machines_; ++i) {
    const std::size_t slot = i * products_ + product;
    slot_[slot].take(sales_[slot]);
    sold += sales_[slot];
    revenue += sales_[slot] * decision.price[slot];
    const bool sold_out = slot_[slot].units() == 0;
    sold_out_[slot] = sold_out;
    empty_[empty] = slot;
    empty += sold_out ? 1 : 0;
  }
  unit_ledger_[product].sold += sold;
  ledger_.revenue += revenue;
  run_emergencies(product, std::span(empty_).first(empty));
  std::int32_t spoiled = depot.spoil(day_), held = depot.units();
  for (std::size_t slot = product; slot < slot_.size(); slot += products_) {
    spoiled += spoiled_[slot] = slot_[slot].spoil(day_);
    held += end_stock_[slot] = slot_[slot].units();
  }
  unit_ledger_[product].spoiled += spoiled;
  ledger_.spoilage += spoiled * wholesale_[product];
  ledger_.holding += held * holding_[product];
}

inline void World::run_emergencies(std::size_t product, std::span<const std::size_t> empty) {
  const Logistics& logistics = configuration_.logistics;
  const auto most = static_cast<std::int32_t>(std::min(logistics.emergency_units, logistics.slot_capacity));
  Stock& depot = depot_[product];
  for (const std::size_t slot : empty) ship(slot, depot, std::min(most, depot.units()));
  if (depot.units() > logistics.depot_low) return;
  order_depot(product, static_cast<std::int32_t>(logistics.depot_emergency), depot_luck_[2 * product + 1]);
}

}  // namespace mindgap::cases::vending
