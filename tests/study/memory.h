#pragma once

#include "mindgap/study/assign.h"
#include "study/field.h"

// A study played in memory: the same functions, no file.
namespace mindgap::study {

inline State begin_in_memory(const mdp::Model& model, std::vector<UnitRow> units,
                             const StudyOptions& options) {
  State state{.model = model, .options = options};
  std::vector<std::int32_t> where;
  where.reserve(units.size());
  for (const UnitRow& unit : units) where.push_back(unit.state);
  const std::vector<Arm> arms = draw_arms(where, options.control_share, options.seed);
  for (std::size_t u = 0; u < units.size(); ++u) units[u].arm = arms[u];
  apply(state, {.number = 1, .kind = "study"}, units, {}, {});
  state.times.push_back(kWriter.time);
  return state;
}

inline void add_event(State& state, const std::string& kind, const std::vector<AssignmentRow>& assignments,
                      const std::vector<ObservationRow>& observations, const std::string& data = {}) {
  apply(state,
        {.number = static_cast<std::int64_t>(state.times.size()) + 1,
         .kind = kind,
         .content = "{}",
         .data = data},
        {}, assignments, observations);
}

inline void design_in_memory(State& state, bool explore = true) {
  add_event(state, "redesign", {}, {}, encode_batch(make_batch(state, explore, 1)));
}

inline void update_in_memory(State& state) {
  if (update_is_due(state)) add_event(state, "update", {}, {}, encode_policy(best_policy(state, 1)));
}

/// One step of everybody in a truth.
inline void step_in_memory(State& state, const Truth& truth) {
  update_in_memory(state);
  const std::vector<AssignmentRow> rows = next_assignments(state);
  add_event(state, "assign", rows, {});
  std::vector<ObservationRow> results;
  for (const AssignmentRow& row : rows) {
    base::Stream words({truth.seed, base::Purpose::world, 0, static_cast<std::uint64_t>(row.unit),
                        static_cast<std::uint64_t>(row.step)});
    const std::int32_t pair = truth.mdp.find_pair(row.state, row.action);
    ObservationRow result{.unit = row.unit, .step = row.step, .state = row.state, .action = row.action};
    result.has_reward = true;
    result.reward = truth.mdp.reward()[pair] + truth.sd * base::normal(words);
    double left = base::uniform(words);
    std::int64_t i = truth.mdp.row_begin()[pair];
    while (i + 1 < truth.mdp.row_begin()[pair + 1] && left >= truth.mdp.probability()[i])
      left -= truth.mdp.probability()[i++];
    result.next_state = truth.mdp.next_state()[i];
    results.push_back(result);
  }
  add_event(state, "record", {}, results);
}

}  // namespace mindgap::study
