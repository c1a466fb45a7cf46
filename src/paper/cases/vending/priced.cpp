#include "paper/cases/vending/priced.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mindgap/base/distributions.h"
#include "mindgap/planner/ids.h"
#include "paper/cases/vending/learning.h"
#include "paper/cases/vending/planners.h"

namespace mindgap::cases::vending {
namespace {

// E[V(r', S(r')) - V(r', S(rate))] for r' ~ N(rate, variance), cut at 0.
double value_of_knowing(const Briefing& briefing, std::size_t slot, double rate, double variance) {
  static constexpr std::array<double, 5> kNodes = {-2.8569700138728056, -1.355626179974266, 0,
                                                   1.355626179974266, 2.8569700138728056};
  static constexpr std::array<double, 5> kWeights = {
      .011257411327720691, .2220759220056126, .5333333333333333, .2220759220056126, .011257411327720691};
  const std::int32_t target = stock_target(briefing, rate);
  double sum = 0;
  for (std::size_t i = 0; i < kNodes.size(); ++i) {
    const double other = std::max(0.0, rate + kNodes[i] * std::sqrt(variance));
    const std::int32_t better = stock_target(briefing, other);
    if (better == target) continue;
    sum +=
        kWeights[i] * (slot_value(briefing, slot, other, better) - slot_value(briefing, slot, other, target));
  }
  return std::max(0.0, sum);
}

double explored_profit(const Briefing& briefing, std::size_t slot, double rate) {
  const std::size_t product = briefing.product_of(slot);
  const Money price = briefing.explore_price[product];
  const double sales = expected_sales(rate * exposure(briefing, slot, price), briefing.slot_capacity);
  return (dollars(price) - briefing.wholesale[product] - briefing.handling) * sales -
         briefing.holding[product] * (briefing.slot_capacity - sales);
}

// P(Poisson(rate) < units): E min(D, units) - E min(D, units - 1) is P(D >= units).
double not_sold_out(double rate, std::int32_t units) {
  return 1 - (expected_sales(rate, units) - expected_sales(rate, units - 1));
}

// Explores a machine, for a day, by what that costs and tells. What a slot's rate rests on fades: a slot that
// sells out every day, and so shows no demand, becomes uncertain again.
class Priced : public SlotPlanner {
 public:
  Priced(const Briefing& briefing, PlannerSeed seed)
      : SlotPlanner(briefing, seed), learner_(briefing), days_(slots(), 0.0) {}

  void decide(const Morning& morning, Decision& decision) override {
    for (std::size_t i = 0; i < machines(); ++i) {
      SlotPrice sum;
      double seen = 0;  // information of a day that is not explored
      for (std::size_t slot = i * products(); slot < (i + 1) * products(); ++slot) {
        const SlotPrice one = price_of_exploring(briefing_, slot, learner_.rate(slot), days_[slot]);
        sum.cost += one.cost;
        sum.worth += one.worth;
        sum.regret += one.regret;
        sum.information += one.information;
        seen += one.seen * one.information;
      }
      const bool out = explores(sum, seen, i, morning.day);
      for (std::size_t slot = i * products(); slot < (i + 1) * products(); ++slot) {
        if (out) {
          explore(slot, decision);
        } else {
          exploit(slot, learner_.rate(slot), decision);
        }
      }
    }
  }

  void learn(const DaySeen& seen) override {
    learner_.observe(seen);
    const double kept = 1 - 1 / briefing_.planning.fisher_days;
    for (std::size_t slot = 0; slot < slots(); ++slot)
      days_[slot] = kept * days_[slot] + (seen.down[slot / products()] || seen.sold_out[slot] ? 0 : 1);
  }

 protected:
  /// Of all slots of the machine: prices of a day, and the information of a day that is not explored.
  virtual bool explores(const SlotPrice& price, double seen, std::size_t machine, std::int64_t day) const = 0;

 private:
  WindowLearner learner_;
  std::vector<double> days_;  // with known demand, by slot, of the last planning.fisher_days or so
};

class AdaptiveFisher final : public Priced {
 public:
  using Priced::Priced;

 protected:
  bool explores(const SlotPrice& price, double, std::size_t, std::int64_t) const override {
    return price.worth > price.cost;
  }
};

class ValueIds final : public Priced {
 public:
  using Priced::Priced;

 protected:
  bool explores(const SlotPrice& price, double seen, std::size_t machine, std::int64_t day) const override {
    const std::array<double, 2> regret = {price.regret, std::max(0.0, price.regret + price.cost)};
    const std::array<double, 2> information = {seen, price.information};
    const planner::Mixture mixture = planner::least_information_ratio(regret, information);
    base::Stream words = stream(Draw::fisher, machine, day);
    return (base::uniform(words) < mixture.share ? mixture.first : mixture.second) == 1;
  }
};

}  // namespace

SlotPrice price_of_exploring(const Briefing& briefing, std::size_t slot, double rate, double days) {
  const double of_a_day =
      std::max(briefing.planning.observation_variance_lowest, briefing.simulator_rate[slot]);
  const double now = 1 / (1 + days / of_a_day), after = 1 / (1 + (days + 1) / of_a_day);
  const std::int32_t target = stock_target(briefing, rate);
  const double horizon = briefing.planning.fisher_days, g = value_sensitivity(briefing, slot, rate);
  SlotPrice price;
  price.cost = slot_value(briefing, slot, rate, target) / horizon - explored_profit(briefing, slot, rate);
  price.worth = value_of_knowing(briefing, slot, rate, now - after);
  price.regret = value_of_knowing(briefing, slot, rate, now) / horizon;
  price.information = g * g * (now - after);
  price.seen = not_sold_out(rate, target);
  return price;
}

std::unique_ptr<VendingPlanner> make_adaptive_fisher(const Briefing& briefing, PlannerSeed seed) {
  return std::make_unique<AdaptiveFisher>(briefing, seed);
}

std::unique_ptr<VendingPlanner> make_ids(const Briefing& briefing, PlannerSeed seed) {
  return std::make_unique<ValueIds>(briefing, seed);
}

}  // namespace mindgap::cases::vending
