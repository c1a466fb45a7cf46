#pragma once

#include <cstdint>
#include <vector>

namespace mindgap::cases::vending {

/// How planners plan: the numbers of the planners' rules. A rate is units a day.
struct Planning {
  double stock_factor = 2;        // target = round(stock_factor * rate), at least 1
  double exploit_price = 2.5;     // times wholesale: the price of all that do not explore prices
  std::int64_t window_days = 10;  // uncensored days behind a learned rate

  std::int64_t pilot_days = 5;      // of the planners with a pilot
  double pilot_price_lowest = 0.8;  // share of what the least willing segment pays, drawn per slot and day
  double pilot_price_highest = 1.0;
  double explore_price = 0.9;      // share of the same, when a machine is explored
  std::int64_t explore_days = 15;  // after the pilot, of flagged machines
  double significance = 0.05;      // of the test after the pilot, divided by the number of slots

  double epsilon = 0.4;  // chance that a machine plays at random on a day
  double adaptive_epsilon_start = 0.5;
  double adaptive_epsilon_days = 200;  // of its exponential decline
  double adaptive_epsilon_lowest = 0.25;

  std::int64_t thompson_days = 5;  // between draws
  double thompson_lowest_rate = 0.1;
  double observation_variance_lowest = 0.25;  // where the simulator's rate is below

  std::int64_t break_days = 7;     // means of so many days are compared with those of as many before
  double break_change = 0.8;       // relative change that counts as a break
  double break_lowest_rate = 1.5;  // of the mean before

  std::int64_t fisher_machines = 3;   // explored beside the flagged ones
  double fisher_probability = 0.5;    // that an uncertain machine is explored on a day
  double fisher_days = 30;            // of the value whose sensitivity counts
  double fisher_step = 0.5;           // of the difference quotient, in units a day
  double fisher_strength_range = 19;  // strength = 1 + range * g^2/max g^2
  double fisher_shape = 2;            // of the Normal-Inverse-Gamma prior

  double optimism_stock = 13.5;      // a machine counts as full from here on
  std::int64_t optimism_target = 9;  // of the stocking action
  double optimism_loss = 20;         // reward = clip((profit + loss)/range, 0, 1)
  double optimism_range = 80;
  double optimism_discount = 0.9;
  std::int64_t optimism_replan_days = 10;  // of ucrl2
  double optimism_confidence = 40;         // L = log(confidence (t + 2))
  double optimism_bonus = 2;               // times the bonus, of ucbvi

  std::vector<double> price_grid = {2, 2.25, 2.5, 2.8};        // times wholesale: of planners that price
  std::vector<double> epsilon_prices = {1.5, 2, 2.5, 2.8, 3};  // times wholesale: of random play

  bool operator==(const Planning&) const = default;
};

}  // namespace mindgap::cases::vending
