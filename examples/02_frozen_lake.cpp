// A frozen lake and a simulator that is wrong about it, the twin of python/02_frozen_lake.py: cross the ice
// from S to G, around the holes H. The simulator believes that a step goes where it is meant to nine times
// out of ten; really it does so once in three, else to either side. Whoever arrives or falls in begins again.
// That is sampled there and written down here: so all but the first line differ by what sampling leaves open,
// and by luck.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "mindgap/belief/stated_belief.h"
#include "mindgap/command/compare.h"
#include "mindgap/command/decide.h"
#include "mindgap/command/diagnose.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/trial/tabular_case.h"
#include "mindgap/world/tabular_world.h"
#include "mindgap/world/without_hidden_state.h"

using namespace mindgap;

const std::string kMap = "SFFFFHFHFFFHHFFG";                     // four rows of four squares
const std::string kActions[] = {"left", "down", "right", "up"};  // a step may slip to the two beside it

bool is_end(int square) {
  return kMap[square] == 'H' || kMap[square] == 'G';
}
int neighbour(int square, int direction) {  // who would leave the lake stays where they are
  const int down[] = {0, 1, 0, -1}, right[] = {-1, 0, 1, 0};
  return 4 * std::clamp(square / 4 + down[direction], 0, 3) + std::clamp(square % 4 + right[direction], 0, 3);
}

// States are named by their squares. Ends lead back to the start where walkers begin `again`; else nowhere.
mdp::Mdp lake(double success_rate, bool again) {
  mdp::MdpBuilder builder(/*discount=*/0.99);
  for (const std::string& action : kActions) builder.add_action(action);
  for (int square = 0; square < 16; ++square) {
    if (again && is_end(square)) continue;  // nobody ever stands there
    builder.add_state(std::to_string(square), {.start = square == 0 ? 1.0 : 0.0});
    if (!is_end(square)) continue;
    builder.add_transition(std::to_string(square), "left", std::to_string(square), 1);
    builder.set_reward(std::to_string(square), "left", 0);
  }
  for (int square = 0; square < 16; ++square)
    for (int action = 0; action < 4 && !is_end(square); ++action) {
      double crossings = 0;
      for (const int direction : {(action + 3) % 4, action, (action + 1) % 4}) {
        const double probability = direction == action ? success_rate : (1 - success_rate) / 2;
        const int next = neighbour(square, direction);
        if (kMap[next] == 'G') crossings += probability;
        builder.add_transition(std::to_string(square), kActions[action],
                               again && is_end(next) ? "0" : std::to_string(next), probability);
      }
      builder.set_reward(std::to_string(square), kActions[action], crossings);
    }
  return builder.build();
}

// Five walkers and 200 steps: trust the simulator, learn on the way, or experiment first?
void decide_on(const mdp::Model& simulator) {
  command::DecideRequest request{.model = simulator};
  request.units = 5;
  request.horizon = 200;
  request.worlds = 64;
  const command::DecideAnswer answer = command::decide(request);
  std::puts(answer.headline().c_str());
  for (const decide::PlanResult& one : answer.decision.plans)
    if (!one.screened)
      std::printf("%10s %10s %7.2f %6.2f\n", one.plan.name.c_str(),
                  std::string(decide::name_of(one.plan.kind)).c_str(), one.value, one.standard_error);
}

// On the real lake: planners that begin with the wrong simulator, and an oracle, all with common random
// numbers.
void compare_on(const world::HiddenModel& truth, const belief::Belief& belief) {
  const auto problem = [&](std::uint64_t /*trial*/) { return trial::Problem{belief, truth}; };
  const trial::TabularCase on({.name = "the real lake", .units = 5}, problem);
  const command::CompareAnswer answer = command::compare(
      on,
      {.planners = {"oracle", "sop", "asop", "thompson", "fisher"}, .horizons = {100, 400}, .trials = 20});
  std::puts(answer.text().c_str());
}

// A planner in a loop of your own, with one walker. A pair is a state and an action there, by number.
void walk_on(const world::HiddenModel& truth, const belief::Belief& belief) {
  const auto planner = planner::find_planner("thompson").make({belief, /*units=*/1, /*horizon=*/2000});
  world::TabularWorld ice(truth, /*seed=*/1, /*trial=*/0, /*units=*/1);
  std::int32_t state = ice.reset(0), pair = 0;
  double crossings = 0;
  std::printf("one walker, crossings in each 500 steps:");
  for (std::int64_t step = 0; step < 2000; ++step) {
    planner->choose(step, {&state, 1}, {&pair, 1});
    const world::Observation seen = ice.step(0, pair);
    planner->observe(step, {{&state, 1}, {&pair, 1}, {&seen.reward, 1}, {&seen.next_state, 1}});
    state = seen.next_state;
    crossings += seen.reward;
    if (step % 500 == 499) std::printf(" %.1f%s", std::exchange(crossings, 0), step == 1999 ? "\n" : "");
  }
}

int main() {
  std::printf("the real lake, from its table: %.6f crossings, discounted\n",
              mdp::solve(lake(1.0 / 3, /*again=*/false)).value_at_start);
  // What we know: a row of transitions is worth two observations, rewards are in doubt only near the goal.
  const mdp::Mdp believed = lake(0.9, /*again=*/true);
  mdp::PriorSpec prior{.transition_strength = 2};
  for (const double reward : believed.reward()) prior.pair_reward_sd.push_back(reward > 0 ? 0.3 : 0);
  const mdp::Model simulator{
      .name = "the lake, as simulated", .mdp = believed, .reward_variance = 0.1, .prior = prior};
  std::printf("promised: %.2f crossings, discounted\n", mdp::solve(simulator.mdp).value_at_start);
  command::DiagnoseRequest doubts{.model = simulator};
  doubts.top = 5;
  std::puts(command::diagnose(doubts).text().c_str());
  const belief::Belief belief = belief::stated_belief(simulator, "a comparison");
  decide_on(simulator);
  // A step on this truth is paid what it earns on average, a third of a crossing, not a crossing or none.
  const world::HiddenModel truth = world::without_hidden_state(lake(1.0 / 3, /*again=*/true), /*noise*/ 0);
  compare_on(truth, belief);
  walk_on(truth, belief);
}
