#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/base/random.h"
#include "paper/cases/vending/configuration.h"
#include "paper/cases/vending/money.h"
#include "paper/cases/vending/planner.h"
#include "paper/cases/vending/stock.h"

namespace mindgap::cases::vending {

/// Where the money went. cash = start + revenue - shipping - wholesale - holding - spoilage - fixed, exactly.
struct Ledger {
  Money start = 0, revenue = 0, shipping = 0, wholesale = 0, holding = 0, spoilage = 0, fixed = 0;
};

/// Where the units of a product went. start + arrived = sold + spoiled + discarded + what is in stock;
/// ordered = arrived + what is in transit.
struct UnitLedger {
  std::int64_t start = 0, ordered = 0, arrived = 0, sold = 0, spoiled = 0;
  std::int64_t discarded = 0;  // arrived where there was no room
};

/// max(1, round(X)) days, X normal, by inversion of a uniform.
class LeadTime {
 public:
  LeadTime(double mean, double sd);
  std::int64_t days(double uniform) const {
    std::size_t days = 0;
    while (days < at_most_.size() && uniform >= at_most_[days]) ++days;
    return static_cast<std::int64_t>(days) + 1;
  }
  std::int64_t longest() const { return static_cast<std::int64_t>(at_most_.size()) + 1; }

 private:
  std::vector<double> at_most_;  // P(days <= 1), P(days <= 2), ...
};

/// A number in [0, 1] as a cell of 1/2^16, counted from the middle, and the place in it, in [0, 1].
struct Threshold {
  std::int16_t cell;
  double place;
};

/// The machines, the depot and their customers, day by day. Every draw is keyed by
/// what it is for and the day, with a fixed number of words per customer: planners of one trial meet the same
/// hidden path, customers, weather, breakdowns and lead times. No day allocates.
class World {
 public:
  /// The configuration must be good (check()) and outlive this.
  World(const Configuration& configuration, std::uint64_t seed, std::uint64_t trial);

  /// Deliveries arrive and the weather is drawn. Then close_day(), and so on. What both return refers to this
  /// world and holds until the next call of the same one.
  Morning open_day();
  /// Filling, ordering, customers, emergencies, spoilage, cash; then the hidden multipliers move.
  DaySeen close_day(const Decision& decision);

  std::int64_t day() const { return day_; }
  Money cash() const { return cash_; }
  bool bankrupt() const { return bankrupt_; }
  const Ledger& ledger() const { return ledger_; }
  const UnitLedger& units(std::size_t product) const { return unit_ledger_[product]; }
  /// In machines and the depot.
  std::int64_t in_stock(std::size_t product) const;
  std::int64_t in_transit(std::size_t product) const;
  std::int32_t slot_stock(std::size_t slot) const { return slot_[slot].units(); }
  std::int32_t depot_stock(std::size_t product) const { return depot_[product].units(); }
  double hidden(std::size_t machine) const { return hidden_[machine]; }
  const Configuration& configuration() const { return configuration_; }

  /// Mean arrivals of a segment at a machine on the day last opened, before the shock of the machine's group.
  double mean_arrivals(std::size_t machine, std::size_t segment) const;

 private:
  enum class Kind : std::uint64_t { day, customers, direct, substitutes, places, crowds };

  struct Customer {
    std::size_t machine;
    std::int64_t number;  // among those of the machine and day
    std::int16_t first;   // cell of their first uniform
  };

  /// Customers of a machine whose uniforms are drawn at once.
  static constexpr std::size_t kBatch = 64;

  base::Stream stream(Kind kind, std::size_t index) const;
  void set_choices();
  void set_substitutes(std::size_t segment, std::size_t product);
  void draw_day();
  void set_factors();
  void deliver();
  void fill_product(std::size_t product, const Decision& decision);
  void share_product(std::size_t product, std::int64_t needed);
  void ship(std::size_t slot, Stock& depot, std::int32_t units);
  void order_direct(std::size_t slot, std::int32_t units);
  void order_depot(std::size_t product, std::int32_t units, double luck);
  void set_thresholds(std::size_t machine, const Decision& decision);
  void sell(std::size_t machine, const Decision& decision);
  void serve(std::size_t machine);
  void compare_surely(std::size_t machine, std::size_t segment, std::size_t begin, std::size_t end,
                      std::int64_t number);
  template <std::size_t known_products>
  void serve_batch(std::size_t machine, std::int64_t number);
  void draw_arrivals(const std::vector<std::uint64_t>& halves);
  std::size_t substitute(std::size_t segment, std::size_t wanted, const Customer& customer);
  double share_not_taking(std::size_t segment, std::size_t product);
  bool takes(std::size_t segment, std::size_t wanted, std::size_t product, const Customer& customer);
  bool passes(const Customer& customer, double above) const;
  void draw_second(std::size_t machine, std::int64_t batch);
  std::int32_t second_cell(const Customer& customer);
  double place_in_cell(const Customer& customer, std::size_t which) const;
  double end_of_piece(std::size_t segment, std::size_t product) const;
  void end_day(std::size_t product, const Decision& decision);
  void run_emergencies(std::size_t product, std::span<const std::size_t> empty);
  void settle();
  DaySeen seen() const;

  const Configuration& configuration_;
  std::uint64_t seed_, trial_;
  std::size_t machines_, products_, segments_, groups_;
  std::int64_t day_ = 0;
  bool bankrupt_ = false;
  std::int64_t days_below_zero_ = 0;
  Money cash_ = 0;
  Ledger ledger_;
  std::vector<UnitLedger> unit_ledger_;
  std::vector<Money> wholesale_, holding_;  // by product
  std::vector<std::size_t> product_of_;     // by slot
  Money shipping_, direct_shipping_, depot_shipping_, daily_cost_;

  double weather_ = 0;
  std::vector<double> hidden_, hidden_noise_, shock_;  // by machine, machine, group
  std::vector<double> machine_factor_, segment_factor_;
  std::vector<double> depot_luck_;  // uniforms of the day's lead times: by product, of orders and emergencies
  std::vector<std::uint8_t> down_;  // by machine

  std::vector<Stock> slot_, depot_;  // by slot, product
  std::vector<Pipeline> direct_, depot_pipeline_;
  std::int32_t direct_coming_ = 0;  // units in all of direct_
  std::vector<std::int32_t> need_;  // by machine, of the product being filled
  std::vector<std::size_t> empty_;  // slots of the product whose day ends
  LeadTime direct_lead_, depot_lead_;
  std::vector<std::int32_t> morning_stock_, start_stock_, sales_, shipped_in_, spoiled_,
      end_stock_;                       // by slot
  std::vector<std::uint8_t> sold_out_;  // by slot

  std::vector<double> per_willingness_, per_substitute_, steepness_;  // by segment
  std::vector<double> wants_above_;  // by segment and product: the uniform from which on they want it
  /// By segment, twice for each product: from which on they would pay for it, and want the next one.
  std::vector<double> buys_above_;
  std::vector<double> takes_above_;  // by segment and product: the share that would not; < 0: to be computed
  std::vector<double> substitutes_above_;  // times 256: of each product, by segment and product sold out
  static constexpr std::uint16_t kUnsure = 0xffff;
  std::vector<std::uint16_t> substitute_of_;  // the same for each cell of 1/256, or kUnsure
  std::vector<double> kept_;                  // by machine and segment: the share of those drawn who come
  std::int64_t coming_ = 0;                   // customers drawn of the machine being served
  std::array<std::uint64_t, kBatch / 4 + 1> first_{};  // a cell of 16 bits for each customer of the batch
  std::array<std::uint64_t, kBatch / 8> second_{};     // and one of 8 bits
  std::vector<std::int64_t> ends_;                     // by segment: the number after its last customer
  std::vector<std::uint64_t> wants_;    // by product: bit i: the i-th of the batch would buy it
  std::vector<std::int32_t> over_;      // by product: left when the batch has been served, or less than 0
  std::vector<int> last_;               // by product: who of the batch takes the last; 64: nobody
  std::int64_t second_batch_ = -1;      // the batch whose second_ is drawn
  std::vector<double> asked_;           // by product: the price over wholesale and weather
  std::vector<Money> threshold_price_;  // by product: what the above was computed for
  std::int64_t threshold_day_ = -1;
  std::vector<std::int64_t> arrivals_;  // by machine and segment: drawn today
  std::vector<std::uint64_t> day_words_, day_halves_;
  std::vector<double> true_rate_;  // by machine and segment
  std::vector<double> day_normals_;
  std::vector<std::int32_t> left_;  // by product, in the machine being served; and 0 for none
  std::int32_t left_in_all_ = 0;
};

}  // namespace mindgap::cases::vending
