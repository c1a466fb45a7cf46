#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mindgap/gap/simulation_lemma.h"
#include "mindgap/mdp/mdp.h"

// The simulation lemma after a pilot (paper, cor. post-pilot, corrected: a pilot does not change the
// simulator, so what is bounded is the pilot-refined model, in which covered pairs have the pilot's mean
// reward and empirical transition distribution and the others stay as simulated; and at covered pairs no
// residual of the simulator persists).
namespace mindgap::gap {

struct PostPilotOptions {
  /// All statements at covered pairs hold together with probability >= 1 - delta; in (0, 1).
  double delta = .05;
  /// Mean rewards, the truth's too, lie in [0, Rmax] or in [-Rmax, Rmax]. Default Rmax: the simulator's
  /// reward_max, or its largest |reward| where that is more.
  RewardSign sign = RewardSign::nonnegative;
  std::optional<double> reward_max;
  /// Length of an interval that holds every single observed reward. Default: Rmax, or 2 Rmax for either sign.
  std::optional<double> reward_span;
  /// In how many states the truth may move to from each pair, per pair, >= 1. Empty: the length of the
  /// simulator's row, which says that the truth moves nowhere else; `states()` everywhere says nothing.
  std::vector<std::int32_t> successors;
  /// Bounds on |r_sim - r| and ||p_sim - p||_1, per pair; read at pairs that were not covered. Empty: what is
  /// always true, the reward span and 2.
  std::vector<double> reward_error, transition_error;
};

struct PostPilotBound {
  double delta = 0;
  double reward_span = 0;
  std::int64_t statements = 0;            // N: 2 per covered pair
  std::vector<double> reward_radius;      // per pair: |r_refined - r| is at most this
  std::vector<double> transition_radius;  // per pair: ||p_refined - p||_1 is at most this
  ModelError error;                       // the largest of each
  std::int32_t reward_pair = -1;          // the pair that sets error.reward (the first of equals)
  std::int32_t transition_pair = -1;      // and error.transition
  double bound = 0;  // simulation_lemma_bound(error): on |V_refined - V|, every policy and state
};

/// Radius of Hoeffding (1963) for the mean of n rewards in an interval of length `span`, with probability
/// >= 1 - delta: span sqrt(log(2/delta) / (2n)), at most span. n >= 1, span >= 0, delta in (0, 1).
double reward_radius(std::int64_t count, double span, double delta);

/// Radius in the 1-norm of Weissman et al. (2003) for the empirical law of n draws from m outcomes:
/// sqrt(2 (log(2^m - 2) + log(1/delta)) / n), at most 2; 0 at m = 1. Stable for large m.
double transition_radius(std::int64_t count, std::int32_t successors, double delta);

/// With probability >= 1 - delta: |V_refined(s) - V(s)| <= bound at every state, for every policy. `count` is
/// the number of pilot observations per pair, fixed in advance or at least not chosen from what was observed
/// at that pair: each of the N statements at covered pairs gets delta/N.
PostPilotBound post_pilot_bound(const mdp::Mdp& simulator, std::span<const std::int64_t> count,
                                const PostPilotOptions& options = {});

}  // namespace mindgap::gap
