#pragma once

#include <memory>
#include <string_view>

#include "paper/cases/vending/planner.h"

// The planners by what they do. A briefing must outlive its planners.
namespace mindgap::cases::vending {

/// The simulator's rates for ever.
std::unique_ptr<VendingPlanner> make_sop(const Briefing& briefing);

struct PassiveOptions {
  bool pilot = false;          // planning.pilot_days of a pilot first
  bool keep_sold_out = false;  // days that sold out count as plain sales
};
/// A-SOP: the learned rates.
std::unique_ptr<VendingPlanner> make_asop(const Briefing& briefing, PlannerSeed seed,
                                          PassiveOptions options = {});

enum class Epsilon { fixed, learning, learning_adaptive };
/// Each machine plays at random on some days; else SOP, or A-SOP where it learns.
std::unique_ptr<VendingPlanner> make_epsilon(const Briefing& briefing, PlannerSeed seed, Epsilon kind);

/// Rates drawn from the belief every few days.
std::unique_ptr<VendingPlanner> make_thompson(const Briefing& briefing, PlannerSeed seed);

/// A pilot, then the learned rate plus the knowledge gradient of one more day.
std::unique_ptr<VendingPlanner> make_knowledge_gradient(const Briefing& briefing, PlannerSeed seed);

enum class Optimism { ucrl2, ucbvi };
/// Per machine: two states (stock low or not), two actions (stock or not).
std::unique_ptr<VendingPlanner> make_optimism(const Briefing& briefing, Optimism kind);

/// Per slot, on what the other planners see and choose: every stock from 0 to the capacity is a state, every
/// target an action. Bonuses and constants as of make_optimism(), rewards a product's share of a machine's.
std::unique_ptr<VendingPlanner> make_slot_optimism(const Briefing& briefing, Optimism kind);

/// Fisher-SEP-R without a pilot of a fixed length: a machine is explored for a day whenever what its sales
/// would tell is worth more than the day costs (price_of_exploring()), at any time.
std::unique_ptr<VendingPlanner> make_adaptive_fisher(const Briefing& briefing, PlannerSeed seed);
/// Information-directed sampling on the value (Russo, Van Roy 2014): every day each machine explores with the
/// probability that makes (expected regret)^2 / (variance of the value that goes away) smallest.
std::unique_ptr<VendingPlanner> make_ids(const Briefing& briefing, PlannerSeed seed);

struct CensoredOptions {
  bool season = false;          // learns factors of weekday and time of day
  bool price = false;           // chooses from the price grid
  std::int64_t pilot_days = 0;  // a pilot first
};
/// The stocking rule of A-SOP on rates from a filter that reads a day that sold out as "at least this much"
/// and follows drift (belief::DemandFilter).
std::unique_ptr<VendingPlanner> make_censored(const Briefing& briefing, PlannerSeed seed,
                                              CensoredOptions options = {});

}  // namespace mindgap::cases::vending
