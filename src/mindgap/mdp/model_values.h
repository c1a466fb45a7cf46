#pragma once

#include <cmath>

// The domains of the numbers beside the Mdp itself, the same in every file format.
namespace mindgap::mdp {

struct ValueRule {
  const char* name;
  const char* problem;  // what is wrong with a value that is not good
  bool (*good)(double);
};

inline bool is_zero_or_more(double value) {
  return std::isfinite(value) && value >= 0;
}
// Squares of these are added up, and shares of each other taken: they must stay within double precision.
inline bool is_sd(double value) {
  return value >= 0 && value <= 1e100;
}
inline bool is_strength(double value) {
  return value >= 1e-12 && value <= 1e100;
}
inline bool is_variance(double value) {
  return value == 0 || (value >= 1e-200 && value <= 1e200);
}

inline constexpr ValueRule kVariance{
    "variance", "a reward variance must be finite and zero or more (0, or from 1e-200 to 1e200)",
    is_variance};
inline constexpr ValueRule kRewardSd{"reward_sd", "reward_sd must be finite and zero or more, at most 1e100",
                                     is_sd};
inline constexpr ValueRule kTransitionStrength{
    "transition_strength", "transition_strength must be finite and positive, from 1e-12 to 1e100",
    is_strength};
inline constexpr ValueRule kOdds{"odds", "odds must be finite and 1 or more",
                                 [](double value) { return std::isfinite(value) && value >= 1; }};
inline constexpr ValueRule kDriftSd{"drift_sd", "drift_sd must be finite and zero or more, at most 1e100",
                                    is_sd};
inline constexpr ValueRule kUnseen{"unseen", "unseen must be from 0 to below 1",
                                   [](double value) { return value >= 0 && value < 1; }};
inline constexpr ValueRule kUnseenStrength{
    "unseen_strength", "unseen_strength must be finite and positive, from 1e-12 to 1e100", is_strength};
inline constexpr ValueRule kSharedSd{
    "sd", "the sd of a shared error must be finite and zero or more, at most 1e100", is_sd};
inline constexpr ValueRule kKernelLength{"length", "the length of a kernel must be finite and positive",
                                         [](double value) { return std::isfinite(value) && value > 0; }};
inline constexpr ValueRule kLoading{"loading", "a loading must be finite",
                                    [](double value) { return std::isfinite(value); }};
inline constexpr ValueRule kTrueRewardMin{"reward_min", "reward_min must be finite",
                                          [](double value) { return std::isfinite(value); }};
inline constexpr ValueRule kTrueRewardMax{"reward_max", "reward_max must be finite",
                                          [](double value) { return std::isfinite(value); }};
inline constexpr ValueRule kCoverage{"coverage", "a coverage count must be finite and zero or more",
                                     is_zero_or_more};

}  // namespace mindgap::mdp
