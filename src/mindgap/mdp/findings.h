#pragma once

#include <cstdint>
#include <vector>

#include "mindgap/mdp/graph.h"

namespace mindgap::mdp {

/// What is in a well formed model, and what looks odd in it.
struct Findings {
  std::vector<std::uint8_t> reachable;    // per state: 1 where some actions lead there from the start
  std::vector<std::int32_t> unreachable;  // the others
  std::vector<std::int32_t> absorbing;    // states that every available action leaves unchanged
  Components components;
  std::int32_t closed_components = 0;
  std::vector<std::int32_t> unused_actions;  // available nowhere
  std::int32_t certain_rows = 0;             // pairs with one successor
  double row_sum_error = 0;                  // largest |sum - 1| of a row of transitions
};

Findings look_at(const Mdp& mdp);

}  // namespace mindgap::mdp
