#include <algorithm>
#include <cmath>

#include "mindgap/belief/demand_filter.h"
#include "paper/cases/vending/learning.h"
#include "paper/cases/vending/planners.h"

namespace mindgap::cases::vending {
namespace {

// E[D | D >= k], D Poisson: rate P(D >= k-1)/P(D >= k). k itself where that is out of reach.
double demand_at_least(double rate, std::int32_t k) {
  if (k == 0) return rate;
  double probability = std::exp(-rate);  // of D = i
  double above = 1;                      // P(D >= i)
  for (std::int32_t i = 0; i + 1 < k; ++i) {
    above -= probability;
    probability *= rate / (i + 1);
  }
  const double tail = above - probability;
  return tail > 1e-9 ? std::max<double>(k, rate * above / tail) : k;
}

/// Factors of a machine's demand by weekday or weekend and by time of day, each with mean 1 over its period.
/// Each is demand over what was expected without it; a day that sold out counts as what demand is expected to
/// have been. `kPrior` units of demand say 1.
class SeasonFactors {
 public:
  explicit SeasonFactors(std::int32_t parts)
      : week_(2), part_(static_cast<std::size_t>(parts)), week_factor_(2, 1), part_factor_(part_.size(), 1) {}

  double factor(std::int64_t day) const { return week_factor_[week(day)] * part_factor_[part(day)]; }

  void add(std::int64_t day, double demand, double rate) {
    count(week_[week(day)], demand, rate * part_factor_[part(day)]);
    count(part_[part(day)], demand, rate * week_factor_[week(day)]);
  }

  void refresh() {
    for (std::size_t i = 0; i < 2; ++i) week_factor_[i] = week_[i].demand / week_[i].expected;
    const double mean = (5 * week_factor_[0] + 2 * week_factor_[1]) / 7;
    for (double& factor : week_factor_) factor /= mean;
    double sum = 0;
    for (std::size_t i = 0; i < part_.size(); ++i) {
      sum += part_factor_[i] = part_[i].demand / part_[i].expected;
    }
    for (double& factor : part_factor_) factor *= static_cast<double>(part_.size()) / sum;
  }

 private:
  static constexpr double kPrior = 50;
  struct Count {
    double demand = kPrior, expected = kPrior;
  };

  static void count(Count& counted, double demand, double expected) {
    counted.demand += demand;
    counted.expected += expected;
  }
  static std::size_t week(std::int64_t day) { return day % 7 < 5 ? 0 : 1; }
  std::size_t part(std::int64_t day) const { return static_cast<std::size_t>(day) % part_.size(); }

  std::vector<Count> week_, part_;
  std::vector<double> week_factor_, part_factor_;
};

class Censored : public SlotPlanner {
 public:
  Censored(const Briefing& briefing, PlannerSeed seed, CensoredOptions options)
      : SlotPlanner(briefing, seed),
        options_(options),
        season_(machines(), SeasonFactors(briefing.day_parts)),
        exposure_(slots(), 1),
        rates_(briefing.planning.price_grid.size()) {
    const belief::DemandFilterOptions filter;
    for (const double rate : briefing.simulator_rate) {
      filter_.emplace_back(std::clamp(rate, filter.lowest_rate, filter.highest_rate), filter);
    }
  }

  void decide(const Morning& morning, Decision& decision) override {
    if (morning.day < options_.pilot_days) {
      pilot(morning.day, decision);
      for (std::size_t slot = 0; slot < slots(); ++slot) {
        exposure_[slot] = exposure(briefing_, slot, decision.price[slot]);
      }
      return;
    }
    for (std::size_t slot = 0; slot < slots(); ++slot) {
      const double rate = filter_[slot].mean() * season(slot, morning.day);
      exploit(slot, rate, decision);
      exposure_[slot] = 1;
      if (options_.price) choose_price(slot, rate, decision);
    }
  }

  void learn(const DaySeen& seen) override {
    for (std::size_t slot = 0; slot < slots(); ++slot) {
      belief::DemandFilter& filter = filter_[slot];
      filter.predict();
      if (seen.down[slot / products()] || seen.start_stock[slot] == 0) continue;
      const double factor = season(slot, seen.day) * exposure_[slot];
      if (options_.season) note_season(seen, slot, filter.mean() * exposure_[slot]);
      filter.observe(seen.sales[slot], seen.sold_out[slot] != 0, factor);
    }
    for (SeasonFactors& factors : season_) factors.refresh();
  }

 private:
  double season(std::size_t slot, std::int64_t day) const {
    return options_.season ? season_[slot / products()].factor(day) : 1;
  }

  void note_season(const DaySeen& seen, std::size_t slot, double rate) {
    SeasonFactors& factors = season_[slot / products()];
    const double expected = rate * factors.factor(seen.day);
    const double demand =
        seen.sold_out[slot] ? demand_at_least(expected, seen.sales[slot]) : seen.sales[slot];
    factors.add(seen.day, demand, rate);
  }

  // The price of the grid with the largest (price - w - handling) E min(D, S), D and the target S at that
  // price.
  void choose_price(std::size_t slot, double rate, Decision& decision) {
    const std::vector<double>& grid = briefing_.planning.price_grid;
    const std::size_t product = briefing_.product_of(slot);
    double most = 0;
    for (std::size_t i = 0; i < grid.size(); ++i) {
      const double exposed = rate * briefing_.grid_exposure[slot * grid.size() + i];
      const std::int32_t target = stock_target(briefing_, exposed);
      const double margin = (grid[i] - 1) * briefing_.wholesale[product] - briefing_.handling;
      const double value = margin * expected_sales(exposed, target);
      if (i > 0 && value <= most) continue;
      most = value;
      decision.target[slot] = target;
      decision.price[slot] = money(grid[i] * briefing_.wholesale[product]);
      exposure_[slot] = std::max(briefing_.grid_exposure[slot * grid.size() + i], 1e-6);
    }
  }

  CensoredOptions options_;
  std::vector<belief::DemandFilter> filter_;  // by slot
  std::vector<SeasonFactors> season_;         // by machine
  std::vector<double> exposure_;              // of today's prices, by slot
  std::vector<double> rates_;                 // by price of the grid
};

}  // namespace

std::unique_ptr<VendingPlanner> make_censored(const Briefing& briefing, PlannerSeed seed,
                                              CensoredOptions options) {
  return std::make_unique<Censored>(briefing, seed, options);
}

}  // namespace mindgap::cases::vending
