#include "paper/cases/vending/fields.h"

namespace mindgap::cases::vending {
namespace {

constexpr double kMany = 1e6;   // counts, rates, dollars
constexpr double kDays = 1e4;   // durations
constexpr double kTiny = 1e-6;  // "positive"

}  // namespace

std::span<const Field<Product>> product_fields() {
  static const Field<Product> kFields[] = {
      {"wholesale", &Product::wholesale, kTiny, kMany, "dollars a unit", true},
      {"shelf_life", &Product::shelf_life, 1, kDays, "days", true},
      {"holding", &Product::holding, 0, kMany, "dollars a unit and day"},
      {"weather", &Product::weather, -100, 100, "willingness to pay times 1 + weather * W_t"},
  };
  return kFields;
}

std::span<const Field<Segment>> segment_fields() {
  static const Field<Segment> kFields[] = {
      {"weekday", &Segment::weekday, 0, kMany, "factor on arrivals, days 0-4 of a week"},
      {"weekend", &Segment::weekend, 0, kMany, "factor on arrivals, days 5 and 6"},
      {"willingness", &Segment::willingness, kTiny, kMany, "mean willingness to pay, times wholesale", true},
      {"willingness_spread", &Segment::willingness_spread, kTiny, kMany, "its relative standard deviation"},
      {"substitution", &Segment::substitution, 0, 1, "chance to try another product when sold out"},
  };
  return kFields;
}

std::span<const Field<Machine>> machine_fields() {
  static const Field<Machine> kFields[] = {
      {"confounded", &Machine::confounded, 0, 1, "the simulator's rates are wrong by confounding"},
      {"group", &Machine::group, 0, 1000, "machines of a group share a daily shock"},
      {"drift", &Machine::drift, -1, 1, "of the hidden multiplier, a day"},
      {"drift_sd", &Machine::drift_sd, 0, 10, "of its daily noise"},
      {"trend", &Machine::trend, -10, 10, "factor 1 + trend * day"},
  };
  return kFields;
}

std::span<const Field<Demand>> demand_fields() {
  static const Field<Demand> kFields[] = {
      {"season", &Demand::season, -10, 10, "factor 1 + season * sin(2 pi day / season_days)"},
      {"season_days", &Demand::season_days, 1, kMany, "days of a year"},
      {"group_shock", &Demand::group_shock, 0, 10, "factor 1 + group_shock * Z, per group and day"},
      {"lowest_arrivals", &Demand::lowest_arrivals, 0, kMany, "a day, of a segment at a machine"},
      {"lowest_hidden", &Demand::lowest_hidden, 0, kMany, "the hidden multiplier counts as at least this"},
      {"weather_memory", &Demand::weather_memory, -1, 1, "W_t = clip(memory * W + noise * Z)"},
      {"weather_noise", &Demand::weather_noise, 0, kMany, "see weather_memory"},
      {"weather_limit", &Demand::weather_limit, 0, kMany, "W_t stays within -limit .. limit"},
      {"substitute_willingness", &Demand::substitute_willingness, kTiny, kMany,
       "factor on the willingness to pay for another product"},
      {"breakdown", &Demand::breakdown, 0, 1, "chance a day that a machine sells nothing"},
  };
  return kFields;
}

std::span<const Field<Logistics>> logistics_fields() {
  using L = Logistics;
  static const Field<Logistics> kFields[] = {
      {"slot_capacity", &L::slot_capacity, 0, kDays, "units of a product in a machine"},
      {"depot_capacity", &L::depot_capacity, 0, kMany, "units of a product in the depot"},
      {"start_slot_stock", &L::start_slot_stock, 0, kDays, "units at the start, free"},
      {"start_depot_stock", &L::start_depot_stock, 0, kMany, "units at the start, free"},
      {"shipping", &L::shipping, 0, kMany, "dollars a unit, depot to machine, the same day"},
      {"direct_shipping", &L::direct_shipping, 0, kMany, "dollars a unit, warehouse to machine"},
      {"direct_lead", &L::direct_lead, 0, 365, "mean days, warehouse to machine; at least one"},
      {"direct_lead_sd", &L::direct_lead_sd, 0, 30, "its standard deviation"},
      {"direct_late", &L::direct_late, 0, 1, "chance of one more day"},
      {"direct_split", &L::direct_split, 0, 1, "chance that a part comes a day later"},
      {"direct_split_share", &L::direct_split_share, 0, 1, "what comes on time then"},
      {"depot_shipping", &L::depot_shipping, 0, kMany, "dollars a unit, warehouse to depot"},
      {"depot_lead", &L::depot_lead, 0, 365, "mean days, warehouse to depot; at least one"},
      {"depot_lead_sd", &L::depot_lead_sd, 0, 30, "its standard deviation"},
      {"emergency_units", &L::emergency_units, 0, kDays, "sent after the day to an empty slot"},
      {"depot_low", &L::depot_low, 0, kMany, "at so few units the depot orders"},
      {"depot_emergency", &L::depot_emergency, 0, kMany, "so many more"},
  };
  return kFields;
}

std::span<const Field<Finance>> finance_fields() {
  static const Field<Finance> kFields[] = {
      {"start_cash", &Finance::start_cash, -kMany, kMany, "dollars"},
      {"daily_cost", &Finance::daily_cost, 0, kMany, "dollars a day, whatever happens"},
      {"bankrupt_days", &Finance::bankrupt_days, 1, kMany, "days in a row below zero that end it"},
  };
  return kFields;
}

std::span<const Field<Planning>> planning_fields() {
  using P = Planning;
  static const Field<Planning> kFields[] = {
      {"stock_factor", &P::stock_factor, 0, 1000, "target = stock_factor * rate, rounded, at least 1"},
      {"exploit_price", &P::exploit_price, kTiny, 1000, "times wholesale"},
      {"window_days", &P::window_days, 1, 1000, "uncensored days behind a learned rate"},
      {"pilot_days", &P::pilot_days, 0, kDays, "of planners with a pilot"},
      {"pilot_price_lowest", &P::pilot_price_lowest, kTiny, 1000, "share of what the least willing pay"},
      {"pilot_price_highest", &P::pilot_price_highest, kTiny, 1000, "the same"},
      {"explore_price", &P::explore_price, kTiny, 1000, "the same, when a machine is explored"},
      {"explore_days", &P::explore_days, 0, kDays, "after the pilot, of flagged machines"},
      {"significance", &P::significance, 0, 1, "of the pilot's test, over all slots"},
      {"epsilon", &P::epsilon, 0, 1, "chance that a machine plays at random on a day"},
      {"adaptive_epsilon_start", &P::adaptive_epsilon_start, 0, 1, "the same at first, declining"},
      {"adaptive_epsilon_days", &P::adaptive_epsilon_days, kTiny, kMany, "time constant of the decline"},
      {"adaptive_epsilon_lowest", &P::adaptive_epsilon_lowest, 0, 1, "where the decline ends"},
      {"thompson_days", &P::thompson_days, 1, kDays, "between draws"},
      {"thompson_lowest_rate", &P::thompson_lowest_rate, 0, kMany, "of a draw"},
      {"observation_variance_lowest", &P::observation_variance_lowest, kTiny, kMany,
       "of a day's sales; else the simulator's rate"},
      {"break_days", &P::break_days, 1, 1000, "means of so many days are compared"},
      {"break_change", &P::break_change, 0, kMany, "relative change that counts as a break"},
      {"break_lowest_rate", &P::break_lowest_rate, 0, kMany, "of the mean before it"},
      {"fisher_machines", &P::fisher_machines, 0, 1000, "explored beside the flagged ones"},
      {"fisher_probability", &P::fisher_probability, 0, 1, "that an uncertain machine is explored on a day"},
      {"fisher_days", &P::fisher_days, 0, kMany, "of the value whose sensitivity counts"},
      {"fisher_step", &P::fisher_step, kTiny, kMany, "of the difference quotient, units a day"},
      {"fisher_strength_range", &P::fisher_strength_range, 0, kMany, "strength 1 + range * g^2/max g^2"},
      {"fisher_shape", &P::fisher_shape, 1.001, kMany, "of the Normal-Inverse-Gamma prior"},
      {"optimism_stock", &P::optimism_stock, 0, kMany, "ucrl2, ucbvi: a machine is full from here on"},
      {"optimism_target", &P::optimism_target, 0, kDays, "of the stocking action"},
      {"optimism_loss", &P::optimism_loss, -kMany, kMany, "reward = clip((profit + loss) / range, 0, 1)"},
      {"optimism_range", &P::optimism_range, kTiny, kMany, "the same"},
      {"optimism_discount", &P::optimism_discount, 0, .999, "of the optimistic model"},
      {"optimism_replan_days", &P::optimism_replan_days, 1, kDays, "of ucrl2"},
      {"optimism_confidence", &P::optimism_confidence, 1, kMany, "bonus sqrt(L/2n), L = log(this * (t+2))"},
      {"optimism_bonus", &P::optimism_bonus, 0, kMany, "times the bonus, of ucbvi"},
  };
  return kFields;
}

}  // namespace mindgap::cases::vending
