#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "paper/cases/vending/planning.h"

// Vending machines: a network that is stocked through a depot, customers whose demand is seen only up to what
// was in stock, and a simulator that was fitted to confounded and dated history.
namespace mindgap::cases::vending {

struct Product {
  std::string name = {};
  double wholesale = 1;          // dollars a unit
  std::int64_t shelf_life = 30;  // days; older units are thrown away
  double holding = 0;            // dollars a unit and day
  double weather = 0;            // willingness to pay is multiplied by 1 + weather * W_t

  bool operator==(const Product&) const = default;
};

struct Segment {
  std::string name = {};
  double weekday = 1;                   // factor on arrivals, days 0-4 of a week
  double weekend = 1;                   // days 5 and 6
  std::vector<double> day_parts = {1};  // factor n * part[t mod n] on day t; sums to 1
  double willingness = 3;               // mean willingness to pay, times wholesale
  double willingness_spread = 0.32;     // its standard deviation, relative to the mean
  double substitution = 0.65;           // chance to try another product where the first is sold out
  std::vector<double> preference = {};  // by product; sums to 1

  bool operator==(const Segment&) const = default;
};

inline constexpr std::int64_t kForEver = 1'000'000'000;  // days

/// Arrivals at a machine are multiplied by `factor` on days from <= t < until.
struct Event {
  std::int64_t from = 0;
  std::int64_t until = 0;
  double factor = 1;

  bool operator==(const Event&) const = default;
};

struct Machine {
  std::string name = {};
  std::vector<double> true_rate = {};       // arrivals a day by segment, before every factor
  std::vector<double> simulator_rate = {};  // what the simulator says instead
  bool confounded = false;  // the simulator's rate is wrong by confounding: equal where that is switched off
  std::int64_t group = 0;   // machines of a group share a daily shock
  double drift = 0;         // a day, of the hidden multiplier that begins at 1
  double drift_sd = 0.01;   // of its daily noise
  double trend = 0;         // factor 1 + trend * t
  std::vector<Event> events = {};

  bool operator==(const Machine&) const = default;
};

/// The parts of demand that all machines share.
struct Demand {
  double season = 0.4;  // factor 1 + season * sin(2 pi t / season_days)
  double season_days = 365;
  double group_shock = 0.08;      // factor 1 + group_shock * Z, Z normal per group and day
  double lowest_arrivals = 0.01;  // a day, of a segment at a machine
  double lowest_hidden = 0.05;    // the hidden multiplier counts as at least this
  double weather_memory = 0.7;    // W_t = clip(memory W_{t-1} + noise Z, -limit, limit)
  double weather_noise = 0.3;
  double weather_limit = 1.5;
  double substitute_willingness = 1.1;  // factor on the willingness to pay for another product
  double breakdown = 0.02;              // chance a day that a machine sells nothing

  bool operator==(const Demand&) const = default;
};

struct Logistics {
  std::int64_t slot_capacity = 18;    // units of a product in a machine
  std::int64_t depot_capacity = 120;  // units of a product
  std::int64_t start_slot_stock = 5;
  std::int64_t start_depot_stock = 30;
  double shipping = 0.05;         // dollars a unit, depot to machine, the same day
  double direct_shipping = 0.15;  // warehouse to machine
  double direct_lead = 2;         // days: max(1, round(normal))
  double direct_lead_sd = 0.7;
  double direct_late = 0.05;        // chance of one more day
  double direct_split = 0.08;       // chance that a part comes a day later
  double direct_split_share = 0.7;  // what comes on time then
  double depot_shipping = 0.08;     // warehouse to depot
  double depot_lead = 1;
  double depot_lead_sd = 0.3;
  std::int64_t emergency_units = 3;   // sent from the depot after the day where a slot is empty
  std::int64_t depot_low = 4;         // at so few units the depot orders
  std::int64_t depot_emergency = 10;  // so many more

  bool operator==(const Logistics&) const = default;
};

struct Finance {
  double start_cash = 2000;
  double daily_cost = 10;
  std::int64_t bankrupt_days = 5;  // consecutive days below zero after which the cash stays as it is

  bool operator==(const Finance&) const = default;
};

struct Configuration {
  std::string name = {};
  std::vector<Product> products = {};
  std::vector<Segment> segments = {};
  std::vector<Machine> machines = {};
  Demand demand = {};
  Logistics logistics = {};
  Finance finance = {};
  Planning planning = {};

  bool operator==(const Configuration&) const = default;
};

/// The network of the paper with every value that the text leaves open resolved
/// (docs/tutorial/vending-machines.md): five machines, three products, three segments.
Configuration default_configuration();

/// What is wrong with a configuration, and where.
struct Problem {
  std::vector<std::string> path;  // keys in the file: {"segment", "family", "preference"}
  std::string text;               // one line
  std::string value = {};
};

/// The first problem, if any.
std::optional<Problem> find_problem(const Configuration& configuration);
/// Throws InvalidArgument with the first problem.
void check(const Configuration& configuration);

/// The configuration without confounding (confounded machines' simulator rates are the true ones), without
/// drift (the noise of the walk stays), or without both.
Configuration with_errors(Configuration configuration, bool confounding, bool drift);

}  // namespace mindgap::cases::vending
