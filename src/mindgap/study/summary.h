#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/study/comparison.h"
#include "mindgap/study/evidence.h"
#include "mindgap/study/price.h"
#include "mindgap/study/state.h"

// How a study stands, as plain numbers: everything that a status or a report shows. A function of the log.
namespace mindgap::study {

enum class Phase {
  exploring,  // some explorer has steps of the latest design before it, or the result of one is out
  following,  // everybody follows the current policy; `redesign` would explore again
  finished,   // every unit has done all its steps
  stopped,
};
std::string_view to_string(Phase phase);
Phase phase_of(const State& state);

/// What is known about a pair, beside what the simulator says.
struct PairSummary {
  std::int32_t pair = 0;
  std::int64_t seen = 0;                                        // results that count
  double simulated_reward = 0, mean_reward = 0, reward_sd = 0;  // before and after
  double transition_strength = 0;
};

/// Where results differ from what was asked for, one line each.
struct Oddity {
  std::int32_t unit = 0, step = 0;
  std::int32_t assigned_action = 0, action = 0;  // a deviation
  std::int32_t state = 0, next_state = -1;       // an impossible move
  double reward = 0;                             // a far one
};

struct Waiting {
  std::int32_t unit = 0, step = 0;  // whose result is missing
  bool place_unknown = false;       // the result is there, but not where the unit is now
  std::string since;                // the time of the assignment
};

/// One design, update or stop, with its time.
struct Decision {
  std::int64_t event = 0;
  std::string time, kind, content;
};

struct Summary {
  Phase phase = Phase::exploring;
  std::string why;  // it was stopped
  std::int64_t units = 0, controls = 0, horizon = 0, batches = 0, batch_steps = 0;
  std::int64_t updates = 0;  // of the policy, between designs
  std::int64_t assigned = 0, results = 0, pending = 0;
  std::int64_t void_results = 0, censored = 0, partial = 0, deviations = 0, impossible = 0, replaced = 0;
  std::int64_t least_step = 0, most_step = 0;  // steps done by the slowest and the fastest unit
  std::vector<Waiting> waiting;
  std::vector<Oddity> deviating, impossible_moves, far_rewards;

  double mean_reward = 0;  // of results, per unit and step
  /// The value of the current policy from the start distribution: in the simulator, and in what is known now
  /// with the best one there.
  double simulator_value = 0, policy_value_now = 0, best_value_now = 0;
  std::int64_t changed_states = 0;  // in which the best policy now differs from the simulator's
  std::vector<PairSummary> pairs;   // that were seen, most often first
  std::vector<PairEvidence> flagged;
  double level = .05;
  Drift drift;
  SampleRatio ratio;
  Difference difference;
  decide::BatchPrice price;  // of the next batch
  /// The claim that an experiment pays, from results alone: explorers earn more than controls, by an interval
  /// that holds at all looks together.
  bool experiment_pays = false;
  std::vector<Decision> decisions;
  /// The first entry of the log whose time is before that of the entry before it.
  struct ClockBack {
    std::size_t entry = 0;  // number of the one before it, from 1
    std::string before, after;
  };
  std::optional<ClockBack> clock_back;
  /// Whether no member of the ensemble, or no shared error as stated, explains what was observed.
  bool members_refuted = false, shared_refuted = false;
  std::int64_t open_conflicts = 0;  // results that contradict others, and are to be settled
  std::string model_difference;     // of the model at its path from the study's; "" where there is none
};

Summary summarise(const State& state);
/// With the decisions of the log.
Summary summarise(const State& state, const Log& log);

/// The part that a decision keeps as its inputs, as JSON; verify computes it again.
std::string look_json(const Summary& summary);

}  // namespace mindgap::study
