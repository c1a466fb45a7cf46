#include "mindgap/study/place_result.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "mindgap/study/results.h"

namespace mindgap::study {
namespace {

std::string quoted_name(std::string_view name) {
  return fmt::format("'{}'", base::printable(name));
}

// A name, or a number where the model has no names.
std::int32_t find_name(const mdp::NameTable& names, std::int32_t count, const std::string& name) {
  if (names.size() > 0) return names.find(name);
  std::int32_t number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool good =
      error == std::errc() && end == name.data() + name.size() && std::to_string(number) == name;
  return good && number >= 0 && number < count ? number : -1;
}

std::int32_t action_of(const State& state, const FieldResult& result, const AssignmentRow& assigned) {
  if (!result.action) return assigned.action;
  const mdp::Mdp& mdp = state.mdp();
  const std::int32_t action = find_name(mdp.labels().actions, mdp.actions(), *result.action);
  if (action < 0 || mdp.find_pair(assigned.state, action) < 0)
    throw Refused("unknown_action",
                  fmt::format("there is no action {} in state {}", quoted_name(*result.action),
                              quoted_name(mdp.state_name(assigned.state))));
  return action;
}

std::int32_t next_state_of(const State& state, const FieldResult& result, Placed& placed) {
  if (!result.next_state) return -1;
  const mdp::Mdp& mdp = state.mdp();
  const std::int32_t found = find_name(mdp.labels().states, mdp.states(), *result.next_state);
  if (found >= 0) return found;
  if (!state.options.allow_new_states || result.next_state->empty() ||
      !mdp::is_clean_utf8(*result.next_state))
    throw Refused("unknown_state", fmt::format("there is no state {}", quoted_name(*result.next_state)));
  placed.new_states.push_back(*result.next_state);
  return mdp.states();
}

ObservationRow row_of(const State& state, const FieldResult& result, const AssignmentRow& assigned,
                      Placed& placed) {
  ObservationRow row;
  row.unit = assigned.unit;
  row.step = assigned.step;
  row.state = assigned.state;
  row.action = action_of(state, result, assigned);
  row.deviation = row.action != assigned.action;
  row.is_void = result.is_void;
  row.next_state = next_state_of(state, result, placed);
  if (result.reward && !result.is_void) {
    row.has_reward = true;
    row.reward = *result.reward + 0.0;  // no negative zero
    if (!(std::abs(row.reward) <= kLargestReward))
      throw Refused("invalid", "the reward must be finite, at most 1e100");
    row.censored = result.bound != mdp::Censoring::none;
    row.at_most = result.bound == mdp::Censoring::at_most;
  }
  return row;
}

bool says_nothing(const ObservationRow& row) {
  return !row.is_void && !row.has_reward && row.next_state < 0;
}

// Whether the next step was assigned from another state than this row says.
bool moves_what_is_assigned(const State& state, const ObservationRow& old, const ObservationRow& row) {
  return row.next_state != old.next_state && row.step + 1 != state.places[row.unit].next_step;
}

std::int32_t assignment_of(const State& state, const FieldResult& result) {
  const std::int32_t unit = state.names.find(result.unit);
  if (unit < 0)
    throw Refused("unknown_unit", fmt::format("the study has no unit {}", quoted_name(result.unit)));
  const std::int32_t assignment = state.find_assignment(unit, result.step);
  if (assignment < 0)
    throw Refused("not_assigned", fmt::format("step {} of unit {} was never assigned", result.step,
                                              quoted_name(result.unit)));
  return assignment;
}

}  // namespace

const char* to_string(Outcome outcome) {
  constexpr std::array kWords{"recorded", "completed", "corrected", "already", "conflict"};
  return kWords[static_cast<std::size_t>(outcome)];
}

const char* to_string(Choice choice) {
  constexpr std::array kWords{"keep", "take", "take_reward"};
  return kWords[static_cast<std::size_t>(choice)];
}

std::optional<Choice> choice_from(std::string_view text) {
  for (const Choice choice : {Choice::keep, Choice::take, Choice::take_reward}) {
    if (text == to_string(choice)) return choice;
  }
  return std::nullopt;
}

Placed place_result(const State& state, const FieldResult& result, std::int64_t seen) {
  const std::int32_t assignment = assignment_of(state, result);
  const AssignmentRow& assigned = state.assignments[assignment];
  if (result.state && *result.state != state.mdp().state_name(assigned.state))
    throw Refused("other_state",
                  fmt::format("unit {} was in state {} at step {}, not in {}", quoted_name(result.unit),
                              quoted_name(state.mdp().state_name(assigned.state)), result.step,
                              quoted_name(*result.state)));
  Placed placed;
  placed.row = row_of(state, result, assigned, placed);
  const std::int32_t holding = state.result[assignment];
  if (holding < 0) {
    if (says_nothing(placed.row))
      throw Refused("nothing_said", "neither a reward nor where it led is there, and it is not void");
    return placed;
  }
  const ObservationRow& old = state.observations[holding];
  const Relation how = relation(old, placed.row);
  if (how == Relation::same) {
    placed.outcome = Outcome::already;
    placed.new_states.clear();
    return placed;
  }
  const ObservationRow whole = completed(old, placed.row);
  if (says_nothing(whole))
    throw Refused("nothing_said", "neither a reward nor where it led is there, and it is not void");
  if (how == Relation::contradicts) {
    const bool knew = seen >= state.event_of[holding];
    placed.reason = !result.correct ? "contradicts" : !knew ? "newer_correction" : "";
  }
  if (placed.reason.empty() && moves_what_is_assigned(state, old, whole)) placed.reason = "moved_on";
  if (!placed.reason.empty()) {
    placed.outcome = Outcome::conflict;
    placed.new_states.clear();
    return placed;
  }
  placed.row = whole;
  placed.row.replaces = holding;
  placed.outcome = how == Relation::completes ? Outcome::completed : Outcome::corrected;
  return placed;
}

Placed settle_conflict(const State& state, const Conflict& conflict, Choice choice) {
  Placed placed{.outcome = Outcome::already};
  if (choice == Choice::keep) return placed;
  FieldResult sent = conflict.sent;
  if (choice == Choice::take_reward) sent.next_state.reset();
  const std::int32_t assignment = assignment_of(state, sent);
  const std::int32_t holding = state.result[assignment];
  const ObservationRow& old = state.observations[holding];
  placed.row = row_of(state, sent, state.assignments[assignment], placed);
  if (relation(old, placed.row) == Relation::same) {
    placed.new_states.clear();
    return placed;
  }
  placed.row = completed(old, placed.row);
  if (says_nothing(placed.row)) throw Refused("nothing_said", "nothing is left of the result to take");
  if (moves_what_is_assigned(state, old, placed.row))
    throw Refused("moved_on",
                  fmt::format("step {} of unit {} was assigned from where the result that holds led: "
                              "take the reward only, or keep the one that holds",
                              placed.row.step + 1, quoted_name(sent.unit)));
  placed.row.replaces = holding;
  placed.outcome = Outcome::corrected;
  return placed;
}

}  // namespace mindgap::study
