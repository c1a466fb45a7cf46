#include "mindgap/mdp/findings.h"

#include <algorithm>
#include <cmath>

namespace mindgap::mdp {

Findings look_at(const Mdp& mdp) {
  Findings findings;
  findings.reachable = reachable(mdp, start_states(mdp));
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    if (!findings.reachable[s]) findings.unreachable.push_back(s);
  }
  findings.absorbing = absorbing_states(mdp);
  findings.components = strongly_connected_components(mdp);
  for (const std::uint8_t closed : findings.components.closed) findings.closed_components += closed;
  std::vector<std::uint8_t> used(mdp.actions(), 0);
  for (const std::int32_t action : mdp.pair_action()) used[action] = 1;
  for (std::int32_t a = 0; a < mdp.actions(); ++a) {
    if (!used[a]) findings.unused_actions.push_back(a);
  }
  for (std::int32_t k = 0; k < mdp.pairs(); ++k)
    findings.certain_rows += mdp.row_begin()[k + 1] - mdp.row_begin()[k] == 1;
  findings.row_sum_error = std::max(std::abs(mdp.row_sum_min() - 1), std::abs(mdp.row_sum_max() - 1));
  return findings;
}

}  // namespace mindgap::mdp
