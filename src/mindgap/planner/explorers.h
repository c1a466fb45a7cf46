#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/belief/belief.h"
#include "mindgap/design/pilot.h"
#include "mindgap/design/target.h"
#include "mindgap/mdp/policy.h"

// A pilot inside a running deployment: some units explore by routes while the others go on.
namespace mindgap::planner {

/// Where everybody is and what they do without a pilot. The first `explorers` units explore.
struct Deployment {
  const belief::Belief& belief;
  const mdp::Mdp& mean;           // the belief's
  const mdp::Policy& policy;      // optimal in the mean: what everybody follows otherwise
  std::span<const double> value;  // its value
  std::span<const std::int32_t> unit_state;
  std::int64_t explorers = 0;
};

/// Routes for the explorers from where they are, and what is expected to be seen meanwhile.
struct PlannedPilot : design::Pilot {
  std::vector<double> counts;  // expected observations of the explorers, per pair
  std::vector<double> credit;  // and of the others meanwhile
};

/// What the explorers should find out, as weights per pair (design/target.h), from where the units are now:
/// the start of the mean model is replaced by the units' places.
struct Aim {
  gap::PvvWeights weights;
  /// target.members models, belief.sample(seed, first_draw), first_draw + 1, ...: what pilots are priced on,
  /// and what an ensemble or a difference is made of.
  std::vector<mdp::Mdp> models;
  std::uint64_t seed = 0, first_draw = 0;
};
Aim aim(const Deployment& now, const design::Target& target, std::uint64_t seed, std::uint64_t first_draw);
/// The models alone, without weights: for a pilot that is there already.
Aim draw_models(const belief::Belief& belief, std::int32_t models, std::uint64_t seed,
                std::uint64_t first_draw);

/// The minimiser of the criterion over the explorers' expected observations, as routes of whole units, with
/// credit for what the other units will observe meanwhile. One thread.
PlannedPilot plan_pilot(const Deployment& now, const gap::PvvWeights& weights, std::int64_t steps);

/// What the units that do not explore are expected to observe in `steps` steps.
std::vector<double> credit_of(const Deployment& now, std::int64_t steps);

/// A discount that looks as far ahead as there are steps left: an end that comes at each step with
/// probability 1/steps, 1 - 1/steps. The model's own discount says how policies are chosen, not how long the
/// deployment lasts.
double patience(std::int64_t steps);

/// What a pilot's observations will earn all units in the `left` steps after it, beyond what everybody would
/// observe without it: units times
///   E[V^best(M') - V^current(M')] with the pilot, minus the same where the explorers follow the current
///   policy,
/// where M' is the mean model as it will be after the observations (preposterior analysis, Raiffa and
/// Schlaifer 1961), `best` its optimal policy at the model's discount, and values are sums of rewards with
/// patience(left). What n observations make of a parameter's posterior mean has the law of
///   mean + sqrt(kappa) (drawn - mean),   kappa = the share of its variance that n observations remove:
/// exactly for a Gaussian mean reward, in its first two moments for a row of transitions. So M' is each of
/// the aim's models, drawn towards the mean pair by pair. n is what the explorers meet in that very model,
/// walked once with the key (seed, Purpose::design, number of the model, explorer), plus the expected counts
/// of the others: expected counts of few explorers would make "seen for certain" of a state that is met
/// rarely.
double pilot_worth(const Deployment& now, const Aim& aim, const PlannedPilot& pilot, std::int64_t left);
/// The same for each of the aim's models; their mean is pilot_worth().
std::vector<double> pilot_worths(const Deployment& now, const Aim& aim, const PlannedPilot& pilot,
                                 std::int64_t left);

/// What a pilot gives up against the current policy, in the mean model: the expected sum of advantages
/// V(s) - Q(s,a) of what the explorers do, V with patience(left) of the steps left from now on. By the
/// performance difference lemma (Kakade and Langford 2002) that is the loss of deviating for so long and then
/// following the current policy again, the way back included. A sum that is a rounding error counts as 0: a
/// pilot that does what the policy does anyway costs nothing, and is not paid for, either.
double pilot_cost(const Deployment& now, const PlannedPilot& pilot, std::int64_t left);

/// Units per state.
std::vector<double> positions_of(std::span<const std::int32_t> unit_state, std::int32_t states);

}  // namespace mindgap::planner
