#include "mindgap/mdp/reach.h"

#include <algorithm>

#include "mindgap/base/check.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/graph.h"

namespace mindgap::mdp {
namespace {

constexpr std::int32_t kLargestForLu = 500'000;

Reach summarise(const Mdp& mdp, std::vector<double> share, std::vector<std::uint8_t> possible,
                double threshold) {
  base::check_probability("policy_reach", "threshold", threshold);
  Reach reach;
  reach.threshold = threshold;
  reach.share_by_group.assign(mdp.labels().groups.size(), 0.0);
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    const std::int32_t group = mdp.labels().group_of_state.empty() ? -1 : mdp.labels().group_of_state[s];
    if (group >= 0) reach.share_by_group[group] += share[s];
    if (share[s] < threshold || !possible[s]) reach.unreached.push_back(s);
  }
  reach.share = std::move(share);
  reach.possible = std::move(possible);
  return reach;
}

// The states a time-dependent policy can be in during its steps: sets, not probabilities.
std::vector<std::uint8_t> possible_within(const Mdp& mdp, std::span<const std::int32_t> pair,
                                          std::int64_t steps) {
  const auto states = static_cast<std::size_t>(mdp.states());
  std::vector<std::uint8_t> ever(states, 0), now(states, 0), next(states);
  for (const std::int32_t s : start_states(mdp)) now[s] = 1;
  for (std::int64_t t = 0; t < steps; ++t) {
    std::fill(next.begin(), next.end(), std::uint8_t{0});
    for (std::size_t s = 0; s < states; ++s) {
      if (!now[s]) continue;
      ever[s] = 1;
      const std::int32_t k = pair[static_cast<std::size_t>(t) * states + s];
      for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i)
        next[mdp.next_state()[i]] = 1;
    }
    std::swap(now, next);
  }
  return ever;
}

}  // namespace

Reach policy_reach(const Mdp& mdp, const Policy& policy, double threshold) {
  // Far below any threshold, and within reach for discounts near 1.
  ResolventOptions options{.tolerance = 1e-9};
  // Finding out whether a sparse LU would be small takes minutes here: 140 s for 10^6 states in no order.
  if (mdp.states() > kLargestForLu) options.method = LinearMethod::krylov;
  std::vector<double> share = discounted_visitation(mdp, policy, options).share;
  // Rounding may leave a share just below zero where the truth is zero.
  for (double& d : share) d = std::max(d, 0.0);
  return summarise(mdp, std::move(share), reachable(mdp, start_states(mdp), &policy), threshold);
}

Reach policy_reach(const Mdp& mdp, std::span<const std::int32_t> pair, std::int64_t steps, double threshold) {
  std::vector<double> share = finite_occupancy(mdp, pair, steps);
  for (double& n : share) n /= static_cast<double>(steps);
  return summarise(mdp, std::move(share), possible_within(mdp, pair, steps), threshold);
}

}  // namespace mindgap::mdp
