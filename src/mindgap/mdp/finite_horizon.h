#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mindgap/mdp/mdp.h"

namespace mindgap::mdp {

struct FiniteHorizonOptions {
  /// Values after the last step; empty: 0.
  std::vector<double> terminal_value;
  /// Keep the optimal pair of every step and state (steps x states numbers).
  bool keep_policy = true;
  /// 0: all cores. The result does not depend on it.
  int threads = 0;
};

/// The optimal value with `steps` steps to go, from backward induction; exact up to rounding:
/// |value - V*| <= error_bound at every state.
struct FiniteHorizonSolution {
  std::int64_t steps = 0;
  std::vector<double> value;  // at step 0
  double error_bound = 0;
  double value_at_start = 0;
  std::array<double, 2> bounds{0, 0};  // around value_at_start
  std::vector<std::int32_t> pair;      // [step * states + state], empty unless kept
  double seconds = 0;
};

/// V_T = terminal, V_t = T V_{t+1} (Puterman 1994, section 4.5). Any discount from 0 to 1. Ties go to the
/// lowest action number.
FiniteHorizonSolution solve_finite_horizon(const Mdp& mdp, std::int64_t steps,
                                           const FiniteHorizonOptions& options = {});

}  // namespace mindgap::mdp
