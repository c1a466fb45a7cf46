// Steps per second of Thompson sampling on a RiverSwim-like model (50 states, 4 actions, up to 3 successors),
// 100 units, a new draw every 5 steps, one thread, by the processor time of the fastest of some trials.
// bench/thompson_numpy.py has the same in plain NumPy.
//   bench_thompson [--discount .99] [--steps 1000] [--repeat 5]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

#include "mindgap/mdp/builder.h"
#include "mindgap/planner/planner.h"
#include "mindgap/trial/loop.h"
#include "mindgap/world/tabular_world.h"

namespace {

using namespace mindgap;

constexpr std::int32_t kStates = 50, kUnits = 100;
constexpr double kNoise = .25;  // variance of one reward

// Along a river: action 0 goes down it for certain; 1, 2 and 3 swim against it, ever harder. Rewards: a
// little at the lower end for going down, 1 at the upper end for swimming hardest.
mdp::Mdp river(double discount) {
  constexpr double kUp[] = {0, .25, .3, .35}, kDown[] = {1, .15, .1, .05};
  mdp::MdpBuilder builder(discount, kStates, 4);
  for (std::int32_t s = 0; s < kStates; ++s) {
    for (std::int32_t a = 0; a < 4; ++a) {
      builder.set_reward(s, a, s == 0 && a == 0 ? .05 : s == kStates - 1 && a == 3 ? 1 : 0);
      builder.add_transition(s, a, std::max(s - 1, 0), kDown[a]);
      builder.add_transition(s, a, s, 1 - kUp[a] - kDown[a]);
      builder.add_transition(s, a, std::min(s + 1, kStates - 1), kUp[a]);
    }
  }
  std::vector<double> start(kStates);
  start[0] = 1;
  return builder.build().with_start(std::move(start));
}

// The model as a truth without anything hidden.
world::HiddenModel truth_of(const mdp::Mdp& mdp) {
  world::HiddenArrays arrays;
  arrays.discount = mdp.discount();
  arrays.pair_begin.assign(mdp.pair_begin().begin(), mdp.pair_begin().end());
  arrays.pair_action.assign(mdp.pair_action().begin(), mdp.pair_action().end());
  arrays.reward.assign(mdp.reward().begin(), mdp.reward().end());
  arrays.variance.assign(mdp.reward().size(), kNoise);
  arrays.row_begin.assign(mdp.row_begin().begin(), mdp.row_begin().end());
  arrays.next_state.assign(mdp.next_state().begin(), mdp.next_state().end());
  arrays.next_hidden.assign(mdp.next_state().size(), 0);
  arrays.probability.assign(mdp.probability().begin(), mdp.probability().end());
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    const std::int32_t actions = mdp.pair_begin()[s + 1] - mdp.pair_begin()[s];
    arrays.behaviour.insert(arrays.behaviour.end(), static_cast<std::size_t>(actions), 1.0 / actions);
  }
  arrays.calibration.assign(static_cast<std::size_t>(mdp.states()), 1);
  arrays.deployment = arrays.calibration;
  arrays.start.assign(mdp.start().begin(), mdp.start().end());
  arrays.hidden = 1;
  return world::HiddenModel(std::move(arrays));
}

// One thread works, so that this is what it takes when nobody else does.
template <typename Call>
double processor_seconds_of(Call call) {
  const std::clock_t begin = std::clock();
  call();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

double option(int argc, char** argv, std::string_view name, double standard) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (argv[i] == name) return std::atof(argv[i + 1]);
  }
  return standard;
}

}  // namespace

int main(int argc, char** argv) {
  const double discount = option(argc, argv, "--discount", .99);
  const auto steps = static_cast<std::int64_t>(option(argc, argv, "--steps", 1000));
  const auto repeat = static_cast<int>(option(argc, argv, "--repeat", 5));
  const mdp::Mdp simulator = river(discount);
  const auto pairs = static_cast<std::size_t>(simulator.pairs());
  const belief::Prior prior{std::vector<double>(pairs, .3), std::vector<double>(pairs, 5)};
  const world::HiddenModel truth = truth_of(simulator);
  const belief::Belief belief(simulator, prior, std::vector<double>(pairs, kNoise));
  double best = 0, gathered = 0;
  for (int i = 0; i < repeat; ++i) {
    world::TabularWorld world(truth, 42, static_cast<std::uint64_t>(i), kUnits);
    const double seconds = processor_seconds_of([&] {
      const auto planner = planner::find_planner("thompson-shared")
                               .make({.belief = belief,
                                      .units = kUnits,
                                      .horizon = steps,
                                      .trial = static_cast<std::uint64_t>(i)});
      gathered += trial::run_trial(world, *planner, std::array{steps})[0] / repeat;
    });
    best = std::max(best, static_cast<double>(steps) / seconds);
  }
  fmt::print("{{\"discount\": {}, \"steps_per_second\": {:.1f}, \"gathered\": {:.3f}}}\n", discount, best,
             gathered);
}
