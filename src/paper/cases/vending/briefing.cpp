#include "paper/cases/vending/briefing.h"

#include <algorithm>
#include <cmath>

namespace mindgap::cases::vending {
namespace {

void brief_products(const Configuration& configuration, Briefing& briefing) {
  double least = configuration.segments.front().willingness;
  for (const Segment& segment : configuration.segments) least = std::min(least, segment.willingness);
  for (const Product& product : configuration.products) {
    briefing.wholesale.push_back(product.wholesale);
    briefing.holding.push_back(product.holding);
    briefing.least_willing.push_back(least * product.wholesale);
    briefing.exploit_price.push_back(money(briefing.planning.exploit_price * product.wholesale));
    briefing.explore_price.push_back(money(briefing.planning.explore_price * least * product.wholesale));
  }
}

void brief_slots(const Configuration& configuration, Briefing& briefing) {
  for (const Machine& machine : configuration.machines) {
    for (std::size_t p = 0; p < configuration.products.size(); ++p) {
      for (std::size_t s = 0; s < configuration.segments.size(); ++s) {
        briefing.interested.push_back(machine.simulator_rate[s] * configuration.segments[s].preference[p]);
      }
    }
  }
  for (std::size_t slot = 0; slot < static_cast<std::size_t>(briefing.slots()); ++slot) {
    const double rate = purchase_rate(briefing, slot, briefing.planning.exploit_price);
    briefing.simulator_rate.push_back(rate);
    for (const double price : briefing.planning.price_grid) {
      briefing.grid_exposure.push_back(rate > 0 ? purchase_rate(briefing, slot, price) / rate : 1);
    }
  }
}

}  // namespace

Briefing brief(const Configuration& configuration) {
  Briefing briefing;
  briefing.machines = static_cast<std::int32_t>(configuration.machines.size());
  briefing.products = static_cast<std::int32_t>(configuration.products.size());
  briefing.segments = static_cast<std::int32_t>(configuration.segments.size());
  briefing.slot_capacity = static_cast<std::int32_t>(configuration.logistics.slot_capacity);
  briefing.handling = configuration.logistics.shipping + configuration.logistics.depot_shipping;
  briefing.planning = configuration.planning;
  for (const Segment& segment : configuration.segments) {
    const auto parts = static_cast<std::int32_t>(segment.day_parts.size());
    briefing.day_parts = std::max(briefing.day_parts, parts);
    briefing.willingness.push_back(segment.willingness);
    briefing.willingness_spread.push_back(segment.willingness_spread);
  }
  brief_products(configuration, briefing);
  brief_slots(configuration, briefing);
  return briefing;
}

double conversion(double willingness, double spread, double price) {
  return std::erfc((price - willingness) / (spread * willingness) / std::sqrt(2.0)) / 2;
}

double purchase_rate(const Briefing& briefing, std::size_t slot, double price) {
  const auto segments = static_cast<std::size_t>(briefing.segments);
  double rate = 0;
  for (std::size_t s = 0; s < segments; ++s) {
    rate += briefing.interested[slot * segments + s] *
            conversion(briefing.willingness[s], briefing.willingness_spread[s], price);
  }
  return rate;
}

double exposure(const Briefing& briefing, std::size_t slot, Money price) {
  const std::size_t product = briefing.product_of(slot);
  if (price == briefing.exploit_price[product] || briefing.simulator_rate[slot] <= 0) return 1;
  const double rate = purchase_rate(briefing, slot, dollars(price) / briefing.wholesale[product]);
  return std::max(rate / briefing.simulator_rate[slot], 1e-6);
}

double expected_sales(double rate, std::int32_t units) {
  double probability = std::exp(-rate);
  double above = 1, sum = 0;
  for (std::int32_t k = 0; k < units; ++k) {
    above -= probability;  // P(D > k)
    sum += std::max(0.0, above);
    probability *= rate / (k + 1);
  }
  return sum;
}

double slot_value(const Briefing& briefing, std::size_t slot, double rate, std::int32_t target) {
  const std::size_t product = briefing.product_of(slot);
  const double margin =
      (briefing.planning.exploit_price - 1) * briefing.wholesale[product] - briefing.handling;
  const double sales = expected_sales(rate, target);
  return briefing.planning.fisher_days * (margin * sales - briefing.holding[product] * (target - sales));
}

double value_sensitivity(const Briefing& briefing, std::size_t slot, double rate) {
  const double step = briefing.planning.fisher_step;
  const std::int32_t target = stock_target(briefing, rate);
  return slot_value(briefing, slot, rate + step, target) -
         slot_value(briefing, slot, std::max(0.0, rate - step), target);
}

std::size_t best_price(const Briefing& briefing, std::size_t product, std::span<const double> rates,
                       std::int32_t target) {
  std::size_t best = 0;
  double most = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const double margin =
        (briefing.planning.price_grid[i] - 1) * briefing.wholesale[product] - briefing.handling;
    const double value = margin * expected_sales(rates[i], target);
    if (i == 0 || value > most) {
      most = value;
      best = i;
    }
  }
  return best;
}

}  // namespace mindgap::cases::vending
