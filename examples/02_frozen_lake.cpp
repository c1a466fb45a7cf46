// A frozen lake and a simulator that is wrong about it, the twin of python/02_frozen_lake.py: cross the ice
// from S to G, around the holes H. Our simulator believes that a step goes where it is meant to nine times
// out of ten. On the real lake it does so once in three, and else to either side. Whoever arrives or falls in
// begins again.
//
// The lake's own table has the same numbers in both. The lake where walkers begin again is sampled there and
// written down as it is here: the simulators differ by what 50,000 sampled steps leave open, and so do all
// numbers that follow from them. The luck of the walkers differs as well.
#include <algorithm>
#include <cstdio>
#include <string>

#include "mindgap/base/distributions.h"
#include "mindgap/decide/decide.h"
#include "mindgap/decide/page.h"
#include "mindgap/decide/places.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/trial/run.h"
#include "mindgap/trial/tabular_case.h"
#include "mindgap/view/compare.h"
#include "mindgap/view/diagnose.h"
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
    if (!again || !is_end(square))
      builder.add_state(std::to_string(square), {.start = square == 0 ? 1.0 : 0.0});
  }
  for (int square = 0; square < 16; ++square) {
    const std::string from = std::to_string(square);
    if (is_end(square)) {
      if (again) continue;  // nobody ever stands there
      builder.add_transition(from, "left", from, 1);
      builder.set_reward(from, "left", 0);
      continue;
    }
    for (int action = 0; action < 4; ++action) {
      double reward = 0;  // of a crossing, in expectation
      for (const int direction : {(action + 3) % 4, action, (action + 1) % 4}) {
        const double probability = direction == action ? success_rate : (1 - success_rate) / 2;
        const int next = neighbour(square, direction);
        builder.add_transition(from, kActions[action], again && is_end(next) ? "0" : std::to_string(next),
                               probability);
        if (kMap[next] == 'G') reward += probability;
      }
      builder.set_reward(from, kActions[action], reward);
    }
  }
  return builder.build();
}

// Five walkers and 200 steps: trust the simulator, learn on the way, or experiment first?
void decide_on(const mdp::Model& simulator) {
  const decide::Places places = decide::places_at_start(simulator.mdp, /*units=*/5);
  const decide::Situation situation{belief::gather_knowledge(simulator, {}, {}), places.state,
                                    /*horizon=*/200};
  decide::DecideOptions options;
  options.worlds = 64;
  const decide::Decision decision = decide::decide(situation, options);
  const std::vector<decide::TippingMap> no_maps;  // decide::tipping_maps() makes some
  std::puts(decide::headline_of({simulator, situation, options, decision, no_maps, places.names}).c_str());
  for (const decide::PlanResult& one : decision.plans) {
    std::printf("%10s %10s %7.2f %6.2f\n", one.plan.name.c_str(), decide::name_of(one.plan.kind).data(),
                one.value, one.standard_error);
  }
}

// On the real lake: planners that begin with the wrong simulator, all with the same luck. The oracle is told
// the truth. A reward is its mean with the noise that the model states, not a crossing or none.
void compare_on(const mdp::Mdp& truth, const mdp::Model& simulator) {
  const trial::Problem problem{belief::gather_knowledge(simulator, {}, {}).now,
                               world::without_hidden_state(truth, *simulator.reward_variance)};
  const trial::TabularCase on({.name = "the real lake", .units = 5},
                              [&](std::uint64_t /*trial*/) { return problem; });
  const trial::SweepOptions asked{
      .planners = {"oracle", "sop", "asop", "thompson", "fisher"}, .horizons = {100, 400}, .trials = 20};
  const trial::RunDescription run = trial::describe(on, asked, /*reference=*/"asop", /*seed=*/42);
  const trial::Results results = trial::run_sweep(on, trial::sweep_options(run));
  std::puts(view::text_of(run, trial::summarise(results, run.shown, run.reference)).c_str());
}

// A planner in a loop of your own: it is asked for a pair, which is a state and an action of it, and told
// what came of it.
void walk(const mdp::Model& simulator) {
  const auto planner =
      planner::find_planner("thompson")
          .make({belief::gather_knowledge(simulator, {}, {}).now, /*units=*/1, /*horizon=*/2000});
  base::Stream luck({/*seed=*/1, base::Purpose::world});
  int square = 0, crossings[4] = {};
  for (int step = 0; step < 2000; ++step) {
    const std::int32_t state = simulator.mdp.find_state(std::to_string(square));
    std::int32_t pair = 0;
    planner->choose(step, {&state, 1}, {&pair, 1});
    const int slip = static_cast<int>(base::uniform_index(luck, 3));  // to one side, as meant, to the other
    square = neighbour(square, (simulator.mdp.pair_action()[pair] + slip + 3) % 4);
    const double reward = kMap[square] == 'G' ? 1 : 0;
    if (is_end(square)) square = 0;
    const std::int32_t next = simulator.mdp.find_state(std::to_string(square));
    planner->observe(step, {{&state, 1}, {&pair, 1}, {&reward, 1}, {&next, 1}});
    crossings[step / 500] += reward > 0;
  }
  std::printf("one walker, crossings in each 500 steps: %d %d %d %d\n", crossings[0], crossings[1],
              crossings[2], crossings[3]);
}

int main() {
  const mdp::Mdp table = lake(1.0 / 3, /*again=*/false);
  const mdp::Solution best = mdp::solve(table);
  std::printf("one crossing of the real lake is worth %.6f, discounted; the best way:\n",
              best.value_at_start);
  for (int square = 0; square < 16; ++square) {
    const char* arrows = "<v>^";
    const char way = arrows[table.pair_action()[best.policy.pair_of_state()[square]]];
    std::printf("%c%s", is_end(square) ? kMap[square] : way, square % 4 == 3 ? "\n" : "");
  }

  // How sure we are of the simulator: a row of transitions is worth two observations, and rewards are in
  // doubt only where the goal is near.
  mdp::Model simulator{"the lake, as simulated", lake(0.9, /*again=*/true)};
  simulator.reward_variance = 0.1;
  simulator.prior = mdp::PriorSpec{.transition_strength = 2};
  for (const double reward : simulator.mdp.reward())
    simulator.prior->pair_reward_sd.push_back(reward > 0 ? 0.3 : 0);
  std::printf("promised: %.2f crossings, discounted\n", mdp::solve(simulator.mdp).value_at_start);
  const gap::Diagnosis diagnosis = gap::diagnose(simulator, {});
  std::puts(view::text_of(view::DiagnoseView{simulator, diagnosis, /*top=*/5, {}, {}, {}, {}}).c_str());
  decide_on(simulator);
  compare_on(lake(1.0 / 3, /*again=*/true), simulator);
  walk(simulator);
}
