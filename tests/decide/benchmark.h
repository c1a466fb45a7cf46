#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "decide/families.h"
#include "decide/rivals.h"
#include "mindgap/decide/plan.h"

// The recommendation against methods that others have published, on models of the benchmark's families.
namespace mindgap::decide {

struct BenchmarkOptions {
  std::uint64_t models = 300;
  std::uint64_t tuning_models = 100;  // drawn from the prior, on which a rival's number is chosen; 0: it is
                                      // epsilon .05, a model held for a step, a bonus of 1
  /// Of the decision, at most: it ends before where the verdict is settled.
  std::int64_t worlds = 8'192;
  /// A benchmark asks for every last per cent. A user's decision counts kinds of plan within 1 % as tied and
  /// takes the simplest; `by_default` of the result says what that would have been.
  double indifference = 0;
  std::int64_t horizon = kBenchmarkSteps;
  std::vector<Plan> plans = {};  // that the decision is between; empty: the default ones
  std::uint64_t seed = 42;
};

struct BenchmarkRow {
  std::string name;
  double mean = 0, standard_error = 0;         // discounted reward per unit
  double ahead = 0, ahead_standard_error = 0;  // of the recommendation over it, paired
};

struct BenchmarkResult {
  std::string family;
  PriorKind prior = PriorKind::accurate;
  std::int64_t units = 1;
  std::string recommended;
  double mean = 0, standard_error = 0;  // of the recommendation
  std::vector<BenchmarkRow> rivals;     // greedy, epsilon-greedy, PSRL, BEB: the last three tuned
  /// What is recommended with the default indifference, from the same sampled models, and how far that is
  /// ahead of the best rival.
  BenchmarkRow by_default;

  /// The rival of highest mean.
  const BenchmarkRow& best_rival() const;
  /// At least as good as it within so many standard errors of the difference.
  bool as_good(double errors = 2) const;
  /// The default recommendation is behind it by no more than the indifference gives away, within so many
  /// standard errors. It should be where truths are as the prior states.
  bool default_within_indifference(double errors = 2) const;
};

BenchmarkResult run_benchmark(const Family& family, PriorKind prior, std::int64_t units,
                              const BenchmarkOptions& options);

}  // namespace mindgap::decide
