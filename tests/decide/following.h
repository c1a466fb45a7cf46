#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "decide/wrong_simulators.h"
#include "mindgap/decide/decide.h"

// What becomes of a user who follows the recommendation in a truth that the simulator calls impossible,
// decides again with what was seen, and follows that.
namespace mindgap::decide {

struct FollowingOptions {
  std::uint64_t trials = 3;    // the same truth, other luck
  std::int64_t worlds = 64;    // of each decision
  std::vector<Plan> plans;     // that decisions are between; empty: the default plans
  std::int64_t decisions = 2;  // at the start, after a tenth of the horizon, after three tenths: 1 to 3
  std::int64_t replan_every = 0;
  std::uint64_t seed = 42;
  int threads = 0;  // that trials run on
};

/// What the user might have followed throughout, knowing what is known now: sop-fixed, which never looks, and
/// the plans below.
std::vector<std::string> fixed_names(const Situation& situation);

/// sop, asop, Thompson sampling, BEB with bonuses of a half, one and two, pilots of all units and of a
/// quarter of them over a tenth of the horizon.
std::vector<Plan> plans_to_follow(const Situation& situation);

struct FollowingResult {
  std::string name;
  std::vector<std::string> fixed_names;
  std::vector<double> fixed;        // what each fixed plan earned in all, mean over the trials
  std::vector<double> fixed_error;  // its standard error
  double followed = 0;              // what following the recommendations earned
  double followed_error = 0;
  std::vector<std::string> recommended;  // by each decision, of every trial
  std::int64_t off_support = 0;          // moves in the first tenth that the simulator calls impossible
  double clairvoyant = 0;                // what knowing the truth earns in expectation

  /// The best of the fixed plans in hindsight: its mean is too high by about a standard error, since it was
  /// chosen for it.
  double best() const;
  /// What shares count from: 0, or the worst fixed plan where the best one loses something.
  double floor() const;
  double share() const { return best() == floor() ? 1 : (followed - floor()) / (best() - floor()); }
  /// How far it stays behind nine tenths of the way to the best, paired by trial, and its standard error.
  double behind = 0, behind_error = 0;
};

FollowingResult follow_through(const WrongSimulator& wrong, const Situation& situation,
                               const FollowingOptions& options);

/// What one plan, or planner of the registry, earns when it is followed throughout.
double earned_by(const std::string& name, const WrongSimulator& wrong, const Situation& situation,
                 const FollowingOptions& options, std::uint64_t trial);

}  // namespace mindgap::decide
