#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/world/hidden_model.h"
#include "mindgap/world/projection.h"

// Example E of spec/tabular.md 5: 3 states, 2 actions, 2 hidden states, discount .9; the hidden state is
// redrawn from the deployment law at every step.
namespace mindgap::world::example_e {

inline constexpr int kStates = 3, kActions = 2, kHidden = 2;

inline constexpr double kReward[kStates][kActions][kHidden] = {
    {{.2, .6}, {.5, .9}}, {{.8, .4}, {.1, .3}}, {{.4, .5}, {.6, .2}}};
inline constexpr double kVariance[kStates][kActions][kHidden] = {
    {{.01, .04}, {.02, .03}}, {{.05, .01}, {.02, .02}}, {{.03, .03}, {.01, .06}}};
inline constexpr double kNext[kStates][kActions][kHidden][kStates] = {
    {{{.7, .2, .1}, {.5, .3, .2}}, {{.1, .6, .3}, {.2, .4, .4}}},
    {{{.3, .3, .4}, {.4, .4, .2}}, {{.5, .25, .25}, {.3, .3, .4}}},
    {{{.2, .2, .6}, {.1, .3, .6}}, {{.05, .15, .8}, {.25, .25, .5}}}};
inline constexpr double kBehaviour[kStates][kActions][kHidden] = {
    {{.7, .2}, {.3, .8}}, {{.4, .6}, {.6, .4}}, {{.5, .25}, {.5, .75}}};
inline constexpr double kDeployment[kStates][kHidden] = {{.6, .4}, {.5, .5}, {.3, .7}};
inline constexpr double kCalibration[kStates][kHidden] = {{.8, .2}, {.6, .4}, {.5, .5}};
// What the simulator's rewards are off the calibration kernel, per pair.
inline constexpr std::array<double, 6> kResidual = {.02, -.03, .01, .04, -.05, 0};

/// With its states and actions in any order.
inline HiddenArrays arrays(const std::array<int, kStates>& states = {0, 1, 2},
                           const std::array<int, kActions>& actions = {0, 1}) {
  HiddenArrays arrays;
  arrays.name = "Example E";
  arrays.discount = .9;
  arrays.reward_max = 1;
  arrays.hidden_names = mdp::NameTable({"h0", "h1"});
  arrays.pair_begin = {0, 2, 4, 6};
  arrays.pair_action = {0, 1, 0, 1, 0, 1};
  arrays.row_begin = {0};
  for (const int a : actions) arrays.labels.actions.add("a" + std::to_string(a));
  for (const int s : states) {
    arrays.labels.states.add("s" + std::to_string(s));
    arrays.start.push_back(s == 0 ? 1 : 0);
    for (const int a : actions) {
      for (int h = 0; h < kHidden; ++h) {
        arrays.reward.push_back(kReward[s][a][h]);
        arrays.variance.push_back(kVariance[s][a][h]);
        arrays.behaviour.push_back(kBehaviour[s][a][h]);
        for (int i = 0; i < kStates; ++i) {
          for (int g = 0; g < kHidden; ++g) {
            arrays.next_state.push_back(i);
            arrays.next_hidden.push_back(g);
            arrays.probability.push_back(kNext[s][a][h][states[i]] * kDeployment[states[i]][g]);
          }
        }
        arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
      }
    }
    for (int h = 0; h < kHidden; ++h) {
      arrays.calibration.push_back(kCalibration[s][h]);
      arrays.deployment.push_back(kDeployment[s][h]);
    }
  }
  return arrays;
}

inline HiddenModel model() {
  return HiddenModel(arrays());
}

/// Rewards = calibration kernel + residual, transitions = .95 * calibration kernel + .05/3. E2 has
/// first_residual .45.
inline mdp::Mdp simulator(double first_residual = kResidual[0]) {
  const mdp::Mdp kernel = calibration_kernel(model());
  mdp::MdpArrays arrays;
  arrays.discount = .9;
  arrays.reward_max = 1;
  arrays.labels = kernel.labels();
  arrays.start = {1, 0, 0};
  arrays.pair_begin = {0, 2, 4, 6};
  arrays.pair_action = {0, 1, 0, 1, 0, 1};
  arrays.row_begin = {0};
  for (std::int32_t k = 0; k < 6; ++k) {
    arrays.reward.push_back(kernel.reward()[k] + (k == 0 ? first_residual : kResidual[k]));
    for (std::int32_t t = 0; t < kStates; ++t) {  // all rows of E are full
      arrays.next_state.push_back(t);
      arrays.probability.push_back(.95 * kernel.probability()[kernel.row_begin()[k] + t] + .05 / 3);
    }
    arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
  }
  return mdp::Mdp(std::move(arrays));
}

}  // namespace mindgap::world::example_e
