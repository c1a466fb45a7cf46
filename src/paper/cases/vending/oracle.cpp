#include "paper/cases/vending/oracle.h"

namespace mindgap::cases::vending {
namespace {

class Oracle : public VendingPlanner {
 public:
  Oracle(const Briefing& briefing, const World& world)
      : briefing_(briefing), world_(world), rates_(briefing.planning.price_grid.size()) {
    std::vector<double> prices = briefing.planning.price_grid;
    prices.push_back(briefing.planning.exploit_price);
    for (const Segment& segment : world.configuration().segments) {
      for (const double price : prices) {
        share_.push_back(conversion(segment.willingness, segment.willingness_spread, price));
      }
    }
  }

  void decide(const Morning&, Decision& decision) override {
    const std::size_t prices = rates_.size();
    const auto products = static_cast<std::size_t>(briefing_.products);
    for (std::size_t slot = 0; slot < decision.target.size(); ++slot) {
      const std::size_t product = slot % products;
      for (std::size_t i = 0; i < prices; ++i) rates_[i] = rate(slot / products, product, i);
      decision.target[slot] = stock_target(briefing_, rate(slot / products, product, prices));
      const std::size_t best = best_price(briefing_, product, rates_, decision.target[slot]);
      decision.price[slot] = money(briefing_.planning.price_grid[best] * briefing_.wholesale[product]);
    }
  }
  void learn(const DaySeen&) override {}

 private:
  // Purchases today at a price of the grid, or (one place further) at the exploit price.
  double rate(std::size_t machine, std::size_t product, std::size_t price) const {
    const std::vector<Segment>& segments = world_.configuration().segments;
    double sum = 0;
    for (std::size_t s = 0; s < segments.size(); ++s) {
      sum += world_.mean_arrivals(machine, s) * segments[s].preference[product] *
             share_[s * (rates_.size() + 1) + price];
    }
    return sum;
  }

  const Briefing& briefing_;
  const World& world_;
  std::vector<double> share_;  // who buys, by segment and price, the exploit price last
  std::vector<double> rates_;
};

}  // namespace

std::unique_ptr<VendingPlanner> make_oracle(const Briefing& briefing, const World& world) {
  return std::make_unique<Oracle>(briefing, world);
}

}  // namespace mindgap::cases::vending
