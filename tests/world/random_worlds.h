#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "mindgap/world/hidden_model.h"

namespace mindgap::world {

struct RandomWorld {
  std::int32_t states = 4, actions = 3, hidden = 3;
  int entries = 4;    // of a row, before equal ones are added
  double zeros = .2;  // share of zeros in behaviour, calibration and deployment
  double reward_low = -1, reward_high = 1;
  bool named = true;
};

/// A random world for tests; mt19937_64 itself is the same everywhere, and only its raw bits are used.
inline HiddenArrays random_world(std::uint64_t seed, const RandomWorld& shape = {}) {
  std::mt19937_64 bits(seed);
  const auto uniform = [&] { return (static_cast<double>(bits() >> 11) + .5) * 0x1p-53; };
  const auto index = [&](std::int32_t n) { return static_cast<std::int32_t>(uniform() * n); };
  const auto law = [&](std::size_t size, double zeros) {
    std::vector<double> p(size);
    for (double& value : p) value = uniform() < zeros ? 0 : uniform();
    if (std::accumulate(p.begin(), p.end(), 0.0) == 0) p[0] = 1;
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& value : p) value /= sum;
    return p;
  };
  const auto hidden = static_cast<std::size_t>(shape.hidden);
  HiddenArrays arrays;
  arrays.name = "random";
  arrays.discount = .9;
  arrays.actions = shape.actions;
  arrays.hidden = shape.hidden;
  arrays.pair_begin = {0};
  arrays.row_begin = {0};
  arrays.start = law(static_cast<std::size_t>(shape.states), shape.zeros);
  for (std::int32_t s = 0; s < shape.states; ++s) {
    for (auto* to : {&arrays.calibration, &arrays.deployment}) {
      const std::vector<double> p = law(hidden, shape.zeros);
      to->insert(to->end(), p.begin(), p.end());
    }
    for (std::int32_t a = 0; a < shape.actions; ++a) {
      if (a > 0 && uniform() < 1.0 / 3) continue;
      arrays.pair_action.push_back(a);
      for (std::int32_t h = 0; h < shape.hidden; ++h) {
        arrays.reward.push_back(shape.reward_low + (shape.reward_high - shape.reward_low) * uniform());
        arrays.variance.push_back(uniform());
        for (const double p : law(static_cast<std::size_t>(shape.entries), 0)) {
          arrays.next_state.push_back(index(shape.states));
          arrays.next_hidden.push_back(index(shape.hidden));
          arrays.probability.push_back(p);
        }
        arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
      }
    }
    const std::int32_t first = arrays.pair_begin.back();
    arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
    const auto pairs = static_cast<std::size_t>(arrays.pair_begin.back() - first);
    arrays.behaviour.resize(arrays.reward.size());
    for (std::size_t h = 0; h < hidden; ++h) {
      const std::vector<double> p = law(pairs, shape.zeros);
      for (std::size_t k = 0; k < pairs; ++k) {
        arrays.behaviour[(static_cast<std::size_t>(first) + k) * hidden + h] = p[k];
      }
    }
  }
  if (!shape.named) return arrays;
  for (std::int32_t s = 0; s < shape.states; ++s) arrays.labels.states.add("state " + std::to_string(s));
  for (std::int32_t a = 0; a < shape.actions; ++a) arrays.labels.actions.add("act," + std::to_string(a));
  for (std::int32_t h = 0; h < shape.hidden; ++h) arrays.hidden_names.add("\"" + std::to_string(h) + "\"");
  return arrays;
}

}  // namespace mindgap::world
