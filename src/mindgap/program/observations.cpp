#include "mindgap/program/observations.h"

#include <cmath>
#include <optional>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::program {

bool spread(const Grid& grid, const mdp::Mdp& mdp, const Seen& seen,
            std::vector<mdp::Observation>& observations) {
  base::check_range("spread", "action", seen.action, 0, mdp.actions() - 1);
  if (!std::isnan(seen.reward)) base::check_finite("spread", "reward", seen.reward);
  Corners from, to;
  bool outside = grid.spread(seen.state, from).outside();
  const bool has_end = mdp.states() > grid.corners();
  if (seen.terminated && has_end) {
    to.corner[0] = grid.corners();
    to.weight[0] = 1;
    to.size = 1;
  } else if (!seen.terminated && !seen.next_state.empty()) {
    outside = grid.spread(seen.next_state, to).outside() || outside;
  }
  const std::optional<double> reward = std::isnan(seen.reward) ? std::nullopt : std::optional(seen.reward);
  for (std::size_t i = 0; i < from.size; ++i) {
    const std::int32_t pair = mdp.find_pair(from.corner[i], seen.action);
    if (pair < 0) continue;
    mdp::Observation one{.unit = seen.unit, .step = seen.step, .pair = pair, .reward = reward};
    if (to.size == 0 && reward) {
      one.weight = from.weight[i];
      observations.push_back(one);
    }
    for (std::size_t j = 0; j < to.size; ++j) {
      one.next_state = to.corner[j];
      one.weight = from.weight[i] * to.weight[j];
      if (one.weight > 0) observations.push_back(one);
    }
  }
  return outside;
}

}  // namespace mindgap::program
