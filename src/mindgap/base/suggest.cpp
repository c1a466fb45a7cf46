#include "mindgap/base/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/base/near_name.h"

namespace mindgap::base {
namespace {

// Letters added, left out, replaced, or two neighbours swapped (optimal string alignment), a row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string unknown_name(std::string_view what, std::string_view name, std::span<const std::string> known) {
  std::vector<std::string_view> order(known.begin(), known.end());
  const std::string_view asked = name.substr(0, 100);
  const auto nearest = std::min_element(order.begin(), order.end(), [&](auto a, auto b) {
    return edit_distance(asked, a) < edit_distance(asked, b);
  });
  if (nearest != order.end()) std::rotate(order.begin(), nearest, nearest + 1);
  return fmt::format("there is no {} '{}'; there are: {}", what, printable(name), fmt::join(order, ", "));
}

std::optional<std::string> near_name(std::string_view name, std::span<const std::string> known) {
  const std::string_view asked = name.substr(0, 100);
  std::optional<std::string> nearest;
  std::size_t least = std::max<std::size_t>(1, asked.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const bool begun = asked.size() >= 2 && candidate.starts_with(asked);
    const std::size_t distance = begun ? 0 : edit_distance(asked, candidate);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace mindgap::base
