#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "decide/problems.h"
#include "mindgap/decide/decide.h"

// Are the stated gains right, and is who follows the verdict better off than who always does the same?
namespace mindgap::decide {

struct CalibrationOptions {
  std::uint64_t problems = 200;
  std::uint64_t first = 0;             // number of the first problem
  std::int64_t fresh_worlds = 20'000;  // on which the gain is judged; a fifth of them for all fixed plans
  std::int64_t worlds = 0;             // of the decision; 0: until settled
  double time_limit = 10;              // of a decision, in seconds, where worlds is 0
  std::uint64_t seed = 42;
  std::function<void(const struct Judged&)> on_judged = {};
};

/// One problem: what the decision said and what came of it.
struct Judged {
  std::uint64_t number = 0;
  std::string family, verdict, recommended, other;
  std::int64_t worlds = 0;
  double stated = 0, stated_error = 0;      // the gain
  double realised = 0, realised_error = 0;  // on fresh worlds
  double difference_sd = 0;                 // of one fresh world's gain
  bool differs = false;                     // in any world; else there is nothing to state
  bool inside = false;                      // the realised gain is in the stated interval
  /// |stated - realised| is within the interval's factor of the error that both have together.
  bool covered = false;
  double verdict_share = 0;         // of the clairvoyant's value, by the recommended plan
  std::vector<double> fixed_share;  // by each of fixed_plans()
};

struct Calibration {
  std::vector<Judged> problems;

  std::int64_t stating() const;  // problems in which the two plans differ
  double inside() const;         // shares of those
  double covered() const;
  double verdict_share() const;  // mean over all problems
  std::vector<double> fixed_shares() const;
  double best_fixed_share() const;
  /// What following the verdict earns as a share of what the best fixed plan does, each in shares of the
  /// clairvoyant's value: problems weigh the same whatever their size.
  double of_best_fixed() const { return verdict_share() / best_fixed_share(); }
};

/// Plans whose names mean the same in every problem: sop, asop, thompson, and pilots of all units or a
/// quarter of them over a tenth, a fifth or two fifths of the horizon.
const std::vector<std::string>& fixed_plans();

Judged judge(const Problem& problem, std::uint64_t number, const CalibrationOptions& options);
Calibration calibrate(const CalibrationOptions& options);

}  // namespace mindgap::decide
