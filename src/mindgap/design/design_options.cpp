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

void place_units(const files::Positions& positions, const std::string& file,
                 std::optional<std::int64_t> others, const mdp::Mdp& mdp, DesignOptions& options) {
  const auto units = static_cast<std::size_t>(std::max<std::int64_t>(0, options.units));
  if (positions.state.size() < units) {
    throw InvalidArgument(fmt::format("{}: {} units have a position, but the pilot is to have {}", file,
                                      positions.state.size(), units));
  }
  const auto pilot_end = positions.state.begin() + static_cast<std::ptrdiff_t>(units);
  options.unit_state.assign(positions.state.begin(), pilot_end);
  options.unit_names.clear();
  for (std::size_t i = 0; i < units; ++i)
    options.unit_names.emplace_back(positions.units[static_cast<std::int32_t>(i)]);
  const auto rest = static_cast<std::int64_t>(positions.state.size() - units);
  if (others && rest == 0) return;  // the others are elsewhere: the start distribution stands in
  if (others && *others != rest) {
    throw InvalidArgument(
        fmt::format("{}: {} units are left for the others, but there are to be {}", file, rest, *others));
  }
  options.others = rest;
  options.other_positions.assign(static_cast<std::size_t>(mdp.states()), 0.0);
  for (auto state = pilot_end; state != positions.state.end(); ++state) ++options.other_positions[*state];
}

}  // namespace mindgap::design
