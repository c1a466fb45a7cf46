#include "mindgap/gap/same_pairs.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"

namespace mindgap::gap {

void check_same_pairs(const char* function, const mdp::Mdp& a, const mdp::Mdp& b) {
  if (a.states() != b.states() || a.actions() != b.actions()) {
    throw InvalidArgument(fmt::format(
        "{}: one model has {} states and {} actions, the other {} and {}, but the counts must match",
        function, a.states(), a.actions(), b.states(), b.actions()));
  }
  for (std::int32_t s = 0; s < a.states(); ++s) {
    const auto of_state = [&](const mdp::Mdp& m) { return base::part_of(m.pair_action(), m.pairs_of(s)); };
    if (std::ranges::equal(of_state(a), of_state(b))) continue;
    throw InvalidArgument(fmt::format("{}: the available actions of state '{}' differ, but must be the same",
                                      function, a.state_name(s)));
  }
}

}  // namespace mindgap::gap
