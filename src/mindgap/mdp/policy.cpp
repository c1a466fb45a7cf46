#include "mindgap/mdp/policy.h"

#include <fmt/format.h>

#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/readable.h"

namespace mindgap::mdp {

Policy Policy::deterministic(const Mdp& mdp, std::vector<std::int32_t> pair_of_state) {
  base::check_size("Policy::deterministic", "pair_of_state", pair_of_state.size(),
                   static_cast<std::size_t>(mdp.states()));
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    if (pair_of_state[s] < mdp.pair_begin()[s] || pair_of_state[s] >= mdp.pair_begin()[s + 1]) {
      throw InvalidArgument(fmt::format("Policy::deterministic: pair {} does not belong to state '{}'",
                                        pair_of_state[s], mdp.state_name(s)));
    }
  }
  Policy policy;
  policy.states_ = mdp.states();
  policy.pair_ = std::move(pair_of_state);
  return policy;
}

Policy Policy::stochastic(const Mdp& mdp, std::vector<double> probability_of_pair) {
  base::check_size("Policy::stochastic", "probability_of_pair", probability_of_pair.size(),
                   static_cast<std::size_t>(mdp.pairs()));
  base::check_nonnegative("Policy::stochastic", "probability_of_pair", probability_of_pair);
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    double sum = 0;
    for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k)
      sum += probability_of_pair[k];
    if (!(std::abs(sum - 1) <= kSumTolerance)) {
      throw InvalidArgument(
          fmt::format("Policy::stochastic: the probabilities of state '{}' sum to {}, not 1",
                      mdp.state_name(s), base::number(sum, 12)));
    }
  }
  Policy policy;
  policy.states_ = mdp.states();
  policy.probability_ = std::move(probability_of_pair);
  return policy;
}

Policy Policy::uniform(const Mdp& mdp) {
  std::vector<double> probability(static_cast<std::size_t>(mdp.pairs()));
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    const std::int32_t begin = mdp.pair_begin()[s], end = mdp.pair_begin()[s + 1];
    for (std::int32_t k = begin; k < end; ++k) probability[k] = 1.0 / (end - begin);
  }
  return stochastic(mdp, std::move(probability));
}

std::vector<double> Policy::probability_of_pair(const Mdp& mdp) const {
  base::check_size("Policy::probability_of_pair", "the policy", static_cast<std::size_t>(states_),
                   static_cast<std::size_t>(mdp.states()));
  if (!is_deterministic()) {
    base::check_size("Policy::probability_of_pair", "the policy's pairs", probability_.size(),
                     static_cast<std::size_t>(mdp.pairs()));
    return probability_;
  }
  std::vector<double> probability(static_cast<std::size_t>(mdp.pairs()), 0.0);
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    base::check_range("Policy::probability_of_pair", "a pair", pair_[s], mdp.pair_begin()[s],
                      mdp.pair_begin()[s + 1] - 1);
    probability[pair_[s]] = 1;
  }
  return probability;
}

}  // namespace mindgap::mdp
