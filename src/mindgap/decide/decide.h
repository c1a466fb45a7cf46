#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/decide/economics.h"
#include "mindgap/decide/information.h"
#include "mindgap/decide/race.h"
#include "mindgap/decide/refuted.h"
#include "mindgap/decide/simulation.h"
#include "mindgap/decide/stopping.h"
#include "mindgap/decide/verdict.h"
#include "mindgap/gap/prior_implies.h"
#include "mindgap/gap/regret_bound.h"
#include "mindgap/stats/interval.h"
#include "mindgap/voi/rows.h"

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
  double time_limit = 60;  // seconds
  /// With worlds 0: at most so many, and no look at the clock; 0: kMostWorlds, within time_limit.
  std::int64_t most_worlds = 0;
  /// With that, where a clock once cut them: draws of the value of information in place of information_draws;
  /// 0: all.
  std::int64_t most_draws = 0;
  std::int64_t information_draws = 256;  // of the value of information; 0: none
  /// In place of SimulationOptions::most_work; 0: kWorkPerSecond times the time limit, at most a minute.
  double most_work = 0;
  bool price_next_batch = false;  // an experiment is going on: Decision::stopping is wanted
  /// Its listener's `estimate` is told once, before the long part, from the first sampled models.
  SimulationOptions simulation = {};

  void validate() const;
  /// That of `simulation`, or the smaller one that a smaller indifference asks for.
  double tolerance() const;
  /// `simulation` with what follows from the rest: most_work, the tolerance, and time for designs.
  SimulationOptions simulation_options() const;
};

/// At the first look; each further one has twice as many. A gain that lies in one world of two hundred cannot
/// be seen before such a world is drawn: a look at 256 would miss it in 28 % of cases, one at 1,024 in .6 %.
constexpr std::int64_t kFirstWorlds = 1'024;
constexpr std::int64_t kMostWorlds = 1 << 16;
/// Of pilot sizes and of results by group; at most a quarter of the sampled models that were asked for.
constexpr std::int64_t kCurveWorlds = 256;
/// Of a plan that is not left out, per second of the time limit and at most for a minute: 2 x kFirstWorlds of
/// such models take two cores about half of the limit.
constexpr double kWorkPerSecond = 5e5;

/// Policies that are found again at a look lose at most this share of a difference that counts as a tie; but
/// less than kLeastTolerance would not be seen beside how worlds differ.
constexpr double kToleranceOfTie = .03;
constexpr double kLeastTolerance = 3e-5;

struct PlanResult {
  Plan plan;
  std::int64_t replan_every = 1;  // steps between two looks at the belief
  bool screened = false;          // it was dropped early: its numbers are of the models it met until then
  std::int64_t worlds = 0;        // that its numbers are means over
  double value = 0,
         standard_error = 0;   // by the objective: mean over sampled models, and its Monte-Carlo error
  stats::Interval range = {};  // of a world's value: 10th to 90th percentile
  /// Share of sampled models in which no plan that was compared to the end does better, and what it loses
  /// against the best of them in each world, on average; none for those that were screened.
  std::optional<double> share_best = {};
  std::optional<gap::Estimate> expected_loss = {};
  double total = 0, discounted = 0;        // by both
  double difference_to_best = 0;           // paired; 0 for the best
  stats::Interval interval = {};           // of it, all plans' together at the level
  std::vector<double> mean, lower, upper;  // gathered by Decision::steps: mean, and where 80 % of models lie
};

/// One plan against another on sampled models that had no part in choosing them, so their intervals are plain
/// ones.
struct Comparison {
  std::size_t plan = 0, other = 0;  // places in Decision::plans
  std::int64_t worlds = 0;
  double gain = 0;  // by the objective
  /// Of the gain, whatever the sample of models: of Decision::against it also covers the choice between plans
  /// that the models cannot tell apart, as another sample may choose another of them.
  stats::Interval gain_interval = {};
  stats::Interval sampling_interval = {};  // of the gain of this very plan over this very other one
  /// What the plan is behind at the end of its pilot (or of the other's), in expectation; 0 without a pilot.
  double cost = 0;
  stats::Interval cost_interval = {};
  /// The first step from which on the plan is not behind in expectation any more; none: it stays behind.
  std::optional<std::int64_t> break_even_step = {};
  double probability_of_loss = 0;  // share of sampled models in which the plan ends behind
  stats::Interval loss_interval = {};
  std::vector<double> difference;  // mean of what it is ahead after each step
};

/// What a user should know of the plans that were compared.
struct Note {
  enum class What {
    past_horizon,    // `plans` are left out: they would run past step `horizon`
    unlimited,       // `plans` are left out: nobody designs their routes, so they cannot keep to limits
    out_of_time,     // `plans` are left out: there was no time to design them
    infeasible,      // `plans` are left out: no such pilot keeps to the limits
    no_pilot_fits,   // the horizon is shorter than any pilot
    nothing_of_kind  // no plan of this `kind` is compared
  };
  What what;
  std::vector<std::string> plans = {};  // by name
  std::int64_t horizon = 0;
  Kind kind = Kind::deploy;
};

/// What time may cut.
enum class Cut {
  sampled_models,      // in which plans are compared
  information_draws,   // of the value of information
  nothing_to_learn,    // draws that may show that nothing is to be learnt
  followed_models,     // in which the deployed policy was followed
  pilots,              // that are designed and compared
  screening_of_plans,  // the race
};

struct Decision {
  std::optional<Kind> verdict;  // none: undecided
  Kind leaning = Kind::deploy;  // by the means alone
  double worlds_needed = 0;     // where it is undecided: about how many would settle it
  std::vector<PlanResult> plans;
  std::vector<std::int64_t> steps;    // of the curves
  std::size_t recommended = 0;        // place in plans: best of the verdict's kind
  std::optional<Comparison> against;  // the best plan of another kind; none where there is no other kind
  /// The best experiment against asop: what exploring earns over waiting and updating.
  std::optional<Comparison> over_learning;
  /// The best designed experiment against the best undirected one: what routes earn over exploring without.
  /// Where the interval does not lie above the indifference, the undirected one is recommended.
  std::optional<Comparison> over_undirected;
  std::optional<Comparison> pilot_price;  // the best pilot against asop, where there are both
  std::optional<BatchPrice> stopping;     // of that pilot as the next batch of an experiment; where asked for
  std::optional<design::Design> pilot;    // of the recommended plan, or of the best pilot
  std::optional<std::size_t> pilot_plan;  // its place in plans
  std::vector<std::int32_t> pilot_members;
  Information information;
  std::optional<voi::RowsValue> rows;  // value of partial information, by group of states; none without draws
  std::optional<PilotCurve> curve;     // of pilot sizes; none where no plan is a pilot
  std::optional<GroupResults> groups;  // who gains, who pays; none where there is no other kind or no group
  PlanDraws draws;                     // what each plan that was not screened earned in each world
  std::vector<ParameterValue> parameters = {};     // of an ensemble (value_of_parameters)
  std::optional<gap::PriorImplies> prior_implies;  // over the horizon, by the objective; none without draws
  /// Perfect information is surely worth less than the indifference: sop alone was followed.
  bool nothing_to_learn = false;
  std::optional<Refuted> refuted;  // where there are observations
  std::vector<double> priority;    // exploration priority index per state, of the deployed policy
  /// What a bound on regret says of how long a pilot should be (pilot_length.h); none where none is a pilot.
  std::optional<gap::PilotLength> pilot_length = {};
  std::int64_t worlds = 0, looks = 0;
  double seconds = 0;
  bool out_of_time = false, interrupted = false;
  /// What was done less of because time_limit was over: the answer then depends on the machine.
  std::vector<Cut> cut = {};
  /// Where only numbers of models were cut: DecideOptions::most_worlds and most_draws that give the same
  /// answer, bit for bit.
  struct Repeat {
    std::int64_t most_worlds = 0, most_draws = 0;
  };
  std::optional<Repeat> repeat = {};
  std::vector<Note> notes;  // what a user should know: pilots left out, ...
};

Decision decide(const Situation& situation, const DecideOptions& options = {});

/// The plans that are compared: those that were given and fit, or the default ones without those that are too
/// slow for this model; says in `notes` what is left out, and why.
std::vector<Plan> fitting_plans(const Situation& situation, const DecideOptions& options,
                                std::vector<Note>& notes);

/// Whether the recommended experiment is a designed one although there was an undirected one.
inline bool routes_pay(const Decision& decision) {
  return decision.over_undirected && decision.plans[decision.recommended].plan.is_designed();
}

}  // namespace mindgap::decide
