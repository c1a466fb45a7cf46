#include "mindgap/mdp/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/error.h"

namespace mindgap::mdp {

std::vector<std::int32_t> spread_units(std::span<const double> start, std::int64_t units) {
  std::vector<std::int32_t> order(start.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::int64_t> count(start.size());
  std::int64_t left = units;
  for (std::size_t s = 0; s < start.size(); ++s) {
    count[s] = static_cast<std::int64_t>(std::floor(start[s] * static_cast<double>(units) + 1e-9));
    left -= count[s];
  }
  const auto remainder = [&](std::int32_t s) {
    return start[s] * static_cast<double>(units) - static_cast<double>(count[s]);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return remainder(a) > remainder(b) + 1e-9; });
  for (std::size_t i = 0; left > 0; i = (i + 1) % order.size()) {
    if (start[order[i]] <= 0) continue;
    ++count[order[i]];
    --left;
  }
  std::vector<std::int32_t> state;
  for (std::size_t s = 0; s < start.size(); ++s) {
    state.insert(state.end(), static_cast<std::size_t>(std::max<std::int64_t>(0, count[s])),
                 static_cast<std::int32_t>(s));
  }
  return state;
}

Units units_at_start(const Mdp& mdp, std::int64_t units) {
  if (units < 1 || units > kMostUnits)
    throw InvalidArgument(
        fmt::format("units: from 1 to 10,000,000 are possible, but there are to be {}", units));
  Units all;
  all.state = spread_units(mdp.start(), units);
  for (std::size_t u = 0; u < all.size(); ++u) all.names.push_back(fmt::format("{}", u + 1));
  return all;
}

std::optional<Units> units_after(const ObservationLog& log, std::int64_t units) {
  std::vector<std::int64_t> last(static_cast<std::size_t>(units), -1);
  Units all{std::vector<std::string>(last.size()), std::vector<std::int32_t>(last.size(), -1)};
  for (std::size_t i = 0; i < log.size(); ++i) {
    const auto unit = static_cast<std::size_t>(log.unit[i]);
    if (unit >= last.size()) return std::nullopt;
    if (log.step[i] <= last[unit]) continue;
    last[unit] = log.step[i];
    all.state[unit] = log.row(i).next_state.value_or(-1);
    all.names[unit] = std::string(log.units[log.unit[i]]);
  }
  const auto nowhere = [](std::int32_t state) { return state < 0; };
  if (std::any_of(all.state.begin(), all.state.end(), nowhere)) return std::nullopt;
  return all;
}

std::vector<double> shares_of(std::span<const std::int32_t> unit_state, std::int32_t states) {
  std::vector<double> shares(static_cast<std::size_t>(states), 0.0);
  for (const std::int32_t s : unit_state) shares[s] += 1.0 / static_cast<double>(unit_state.size());
  return shares;
}

}  // namespace mindgap::mdp
