#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "mindgap/mdp/mdp.h"

namespace mindgap::mdp {

struct RandomModel {
  std::int32_t states = 5;
  std::int32_t actions = 3;
  std::int32_t successors = 3;
  double discount = 0.9;
  double reward_low = -1;
  double reward_high = 1;
  bool all_actions = false;  // otherwise each but the first is available with probability 2/3
  bool dyadic = false;       // probabilities are multiples of 1/16: exact in binary
  double row_sum_error = 0;  // rows sum to 1 +- this
};

/// A random model for tests; mt19937_64 itself is the same everywhere, and only its raw bits are used.
inline MdpArrays random_arrays(std::uint64_t seed, const RandomModel& shape) {
  std::mt19937_64 bits(seed);
  const auto uniform = [&] { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; };
  const auto index = [&](std::int64_t n) {
    return static_cast<std::int32_t>(uniform() * static_cast<double>(n));
  };
  MdpArrays arrays;
  arrays.discount = shape.discount;
  arrays.actions = shape.actions;
  arrays.pair_begin = {0};
  arrays.row_begin = {0};
  for (std::int32_t s = 0; s < shape.states; ++s) {
    for (std::int32_t a = 0; a < shape.actions; ++a) {
      if (a > 0 && !shape.all_actions && uniform() < 1.0 / 3) continue;
      arrays.pair_action.push_back(a);
      arrays.reward.push_back(shape.reward_low + uniform() * (shape.reward_high - shape.reward_low));
      std::vector<double> weight(shape.successors);
      double sum = 0;
      if (shape.dyadic) {
        int left = 16;
        for (std::int32_t i = 0; i < shape.successors; ++i) {
          const int part = i + 1 == shape.successors ? left : index(left + 1);
          weight[i] = part / 16.0;
          left -= part;
        }
        sum = 1;
      } else {
        for (double& w : weight) sum += w = uniform();
      }
      const double off = 1 + shape.row_sum_error * (2 * uniform() - 1);
      for (const double w : weight) {
        arrays.next_state.push_back(index(shape.states));
        arrays.probability.push_back(shape.dyadic ? w : w / sum * off);
      }
      arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
    }
    arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
  }
  return arrays;
}

inline Mdp random_mdp(std::uint64_t seed, const RandomModel& shape = {}) {
  return Mdp(random_arrays(seed, shape));
}

}  // namespace mindgap::mdp
