#include "paper/cases/vending/world.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mindgap/base/distributions.h"

namespace mindgap::cases::vending {
namespace {

std::size_t count_groups(const Configuration& configuration) {
  std::int64_t groups = 0;
  for (const Machine& machine : configuration.machines) groups = std::max(groups, machine.group + 1);
  return static_cast<std::size_t>(groups);
}

}  // namespace

// P(max(1, round(X)) <= k) = P(X < k + 1/2), until it is 1 to rounding.
LeadTime::LeadTime(double mean, double sd) {
  for (std::int64_t k = 1;; ++k) {
    const double above = static_cast<double>(k) + .5 - mean;
    if (above > 8.5 * sd) break;
    at_most_.push_back(sd > 0 ? std::erfc(-above / (sd * std::sqrt(2.0))) / 2 : 0);
  }
}

World::World(const Configuration& configuration, std::uint64_t seed, std::uint64_t trial)
    : configuration_(configuration),
      seed_(seed),
      trial_(trial),
      machines_(configuration.machines.size()),
      products_(configuration.products.size()),
      segments_(configuration.segments.size()),
      groups_(count_groups(configuration)),
      direct_lead_(configuration.logistics.direct_lead, configuration.logistics.direct_lead_sd),
      depot_lead_(configuration.logistics.depot_lead, configuration.logistics.depot_lead_sd) {
  const Logistics& logistics = configuration.logistics;
  shipping_ = money(logistics.shipping);
  direct_shipping_ = money(logistics.direct_shipping);
  depot_shipping_ = money(logistics.depot_shipping);
  daily_cost_ = money(configuration.finance.daily_cost);
  cash_ = ledger_.start = money(configuration.finance.start_cash);
  const std::size_t slots = machines_ * products_;
  for (std::vector<std::int32_t>* counts :
       {&morning_stock_, &start_stock_, &sales_, &shipped_in_, &spoiled_, &end_stock_}) {
    counts->resize(slots);
  }
  sold_out_.resize(slots);
  down_.resize(machines_);
  need_.resize(machines_);
  empty_.resize(machines_);
  depot_luck_.resize(2 * products_);
  for (std::size_t slot = 0; slot < slots; ++slot) product_of_.push_back(slot % products_);
  hidden_.assign(machines_, 1);
  hidden_noise_.resize(machines_);
  shock_.resize(groups_);
  machine_factor_.resize(machines_);
  segment_factor_.resize(segments_);
  buys_above_.resize(2 * segments_ * products_);
  takes_above_.resize(segments_ * products_);
  kept_.resize(machines_ * segments_);
  threshold_price_.resize(products_);
  asked_.resize(products_);
  left_.resize(products_);
  ends_.resize(segments_);
  wants_.resize(products_);
  over_.resize(products_);
  last_.resize(products_ + 1, -1);  // and of none
  arrivals_.resize(machines_ * segments_);
  day_normals_.resize(1 + groups_ + machines_);
  day_halves_.resize((arrivals_.size() + machines_ + depot_luck_.size() + 1) / 2 * 2);
  day_words_.resize(day_normals_.size() + day_halves_.size() / 2);
  for (const Machine& machine : configuration.machines) {
    true_rate_.insert(true_rate_.end(), machine.true_rate.begin(), machine.true_rate.end());
  }
  unit_ledger_.resize(products_);
  set_choices();
  for (const Product& product : configuration.products) {
    wholesale_.push_back(money(product.wholesale));
    holding_.push_back(money(product.holding));
    depot_.emplace_back(product.shelf_life).add(0, static_cast<std::int32_t>(logistics.start_depot_stock));
    depot_pipeline_.emplace_back(depot_lead_.longest());
  }
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const Product& product = configuration.products[product_of_[slot]];
    slot_.emplace_back(product.shelf_life).add(0, static_cast<std::int32_t>(logistics.start_slot_stock));
    direct_.emplace_back(direct_lead_.longest() + 2);  // late, and a part a day later
  }
  for (std::size_t p = 0; p < products_; ++p) unit_ledger_[p].start = in_stock(p);
}

base::Stream World::stream(Kind kind, std::size_t index) const {
  return base::Stream({.seed = seed_,
                       .purpose = base::Purpose::world,
                       .trial = trial_,
                       .unit = static_cast<std::uint64_t>(kind) << 32 | index,
                       .step = static_cast<std::uint64_t>(day_)});
}

// In a fixed order, a word for each normal: weather, groups, steps of the hidden multipliers; then half a
// word for each number of arrivals, each breakdown and each lead time of the depot.
void World::draw_day() {
  const Demand& demand = configuration_.demand;
  stream(Kind::day, 0).fill(day_words_);
  base::to_normals(std::span(day_words_).first(day_normals_.size()), day_normals_);
  const double* normal = day_normals_.data();
  weather_ = std::clamp(demand.weather_memory * weather_ + demand.weather_noise * *normal++,
                        -demand.weather_limit, demand.weather_limit);
  for (double& shock : shock_) shock = *normal++;
  for (double& noise : hidden_noise_) noise = *normal++;
  for (std::size_t i = 0; i < day_halves_.size(); i += 2) {
    const std::uint64_t word = day_words_[day_normals_.size() + i / 2];
    day_halves_[i] = word >> 32;
    day_halves_[i + 1] = word & 0xffffffff;
  }
  const std::uint64_t* half = &day_halves_[arrivals_.size()];
  const auto uniform = [&] { return (static_cast<double>(*half++) + .5) * 0x1p-32; };
  for (std::uint8_t& down : down_) down = uniform() < demand.breakdown;
  for (double& luck : depot_luck_) luck = uniform();
  set_factors();
  draw_arrivals(day_halves_);
}

// The factors of lambda_{i,s}(t) that depend on the machine or on the segment alone.
void World::set_factors() {
  const auto t = static_cast<double>(day_);
  const Demand& demand = configuration_.demand;
  const double season = 1 + demand.season * std::sin(2 * std::numbers::pi * t / demand.season_days);
  for (std::size_t s = 0; s < segments_; ++s) {
    const Segment& segment = configuration_.segments[s];
    const std::size_t parts = segment.day_parts.size();
    const double part =
        static_cast<double>(parts) * segment.day_parts[static_cast<std::size_t>(day_) % parts];
    segment_factor_[s] = season * (day_ % 7 < 5 ? segment.weekday : segment.weekend) * part;
  }
  for (std::size_t i = 0; i < machines_; ++i) {
    const Machine& machine = configuration_.machines[i];
    double factor = std::max(hidden_[i], demand.lowest_hidden) * (1 + machine.trend * t);
    for (const Event& event : machine.events) {
      if (day_ >= event.from && day_ < event.until) factor *= event.factor;
    }
    machine_factor_[i] = factor;
  }
}

double World::mean_arrivals(std::size_t machine, std::size_t segment) const {
  const double rate = configuration_.machines[machine].true_rate[segment] * machine_factor_[machine] *
                      segment_factor_[segment];
  return std::max(configuration_.demand.lowest_arrivals, rate);
}

Morning World::open_day() {
  if (!bankrupt_) {
    deliver();
    draw_day();
  }
  for (std::size_t slot = 0; slot < slot_.size(); ++slot) morning_stock_[slot] = slot_[slot].units();
  return {day_, morning_stock_};
}

// The order of a day. When the money is gone nothing moves any more, and the machines
// count as broken.
DaySeen World::close_day(const Decision& decision) {
  std::fill(shipped_in_.begin(), shipped_in_.end(), 0);
  std::fill(sales_.begin(), sales_.end(), 0);
  if (bankrupt_) {
    std::fill(spoiled_.begin(), spoiled_.end(), 0);
    std::fill(down_.begin(), down_.end(), std::uint8_t{1});
  } else {
    for (std::size_t p = 0; p < products_; ++p) fill_product(p, decision);
    for (std::size_t slot = 0; slot < slot_.size(); ++slot) start_stock_[slot] = slot_[slot].units();
    for (std::size_t i = 0; i < machines_; ++i) {
      if (!down_[i]) sell(i, decision);
    }
    for (std::size_t p = 0; p < products_; ++p) end_day(p, decision);
    settle();
  }
  const DaySeen result = seen();
  ++day_;
  return result;
}

void World::settle() {
  ledger_.fixed += daily_cost_;
  cash_ = ledger_.start + ledger_.revenue - ledger_.shipping - ledger_.wholesale - ledger_.holding -
          ledger_.spoilage - ledger_.fixed;
  days_below_zero_ = cash_ < 0 ? days_below_zero_ + 1 : 0;
  bankrupt_ = days_below_zero_ >= configuration_.finance.bankrupt_days;
  for (std::size_t i = 0; i < machines_; ++i) {
    const Machine& machine = configuration_.machines[i];
    hidden_[i] += machine.drift + machine.drift_sd * hidden_noise_[i];
  }
}

DaySeen World::seen() const {
  return {day_, start_stock_, sales_, sold_out_, shipped_in_, spoiled_, end_stock_, down_};
}

std::int64_t World::in_stock(std::size_t product) const {
  std::int64_t units = depot_[product].units();
  for (std::size_t i = 0; i < machines_; ++i) units += slot_[i * products_ + product].units();
  return units;
}

std::int64_t World::in_transit(std::size_t product) const {
  std::int64_t units = depot_pipeline_[product].units();
  for (std::size_t i = 0; i < machines_; ++i) units += direct_[i * products_ + product].units();
  return units;
}

}  // namespace mindgap::cases::vending
