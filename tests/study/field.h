#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <string>

#include "files/files.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/number.h"
#include "mindgap/files/text_file.h"
#include "mindgap/study/study.h"
#include "mindgap/study/verify.h"

// A small programme and a field that answers its assignments.
namespace mindgap::study {

/// Four places in a row, two groups. "stay" pays what the place has, "go" moves on (with .9) for nothing.
inline mdp::Model row_of_places(double reward_sd = 1, double variance = .25) {
  mdp::MdpArrays arrays;
  arrays.discount = .9;
  arrays.pair_begin = {0};
  arrays.row_begin = {0};
  const double pay[] = {.5, .2, .3, .4};
  for (std::int32_t s = 0; s < 4; ++s) {
    arrays.pair_action.insert(arrays.pair_action.end(), {0, 1});
    arrays.reward.insert(arrays.reward.end(), {pay[s], 0});
    arrays.next_state.insert(arrays.next_state.end(), {s, s, (s + 1) % 4});
    arrays.probability.insert(arrays.probability.end(), {1, .1, .9});
    arrays.row_begin.push_back(arrays.row_begin.back() + 1);
    arrays.row_begin.push_back(arrays.row_begin.back() + 2);
    arrays.pair_begin.push_back(2 * (s + 1));
  }
  arrays.labels.states = mdp::NameTable({"north", "east", "south", "west, far"});
  arrays.labels.actions = mdp::NameTable({"stay", "go"});
  arrays.labels.groups = mdp::NameTable({"near", "far"});
  arrays.labels.group_of_state = {0, 0, 1, 1};
  mdp::Model model{.name = "Row of places", .mdp = mdp::Mdp(std::move(arrays))};
  model.reward_variance = variance;
  model.prior = mdp::PriorSpec{.reward_sd = reward_sd, .transition_strength = 5.0};
  return model;
}

inline std::vector<UnitRow> units_in(std::int32_t count, std::int32_t states) {
  std::vector<UnitRow> units;
  units.reserve(static_cast<std::size_t>(count));
  for (std::int32_t u = 0; u < count; ++u)
    units.push_back({"u" + std::to_string(u), u % states, "", Arm::explore});
  return units;
}

inline files::TextFile text_file(const std::string& name, std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  return {name, *owner, owner};
}

const Writer kWriter{"test", "2026-03-01T09:00:00Z"};

/// The truth: a model, Gaussian rewards of `sd`, keyed by unit and step, so that answers do not depend on the
/// order of asking.
struct Truth {
  mdp::Mdp mdp;
  double sd = .5;
  std::uint64_t seed = 7;

  std::string line(const State& state, const AssignmentRow& row) const {
    base::Stream words({seed, base::Purpose::world, 0, static_cast<std::uint64_t>(row.unit),
                        static_cast<std::uint64_t>(row.step)});
    const std::int32_t pair = mdp.find_pair(row.state, row.action);
    const double reward = mdp.reward()[pair] + sd * base::normal(words);
    double left = base::uniform(words);
    std::int64_t i = mdp.row_begin()[pair];
    while (i + 1 < mdp.row_begin()[pair + 1] && left >= mdp.probability()[i]) left -= mdp.probability()[i++];
    std::string text = state.units[row.unit].name + "," + std::to_string(row.step);
    for (const std::string& name : {mdp.state_name(row.state), mdp.action_name(row.action)})
      text += ",\"" + name + "\"";
    return text + "," + base::shortest(reward) + ",\"" + mdp.state_name(mdp.next_state()[i]) + "\"";
  }

  std::string results(const Assigned& assigned) const {
    std::string text = "unit,step,state,action,reward,next_state\n";
    for (const std::int32_t i : assigned.assignments)
      text += line(assigned.state, assigned.state.assignments[i]) + "\n";
    return text;
  }
};

inline constexpr const char* kHeader = "unit,step,state,action,reward,next_state\n";

/// A folder for a study, and shorthands.
class StudyTest : public files::FileTest {
 protected:
  std::unique_ptr<Storage> at(const std::string& name) const { return storage_at(path(name)); }
  Begun start(std::int32_t units = 12, std::int64_t horizon = 8, StudyOptions options = {},
              double reward_sd = 1) {
    options.horizon = horizon;
    return begin_study(*at("s"), row_of_places(reward_sd), units_in(units, 4), options, kWriter, 1);
  }
  Assigned ask(std::optional<std::int64_t> step = {}) { return assign(*at("s"), step, kWriter); }
  Recorded take(const std::string& text, bool correct = false) {
    return record(*at("s"), text_file("results.csv", text), {correct}, kWriter);
  }
  /// One step of everybody.
  void play(const Truth& truth, int steps = 1) {
    for (int i = 0; i < steps; ++i) take(truth.results(ask()));
  }
  Verification check() { return verify(*at("s"), 1); }
  Truth truth() const { return {row_of_places().mdp}; }
};

}  // namespace mindgap::study
