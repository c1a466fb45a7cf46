#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/files/field_export.h"
#include "mindgap/files/toml_table.h"

namespace mindgap::files {
namespace {

constexpr std::string_view kFormat = "mindgap-columns/1";
constexpr std::array<std::string_view, kResultFields> kFieldNames = {
    "unit", "step", "state", "action", "reward", "at_least", "at_most", "censored", "next_state", "status"};

const toml::table& as_table(const TomlTable& in, std::string_view key, const toml::node& node) {
  if (!node.is_table()) in.wrong_type(key, node, "a table");
  return *node.as_table();
}

std::string text_at(TomlTable& table, std::string_view key) {
  const toml::node* node = table.find(key);
  return node == nullptr ? "" : table.as_string(key, *node);
}

// "," for the separator and so on: one of a few characters.
char one_of(TomlTable& table, std::string_view key, std::string_view known, std::string_view wanted) {
  const toml::node* node = table.find(key);
  if (node == nullptr) return known.front();
  const std::string text = table.as_string(key, *node);
  if (text.size() != 1 || known.find(text) == std::string_view::npos)
    table.fail(*node, fmt::format("'{}' must be {}", key, wanted), text);
  return text.front();
}

std::vector<std::string> texts(const TomlTable& in, std::string_view key, const toml::node& node) {
  const toml::array* array = node.as_array();
  if (array == nullptr) in.wrong_type(key, node, "an array of strings");
  std::vector<std::string> found;
  for (const toml::node& element : *array) found.push_back(in.as_string(key, element));
  return found;
}

// [only] and [except]: a column and the values that count.
std::vector<RowFilter> read_filters(TomlTable& table, const std::string& prefix) {
  std::vector<RowFilter> filters;
  for (const bool wanted : {true, false}) {
    const std::string_view key = wanted ? "only" : "except";
    const toml::node* node = table.find(key);
    if (node == nullptr) continue;
    for (const auto& [column, values] : as_table(table, key, *node)) {
      const std::string name(column.str());
      RowFilter filter{name, texts(table, fmt::format("{}{}.{}", prefix, key, name), values), wanted};
      if (filter.values.empty())
        table.fail(values, fmt::format("'{}{}.{}' lists no value", prefix, key, name));
      filters.push_back(std::move(filter));
    }
  }
  return filters;
}

ColumnRule read_rule(const TomlTable& in, const std::string& field, const toml::node& node) {
  ColumnRule rule;
  if (node.is_string()) {
    rule.column = in.as_string(field, node);
    if (rule.column.empty()) in.fail(node, fmt::format("'columns.{}' must name a column", field));
    return rule;
  }
  if (!node.is_table()) in.wrong_type(field, node, "the name of a column or a table");
  TomlTable table(*node.as_table(), "columns." + field + ".", in.file());
  rule.column = text_at(table, "column");
  const std::string parent = text_at(table, "parent");
  if (const toml::node* always = table.find("always")) rule.always = table.as_string("always", *always);
  if ((rule.column.empty() ? 0 : 1) + (parent.empty() ? 0 : 1) + (rule.always ? 1 : 0) != 1) {
    in.fail(node,
            fmt::format("'columns.{}' needs exactly one of column (of this row), parent (a column of the "
                        "row's parent) and always (the same in every row)",
                        field));
  }
  rule.in_parent = !parent.empty();
  if (rule.in_parent) rule.column = parent;
  if (const toml::node* values = table.find("values")) {
    for (const auto& [from, to] : as_table(table, "values", *values))
      rule.values.emplace(from.str(), table.as_string("values", to));
  }
  if (const toml::node* keep = table.find("keep_others")) {
    if (!keep->is_boolean()) table.wrong_type("keep_others", *keep, "true or false");
    rule.keep_others = keep->as_boolean()->get();
  }
  if (field == "step") rule.minus = table.number("minus").value_or(0);
  table.finish();
  return rule;
}

ParentRule read_parent(const TomlTable& in, const toml::node& node) {
  TomlTable table(as_table(in, "parent", node), "parent.", in.file());
  ParentRule parent;
  parent.key = text_at(table, "key");
  parent.named_by = text_at(table, "named_by");
  if (parent.key.empty() || parent.named_by.empty())
    in.fail(node,
            "'parent' needs key (the parent's column that names it) and named_by (the row's column that "
            "names its parent)");
  if (const toml::node* same = table.find("same_file")) {
    if (!same->is_boolean()) table.wrong_type("same_file", *same, "true or false");
    parent.same_file = same->as_boolean()->get();
  }
  parent.filters = read_filters(table, "parent.");
  table.finish();
  return parent;
}

void check_rules(const ExportColumns& found, const std::string& file) {
  const auto missing = [&](const std::string& what) { throw InvalidModel(what, {.file = file}); };
  for (const ResultField field : {ResultField::unit, ResultField::step}) {
    if (!found.rule(field))
      missing(fmt::format("the key 'columns.{}' is missing: which column is the {}?", to_string(field),
                          to_string(field)));
  }
  const auto any = {ResultField::reward, ResultField::at_least, ResultField::at_most,
                    ResultField::next_state};
  if (std::none_of(any.begin(), any.end(), [&](ResultField field) { return found.rule(field).has_value(); }))
    missing(
        "no column is a result: name one of columns.reward, columns.at_least, columns.at_most and "
        "columns.next_state");
  const bool asks_parent = std::any_of(found.rules.begin(), found.rules.end(),
                                       [](const auto& rule) { return rule && rule->in_parent; });
  if (asks_parent && !found.parent)
    missing(
        "a column is one of the row's parent, but the table [parent] is missing: it says how rows name "
        "their parents");
}

}  // namespace

std::string_view to_string(ResultField field) {
  return kFieldNames[static_cast<std::size_t>(field)];
}

ExportColumns parse_export_columns(const TextFile& file) {
  const toml::table root = parse_toml(file.text, file.name);
  TomlTable table(root, "", file.name);
  const toml::node& format = table.get("format");
  if (const std::string text = table.as_string("format", format); text != kFormat)
    table.fail(format, fmt::format("'format' must be \"{}\"", kFormat), text);
  ExportColumns found;
  found.separator = one_of(table, "separator", ",;\t", R"("," or ";" or "\t")");
  found.decimal = one_of(table, "decimal", ".,", R"("." or ",")");
  if (const toml::node* missing = table.find("missing")) found.missing = texts(table, "missing", *missing);
  const toml::node& columns = table.get("columns");
  TomlTable rules(as_table(table, "columns", columns), "columns.", file.name);
  for (std::size_t f = 0; f < kResultFields; ++f) {
    if (const toml::node* node = rules.find(kFieldNames[f]))
      found.rules[f] = read_rule(rules, std::string(kFieldNames[f]), *node);
  }
  rules.finish();
  found.filters = read_filters(table, "");
  if (const toml::node* parent = table.find("parent")) found.parent = read_parent(table, *parent);
  table.finish();
  check_rules(found, file.name);
  return found;
}

}  // namespace mindgap::files
