#pragma once

#include <cstdint>

#include "paper/cases/vending/briefing.h"

// What one more day of a full slot at a low price costs, and what its sales are worth.
namespace mindgap::cases::vending {

/// Of a slot whose rate is believed to be N(rate, variance), with 1 observed day to come.
struct SlotPrice {
  double cost = 0;         // profit of a day at the target of `rate` less that of a full slot, explored
  double worth = 0;        // what a day's sales add to the value of planning.fisher_days days
  double regret = 0;       // of a day at the target of `rate`: what knowing the rate would add to it
  double information = 0;  // g^2 (variance - variance after one more day)
  double seen = 0;         // probability that the slot does not sell out at that target
};

/// `days`: how many days with known demand the rate rests on, >= 0; prior variance 1 and variance of a day as
/// in rate_variance(). Means over the rate's law are by 5 nodes of Gauss and Hermite; profit counts margin
/// and holding, not what spoils.
///   worth = E[V(r', S(r')) - V(r', S(rate))], r' ~ N(rate, v_n - v_{n+1});  regret: the same with v_n, a
///   day.
SlotPrice price_of_exploring(const Briefing& briefing, std::size_t slot, double rate, double days);

}  // namespace mindgap::cases::vending
