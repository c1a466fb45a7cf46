#include "mindgap/decide/situation.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::decide {

void Situation::validate() const {
  base::check_range("decide", "units", static_cast<double>(units()), 1, 1e7);
  base::check_range("decide", "horizon", static_cast<double>(horizon), 1, 1e7);
  const std::int32_t states = belief().simulator().states();
  for (std::size_t u = 0; u < unit_state.size(); ++u) {
    if (unit_state[u] < 0 || unit_state[u] >= states)
      throw InvalidArgument(
          fmt::format("decide: unit {} is in state {}, but there are {} states", u, unit_state[u], states));
  }
  if (belief().simulator().discount() == 1) {
    throw InvalidArgument(
        "decide: the model's discount is 1, but policies are found for one below 1: state it in the model "
        "(by how "
        "much total rewards over a horizon count does not depend on it)");
  }
  if (knowledge.variance.empty()) belief::ask_for_variance("a decision");
}

std::int64_t default_replanning(std::int64_t horizon) {
  return std::clamp<std::int64_t>(horizon / 20, 1, 5);
}

}  // namespace mindgap::decide
