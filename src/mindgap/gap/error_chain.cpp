#include "mindgap/gap/error_chain.h"

#include <algorithm>
#include <cmath>

#include "mindgap/gap/same_pairs.h"
#include "mindgap/world/match.h"
#include "mindgap/world/projection.h"

namespace mindgap::gap {
namespace {

using mdp::Mdp;

// sum_s' |p_a(s') - p_b(s')| of one pair; both rows increase.
double row_distance(const Mdp& a, const Mdp& b, std::int32_t pair) {
  const mdp::Row one = a.row(pair), other = b.row(pair);
  std::size_t i = 0, j = 0;
  double sum = 0;
  while (i < one.size() || j < other.size()) {
    const bool take_one = j == other.size() || (i < one.size() && one.next_state[i] <= other.next_state[j]);
    const bool take_other = i == one.size() || (j < other.size() && other.next_state[j] <= one.next_state[i]);
    const double p = take_one ? one.probability[i++] : 0;
    const double q = take_other ? other.probability[j++] : 0;
    sum += std::abs(p - q);
  }
  return sum;
}

}  // namespace

PairErrors pair_errors(const Mdp& a, const Mdp& b) {
  check_same_pairs("pair_errors", a, b);
  PairErrors errors;
  const auto pairs = static_cast<std::size_t>(a.pairs());
  errors.reward.reserve(pairs);
  errors.transition.reserve(pairs);
  for (std::int32_t k = 0; k < a.pairs(); ++k) {
    errors.reward.push_back(std::abs(a.reward()[k] - b.reward()[k]));
    errors.transition.push_back(row_distance(a, b, k));
    errors.largest.reward = std::max(errors.largest.reward, errors.reward.back());
    errors.largest.transition = std::max(errors.largest.transition, errors.transition.back());
  }
  return errors;
}

ErrorChain error_chain(const Mdp& simulator, const world::HiddenModel& world) {
  const world::HiddenModel matched = world::matched_to(simulator, world);
  const Mdp projection = world::deployment_projection(matched);
  const Mdp kernel = world::calibration_kernel(matched);
  const Mdp marginal = world::calibration_marginal(matched);
  return {.total = pair_errors(simulator, projection),
          .shift_error = pair_errors(projection, kernel),
          .confounding = pair_errors(kernel, marginal),
          .drift = pair_errors(marginal, projection),
          .residual_error = pair_errors(simulator, kernel),
          .history_error = world::history_error(matched)};
}

}  // namespace mindgap::gap
