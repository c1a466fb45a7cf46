#pragma once

#include <vector>

#include "mindgap/belief/belief.h"

namespace mindgap::design {

/// The same reward_sd, transition_strength and observation variance at every pair.
inline belief::Belief even_belief(const mdp::Mdp& mdp, double sd, double strength, double noise = 1) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return {mdp,
          {std::vector<double>(pairs, sd), std::vector<double>(pairs, strength)},
          std::vector<double>(pairs, noise)};
}

/// The share of `per_pair` in region B of the treasure grid, the columns behind the wall.
inline double share_of_b(const mdp::Mdp& treasure, const std::vector<double>& per_pair) {
  double in_b = 0, total = 0;
  for (std::int32_t k = 0; k < treasure.pairs(); ++k) {
    total += per_pair[k];
    if (treasure.state_of_pair(k) % 6 >= 3) in_b += per_pair[k];
  }
  return in_b / total;
}

}  // namespace mindgap::design
