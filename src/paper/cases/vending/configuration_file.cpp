#include "paper/cases/vending/configuration_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/base/number.h"
#include "mindgap/base/suggest.h"
#include "mindgap/files/text_file.h"
#include "mindgap/files/toml_table.h"
#include "mindgap/mdp/names.h"
#include "paper/cases/vending/fields.h"

namespace mindgap::cases::vending {
namespace {

constexpr std::string_view kFormat = "mindgap-vending/1";

using files::TomlTable;

const toml::table& as_table(const TomlTable& reader, std::string_view key, const toml::node& node) {
  if (!node.is_table()) reader.wrong_type(key, node, "a table");
  return *node.as_table();
}

std::int64_t whole_number(const TomlTable& reader, std::string_view key, const toml::node& node) {
  const double value = reader.as_number(key, node);
  if (!(value == std::floor(value) && std::abs(value) <= 1e9)) {
    reader.fail(node, fmt::format("'{}' must be a whole number", key), base::shortest(value));
  }
  return static_cast<std::int64_t>(value);
}

template <typename Table>
void read_field(TomlTable& reader, const Field<Table>& field, Table& table) {
  const toml::node* node = field.required ? &reader.get(field.key) : reader.find(field.key);
  if (node == nullptr) return;
  if (const auto* number = std::get_if<double Table::*>(&field.member)) {
    table.** number = reader.as_number(field.key, *node);
  } else if (const auto* whole = std::get_if<std::int64_t Table::*>(&field.member)) {
    table.** whole = whole_number(reader, field.key, *node);
  } else {
    if (!node->is_boolean()) reader.wrong_type(field.key, *node, "true or false");
    table.*std::get<bool Table::*>(field.member) = node->as_boolean()->get();
  }
}

template <typename Table>
void read_fields(TomlTable& reader, std::span<const Field<Table>> fields, Table& table) {
  for (const Field<Table>& field : fields) read_field(reader, field, table);
}

/// A table of its own whose keys are all scalar.
template <typename Table>
void read_section(TomlTable& top, const char* key, std::span<const Field<Table>> fields, Table& table) {
  const toml::node* node = top.find(key);
  if (node == nullptr) return;
  TomlTable reader(as_table(top, key, *node), fmt::format("{}.", key), top.file());
  read_fields(reader, fields, table);
  reader.finish();
}

std::vector<double> read_numbers(TomlTable& reader, std::string_view key, const toml::node& node) {
  if (!node.is_array()) reader.wrong_type(key, node, "an array of numbers");
  std::vector<double> values;
  for (const toml::node& element : *node.as_array()) values.push_back(reader.as_number(key, element));
  return values;
}

/// { soda = 0.5, snack = 0.2 }: by name, 0 where a name is missing. `what` says whose names.
std::vector<double> read_by_name(TomlTable& reader, std::string_view key, std::string_view what,
                                 const mdp::NameTable& names) {
  const toml::node& node = reader.get(key);
  std::vector<double> values(static_cast<std::size_t>(names.size()), 0);
  std::vector<std::string> known;
  known.reserve(static_cast<std::size_t>(names.size()));
  for (std::int32_t i = 0; i < names.size(); ++i) known.emplace_back(names[i]);
  for (const auto& [name, value] : as_table(reader, key, node)) {
    const std::int32_t place = names.find(name.str());
    if (place < 0) {
      throw InvalidModel(fmt::format("'{}': {}", key, base::unknown_name(what, name.str(), known)),
                         {.file = reader.file(), .line = name.source().begin.line});
    }
    values[static_cast<std::size_t>(place)] = reader.as_number(name.str(), value);
  }
  return values;
}

std::vector<Event> read_events(TomlTable& reader) {
  std::vector<Event> events;
  const toml::node* node = reader.find("events");
  if (node == nullptr) return events;
  if (!node->is_array()) reader.wrong_type("events", *node, "an array of tables");
  for (const toml::node& element : *node->as_array()) {
    TomlTable event(as_table(reader, "events", element), "events.", reader.file());
    Event read;
    read.from = whole_number(event, "from", event.get("from"));
    const toml::node* until = event.find("until");
    read.until = until == nullptr ? kForEver : whole_number(event, "until", *until);
    read.factor = event.as_number("factor", event.get("factor"));
    event.finish();
    events.push_back(read);
  }
  return events;
}

void read_product(TomlTable& reader, Product& product) {
  read_fields(reader, product_fields(), product);
}

void read_segment(TomlTable& reader, const mdp::NameTable& products, Segment& segment) {
  read_fields(reader, segment_fields(), segment);
  if (const toml::node* node = reader.find("day_parts")) {
    segment.day_parts = read_numbers(reader, "day_parts", *node);
  }
  segment.preference = read_by_name(reader, "preference", "product", products);
}

void read_machine(TomlTable& reader, const mdp::NameTable& segments, Machine& machine) {
  read_fields(reader, machine_fields(), machine);
  machine.true_rate = read_by_name(reader, "true_rate", "segment", segments);
  machine.simulator_rate = read_by_name(reader, "simulator_rate", "segment", segments);
  machine.events = read_events(reader);
}

/// [product.soda], [product.snack], ...: one table for every name of `names` and no other.
template <typename Thing, typename Read>
std::vector<Thing> read_things(TomlTable& top, const char* key, const mdp::NameTable& names, Read read) {
  TomlTable all(as_table(top, key, top.get(key)), fmt::format("{}.", key), top.file());
  std::vector<Thing> things;
  for (std::int32_t i = 0; i < names.size(); ++i) {
    const std::string name(names[i]);
    TomlTable reader(as_table(all, name, all.get(name)), fmt::format("{}.{}.", key, name), top.file());
    Thing thing;
    thing.name = name;
    read(reader, thing);
    reader.finish();
    things.push_back(std::move(thing));
  }
  all.finish();
  return things;
}

void read_planning(TomlTable& top, Planning& planning) {
  const toml::node* node = top.find("planning");
  if (node == nullptr) return;
  TomlTable reader(as_table(top, "planning", *node), "planning.", top.file());
  read_fields(reader, planning_fields(), planning);
  if (const toml::node* grid = reader.find("price_grid")) {
    planning.price_grid = read_numbers(reader, "price_grid", *grid);
  }
  if (const toml::node* grid = reader.find("epsilon_prices")) {
    planning.epsilon_prices = read_numbers(reader, "epsilon_prices", *grid);
  }
  reader.finish();
}

/// The line of the deepest key of `path` that is there.
std::int64_t line_of(const toml::table& table, const std::vector<std::string>& path) {
  const toml::table* at = &table;
  std::int64_t line = 0;
  for (const std::string& key : path) {
    const toml::node* node = at->get(key);
    if (node == nullptr) break;
    line = static_cast<std::int64_t>(node->source().begin.line);
    if (!node->is_table()) break;
    at = node->as_table();
  }
  return line;
}

std::string comment(std::string assignment, const char* meaning) {
  return fmt::format("{:<36}# {}\n", std::move(assignment), meaning);
}

template <typename Table>
std::string written(const Table& table, std::span<const Field<Table>> fields) {
  std::string text;
  for (const Field<Table>& field : fields) {
    const double value = value_of(table, field);
    std::string shown = files::toml_number(value);
    if (std::holds_alternative<std::int64_t Table::*>(field.member)) shown = fmt::format("{:.0f}", value);
    if (std::holds_alternative<bool Table::*>(field.member)) shown = value != 0 ? "true" : "false";
    text += comment(fmt::format("{} = {}", field.key, shown), field.meaning);
  }
  return text;
}

/// A name as a key: bare where TOML allows it.
std::string key_text(const std::string& name) {
  const bool bare = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare && !name.empty() ? name : files::toml_string(name);
}

std::string numbers_text(const std::vector<double>& values) {
  std::string text = "[";
  for (const double value : values) text += (text.size() == 1 ? "" : ", ") + files::toml_number(value);
  return text + "]";
}

template <typename Thing>
std::string by_name_text(const std::vector<Thing>& things, const std::vector<double>& values) {
  std::string text = "{";
  for (std::size_t i = 0; i < things.size(); ++i) {
    text += fmt::format("{}{} = {}", i == 0 ? " " : ", ", key_text(things[i].name),
                        files::toml_number(values[i]));
  }
  return text + " }";
}

template <typename Thing>
std::string names_text(const std::vector<Thing>& things) {
  std::string text = "[";
  for (const Thing& thing : things) text += (text.size() == 1 ? "" : ", ") + files::toml_string(thing.name);
  return text + "]";
}

std::string machine_text(const Configuration& all, const Machine& machine) {
  std::string text = fmt::format("\n[machine.{}]\n", key_text(machine.name));
  text += fmt::format("true_rate = {}\n", by_name_text(all.segments, machine.true_rate));
  text += fmt::format("simulator_rate = {}\n", by_name_text(all.segments, machine.simulator_rate));
  text += written(machine, machine_fields());
  std::string events;
  for (const Event& event : machine.events) {
    const std::string until = event.until == kForEver ? "" : fmt::format("until = {}, ", event.until);
    events += fmt::format("{}{{ from = {}, {}factor = {} }}", events.empty() ? "" : ", ", event.from, until,
                          files::toml_number(event.factor));
  }
  return text + fmt::format("events = [{}]\n", events);
}

}  // namespace

Configuration parse_configuration(std::string_view text, const std::string& file) {
  const toml::table table = files::parse_toml(text, file);
  TomlTable top(table, "", file);
  const toml::node& format = top.get("format");
  if (top.as_string("format", format) != kFormat) {
    top.fail(format, fmt::format("the format must be '{}'", kFormat), top.as_string("format", format));
  }
  Configuration result;
  if (const toml::node* name = top.find("name")) result.name = top.as_string("name", *name);
  const mdp::NameTable products = top.names("products", "product");
  const mdp::NameTable segments = top.names("segments", "segment");
  const mdp::NameTable machines = top.names("machines", "machine");
  result.products = read_things<Product>(top, "product", products, read_product);
  result.segments = read_things<Segment>(top, "segment", segments, [&](TomlTable& reader, Segment& segment) {
    read_segment(reader, products, segment);
  });
  result.machines = read_things<Machine>(top, "machine", machines, [&](TomlTable& reader, Machine& machine) {
    read_machine(reader, segments, machine);
  });
  read_section(top, "demand", demand_fields(), result.demand);
  read_section(top, "logistics", logistics_fields(), result.logistics);
  read_section(top, "finance", finance_fields(), result.finance);
  read_planning(top, result.planning);
  top.finish();
  if (const std::optional<Problem> problem = find_problem(result)) {
    throw InvalidModel(
        problem->text,
        {.file = file, .line = line_of(table, problem->path), .value = files::excerpt(problem->value)});
  }
  return result;
}

Configuration read_configuration(const std::filesystem::path& path) {
  const files::TextFile file = files::open_text_file(path);
  return parse_configuration(file.text, file.name);
}

std::string format_configuration(const Configuration& all) {
  std::string text = "# A network of vending machines for `mindgap compare vending --config FILE`.\n";
  text +=
      "# Rates are customers a day. In the tables demand, logistics, finance and planning a key that is left "
      "out has\n# the value it has in the example of mindgap, as has a table that is left out.\n";
  text += fmt::format("format = \"{}\"\nname = {}\n", kFormat, files::toml_string(all.name));
  text += fmt::format("products = {}\nsegments = {}\nmachines = {}\n", names_text(all.products),
                      names_text(all.segments), names_text(all.machines));
  for (const Product& product : all.products) {
    text += fmt::format("\n[product.{}]\n", key_text(product.name));
    text += written(product, product_fields());
  }
  for (const Segment& segment : all.segments) {
    text += fmt::format("\n[segment.{}]\n", key_text(segment.name));
    text += fmt::format("preference = {}\n", by_name_text(all.products, segment.preference));
    text +=
        comment(fmt::format("day_parts = {}", numbers_text(segment.day_parts)), "factor n * part[day mod n]");
    text += written(segment, segment_fields());
  }
  for (const Machine& machine : all.machines) text += machine_text(all, machine);
  text += "\n[demand]\n" + written(all.demand, demand_fields());
  text += "\n[logistics]\n" + written(all.logistics, logistics_fields());
  text += "\n[finance]\n" + written(all.finance, finance_fields());
  text += "\n[planning]\n" + written(all.planning, planning_fields());
  text += comment(fmt::format("price_grid = {}", numbers_text(all.planning.price_grid)), "times wholesale");
  text += comment(fmt::format("epsilon_prices = {}", numbers_text(all.planning.epsilon_prices)), "the same");
  return text;
}

std::string default_configuration_text() {
  return format_configuration(default_configuration());
}

}  // namespace mindgap::cases::vending
