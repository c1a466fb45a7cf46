#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/decide/information.h"
#include "mindgap/decide/simulation.h"
#include "mindgap/decide/stopping.h"
#include "mindgap/decide/verdict.h"
#include "mindgap/gap/prior_implies.h"
#include "mindgap/stats/interval.h"

// Deploy, learn, or experiment: one call that puts the pieces of this folder together.
namespace mindgap::decide {

struct DecideOptions {
  std::vector<Plan> plans = {};  // empty: default_plans()
  Objective objective = Objective::total;
  double indifference = .01;  // kinds closer than this share of the best value count as tied
  double level = .95;         // of every interval, and of the verdict
  /// Worlds that plans are compared on, and as many again for the gain. 0: as many as it takes to settle, at
  /// most kMostWorlds, within time_limit.
  std::int64_t worlds = 0;
  double time_limit = 60;                // seconds
  std::int64_t information_draws = 256;  // of the value of information; 0: none
  bool price_next_batch = false;         // an experiment is going on: Decision::stopping is wanted
  SimulationOptions simulation = {};

  void validate() const;
};

/// At the first look; each further one has twice as many. A gain that lies in one world of two hundred cannot
/// be seen before such a world is drawn: a look at 256 would miss it in 28 % of cases, one at 1,024 in .6 %.
constexpr std::int64_t kFirstWorlds = 1'024;
constexpr std::int64_t kMostWorlds = 1 << 16;
constexpr std::int64_t kScreeningWorlds = 64;  // on which the pilots of the default plans are thinned out
constexpr std::size_t kPilotsKept = 3;

struct PlanResult {
  Plan plan;
  bool screened = false;    // it was left out after the first worlds, and its numbers are of those
  std::int64_t worlds = 0;  // that its numbers are means over
  double value = 0, standard_error = 0;    // by the objective
  double total = 0, discounted = 0;        // by both
  double difference_to_best = 0;           // paired; 0 for the best
  stats::Interval interval = {};           // of it, all plans' together at the level
  std::vector<double> mean, lower, upper;  // gathered by Decision::steps: mean, and where 80 % of worlds lie
};

/// One plan against another on worlds that had no part in choosing them, so their intervals are plain ones.
struct Comparison {
  std::size_t plan = 0, other = 0;  // places in Decision::plans
  std::int64_t worlds = 0;
  double gain = 0;  // by the objective
  stats::Interval gain_interval = {};
  /// What the plan is behind at the end of its pilot (or of the other's), in expectation; 0 without a pilot.
  double cost = 0;
  stats::Interval cost_interval = {};
  /// The first step from which on the plan is not behind in expectation any more; none: it stays behind.
  std::optional<std::int64_t> break_even_step = {};
  double probability_of_loss = 0;  // share of worlds in which the plan ends behind
  stats::Interval loss_interval = {};
  std::vector<double> difference;  // mean of what it is ahead after each step
};

struct Decision {
  std::optional<Kind> verdict;  // none: undecided
  Kind leaning = Kind::deploy;  // by the means alone
  double worlds_needed = 0;     // where it is undecided: about how many would settle it
  std::vector<PlanResult> plans;
  std::vector<std::int64_t> steps;        // of the curves
  std::size_t recommended = 0;            // place in plans: best of the verdict's kind
  std::optional<Comparison> against;      // the best plan of another kind; none where there is no other kind
  std::optional<Comparison> pilot_price;  // the best pilot against asop, where there are both
  std::optional<BatchPrice> stopping;     // of that pilot as the next batch of an experiment; where asked for
  std::optional<design::Design> pilot;    // of the recommended plan, or of the best pilot
  std::optional<std::size_t> pilot_plan;  // its place in plans
  std::vector<std::int32_t> pilot_members;
  Information information;
  std::optional<gap::PriorImplies> prior_implies;  // over the horizon, by the objective; none without draws
  std::vector<double> priority;  // exploration priority index per state, of the deployed policy
  std::int64_t worlds = 0, looks = 0;
  double seconds = 0;
  bool out_of_time = false, interrupted = false;
  std::vector<std::string> assumptions;  // in words
  std::vector<std::string> notes;        // what a user should know: pilots left out, ...
};

Decision decide(const Situation& situation, const DecideOptions& options = {});

/// The pilot's complete plan, as design::plan_json() writes it; `names` are the situation's units. "" where
/// there is no pilot among the plans.
std::string pilot_json(const mdp::Mdp& mdp, const Decision& decision, const DecideOptions& options,
                       const std::vector<std::string>& names);

/// What the verdict rests on, in words.
std::vector<std::string> assumptions_of(const Situation& situation, const DecideOptions& options);

}  // namespace mindgap::decide
