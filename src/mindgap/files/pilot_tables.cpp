#include "mindgap/files/pilot_tables.h"

#include <cmath>
#include <limits>

#include "mindgap/files/csv.h"
#include "mindgap/files/folder_tables.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace {

// Calls row(record, pair, columns) for each line of a table about pairs, each of which it may have once.
template <typename Row>
void for_each_pair(CsvReader& reader, const Mdp& mdp, Row row) {
  const NameTable states = names_or_numbers(mdp.labels().states, mdp.states());
  const NameTable actions = names_or_numbers(mdp.labels().actions, mdp.actions());
  PairColumns columns(reader, states, actions);
  std::vector<bool> seen(static_cast<std::size_t>(mdp.pairs()));
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) {
      columns.move_to(i);
      const std::int32_t pair = columns.pair(mdp, i);
      if (seen[pair]) reader.fail(i, "the pair has a second line", columns.where());
      seen[pair] = true;
      row(i, pair, columns);
    }
  }
}

// Calls row(record, state) for each line of a table with a column `state`.
template <typename Row>
void for_each_state(CsvReader& reader, const Mdp& mdp, Row row) {
  const NameTable states = names_or_numbers(mdp.labels().states, mdp.states());
  const std::size_t column = reader.column("state");
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view name = reader.field(i, column);
      const std::int32_t state = states.find(name);
      if (state < 0) reader.fail(i, "the state is unknown", {.value = excerpt(name)});
      row(i, state);
    }
  }
}

bool zero_or_more(double value) {
  return std::isfinite(value) && value >= 0;
}

}  // namespace

Units read_positions(const std::filesystem::path& path, const Mdp& mdp) {
  return parse_positions(open_text_file(path), mdp);
}

Units parse_positions(const TextFile& file, const Mdp& mdp) {
  CsvReader reader(file.text, file.name, {"unit", "state"});
  const std::size_t unit_column = reader.column("unit");
  NameTable names;
  Units units;
  for_each_state(reader, mdp, [&](std::size_t i, std::int32_t state) {
    const std::string_view unit = reader.field(i, unit_column);
    if (unit.empty() || !is_clean_utf8(unit)) {
      reader.fail(i, "the unit must have a name in UTF-8", {.value = excerpt(unit)});
    }
    if (names.add(unit) < 0) reader.fail(i, "the unit has a second line", {.value = excerpt(unit)});
    units.names.emplace_back(unit);
    units.state.push_back(state);
  });
  if (units.size() == 0) throw InvalidModel("there are no units", {.file = file.name});
  return units;
}

std::vector<std::uint8_t> read_forbidden(const std::filesystem::path& path, const Mdp& mdp) {
  return parse_forbidden(open_text_file(path), mdp);
}

std::vector<std::uint8_t> parse_forbidden(const TextFile& file, const Mdp& mdp) {
  CsvReader reader(file.text, file.name, {"state", "action"});
  std::vector<std::uint8_t> forbidden(static_cast<std::size_t>(mdp.pairs()));
  for_each_pair(reader, mdp,
                [&](std::size_t, std::int32_t pair, const PairColumns&) { forbidden[pair] = 1; });
  return forbidden;
}

std::vector<double> read_capacities(const std::filesystem::path& path, const Mdp& mdp) {
  return parse_capacities(open_text_file(path), mdp);
}

std::vector<double> parse_capacities(const TextFile& file, const Mdp& mdp) {
  CsvReader reader(file.text, file.name, {"state", "per_step"});
  const std::size_t column = reader.column("per_step");
  std::vector<double> capacity(static_cast<std::size_t>(mdp.states()),
                               std::numeric_limits<double>::infinity());
  for_each_state(reader, mdp, [&](std::size_t i, std::int32_t state) {
    if (std::isfinite(capacity[state])) {
      reader.fail(i, "the state has a second line", {.state = mdp.state_name(state)});
    }
    capacity[state] = reader.number(i, column, "capacity");
    if (!zero_or_more(capacity[state])) {
      reader.fail(i, "the capacity must be finite and zero or more",
                  {.state = mdp.state_name(state), .value = excerpt(reader.field(i, column))});
    }
  });
  return capacity;
}

std::vector<double> read_costs(const std::filesystem::path& path, const Mdp& mdp) {
  return parse_costs(open_text_file(path), mdp);
}

std::vector<double> parse_costs(const TextFile& file, const Mdp& mdp) {
  CsvReader reader(file.text, file.name, {"state", "action", "cost"});
  const std::size_t column = reader.column("cost");
  std::vector<double> cost(static_cast<std::size_t>(mdp.pairs()));
  for_each_pair(reader, mdp, [&](std::size_t i, std::int32_t pair, const PairColumns& columns) {
    cost[pair] = reader.number(i, column, "cost");
    if (!zero_or_more(cost[pair])) {
      reader.fail(i, "the cost must be finite and zero or more", columns.where(reader.field(i, column)));
    }
  });
  return cost;
}

}  // namespace mindgap::files
