#pragma once

#include <cstdint>

#include "mindgap/world/hidden_model.h"

namespace mindgap::world {

/// One of the two numbers of history_error(), and where it is attained; pairs are -1 where it is 0.
struct HistoryErrorPart {
  double value = 0;
  std::int32_t previous_pair = -1;
  std::int32_t pair = -1;
};

struct HistoryError {
  HistoryErrorPart reward;      // absolute
  HistoryErrorPart transition;  // 1-norm, at most 2
};

/// What the deployment projection loses by forgetting (the paper's eps^hist), as far as one step of the past
/// tells: the largest difference, over pairs (s,a) and previous pairs (s0,a0) that can lead to s, between
///   E[r(s,a,H) | s, (s0,a0)]  and  E_{h ~ P_t(.|s)}[r(s,a,h)],
/// and likewise of the transition distribution in the 1-norm, with
///   P(H=h | s0,a0,s) proportional to sum_h0 P_t(h0|s0) K(s,h|s0,a0,h0).
/// It is 0 where the hidden state is redrawn from P_t(.|s') at every step. Longer histories can tell more, so
/// this is a lower bound on the supremum over all of them. Time: the transition distributions of the pairs of
/// s are read once for every previous pair that leads to s; memory: states * hidden per thread. Ties go to
/// the lowest previous pair. `threads` 0: all cores; the result does not depend on it.
HistoryError history_error(const HiddenModel& world, int threads = 0);

}  // namespace mindgap::world
