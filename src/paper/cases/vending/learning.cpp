#include "paper/cases/vending/learning.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "mindgap/base/distributions.h"

namespace mindgap::cases::vending {

WindowLearner::WindowLearner(const Briefing& briefing, bool keep_sold_out)
    : products_(static_cast<std::size_t>(briefing.products)),
      window_(static_cast<std::size_t>(briefing.planning.window_days)),
      keep_sold_out_(keep_sold_out),
      sales_(briefing.simulator_rate.size() * window_),
      sum_(briefing.simulator_rate.size()),
      rate_(briefing.simulator_rate),
      days_(rate_.size(), 0),
      next_(rate_.size(), 0) {
  for (std::size_t slot = 0; slot < rate_.size(); ++slot) reset(slot, briefing.simulator_rate[slot]);
}

void WindowLearner::reset(std::size_t slot, double rate) {
  std::fill_n(&sales_[slot * window_], window_, rate);
  refresh(slot);
}

void WindowLearner::refresh(std::size_t slot) {
  const double* sales = &sales_[slot * window_];
  sum_[slot] = std::accumulate(sales, sales + window_, 0.0);
  rate_[slot] = sum_[slot] / static_cast<double>(window_);
}

// Without a branch on what is left out, which nobody could predict.
void WindowLearner::observe(const DaySeen& seen) {
  const auto window = static_cast<double>(window_);
  for (std::size_t i = 0; i < seen.down.size(); ++i) {
    if (seen.down[i]) continue;
    for (std::size_t slot = i * products_; slot < (i + 1) * products_; ++slot) {
      const std::size_t counts = keep_sold_out_ | !seen.sold_out[slot];
      double& oldest = sales_[slot * window_ + next_[slot]];
      const std::uint64_t mask = 0 - counts;
      const auto sales = std::bit_cast<std::uint64_t>(static_cast<double>(seen.sales[slot]));
      const double kept =
          std::bit_cast<double>((sales & mask) | (std::bit_cast<std::uint64_t>(oldest) & ~mask));
      sum_[slot] += kept - oldest;
      oldest = kept;
      days_[slot] += static_cast<std::int64_t>(counts);
      next_[slot] += counts;
      if (next_[slot] < window_) continue;
      next_[slot] = 0;
      refresh(slot);  // away with what was rounded
    }
  }
  for (std::size_t slot = 0; slot < rate_.size(); ++slot) rate_[slot] = sum_[slot] / window;
}

SlotPlanner::SlotPlanner(const Briefing& briefing, PlannerSeed seed) : briefing_(briefing), seed_(seed) {
  for (std::size_t slot = 0; slot < slots(); ++slot) {
    exploit_price_.push_back(briefing.exploit_price[briefing.product_of(slot)]);
  }
}

base::Stream SlotPlanner::stream(Draw draw, std::size_t index, std::int64_t day) const {
  return base::Stream({.seed = seed_.seed,
                       .purpose = base::Purpose::planner,
                       .trial = seed_.trial,
                       .unit = static_cast<std::uint64_t>(draw) << 32 | index,
                       .step = static_cast<std::uint64_t>(day)});
}

void SlotPlanner::exploit(std::size_t slot, double rate, Decision& decision) const {
  decision.target[slot] = stock_target(briefing_, rate);
  decision.price[slot] = exploit_price_[slot];
}

void SlotPlanner::explore(std::size_t slot, Decision& decision) const {
  decision.target[slot] = briefing_.slot_capacity;
  decision.price[slot] = briefing_.explore_price[briefing_.product_of(slot)];
}

void SlotPlanner::pilot(std::int64_t day, Decision& decision) const {
  const Planning& planning = briefing_.planning;
  for (std::size_t slot = 0; slot < slots(); ++slot) {
    base::Stream words = stream(Draw::pilot, slot, day);
    const double share = planning.pilot_price_lowest +
                         (planning.pilot_price_highest - planning.pilot_price_lowest) * base::uniform(words);
    decision.target[slot] = briefing_.slot_capacity;
    decision.price[slot] = money(share * briefing_.least_willing[briefing_.product_of(slot)]);
  }
}

double rate_variance(const Briefing& briefing, std::size_t slot, std::int64_t days) {
  const double variance =
      std::max(briefing.planning.observation_variance_lowest, briefing.simulator_rate[slot]);
  return 1 / (1 + static_cast<double>(days) / variance);
}

}  // namespace mindgap::cases::vending
