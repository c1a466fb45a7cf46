#include "mindgap/report/figure.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <set>

#include "mindgap/base/error.h"
#include "mindgap/report/svg.h"

namespace mindgap::report {
namespace {

[[noreturn]] void refuse(const Figure& figure, const std::string& problem) {
  throw InvalidArgument(fmt::format("figure '{}': {}", base::printable(figure.id), problem));
}

bool all_of_set(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

}  // namespace

std::optional<double> number_in(const std::string& cell) {
  const char* begin = cell.data();
  const char* end = begin + cell.size();
  if (begin != end && *begin == '+') ++begin;
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  if (begin != cell.data() && *begin == '-') return std::nullopt;
  return value;
}

void check_figure(const Figure& figure) {
  if (!all_of_set(figure.id, "abcdefghijklmnopqrstuvwxyz0123456789-"))
    refuse(figure, "an id is made of a-z, 0-9 and -");
  std::set<std::string> names;
  for (const Dataset& dataset : figure.data) {
    if (!all_of_set(dataset.name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ||
        dataset.name.front() == '.')
      refuse(figure, fmt::format("'{}' is no name for data: letters, digits, - and _",
                                 base::printable(dataset.name)));
    if (!names.insert(dataset.name).second)
      refuse(figure, fmt::format("two datasets have the name '{}'", dataset.name));
    const std::size_t wanted = dataset.table.columns.size();
    for (const auto& row : dataset.table.rows) {
      if (row.size() != wanted)
        refuse(figure, fmt::format("a row of '{}' has {} cells, but there are {} columns", dataset.name,
                                   row.size(), wanted));
    }
  }
}

std::string to_svg(const Figure& figure) {
  Svg paper;
  paper.rect({0, 0}, figure.wide.width, figure.wide.height, &kSurface);
  Drawing whole = std::move(paper).finish(figure.wide.width, figure.wide.height);
  whole.body += figure.wide.body;
  return svg_element(figure, whole, "file", "");
}

}  // namespace mindgap::report
