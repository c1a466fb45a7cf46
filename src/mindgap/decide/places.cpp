#include "mindgap/decide/places.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/design/design.h"

namespace mindgap::decide {

Places places_at(const files::Positions& positions, std::int64_t units, const std::string& file) {
  if (static_cast<std::int64_t>(positions.state.size()) != units) {
    throw InvalidArgument(fmt::format("{}: {} units have a position, but there are to be {}", file,
                                      positions.state.size(), units));
  }
  Places places{positions.state, {}};
  for (std::size_t u = 0; u < places.state.size(); ++u)
    places.names.emplace_back(positions.units[static_cast<std::int32_t>(u)]);
  return places;
}

std::optional<Places> places_after(const mdp::ObservationLog& log, std::int64_t units) {
  std::vector<std::int64_t> last(static_cast<std::size_t>(units), -1);
  Places places{std::vector<std::int32_t>(last.size(), -1), std::vector<std::string>(last.size())};
  for (std::size_t i = 0; i < log.size(); ++i) {
    const auto unit = static_cast<std::size_t>(log.unit[i]);
    if (unit >= last.size()) return std::nullopt;
    if (log.step[i] <= last[unit]) continue;
    last[unit] = log.step[i];
    places.state[unit] = log.row(i).next_state.value_or(-1);
    places.names[unit] = std::string(log.units[log.unit[i]]);
  }
  const auto unknown = [](std::int32_t state) { return state < 0; };
  if (std::any_of(places.state.begin(), places.state.end(), unknown)) return std::nullopt;
  return places;
}

Places places_at_start(const mdp::Mdp& mdp, std::int64_t units) {
  if (units < 1 || units > kMostUnits)
    throw InvalidArgument(
        fmt::format("units: from 1 to 10,000,000 are possible, but there are to be {}", units));
  Places places{design::spread_units(mdp.start(), units), {}};
  for (std::size_t u = 0; u < places.state.size(); ++u) places.names.push_back(fmt::format("{}", u + 1));
  return places;
}

mdp::Mdp starting_at(const mdp::Mdp& mdp, const Places& places) {
  std::vector<double> start(static_cast<std::size_t>(mdp.states()), 0.0);
  for (const std::int32_t s : places.state) start[s] += 1.0 / static_cast<double>(places.state.size());
  return mdp.with_start(std::move(start));
}

}  // namespace mindgap::decide
