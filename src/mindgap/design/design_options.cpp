#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mindgap/base/error.h"
#include "mindgap/design/design.h"
#include "mindgap/files/pilot_tables.h"

namespace mindgap::design {
namespace {

template <typename Value, std::size_t n>
Value named(std::string_view name, const char* what,
            const std::array<std::pair<std::string_view, Value>, n>& all) {
  std::string list;
  for (const auto& [known, value] : all) {
    if (known == name) return value;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", known);
  }
  throw InvalidArgument(fmt::format("there is no {} '{}'; there are {}", what, base::printable(name), list));
}

}  // namespace

Minimiser minimiser_from_string(std::string_view name) {
  using Entry = std::pair<std::string_view, Minimiser>;
  return named(name, "method of design",
               std::array{Entry{"auto", Minimiser::automatic}, Entry{"columns", Minimiser::columns},
                          Entry{"mirror-descent", Minimiser::mirror_descent},
                          Entry{"interior-point", Minimiser::interior_point},
                          Entry{"coordinate-descent", Minimiser::coordinate_descent}});
}

Block block_from_string(std::string_view name) {
  using Entry = std::pair<std::string_view, Block>;
  return named(name, "block",
               std::array{Entry{"rewards", Block::rewards}, Entry{"transitions", Block::transitions},
                          Entry{"both", Block::both}});
}

void place_units(const mdp::Units& all, const std::string& file, std::optional<std::int64_t> others,
                 const mdp::Mdp& mdp, DesignOptions& options) {
  const auto units = static_cast<std::size_t>(std::max<std::int64_t>(0, options.units));
  if (all.size() < units) {
    throw InvalidArgument(
        fmt::format("{}: {} units have a position, but the pilot is to have {}", file, all.size(), units));
  }
  const auto pilot_end = static_cast<std::ptrdiff_t>(units);
  options.unit_state.assign(all.state.begin(), all.state.begin() + pilot_end);
  options.unit_names.assign(all.names.begin(), all.names.begin() + pilot_end);
  options.start = mdp::shares_of(all.state, mdp.states());
  const auto rest = static_cast<std::int64_t>(all.size() - units);
  if (others && rest == 0) {  // they are elsewhere: the start distribution stands in
    const double here = static_cast<double>(units), there = static_cast<double>(*others);
    for (std::size_t s = 0; s < options.start.size(); ++s)
      options.start[s] = (options.start[s] * here + mdp.start()[s] * there) / (here + there);
    return;
  }
  if (others && *others != rest) {
    throw InvalidArgument(
        fmt::format("{}: {} units are left for the others, but there are to be {}", file, rest, *others));
  }
  options.others = rest;
  options.other_positions.assign(static_cast<std::size_t>(mdp.states()), 0.0);
  for (std::size_t u = units; u < all.size(); ++u) ++options.other_positions[all.state[u]];
}

}  // namespace mindgap::design
