#pragma once

#include <sstream>
#include <string>

#include "mindgap/mdp/builder.h"
#include "mindgap/study/study.h"
#include "study/memory_storage.h"

// A study of two places and three units that has assigned and recorded twice, in memory: what fuzz targets
// start from.
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

}  // namespace mindgap::study
