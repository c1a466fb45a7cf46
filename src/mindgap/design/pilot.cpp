#include "mindgap/design/pilot.h"

#include <algorithm>

namespace mindgap::design {

Pilot Pilot::among(std::size_t units, std::span<const std::int32_t> members) const {
  Pilot all{steps, states, routes, std::vector<std::int32_t>(units, -1)};
  for (std::size_t i = 0; i < members.size(); ++i)
    all.route_of_unit[static_cast<std::size_t>(members[i])] = route_of_unit[i];
  return all;
}

void Pilot::widen(std::int32_t wider) {
  for (Route& route : routes) {
    std::vector<std::int32_t> pair(static_cast<std::size_t>(steps) * static_cast<std::size_t>(wider), -1);
    for (std::int64_t step = 0; step < steps; ++step)
      std::copy_n(route.pair.begin() + step * states, states, pair.begin() + step * wider);
    route.pair = std::move(pair);
  }
  states = wider;
}

}  // namespace mindgap::design
