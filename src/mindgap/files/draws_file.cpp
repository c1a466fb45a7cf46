#include "mindgap/files/draws_file.h"

#include <fmt/format.h>

#include <cmath>

#include "mindgap/base/suggest.h"
#include "mindgap/files/csv.h"

namespace mindgap::files {

std::vector<std::vector<double>> parse_draws(const TextFile& file, std::span<const std::string> wanted) {
  CsvReader reader(file.text, file.name, {}, {}, OtherColumns::taken);
  std::vector<std::size_t> places;
  for (const std::string& name : wanted) {
    const std::optional<std::size_t> place = reader.find_column(name);
    if (!place)
      throw InvalidModel(base::unknown_name("column", name, reader.header()), {.file = file.name, .line = 1});
    places.push_back(*place);
  }
  std::vector<std::vector<double>> columns(wanted.size());
  while (const std::size_t count = reader.next()) {
    for (std::size_t c = 0; c < places.size(); ++c) {
      const std::string what = fmt::format("number in column '{}'", base::printable(wanted[c]));
      for (std::size_t i = 0; i < count; ++i) {
        const double value = reader.number(i, places[c], what);
        if (!std::isfinite(value))
          reader.fail(i, fmt::format("the {} is not finite", what),
                      {.value = excerpt(reader.field(i, places[c]))});
        columns[c].push_back(value);
      }
    }
  }
  return columns;
}

}  // namespace mindgap::files
