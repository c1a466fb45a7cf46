#include "paper/cases/vending/world.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <numeric>

#include "mindgap/base/distributions.h"
#include "paper/cases/vending/oracle.h"
#include "paper/cases/vending/planners.h"
#include "paper/cases/vending/vending_case.h"

namespace mindgap::cases::vending {
namespace vending_world_test {

Decision same_everywhere(const Configuration& configuration, std::int32_t target, double price) {
  const std::size_t slots = configuration.machines.size() * configuration.products.size();
  Decision decision{std::vector<std::int32_t>(slots, target), std::vector<Money>(slots)};
  for (std::size_t slot = 0; slot < slots; ++slot) {
    decision.price[slot] =
        money(price * configuration.products[slot % configuration.products.size()].wholesale);
  }
  return decision;
}

/// One machine, one product of wholesale 1 and life 3, no customers, no breakdowns, lead times of one day.
Configuration quiet() {
  Configuration result;
  result.products = {{"tea", 1, 3, .01, 0}};
  result.segments = {{"all", 1, 1, {1}, 3, .32, .65, {1}}};
  result.machines = {{.name = "m", .true_rate = {0}, .simulator_rate = {1}}};
  result.demand.lowest_arrivals = 0;
  result.demand.breakdown = 0;
  result.logistics.direct_lead = result.logistics.depot_lead = 1;
  result.logistics.direct_lead_sd = result.logistics.depot_lead_sd = 0;
  result.logistics.direct_late = result.logistics.direct_split = 0;
  return result;
}

TEST(VendingStock, OldestFirstAndSpoiledAtTheirAge) {
  Stock depot(2), slot(2);
  depot.add(0, 3);
  EXPECT_EQ(depot.spoil(0), 0);
  depot.add(1, 4);
  depot.ship(5, slot);  // three of day 0, two of day 1
  EXPECT_EQ(depot.units(), 2);
  EXPECT_EQ(slot.units(), 5);
  slot.take(1);  // one of day 0
  EXPECT_EQ(slot.spoil(1), 0);
  EXPECT_EQ(depot.spoil(1), 0);
  EXPECT_EQ(slot.spoil(2), 2);  // of day 0: two days old
  EXPECT_EQ(depot.spoil(2), 0);
  EXPECT_EQ(slot.spoil(3), 2);  // of day 1
  EXPECT_EQ(depot.spoil(3), 2);
  EXPECT_EQ(slot.units() + depot.units(), 0);
}

// Stock against a plain multiset of birth days.
TEST(VendingStock, AgreesWithAListOfUnits) {
  EXPECT_TRUE(rc::check([] {
    const auto life = *rc::gen::inRange<std::int64_t>(1, 6);
    Stock stock(life), other(life);
    std::vector<std::int64_t> list, other_list;
    for (std::int64_t day = 0; day < 30; ++day) {
      const auto added = *rc::gen::inRange(0, 4);
      stock.add(day, added);
      list.insert(list.end(), static_cast<std::size_t>(added), day);
      const auto moved = *rc::gen::inRange(0, stock.units() + 1);
      stock.ship(moved, other);
      other_list.insert(other_list.end(), list.begin(), list.begin() + moved);
      list.erase(list.begin(), list.begin() + moved);
      std::sort(other_list.begin(), other_list.end());
      const auto sold = *rc::gen::inRange(0, other.units() + 1);
      other.take(sold);
      other_list.erase(other_list.begin(), other_list.begin() + sold);
      const auto old = [&](std::int64_t born) { return day - born >= life; };
      RC_ASSERT(stock.spoil(day) == std::erase_if(list, old));
      RC_ASSERT(other.spoil(day) == std::erase_if(other_list, old));
      RC_ASSERT(stock.units() == static_cast<std::int32_t>(list.size()));
      RC_ASSERT(other.units() == static_cast<std::int32_t>(other_list.size()));
    }
  }));
}

// max(1, round(X)): P(1) = P(X < 1.5), P(2) = P(X < 2.5) - P(X < 1.5), X normal with mean 2 and sd .7:
// Phi(-.714) = .2375, Phi(.714) = .7625.
TEST(VendingLeadTime, InvertsAUniform) {
  const LeadTime lead(2, .7);
  EXPECT_EQ(lead.days(.237), 1);
  EXPECT_EQ(lead.days(.238), 2);
  EXPECT_EQ(lead.days(.762), 2);
  EXPECT_EQ(lead.days(.763), 3);
  EXPECT_LE(lead.days(1 - 1e-16), lead.longest());
  EXPECT_EQ(LeadTime(1.5, 0).days(.3), 2);  // half is rounded up
  EXPECT_EQ(LeadTime(0, 0).days(.999), 1);
}

// spec/vending.md 6: max(.01, lambda) at h = 1, Z = 0.
TEST(VendingWorld, GoldenArrivals) {
  Configuration configuration = with_errors(default_configuration(), true, false);
  for (Machine& machine : configuration.machines) machine.drift_sd = 0;
  const std::map<std::int64_t, std::vector<std::tuple<std::size_t, std::size_t, double>>> golden = {
      {0, {{0, 0, 7.704}}},     {5, {{1, 1, 5.25054}}},  {34, {{4, 1, 9.2965}}},
      {35, {{4, 1, 18.48117}}}, {59, {{2, 0, 6.88186}}}, {60, {{0, 0, 1.86307}, {2, 0, 6.46898}}},
      {91, {{3, 2, 10.75197}}}, {99, {{0, 0, .10758}}},  {100, {{0, 0, .01}}},
      {274, {{4, 1, 3.61586}}}};
  World world(configuration, 1, 0);
  const Decision decision = same_everywhere(configuration, 5, 2.5);
  std::size_t seen = 0;
  for (std::int64_t day = 0; day <= 274; ++day) {
    world.open_day();
    if (const auto found = golden.find(day); found != golden.end()) {
      for (const auto& [machine, segment, rate] : found->second) {
        EXPECT_NEAR(world.mean_arrivals(machine, segment), rate, 1e-4) << day;
        ++seen;
      }
    }
    world.close_day(decision);
  }
  EXPECT_EQ(seen, 11);
}

// By hand. Day 0: 5 in the slot, 30 in the depot, target 10: 5 are shipped (.25); the depot is to hold 10 and
// has
// 25. Held: 35 units (.35); fixed 10. Cash 2000 - 10.60. Days 1, 2: held and fixed, 2 * 10.35. Day 3: all 35
// units are three days old: 35 spoil at 1 each, nothing is held: 45. Day 4: nothing is there: need 10,
// ordered directly at 1.15; the depot orders 10 at 1.08, and after the day, empty, 10 more: 11.50 + 10.80
// + 10.80 + 10. Day 5: 10 arrive in the slot and 20 in the depot, held .30; fixed 10.
TEST(VendingWorld, SupplyByHand) {
  const Configuration configuration = quiet();
  World world(configuration, 7, 0);
  const Decision decision = same_everywhere(configuration, 10, 2.5);
  const double cash[] = {1989.40, 1979.05, 1968.70, 1923.70, 1880.60, 1870.30};
  for (const double wanted : cash) {
    world.open_day();
    world.close_day(decision);
    EXPECT_EQ(world.cash(), money(wanted)) << world.day();
  }
  EXPECT_EQ(world.slot_stock(0), 10);
  EXPECT_EQ(world.depot_stock(0), 20);
  EXPECT_EQ(world.units(0).spoiled, 35);
  EXPECT_EQ(world.units(0).ordered, 30);
  EXPECT_EQ(world.ledger().spoilage, money(35));
}

// Two machines want 18 each and have 5, the depot has 7: need 13 + 13, floor(13 * 7/26) = 3 each, one over
// goes to the first.
TEST(VendingWorld, ScarceUnitsAreShared) {
  Configuration configuration = quiet();
  configuration.machines.push_back(configuration.machines[0]);
  configuration.machines[1].name = "n";
  configuration.logistics.start_depot_stock = 7;
  World world(configuration, 7, 0);
  world.open_day();
  const DaySeen seen = world.close_day(same_everywhere(configuration, 18, 2.5));
  EXPECT_EQ(seen.shipped_in[0], 4);
  EXPECT_EQ(seen.shipped_in[1], 3);
  EXPECT_EQ(world.in_transit(0), 9 + 10 + 36 + 10);  // direct 18 - 9, 18 - 8; depot 36, and 10: it is empty
}

// Five consecutive days below zero end it.
TEST(VendingWorld, BankruptcyFreezesTheCash) {
  Configuration configuration = quiet();
  configuration.finance.start_cash = 5;
  World world(configuration, 7, 0);
  const Decision decision = same_everywhere(configuration, 0, 2.5);
  for (int day = 0; day < 5; ++day) {
    EXPECT_FALSE(world.bankrupt());
    world.open_day();
    world.close_day(decision);
  }
  EXPECT_TRUE(world.bankrupt());
  const Money cash = world.cash();
  world.open_day();
  const DaySeen seen = world.close_day(decision);
  EXPECT_TRUE(seen.down[0]);
  EXPECT_EQ(world.cash(), cash);
}

Configuration random_configuration() {
  const auto number = [](double lowest, double highest) {
    return lowest + (highest - lowest) * *rc::gen::inRange(0, 1001) / 1000.0;
  };
  const auto shares = [&](std::size_t size) {
    std::vector<double> all(size);
    for (double& share : all) share = number(.01, 1);
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    for (double& share : all) share /= sum;
    return all;
  };
  Configuration result;
  const auto products = *rc::gen::inRange<std::size_t>(1, 5);
  const auto segments = *rc::gen::inRange<std::size_t>(1, 4);
  const auto machines = *rc::gen::inRange<std::size_t>(1, 6);
  for (std::size_t p = 0; p < products; ++p) {
    result.products.push_back(
        {"p" + std::to_string(p), number(.1, 3), *rc::gen::inRange(1, 12), number(0, .05), number(-.5, .5)});
  }
  for (std::size_t s = 0; s < segments; ++s) {
    result.segments.push_back({"s" + std::to_string(s), number(.5, 2), number(.5, 2), shares(1 + s),
                               number(1, 4), number(.1, .6), number(0, 1), shares(products)});
  }
  for (std::size_t i = 0; i < machines; ++i) {
    Machine machine{.name = "m" + std::to_string(i), .group = *rc::gen::inRange(0, 3)};
    for (std::size_t s = 0; s < segments; ++s) {
      machine.true_rate.push_back(number(0, 15));
      machine.simulator_rate.push_back(number(0, 15));
    }
    machine.drift = number(-.02, .02);
    machine.trend = number(-.02, .02);
    machine.events = {{*rc::gen::inRange(0, 20), 40, number(0, 3)}};
    result.machines.push_back(machine);
  }
  Logistics& logistics = result.logistics;
  logistics.slot_capacity = *rc::gen::inRange(0, 20);
  logistics.depot_capacity = *rc::gen::inRange(0, 80);
  logistics.start_slot_stock = *rc::gen::inRange<std::int64_t>(0, logistics.slot_capacity + 1);
  logistics.start_depot_stock = *rc::gen::inRange<std::int64_t>(0, logistics.depot_capacity + 1);
  logistics.direct_lead = number(0, 5);
  logistics.direct_lead_sd = number(0, 2);
  logistics.direct_late = number(0, 1);
  logistics.direct_split = number(0, 1);
  logistics.direct_split_share = number(0, 1);
  logistics.emergency_units = *rc::gen::inRange(0, 30);
  result.finance.start_cash = number(0, 1000);
  result.demand.breakdown = number(0, .3);
  return result;
}

void check_books(const World& world) {
  const Ledger& ledger = world.ledger();
  RC_ASSERT(world.cash() == ledger.start + ledger.revenue - ledger.shipping - ledger.wholesale -
                                ledger.holding - ledger.spoilage - ledger.fixed);
  const Configuration& configuration = world.configuration();
  for (std::size_t p = 0; p < configuration.products.size(); ++p) {
    const UnitLedger& units = world.units(p);
    RC_ASSERT(units.start + units.arrived ==
              units.sold + units.spoiled + units.discarded + world.in_stock(p));
    RC_ASSERT(units.ordered == units.arrived + world.in_transit(p));
    RC_ASSERT(world.depot_stock(p) >= 0 && world.depot_stock(p) <= configuration.logistics.depot_capacity);
    for (std::size_t i = 0; i < configuration.machines.size(); ++i) {
      const std::int32_t stock = world.slot_stock(i * configuration.products.size() + p);
      RC_ASSERT(stock >= 0 && stock <= configuration.logistics.slot_capacity);
    }
  }
}

void check_day(const Decision& decision, const DaySeen& seen, Money revenue) {
  Money sum = 0;
  for (std::size_t slot = 0; slot < seen.sales.size(); ++slot) {
    RC_ASSERT(seen.sales[slot] >= 0 && seen.sales[slot] <= seen.start_stock[slot]);
    RC_ASSERT((seen.sold_out[slot] != 0) == (seen.sales[slot] == seen.start_stock[slot]));
    if (seen.down[slot * seen.down.size() / seen.sales.size()]) RC_ASSERT(seen.sales[slot] == 0);
    sum += seen.sales[slot] * decision.price[slot];
  }
  RC_ASSERT(sum == revenue);
}

// Money and units add up exactly after every day, whatever the network and whatever is decided.
TEST(VendingWorld, TheBooksBalance) {
  EXPECT_TRUE(rc::check([] {
    const Configuration configuration = random_configuration();
    const auto problem = find_problem(configuration);
    if (problem) RC_FAIL(problem->text);
    World world(configuration, *rc::gen::arbitrary<std::uint64_t>(), 3);
    Decision decision = same_everywhere(configuration, 0, 2.5);
    base::Stream words({.seed = 1, .purpose = base::Purpose::test});
    for (int day = 0; day < 40 && !world.bankrupt(); ++day) {
      world.open_day();
      for (std::int32_t& target : decision.target) {
        target = static_cast<std::int32_t>(base::uniform_index(words, 25)) - 2;
      }
      const Money before = world.ledger().revenue;
      const DaySeen seen = world.close_day(decision);
      check_books(world);
      check_day(decision, seen, world.ledger().revenue - before);
    }
  }));
}

// Hidden paths, breakdowns and customers do not depend on what is decided.
TEST(VendingWorld, PlannersMeetTheSameWorld) {
  const Configuration configuration = default_configuration();
  World full(configuration, 42, 5), other(configuration, 42, 5), third(configuration, 42, 6);
  const Decision high = same_everywhere(configuration, 18, 2.5), low = same_everywhere(configuration, 2, 2.5);
  std::int64_t checked = 0;
  for (int day = 0; day < 60; ++day) {
    full.open_day();
    other.open_day();
    third.open_day();
    const DaySeen many = full.close_day(high), few = other.close_day(low);
    third.close_day(high);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(full.hidden(i), other.hidden(i));
      EXPECT_NE(full.hidden(i), third.hidden(i));
      EXPECT_EQ(many.down[i], few.down[i]);
      // With nothing sold out at the machine in either world nobody substitutes: sales are the same
      // customers'.
      bool sold_out = false;
      for (std::size_t slot = 3 * i; slot < 3 * i + 3; ++slot) {
        sold_out = sold_out || many.sold_out[slot] || few.sold_out[slot];
      }
      if (sold_out) continue;
      ++checked;
      for (std::size_t slot = 3 * i; slot < 3 * i + 3; ++slot) EXPECT_EQ(many.sales[slot], few.sales[slot]);
    }
  }
  EXPECT_GT(checked, 5);
}

// With ample stock of a product that all want, mean sales are mean arrivals times the share who pay. 20,000
// days at rate 4: the standard error is sqrt(4 * .5)/141 = .010.
TEST(VendingWorld, SalesHaveTheirMean) {
  Configuration configuration = quiet();
  configuration.products[0].shelf_life = 1000;
  configuration.machines[0].true_rate = {4};
  configuration.machines[0].drift_sd = 0;
  configuration.demand.season = configuration.demand.group_shock = 0;
  configuration.logistics.start_slot_stock = 18;
  configuration.finance.start_cash = 1e6;
  World world(configuration, 11, 0);
  const Decision decision = same_everywhere(configuration, 18, 3);  // half of them pay 3
  double sold = 0;
  int days = 0;
  for (int day = 0; day < 20'000; ++day) {
    world.open_day();
    const DaySeen seen = world.close_day(decision);
    if (seen.start_stock[0] < 15) continue;
    sold += seen.sales[0];
    ++days;
  }
  EXPECT_GT(days, 19'000);
  EXPECT_NEAR(sold / days, 2, 5 * .0105);
}

}  // namespace vending_world_test
}  // namespace mindgap::cases::vending
