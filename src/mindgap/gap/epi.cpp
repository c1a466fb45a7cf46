#include "mindgap/gap/epi.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::gap {

std::vector<double> exploration_priority(const mdp::Mdp& mdp, std::span<const double> visitation,
                                         std::span<const double> reward_variance,
                                         std::span<const double> bias,
                                         std::span<const double> transition_strength) {
  const char* function = "exploration_priority";
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  base::check_size(function, "visitation", visitation.size(), static_cast<std::size_t>(mdp.states()));
  base::check_size(function, "reward_variance", reward_variance.size(), pairs);
  base::check_size(function, "bias", bias.size(), pairs);
  base::check_size(function, "transition_strength", transition_strength.size(), pairs);
  base::check_finite(function, "bias", bias);
  if (mdp.discount() == 1) throw InvalidArgument("exploration_priority: discount is 1, but must be below 1");
  base::check_nonnegative(function, "reward_variance", reward_variance);
  const double horizon = mdp.discount() / (1 - mdp.discount());
  std::vector<double> index(pairs), spread(pairs);
  for (std::size_t k = 0; k < pairs; ++k) spread[k] = std::hypot(std::sqrt(reward_variance[k]), bias[k]);
  const double scale =
      mdp.reward_max() > 0 ? mdp.reward_max() : *std::max_element(spread.begin(), spread.end());
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    for (const std::int32_t k : mdp.pairs_of(s)) {
      base::check_positive(function, "transition_strength", transition_strength[k]);
      const double relative = spread[k] > 0 ? spread[k] / scale : 0;
      index[k] =
          visitation[s] * (relative * relative + horizon * (mdp.states() - 1) / transition_strength[k]);
    }
  }
  return index;
}

}  // namespace mindgap::gap
