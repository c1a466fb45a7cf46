#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/belief/belief.h"
#include "mindgap/gap/evpi.h"
#include "mindgap/mdp/policy.h"

// Value of partial information about a tabular model: which of its rows are worth knowing.
namespace mindgap::voi {

struct RowsOptions {
  std::vector<double> positions = {};  // units in each state
  std::int64_t steps = 0;              // that are counted
  bool discounted = false;             // else every step counts alike
  std::int64_t draws = 64;
  std::uint64_t first_draw = 0;  // number of the first model that is drawn
  base::Run run = {};
};

/// Some states' mean rewards, transition distributions, or both.
struct RowsPart {
  std::string group;  // of states, as the model names it; "" for all states
  bool rewards = false, transitions = false;
  gap::Estimate value;
};

/// With M(G) the belief's mean model but for the rows G, which are as drawn, V* the best that all units can
/// earn and V the deployed policy's value there:
///   EVPPI(G) = E[V*(M(G)) - V(M(G))] - [V*(mean) - V(mean)]
/// as rows are independent, so that the others stay at their mean whatever G shows (but for what values are
/// not linear in them: `remainder`). Everything drawn gives E[V* - V], the value of perfect information, of
/// the same draws; the bracket (`idle`) is what the deployed policy, which takes no notice of the end, could
/// earn without any information. V is subtracted where it arises: it has the same expectation in rewards and
/// takes most of the Monte Carlo error away. With errors that pairs share, what G says about other rows is
/// left out, and numbers are lower than EVPPI.
struct RowsValue {
  std::int64_t draws = 0;
  std::vector<RowsPart> parts;  // groups of states x rewards, transitions; the most valuable first
  gap::Estimate rewards, transitions, all;  // of all states
  double idle = 0;
  /// `all` less the sum of the parts: what only knowing several of them together is worth (or, below 0, what
  /// each of them is worth already).
  gap::Estimate remainder;
};

/// Models in parallel; fewer draws where the listener wants to stop (at least 2). Groups are those of the
/// model, the largest 8 where there are more and the others as one; without groups all states are one.
RowsValue value_of_rows(const belief::Belief& belief, const mdp::Policy& deployed,
                        const RowsOptions& options);

}  // namespace mindgap::voi
