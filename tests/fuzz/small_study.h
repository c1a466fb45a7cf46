#pragma once

#include <sstream>
#include <string>

#include "mindgap/mdp/builder.h"
#include "mindgap/study/deeds.h"
#include "mindgap/study/plan.h"
#include "mindgap/study/study.h"
#include "study/memory_storage.h"

// Studies of two places and three units, in memory: what fuzz targets start from.
namespace mindgap::study {

inline mdp::Model two_places() {
  mdp::MdpBuilder builder(.9);
  for (const char* name : {"a", "b,c"}) builder.add_state(name);
  for (const char* name : {"x", "y"}) builder.add_action(name);
  for (const auto& [s, a, to] : {std::tuple{0, 0, 0}, {0, 1, 1}, {1, 0, 0}}) {
    builder.set_reward(s, a, a + .5);
    builder.add_transition(s, a, s, .25);
    builder.add_transition(s, a, to, .75);
  }
  mdp::Model model{.name = "two places", .mdp = builder.build()};
  model.reward_variance = 1;
  model.prior = mdp::PriorSpec{.reward_sd = 1, .transition_strength = 5};
  return model;
}

inline files::TextFile text_of(const std::string& name, const std::string& text) {
  return {name, text, {}};
}

/// Results of everything that was just assigned: a reward of 1, and nobody moves.
inline std::string all_stay(const Assigned& assigned) {
  const mdp::Mdp& mdp = assigned.state.mdp();
  std::ostringstream text("unit,step,state,action,reward,next_state\n", std::ios::ate);
  for (const std::int32_t i : assigned.assignments) {
    const AssignmentRow& row = assigned.state.assignments[i];
    const std::string state = '"' + mdp.state_name(row.state) + '"';
    text << assigned.state.units[row.unit].name << ',' << row.step << ',' << state << ','
         << mdp.action_name(row.action) << ",1," << state << '\n';
  }
  return text.str();
}

/// It has made two designs, assigned three times and recorded twice.
inline const MemoryStorage& small_study() {
  static const MemoryStorage storage = [] {
    MemoryStorage made;
    const Writer writer{"fuzz", "2026-03-01T09:00:00Z"};
    StudyOptions options;
    options.horizon = 6;
    options.update_every = 2;
    options.allow_new_states = true;
    begin_study(made, two_places(), {{"u", 0}, {"v", 1}, {"w", 0}}, options, writer, 1);
    for (int i = 0; i < 2; ++i) {
      const std::string results = all_stay(assign(made, {}, writer, 1));
      record(made, text_of("results.csv", results), {}, writer);
    }
    redesign(made, true, writer, 1);
    assign(made, {}, writer, 1);
    return made;
  }();
  return storage;
}

/// What people do to a study that is served: results that are new, known, in conflict and settled.
inline void serve(MemoryStorage& storage, const Writer& writer) {
  const std::unique_ptr<Transaction> transaction = storage.begin(Access::write, writer);
  const Log before = transaction->read_log();
  LiveLog log{.state = begin(before.events.front()), .entries = {}, .after = {}};
  for_each_event(before, [&](const Event& event, auto... rows) { log.add(event, rows...); });
  LiveWriting writing(log, *transaction, writer);
  const auto by = [&](const char* id) { return Author{"ann", "owner", id, log.sequence(), "", ""}; };
  note_people(writing, {{"ann", {"owner", {}}}, {"bob", {"field", {"x"}}}}, by("people-1"));
  FieldResult result{.unit = "x", .step = 0, .reward = 1, .next_state = "d"};
  take_result(writing, result, by("result-1"));
  take_result(writing, result, by("result-2"));
  result.reward = 2;
  settle(writing, take_result(writing, result, by("result-3")).event, Choice::take, by("settle-1"));
  transaction->append({.time = writer.time,
                       .program = writer.program,
                       .kind = "migrate",
                       .content = "{\"from\":1,\"to\":" + std::to_string(kLogVersion) + "}"},
                      {}, {}, {});
  transaction->commit();
}

/// The log of a study that has every kind of event but a signature, and is verified in no time: its first
/// design is a plan's, and later, when it is designed anew and stopped, only a control has steps left, for
/// whom nothing is to be designed.
inline Log quick_log() {
  MemoryStorage made;
  const Writer writer{"fuzz", "2026-03-01T09:00:00Z"};
  const mdp::Model model = two_places();
  std::vector<UnitRow> units = {{"u", 0}, {"v", 1}, {"w", 0}};
  StudyOptions options;
  options.horizon = 2;
  options.update_every = 1;
  options.allow_new_states = true;
  options.seed = 1;
  follow_plan(R"({"format":"mindgap-plan/1","states":["a","b,c"],"steps":2,
                  "routes":[{"actions":[["y","x"],["x",null]]}],
                  "assignment":[{"unit":"u","state":"a","route":0},{"unit":"v","state":"b,c","route":0}]})",
              "plan.json", model, options, units);
  begin_study(made, model, units, options, writer, 1);
  for (int i = 0; i < 2; ++i) {
    const std::string results = all_stay(assign(made, {}, writer, 1));
    record(made, text_of("results.csv", results), {}, writer);
  }
  add_units(made, text_of("units.csv", "unit,state\nx,a\n"), writer);
  redesign(made, true, writer, 1);
  assign(made, {}, writer, 1);
  serve(made, writer);
  stop(made, "it is over", writer);
  Log log = made.begin_reading()->read_log();
  for (Event& event : log.events) event.time = writer.time;
  return log;
}

}  // namespace mindgap::study
