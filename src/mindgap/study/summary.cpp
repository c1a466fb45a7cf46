#include "mindgap/study/summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mindgap/belief/ensemble.h"
#include "mindgap/belief/surprise.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/study/results.h"

namespace mindgap::study {
namespace {

void count_units(const State& state, Summary& summary) {
  summary.units = static_cast<std::int64_t>(state.units.size());
  summary.horizon = state.options.horizon;
  summary.batches = static_cast<std::int64_t>(state.batches.size());
  summary.updates = static_cast<std::int64_t>(state.policies.size() - state.batches.size());
  summary.batch_steps = state.batches.back().steps;
  summary.least_step = state.options.horizon;
  for (std::size_t u = 0; u < state.units.size(); ++u) {
    const UnitPlace& place = state.places[u];
    if (state.units[u].arm == Arm::control) ++summary.controls;
    const std::int64_t done = place.next_step - (place.pending ? 1 : 0);
    summary.least_step = std::min(summary.least_step, done);
    summary.most_step = std::max(summary.most_step, done);
    const bool lost = !place.pending && place.state < 0 && place.next_step < state.options.horizon;
    if (!place.pending && !lost) continue;
    const std::int32_t last = state.assignments_of_unit[u].back();
    summary.waiting.push_back({static_cast<std::int32_t>(u), place.next_step - 1, lost,
                               state.times[static_cast<std::size_t>(state.issue[last]) - 1]});
  }
}

void count_results(const State& state, const belief::Belief& before, Summary& summary) {
  summary.assigned = static_cast<std::int64_t>(state.assignments.size());
  double sum = 0, rewards = 0;
  for (std::size_t i = 0; i < state.observations.size(); ++i) {
    const ObservationRow& row = state.observations[i];
    if (!state.holds(i)) {
      ++summary.replaced;
      continue;
    }
    ++summary.results;
    summary.void_results += row.is_void;
    summary.censored += row.censored;
    summary.partial += !row.is_void && (!row.has_reward || row.next_state < 0);
    const AssignmentRow& assigned = state.assignments[state.about[i]];
    const Oddity odd{row.unit, row.step, assigned.action, row.action, row.state, row.next_state, row.reward};
    if (row.deviation) summary.deviating.push_back(odd);
    if (!is_possible(state.mdp(), row)) summary.impossible_moves.push_back(odd);
    if (is_far(before, row)) summary.far_rewards.push_back(odd);
    if (!row.has_reward || row.censored) continue;
    sum += row.reward;
    rewards += 1;
  }
  summary.pending = summary.assigned - summary.results;
  summary.deviations = static_cast<std::int64_t>(summary.deviating.size());
  summary.impossible = static_cast<std::int64_t>(summary.impossible_moves.size());
  summary.mean_reward = rewards > 0 ? sum / rewards : 0;
}

void judge_policies(const State& state, const belief::Belief& now, Summary& summary) {
  const mdp::Solution simulated = mdp::solve(state.mdp());
  const mdp::Mdp mean = now.mean();
  const mdp::Solution best = mdp::solve(mean, {.initial_value = simulated.value});
  summary.simulator_value = simulated.value_at_start;
  summary.policy_value_now = mdp::evaluate(mean, simulated.policy).value_at_start;
  summary.best_value_now = best.value_at_start;
  for (std::int32_t s = 0; s < mean.states(); ++s)
    summary.changed_states += simulated.policy.pair_of_state()[s] != best.policy.pair_of_state()[s];
}

void list_pairs(const belief::Belief& now, const std::vector<PairEvidence>& evidence, Summary& summary) {
  for (const PairEvidence& one : evidence) {
    const std::int64_t seen = std::max(one.rewards, one.moves);
    if (one.flagged) summary.flagged.push_back(one);
    if (seen == 0) continue;
    summary.pairs.push_back({one.pair, seen, now.simulator().reward()[one.pair], now.reward_mean(one.pair),
                             std::sqrt(now.reward_variance(one.pair)), now.transition_strength(one.pair)});
  }
  std::stable_sort(summary.pairs.begin(), summary.pairs.end(),
                   [](auto& a, auto& b) { return a.seen > b.seen; });
  std::stable_sort(summary.flagged.begin(), summary.flagged.end(),
                   [](auto& a, auto& b) { return a.p_value < b.p_value; });
}

// Where neither shared errors nor any member of an ensemble explain the results.
void find_unexplained(const belief::Belief& now, Summary& summary) {
  summary.members_refuted = now.ensemble() != nullptr &&
                            belief::surprise(*now.ensemble(), {.worst = 0}).share < belief::kSurprising;
  summary.shared_refuted =
      !now.shared().none() && now.censored_rewards() == 0 && now.factors().surprise() < belief::kSurprising;
}

std::optional<Summary::ClockBack> clock_back(const State& state) {
  for (std::size_t i = 1; i < state.times.size(); ++i) {
    if (state.times[i] < state.times[i - 1])
      return Summary::ClockBack{i, std::string(state.times[i - 1]), std::string(state.times[i])};
  }
  return std::nullopt;
}

}  // namespace

Phase phase_of(const State& state) {
  if (state.stopped) return Phase::stopped;
  bool left = false;
  const auto latest = static_cast<std::int32_t>(state.batches.size()) - 1;
  for (std::size_t u = 0; u < state.units.size(); ++u) {
    const UnitPlace& place = state.places[u];
    if (place.next_step >= state.options.horizon && !place.pending) continue;
    left = true;
    if (state.units[u].arm == Arm::control || state.batches.back().routes.empty()) continue;
    const std::int64_t done = place.next_step - place.entry_step - (place.pending ? 1 : 0);
    const bool before =
        place.batch == latest ? done < state.batches.back().steps : place.next_step < state.options.horizon;
    if (before) return Phase::exploring;
  }
  return left ? Phase::following : Phase::finished;
}

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::exploring:
      return "exploring";
    case Phase::following:
      return "following";
    case Phase::finished:
      return "finished";
    default:
      return "stopped";
  }
}

Summary summarise(const State& state) {
  Summary summary;
  summary.phase = phase_of(state);
  summary.why = state.why;
  summary.open_conflicts = state.open_conflicts();
  count_units(state, summary);
  const belief::Knowledge knowledge = knowledge_now(state);
  count_results(state, knowledge.before, summary);
  judge_policies(state, knowledge.now, summary);
  list_pairs(knowledge.now, evidence_against_simulator(state, knowledge, summary.level), summary);
  summary.drift = drift_between_batches(state, knowledge, summary.level);
  summary.ratio = sample_ratio(state);
  summary.difference = difference_to_control(state);
  summary.experiment_pays = summary.difference.pays();
  summary.price = next_batch_price(state, knowledge);
  find_unexplained(knowledge.now, summary);
  summary.clock_back = clock_back(state);
  return summary;
}

Summary summarise(const State& state, const Log& log) {
  Summary summary = summarise(state);
  for (const Event& event : log.events) {
    if (event.kind == "design" || event.kind == "redesign" || event.kind == "update" || event.kind == "stop")
      summary.decisions.push_back({event.number, event.time, event.kind, event.content});
  }
  return summary;
}

std::string look_json(const Summary& summary) {
  nlohmann::ordered_json json;
  json["phase"] = to_string(summary.phase);
  json["assigned"] = summary.assigned;
  json["results"] = summary.results;
  json["go_on"] = summary.price.go_on();
  json["worth"] = summary.price.worth;
  json["worth_standard_error"] = summary.price.standard_error;
  json["cost"] = summary.price.cost;
  json["net"] = summary.price.net;
  json["net_interval"] = {summary.price.interval.lower, summary.price.interval.upper};
  json["experiment_pays"] = summary.experiment_pays;
  json["flagged_pairs"] = summary.flagged.size();
  json["drift_log_e"] = summary.drift.log_e;
  json["difference_to_control"] = summary.difference.steps > 0
                                      ? nlohmann::ordered_json(summary.difference.difference)
                                      : nlohmann::ordered_json(nullptr);
  return json.dump();
}

}  // namespace mindgap::study
