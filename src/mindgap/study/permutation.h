#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "mindgap/study/state.h"

namespace mindgap::study {

/// A test of "the arm makes no difference to any unit": how often the arms, drawn again as they were, would
/// give a difference of means at least as large as the one that was seen, either way.
struct Permutation {
  double p_value = 1;   // at this look
  double adjusted = 1;  // times pi^2 j^2 / 6 at the j-th look, at most 1: valid at all looks together
  bool exact = true;    // every arrangement of arms was counted; false: drawn ones
  std::int64_t arrangements = 0;  // that were counted or drawn
};

/// Fisher's randomisation test (The Design of Experiments, 1935): under the sharp hypothesis the units' means
/// are what they are whatever the arm, and the arms are random. Arms are drawn as draw_arms() does: given how
/// many controls each state has, every choice of them is as likely, and how many there are follows from one
/// uniform number (systematic sampling) or, where the study follows a plan, is fixed. So the distribution of
/// the difference can be listed: p = sum of the probabilities of the arrangements with |T*| >= |T|. Where
/// there are more than kMostArrangements, kRedraws arms are drawn instead and p = (1 + #{|T*| >= |T|}) / (1 +
/// kRedraws) (Davison and Hinkley 1997, section 4.2.3: valid at any number of draws). An arrangement that
/// leaves an arm without a result counts as extreme. `mean` is each founding unit's average reward; not a
/// number: it has none. `look` is j, from 1. None where an arm has no unit with a result.
std::optional<Permutation> permutation_test(const State& state, std::span<const double> mean, int look);
constexpr std::int64_t kMostArrangements = 100'000, kRedraws = 9'999;

}  // namespace mindgap::study
