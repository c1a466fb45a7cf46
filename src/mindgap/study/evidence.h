#pragma once

#include <vector>

#include "mindgap/study/state.h"

// What the results say against the simulator, and against a world that stands still; valid however often one
// looks, and whatever the assignments made of earlier results.
namespace mindgap::study {

/// An e-value is a nonnegative number whose mean under the hypothesis is at most 1 at every look, stopping
/// times included: it exceeds 1/level ever with probability at most `level` (Ville 1939).
struct PairEvidence {
  std::int32_t pair = 0;
  std::int64_t rewards = 0, moves = 0;  // that count
  double mean_reward = 0;               // of those rewards
  double log_reward = 0;                // log e-value, of the rewards alone
  double log_transition = 0;
  double p_value = 1;   // min(1, 1/e), e the mean of the two e-values
  double adjusted = 1;  // for all pairs of the model (Benjamini-Hochberg)
  bool flagged = false;
};

/// "The simulator is right at this pair". The e-value of the rewards is the Bayes factor of a mean
/// N(r_sim, sd^2) against r_sim, sd the prior's; that of the moves the Bayes factor of the prior's Dirichlet
/// row against the simulated one. Both are martingales under the hypothesis: exactly for Gaussian rewards of
/// the stated variance; nothing is assumed about moves. Flags are Benjamini-Hochberg's on 1/e, which is e-BH
/// (Wang and Ramdas 2022): the expected share of false ones is at most `level` whatever the dependence. And
/// where the simulator is right everywhere, the chance that any pair is ever flagged, at any look, is at most
/// `level`: a flag means that the average e-value of all pairs exceeds 1/level.
std::vector<PairEvidence> evidence_against_simulator(const State& state, const belief::Knowledge& before,
                                                     double level = .05);

struct DriftPair {
  std::int32_t pair = 0;
  double log_e = 0;                       // the mean of the two e-values
  double mean_before = 0, mean_last = 0;  // rewards in earlier batches and in the last one
};

struct Drift {
  std::int64_t batches = 0;      // with results
  double log_e = 0;              // the average over all pairs of the model
  double p_value = 1;            // min(1, 1/e)
  bool alarm = false;            // e >= 1/level
  std::vector<DriftPair> pairs;  // with results in two batches, the most suspect first
};

/// "Nothing changed between the batches", whatever the truth is: universal inference (Wasserman, Ramdas and
/// Balakrishnan 2020). Per pair, the likelihood of the results under a filter that allows a step between
/// batches, each result predicted from those before it, over the largest likelihood under one mean (one row)
/// for all. Rewards Gaussian with the stated variance. A result belongs to the batch that assigned it.
Drift drift_between_batches(const State& state, const belief::Knowledge& before, double level = .05);

}  // namespace mindgap::study
