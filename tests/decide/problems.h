#pragma once

#include <cstdint>
#include <string>

#include "mindgap/decide/situation.h"

// Decision problems drawn at random, with a stated prior that their truths follow.
namespace mindgap::decide {

struct Problem {
  std::string family;  // "random", "grid", "bandit"
  Situation situation;
};

/// The number-th problem: families by turns, everything else (sizes, rewards, what history covered, noise,
/// units, horizon) from the stream (seed, Purpose::test, number). Rewards are positive in the mean, so that
/// values can be compared as shares of what a clairvoyant earns.
Problem draw_problem(std::uint64_t seed, std::uint64_t number);

/// The number-th of other, longer problems, from the stream (seed, Purpose::test, number, 3): random models
/// of 3 to 12 states, 1 to 20 units, 20 to 150 steps.
Problem draw_long_problem(std::uint64_t seed, std::uint64_t number);

}  // namespace mindgap::decide
