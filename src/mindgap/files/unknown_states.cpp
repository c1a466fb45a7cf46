#include "mindgap/files/unknown_states.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/base/remedy.h"
#include "mindgap/files/csv.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold

std::vector<std::string> unknown_states(const TextFile& table, const Mdp& mdp) {
  const NameTable known = names_or_numbers(mdp.labels().states, mdp.states());
  CsvReader reader(table.text, table.name, {},
                   {"unit", "step", "state", "action", "reward", "next_state", "probability", "censored",
                    "instrument", "count", "status", "group"});
  std::vector<std::size_t> columns;
  for (const char* name : {"state", "next_state"})
    if (const auto column = reader.find_column(name)) columns.push_back(*column);
  NameTable found;
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::size_t column : columns) {
        const std::string_view name = reader.field(i, column);
        if (known.find(name) >= 0 || found.find(name) >= 0 || name.empty()) continue;
        try {
          check_name("state", name);
        } catch (const InvalidModel& error) {
          reader.fail(i, error.problem(), {.value = error.where().value});
        }
        found.add(name);
      }
    }
  }
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(found.size()));
  for (std::int32_t i = 0; i < found.size(); ++i) names.emplace_back(found[i]);
  return names;
}

std::string new_states_remedy() {
  return fmt::format("the simulator has never seen it: check the spelling, or take new states in with {}",
                     base::how_to(base::Remedy::allow_new_states));
}

}  // namespace mindgap::files
