#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/belief/surprise.h"
#include "mindgap/gap/instrument.h"
#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/observation_log.h"

// What history says against itself before any pilot: one part of it predicts the other. And where the
// probabilities of its actions or an instrument were logged, how much of its means is confounding.
namespace mindgap::gap {

/// How history is cut in two.
enum class Split {
  time,        // rows before and after the median step
  behaviour,   // units on either side of the main way in which units act differently in the same states
  propensity,  // rows of a pair whose logged probability is above and below the pair's median
};

/// Why a record cannot be split so.
enum class NotSplit {
  empty_part,      // one part would have no rows
  no_common_pair,  // the two parts have no pair in common
  no_time,         // most rows have the same step
  one_unit,
  units_alike,   // all of them act alike
  even_chances,  // a pair's logged probability is the same in all of its rows
};

struct SplitTest {
  Split split = Split::time;
  bool possible = false;
  std::optional<NotSplit> why_not = {};  // where it is not
  double cut = 0;                        // of time: the first step of the second part
  std::int64_t first = 0, second = 0;    // rows of the two parts
  std::int64_t compared = 0;             // rows of the second whose pair the first has seen
  belief::Surprise surprise = {};        // of those, by what the first part says
};

/// One pair's reward as history has it, and as inverse propensity weighting corrects it.
struct PropensityPair {
  std::int32_t pair = 0;
  std::int64_t rows = 0;
  double mean = 0;            // of the rewards
  double weighted = 0;        // sum r/p / sum 1/p (Hajek): what acting at random would have shown
  double weighted_error = 0;  // standard error
  double confounding = 0;     // mean - weighted
  double standard_error = 0, p_value = 1, bonferroni = 1;
  double effective_rows = 0;  // (sum 1/p)^2 / sum 1/p^2
  double least_probability = 1;
  bool poor_overlap = false;  // a few rows carry the weight: the standard error is not to be trusted
  /// Where a pilot saw the pair: weighted - the pilot's mean, what has changed since.
  std::optional<double> drift = {}, drift_error = {};
};

struct HistoryTest {
  std::int64_t rows = 0;
  bool variance_estimated = false;  // the variance of one reward is pooled from history
  std::vector<SplitTest> splits;
  /// Where probabilities were logged: every pair with at least two rewards.
  bool has_propensities = false;
  std::vector<PropensityPair> pairs;
  std::int64_t poor_overlap = 0;                  // pairs
  std::optional<InstrumentTest> instrument = {};  // where history logged one
};

struct HistoryTestOptions {
  std::int64_t draws = 500;  // of the surprise
  std::int64_t worst = 3;    // pairs to name for each split
  base::Run run = {};

  void validate() const;
};

/// Fewer effective rows than this, or than this share of the rows, are poor overlap.
constexpr double kLeastEffectiveRows = 10, kLeastEffectiveShare = .2;

/// For each split the first part is taken as all that is known, a model with its counts (rewards N(mean,
/// v/n), rows Dirichlet(p + counts), p the simulator's), and the second is judged by it: the share of data
/// sets drawn from there that are no more probable (belief::surprise with one member). If the law of rewards
/// and moves given state and action is the same in both parts, a share below x has about the probability x.
/// Confounding that both parts have alike is not seen, nor is what history never did.
///
/// `variance` of one reward per pair; empty: pooled within pairs of history. `pilot`, where there is one, is
/// for drift. Throws InvalidArgument where history has no rows, or no variance is to be had; a logged
/// probability must be in (0, 1].
HistoryTest history_test(const mdp::Mdp& simulator, const mdp::ObservationLog& history,
                         std::span<const double> variance, const mdp::ObservationLog* pilot = nullptr,
                         const HistoryTestOptions& options = {});

}  // namespace mindgap::gap
