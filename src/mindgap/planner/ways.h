#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/graph.h"

// Going somewhere on purpose: the quickest way to a state, how long it takes and what it earns.
namespace mindgap::planner {

/// The quickest way to `target`, with the model's discount g and T the number of steps it takes.
struct Way {
  std::int32_t target = -1;
  std::vector<double> discount;             // E[g^T] per state: 1 at the target, 0 where no way leads there
  std::vector<double> reward;               // expected discounted rewards before, per state
  std::vector<std::int32_t> pair_of_state;  // what to do; -1 at the target and where no way leads there
};

/// The way of largest E[g^T] to `target`: the fixed point of
///   d(s) = g max_a sum p(s'|s,a) d(s'),  d(target) = 1,
/// found by Gauss-Seidel sweeps outwards from the target until nothing changes by more than 1e-6; then the
/// rewards of that policy,
///   b(s) = r(s,a) + g sum p(s'|s,a) b(s'),  b(target) = 0,  b = value_elsewhere where no way leads there,
/// likewise (changes within 1e-6 of the largest value). Ties go to the lowest action. Sweeps begin at 0,
/// below the fixed point: from above, a state that can stay where it is would keep a discount that is too
/// large for many sweeps. Discount below 1; `value_elsewhere` per state.
Way quickest_way(const mdp::Mdp& mdp, const mdp::Predecessors& predecessors, std::int32_t target,
                 std::span<const double> value_elsewhere);

}  // namespace mindgap::planner
