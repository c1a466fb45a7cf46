#include "mindgap/world/match.h"

#include <vector>

#include "mindgap/base/error.h"

namespace mindgap::world {
namespace {

constexpr const char* kOnlySimulator = "is in the simulator, but not in the world";
constexpr const char* kOnlyWorld = "is in the world, but not in the simulator";

// For each state of the simulator its number in the world.
std::vector<std::int32_t> match_states(const mdp::Mdp& simulator, const HiddenModel& world) {
  std::vector<std::int32_t> number(static_cast<std::size_t>(simulator.states()));
  for (std::int32_t s = 0; s < simulator.states(); ++s) {
    number[s] = world.find_state(simulator.state_name(s));
    if (number[s] < 0) {
      throw InvalidModel(std::string("the state ") + kOnlySimulator, {.state = simulator.state_name(s)});
    }
  }
  for (std::int32_t s = 0; s < world.states(); ++s) {
    if (simulator.find_state(world.state_name(s)) < 0) {
      throw InvalidModel(std::string("the state ") + kOnlyWorld, {.state = world.state_name(s)});
    }
  }
  return number;
}

// For each action of the simulator its number in the world.
std::vector<std::int32_t> match_actions(const mdp::Mdp& simulator, const HiddenModel& world) {
  std::vector<std::int32_t> number(static_cast<std::size_t>(simulator.actions()));
  for (std::int32_t a = 0; a < simulator.actions(); ++a) {
    number[a] = world.find_action(simulator.action_name(a));
    if (number[a] < 0) {
      throw InvalidModel(std::string("the action ") + kOnlySimulator, {.action = simulator.action_name(a)});
    }
  }
  for (std::int32_t a = 0; a < world.actions(); ++a) {
    if (simulator.find_action(world.action_name(a)) < 0) {
      throw InvalidModel(std::string("the action ") + kOnlyWorld, {.action = world.action_name(a)});
    }
  }
  return number;
}

// For each pair of the simulator its number in the world.
std::vector<std::int32_t> match_pairs(const mdp::Mdp& simulator, const HiddenModel& world,
                                      const std::vector<std::int32_t>& state) {
  const std::vector<std::int32_t> action = match_actions(simulator, world);
  std::vector<std::int32_t> number(static_cast<std::size_t>(simulator.pairs()));
  for (std::int32_t s = 0; s < simulator.states(); ++s) {
    for (const std::int32_t k : simulator.pairs_of(s)) {
      const std::int32_t a = simulator.pair_action()[k];
      number[k] = world.find_pair(state[s], action[a]);
      if (number[k] >= 0) continue;
      throw InvalidModel(std::string("the pair ") + kOnlySimulator,
                         {.state = simulator.state_name(s), .action = simulator.action_name(a)});
    }
    for (const std::int32_t k : world.pairs_of(state[s])) {
      const std::string name = world.action_name_of_pair(k);
      if (simulator.find_pair(s, simulator.find_action(name)) >= 0) continue;
      throw InvalidModel(std::string("the pair ") + kOnlyWorld,
                         {.state = simulator.state_name(s), .action = name});
    }
  }
  return number;
}

// Numbers per (row, hidden), with row i of the result row number[i] of `values`.
std::vector<double> gather(const HiddenModel& world, std::span<const double> values,
                           const std::vector<std::int32_t>& number) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const std::int32_t row : number) {
    for (std::int32_t h = 0; h < world.hidden(); ++h) result.push_back(values[world.cell(row, h)]);
  }
  return result;
}

void gather_rows(const HiddenModel& world, const std::vector<std::int32_t>& state,
                 const std::vector<std::int32_t>& pair, HiddenArrays& arrays) {
  std::vector<std::int32_t> in_simulator(state.size());
  for (std::size_t s = 0; s < state.size(); ++s) in_simulator[state[s]] = static_cast<std::int32_t>(s);
  arrays.row_begin = {0};
  for (const std::int32_t k : pair) {
    for (std::int32_t h = 0; h < world.hidden(); ++h) {
      const std::size_t cell = world.cell(k, h);
      for (const std::int64_t i : world.entries_of(cell)) {
        arrays.next_state.push_back(in_simulator[world.next_state()[i]]);
        arrays.next_hidden.push_back(world.next_hidden()[i]);
        arrays.probability.push_back(world.probability()[i]);
      }
      arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
    }
  }
}

}  // namespace

HiddenModel matched_to(const mdp::Mdp& simulator, const HiddenModel& world) {
  const std::vector<std::int32_t> state = match_states(simulator, world);
  const std::vector<std::int32_t> pair = match_pairs(simulator, world, state);
  HiddenArrays arrays;
  arrays.name = world.name();
  arrays.discount = world.discount();
  arrays.reward_max = world.reward_max();
  arrays.pair_begin.assign(simulator.pair_begin().begin(), simulator.pair_begin().end());
  arrays.pair_action.assign(simulator.pair_action().begin(), simulator.pair_action().end());
  arrays.reward = gather(world, world.reward(), pair);
  arrays.variance = gather(world, world.variance(), pair);
  arrays.behaviour = gather(world, world.behaviour(), pair);
  arrays.calibration = gather(world, world.calibration(), state);
  arrays.deployment = gather(world, world.deployment(), state);
  for (const std::int32_t s : state) arrays.start.push_back(world.start()[s]);
  gather_rows(world, state, pair, arrays);
  arrays.actions = simulator.actions();
  arrays.hidden = world.hidden();
  arrays.labels = simulator.labels();
  arrays.hidden_names = world.hidden_names();
  return HiddenModel(std::move(arrays));
}

}  // namespace mindgap::world
