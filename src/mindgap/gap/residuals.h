#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mindgap/belief/belief.h"
#include "mindgap/gap/simulation_lemma.h"
#include "mindgap/mdp/mdp.h"

// What a pilot says against the simulator, pair by pair (paper, appendix "Post-pilot residual estimator").
namespace mindgap::gap {

/// A pilot in which actions did not depend on anything hidden, summed up per pair of the simulator.
struct PilotStatistics {
  std::vector<std::int64_t> count;         // rewards seen, per pair
  std::vector<double> mean_reward;         // per pair; not read where count is 0
  std::vector<double> squared_deviations;  // sum of (reward - mean_reward)^2, per pair
  std::vector<std::int64_t> next_count;    // per entry of the simulator's rows (as Mdp::next_state())
  std::vector<std::int64_t> off_support;   // moves to states the simulator's row does not have, per pair

  /// Moves seen of a pair: as many as its rewards, unless some of either are missing.
  std::int64_t moves(const mdp::Mdp& simulator, std::int32_t pair) const;
  /// Throws InvalidArgument unless sizes and domains fit the model.
  void validate(const mdp::Mdp& simulator) const;
};

/// What a belief has seen. Throws InvalidArgument where some of the rewards were censored, or where
/// observations do not count a whole number of times: tests are of whole observations.
PilotStatistics pilot_statistics(const belief::Belief& belief);

/// Where the p-values of rewards come from: the normal law with the variance that was stated, Student's t
/// with the variance pooled within pairs, or nowhere (no stated variance, and no pair was seen twice).
enum class RewardTest { normal, student, none };
std::string_view to_string(RewardTest test);

/// One test: its p-value, the same adjusted for all tests of the pilot, and whether those are at most the
/// level.
struct TestResult {
  double p_value = 1;
  double bonferroni = 1;          // chance of any false alarm at most the level, whatever the dependence
  double benjamini_hochberg = 1;  // expected share of false alarms among the alarms
  bool flagged = false;           // by bonferroni
  bool discovered = false;        // by benjamini_hochberg
};

struct PairResidual {
  std::int32_t pair = 0;
  std::int64_t count = 0;            // rewards or moves seen, whichever are more
  double reward = 0;                 // |r_sim - mean|; 0 where no reward was seen
  double reward_standard_error = 0;  // of the mean; 0 where not known
  double reward_z = 0;               // reward / standard error; infinite where only the latter is 0
  TestResult reward_test;
  double transition = 0;  // ||p_sim - empirical law||_1, at most 2; 0 where no move was seen
  TestResult transition_test;
};

struct ResidualOptions {
  double level = .05;  // of the flags, in (0, 1)
};

struct Residuals {
  RewardTest p_method = RewardTest::none;
  double pooled_variance = 0;     // within pairs; only with RewardTest::student
  double degrees_of_freedom = 0;  // likewise
  double level = 0;
  std::int64_t tests = 0;           // 2 per covered pair, less those of which nothing was seen
  std::vector<PairResidual> pairs;  // the covered ones: a reward or a move was seen
  /// The largest residuals over covered pairs; none where no pair was covered. They are what the crossover
  /// diagnostic takes, but not unbiased, as the paper says: the absolute value of noise is positive and a
  /// maximum adds to it. post_pilot.h has bounds that hold.
  std::optional<ModelError> largest;
};

/// Residuals of the simulator at covered pairs, with tests of "the simulator is right here".
///
/// Rewards. With `observation_variance` v (per pair): z = (mean - r_sim) / sqrt(v/n) against the normal law,
/// exact for normal rewards. Without (empty): the within-pair variance pooled over pairs,
/// sum_k SS_k / (N - C) with N observations at C covered pairs, and Student's t with N - C degrees of
/// freedom, exact for normal rewards of equal variance. Where N = C no test is possible: p = 1 ("none"). A
/// residual within 1e-12 of the numbers it is the difference of is rounding, and counts as 0.
///
/// Transitions. Valid at any n: for each of the m successors of the row the exact two-sided binomial p-value,
/// the row's is min(1, m times the smallest). A move that the simulator calls impossible has p = 0.
Residuals pilot_residuals(const mdp::Mdp& simulator, const PilotStatistics& pilot,
                          std::span<const double> observation_variance = {},
                          const ResidualOptions& options = {});

}  // namespace mindgap::gap
