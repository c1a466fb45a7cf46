#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/belief/knowledge.h"
#include "mindgap/mdp/model.h"
#include "mindgap/study/author.h"
#include "mindgap/study/batch.h"
#include "mindgap/study/field_result.h"
#include "mindgap/study/log.h"
#include "mindgap/study/options.h"

// Where a study stands: a fold over its log, nothing else.
namespace mindgap::study {

/// Where one unit is.
struct UnitPlace {
  std::int32_t state = -1;                       // now; -1: not known, a result came without it
  std::int32_t next_step = 0;                    // the first one that was not assigned
  bool pending = false;                          // the last assigned step has no result
  std::int32_t batch = -1;                       // the design it is in; -1: none yet
  std::int32_t entry_step = 0, entry_state = 0;  // where it entered that
  std::int32_t route = Batch::kPolicy;
  std::int32_t design_state = -1;  // where it was when the latest design was made
};

/// A result that contradicted the log when it came, and was kept.
struct Conflict {
  std::int64_t event = 0;  // that kept it, by which it is known
  std::string reason;      // contradicts, newer_correction or moved_on
  FieldResult sent;
  std::int32_t assignment = 0;  // what it is about
  std::int64_t settled = 0;     // the event that settled it, or 0
};

/// Somebody who takes part, as the log knows them: no secrets.
struct Person {
  std::string role;
  std::vector<std::string> units;  // of a field person

  bool operator==(const Person&) const = default;
};

struct State {
  std::string id;  // the hash of the first row, by which studies are told apart
  mdp::Model model;
  StudyOptions options;
  std::vector<UnitRow> units;
  std::int64_t joined = 0;  // of them, the last so many, came after the study had begun
  mdp::NameTable names;
  std::vector<UnitPlace> places;
  std::vector<Batch> batches;
  std::vector<std::vector<std::int32_t>> policies;  // of designs and updates; the last one is in force
  std::int64_t policy_results = 0;                  // rows of results before that one
  std::vector<AssignmentRow> assignments;
  std::vector<ObservationRow> observations;
  std::vector<std::vector<std::int32_t>> assignments_of_unit;  // by step
  std::vector<std::int32_t> result;     // per assignment: the observation that holds now, or -1
  std::vector<std::int32_t> about;      // per observation: its assignment
  std::vector<std::int32_t> issue;      // per assignment: the number of the event that made it
  std::vector<std::int32_t> policy_of;  // per assignment: the policy in force when it was made
  std::int32_t last_issue = 0;          // of the latest assign event
  std::int64_t records = 0;             // record events
  std::vector<std::string> times;       // of all events
  std::vector<std::shared_ptr<const Author>> authors;  // of all events; null: nobody was asked
  std::vector<std::int32_t> event_of;                  // per observation: the event that brought it
  std::unordered_map<std::string, std::int64_t> ids;   // of authors: their events
  std::vector<Conflict> conflicts;                     // in the order of events
  std::map<std::string, Person> people;                // by name
  std::vector<std::string> keys;                       // that signed parts of the log
  bool ends_signed = false;                            // the last event is a signature
  bool stopped = false;
  std::string why;  // it was stopped

  const mdp::Mdp& mdp() const { return model.mdp; }
  /// The number of units that the study began with, the first ones.
  std::int64_t founding() const { return static_cast<std::int64_t>(units.size()) - joined; }
  /// The assignment of (unit, step), or -1; also for units that are not there, as a damaged row may name.
  std::int32_t find_assignment(std::int32_t unit, std::int64_t step) const {
    if (unit < 0 || unit >= static_cast<std::int32_t>(assignments_of_unit.size())) return -1;
    const auto& steps = assignments_of_unit[unit];
    return step >= 0 && step < static_cast<std::int64_t>(steps.size()) ? steps[static_cast<std::size_t>(step)]
                                                                       : -1;
  }
  /// The conflict that an event kept, or null.
  const Conflict* find_conflict(std::int64_t event) const;
  std::int64_t open_conflicts() const;
  /// Whether an observation is the one that holds (nothing replaced it).
  bool holds(std::size_t observation) const {
    return result[about[observation]] == static_cast<std::int32_t>(observation);
  }
};

/// Throws StoreError where the log does not follow from itself (a row about a unit that is not there).
State replay(const Log& log);

/// The steps of replay(), for those who look between them. begin() takes the first event.
State begin(const Event& event);
/// Adds what one event and its rows say.
void apply(State& state, const Event& event, std::span<const UnitRow> units,
           std::span<const AssignmentRow> assignments, std::span<const ObservationRow> observations);

/// What a people event says: who is there after it.
std::map<std::string, Person> people_after(std::map<std::string, Person> people, const Event& event);
/// The content of the event that leads from one list of people to another; "" where they are the same.
std::string people_change(const std::map<std::string, Person>& before,
                          const std::map<std::string, Person>& after);

/// The states that an event with results brought in.
std::vector<std::string> new_states_of(const Event& event);

/// Walks over the events of a log with the rows of each: visit(event, units, assignments, observations).
template <typename Visit>
void for_each_event(const Log& log, Visit visit);

/// What is known before the study, and now, with evidence_of().
belief::Knowledge knowledge_before(const State& state);
belief::Knowledge knowledge_now(const State& state);

/// The observations that the study began with, if any.
std::optional<mdp::ObservationLog> log_before(const mdp::Model& model, const StudyOptions& options);
/// The results that count as evidence, as a log: in the order of the study's log, without void ones, without
/// deviations (which nobody drew), and without those that were replaced. Parts of a result may be missing.
mdp::ObservationLog evidence_of(const State& state);

/// The pair of an observation, or of an assignment; -1 where there is none.
template <typename Row>
std::int32_t pair_of(const mdp::Mdp& mdp, const Row& row) {
  if (row.state < 0 || row.state >= mdp.states()) return -1;  // a row of a file may hold anything
  return mdp.find_pair(row.state, row.action);
}

template <typename Visit>
void for_each_event(const Log& log, Visit visit) {
  std::size_t unit = 0, assignment = 0, observation = 0;
  const auto part = [](const auto& rows, std::size_t& from, std::int64_t count) {
    const std::size_t left = rows.size() - from;
    if (count < 0 || static_cast<std::size_t>(count) > left)
      throw StoreError("the study is damaged: rows of an event are missing");
    const auto found = std::span(rows).subspan(from, static_cast<std::size_t>(count));
    from += static_cast<std::size_t>(count);
    return found;
  };
  for (const Event& event : log.events) {
    const auto units = part(log.units, unit, event.units);
    const auto assignments = part(log.assignments, assignment, event.assignments);
    const auto observations = part(log.observations, observation, event.observations);
    visit(event, units, assignments, observations);
  }
  if (unit != log.units.size() || assignment != log.assignments.size() ||
      observation != log.observations.size())
    throw StoreError("the study is damaged: there are rows that no event accounts for");
}

}  // namespace mindgap::study
