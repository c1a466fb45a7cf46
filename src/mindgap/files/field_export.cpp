#include "mindgap/files/field_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "mindgap/base/error.h"
#include "mindgap/base/number.h"
#include "mindgap/base/option_name.h"
#include "mindgap/base/suggest.h"
#include "mindgap/files/csv.h"

namespace mindgap::files {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// The same records with commas between their fields, line for line: fields that hold commas get quotes.
std::string with_commas(std::string_view text, char separator) {
  std::string result, field;
  result.reserve(text.size());
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  bool quoted = false, commas = false;
  const auto put = [&] {
    const bool needs_quotes = commas && !field.starts_with('"');
    result += needs_quotes ? '"' + field + '"' : field;
    field.clear();
    commas = false;
  };
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == separator || c == '\n')) {
      // The carriage return before a line feed belongs to the line's end.
      const bool back = c == '\n' && field.ends_with('\r');
      if (back) field.pop_back();
      put();
      if (back) result += '\r';
      result += c == '\n' ? '\n' : ',';
    } else {
      commas = commas || c == ',';
      field += c;
    }
  }
  put();
  return result;
}

// A table of an export: records with the columns that are asked for.
class ExportTable {
 public:
  ExportTable(const TextFile& file, char separator)
      : commas_(separator == ',' ? std::string() : with_commas(file.text, separator)),
        text_(separator == ',' ? file.text : std::string_view(commas_)),
        reader_(text_, file.name, {}, {}, OtherColumns::any),
        counted_(text_.data()) {}

  std::size_t column(const std::string& name, std::string_view whose = "") const {
    const std::vector<std::string>& header = reader_.header();
    // Labels repeat: the column that ends each of REDCap's forms is "Complete?". Nobody can say which one is
    // meant.
    if (std::count(header.begin(), header.end(), name) > 1)
      throw InvalidModel(
          fmt::format(
              "several columns are called '{}': export names in the place of labels, and groups with them",
              name),
          {.file = reader_.file(), .line = 1});
    if (const auto found = reader_.find_column(name)) return *found;
    throw InvalidModel(
        base::unknown_name(fmt::format("column of the export{}", whose), name, reader_.header()),
        {.file = reader_.file(), .line = 1});
  }
  std::size_t next() {
    const bool first = !begun_;
    begun_ = true;
    const std::size_t count = reader_.next();
    has_tags_ = first && count > 0 && is_tags(0);
    return count;
  }
  /// Whether a record is no row: KoboToolbox puts the tags of the Humanitarian Exchange Language below the
  /// header.
  bool is_no_row(std::size_t record) const { return has_tags_ && record == 0; }
  std::string_view field(std::size_t record, std::size_t column) const {
    return trimmed(reader_.field(record, column));
  }
  [[noreturn]] void fail(std::size_t record, const std::string& problem, std::string_view value) const {
    reader_.fail(record, problem, {.value = excerpt(value)});
  }
  // reader_.line() counts from the top of the file each time; this goes on from the record before.
  std::int64_t line(std::size_t record) {
    const char* begin = reader_.field(record, 0).data();
    if (begin < counted_ || begin > text_.data() + text_.size()) return reader_.line(record);
    lines_ += std::count(counted_, begin, '\n');
    counted_ = begin;
    return lines_;
  }

 private:
  bool is_tags(std::size_t record) const {
    bool any = false;
    for (std::size_t c = 0; c < reader_.header().size(); ++c) {
      const std::string_view text = field(record, c);
      if (!text.empty() && text.front() != '#') return false;
      any = any || !text.empty();
    }
    return any;
  }

  bool begun_ = false, has_tags_ = false;
  const std::string commas_;
  const std::string_view text_;
  CsvReader reader_;
  const char* counted_;
  std::int64_t lines_ = 1;
};

// Filters with the positions of their columns.
class Filters {
 public:
  Filters(const std::vector<RowFilter>& filters, const ExportTable& table) : filters_(filters) {
    for (const RowFilter& filter : filters) columns_.push_back(table.column(filter.column));
  }
  bool take(const ExportTable& table, std::size_t record) const {
    for (std::size_t f = 0; f < filters_.size(); ++f) {
      const auto& values = filters_[f].values;
      const std::string_view field = table.field(record, columns_[f]);
      if ((std::find(values.begin(), values.end(), field) != values.end()) != filters_[f].wanted)
        return false;
    }
    return true;
  }

 private:
  const std::vector<RowFilter>& filters_;
  std::vector<std::size_t> columns_;
};

// What rows take from their parents.
class Parents {
 public:
  Parents(const ParentRule& rule, const TextFile& file, const ExportColumns& columns) : file_(file.name) {
    ExportTable table(file, columns.separator);
    const Filters filters(rule.filters, table);
    const std::size_t key = table.column(rule.key);
    std::vector<std::size_t> wanted;
    for (const auto& one : columns.rules) {
      if (one && one->in_parent) {
        position_.emplace(one->column, wanted.size());
        wanted.push_back(table.column(one->column));
      }
    }
    while (const std::size_t count = table.next()) {
      for (std::size_t i = 0; i < count; ++i) {
        if (table.is_no_row(i)) continue;
        const std::string name(table.field(i, key));
        if (!filters.take(table, i)) {
          left_out_.insert(name);
          continue;
        }
        std::vector<std::string> values;
        values.reserve(wanted.size());
        for (const std::size_t c : wanted) values.emplace_back(table.field(i, c));
        if (!rows_.emplace(name, std::move(values)).second)
          table.fail(
              i,
              fmt::format("column '{}': two rows have this key, so it does not say which one is the parent",
                          rule.key),
              name);
      }
    }
  }
  bool is_left_out(const std::string& key) const { return !rows_.contains(key) && left_out_.contains(key); }
  bool is_there(const std::string& key) const { return rows_.contains(key); }
  const std::string& value(const std::string& key, const std::string& column) const {
    return rows_.at(key)[position_.at(column)];
  }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::map<std::string, std::size_t> position_;
  std::unordered_map<std::string, std::vector<std::string>> rows_;
  std::unordered_set<std::string> left_out_;
};

class ExportReader {
 public:
  ExportReader(const TextFile& file, const ExportColumns& columns, const std::optional<TextFile>& parent)
      : columns_(columns), table_(file, columns.separator), filters_(columns.filters, table_) {
    if (parent && (!columns.parent || columns.parent->same_file))
      throw InvalidArgument(
          "a file with the parents of rows was given, but the mapping has no [parent] that asks for one");
    if (columns.parent) {
      if (!columns.parent->same_file && !parent)
        throw InvalidArgument(fmt::format("the mapping has a [parent] in another file: name that file ({})",
                                          base::option_name("parent")));
      parents_.emplace(*columns.parent, columns.parent->same_file ? file : *parent, columns);
      named_by_ = table_.column(columns.parent->named_by);
    }
    for (std::size_t f = 0; f < kResultFields; ++f) {
      const auto& rule = columns.rules[f];
      if (rule && !rule->always && !rule->in_parent)
        position_[f] = table_.column(rule->column, fmt::format(" (columns.{})", to_string(ResultField(f))));
    }
  }

  ExportedResults read() {
    ExportedResults found;
    while (const std::size_t count = table_.next()) {
      for (std::size_t i = 0; i < count; ++i) {
        if (table_.is_no_row(i)) continue;
        if (std::optional<ExportedResult> row = take(i)) {
          found.rows.push_back(std::move(*row));
        } else {
          ++found.left_out;
        }
      }
    }
    return found;
  }

 private:
  std::optional<ExportedResult> take(std::size_t i) {
    if (!filters_.take(table_, i)) return std::nullopt;
    if (parents_) {
      parent_ = table_.field(i, named_by_);
      if (parents_->is_left_out(parent_)) return std::nullopt;
      if (!parents_->is_there(parent_))
        table_.fail(i,
                    fmt::format("column '{}': no row of {} has this key", columns_.parent->named_by,
                                parents_->file()),
                    parent_);
    }
    ExportedResult row;
    row.line = table_.line(i);
    for (std::size_t f = 0; f < kResultFields; ++f) {
      if (columns_.rules[f]) row.fields[f] = value(i, ResultField(f));
    }
    if (row[ResultField::unit].empty())
      refuse(i, ResultField::unit, "the unit is empty, expected a name", "");
    row[ResultField::step] = step(i, row[ResultField::step]);
    for (const ResultField field : {ResultField::reward, ResultField::at_least, ResultField::at_most})
      if (!row[field].empty()) row[field] = number(i, field, row[field]);
    join_bounds(i, row);
    return row;
  }

  std::string value(std::size_t i, ResultField field) const {
    const ColumnRule& rule = *columns_.rule(field);
    std::string text = rule.always ? *rule.always
                       : rule.in_parent
                           ? parents_->value(parent_, rule.column)
                           : std::string(table_.field(i, position_[static_cast<std::size_t>(field)]));
    const bool empty = text.empty() || std::find(columns_.missing.begin(), columns_.missing.end(), text) !=
                                           columns_.missing.end();
    if (const auto found = rule.values.find(empty ? "" : text); found != rule.values.end())
      return found->second;
    if (empty) return "";
    if (!rule.values.empty() && !rule.keep_others) {
      std::vector<std::string> known;
      for (const auto& [from, to] : rule.values) known.push_back(from);
      refuse(i, field,
             fmt::format("the value is not in columns.{}.values, which has {}", to_string(field),
                         fmt::join(known, ", ")),
             text);
    }
    if (text.find_first_of("\r\n") != std::string::npos)
      refuse(i, field, "the text has a line break, expected one line", text);
    return text;
  }

  std::string number(std::size_t i, ResultField field, std::string text) const {
    const std::string written = text;
    if (columns_.decimal != '.') std::replace(text.begin(), text.end(), columns_.decimal, '.');
    double value = 0;
    if (base::parse_number(text, value) != base::NumberStatus::ok || !std::isfinite(value))
      refuse(i, field,
             fmt::format("the {} must be a number with '{}' before its decimals", to_string(field),
                         columns_.decimal),
             written);
    return text;
  }

  std::string step(std::size_t i, const std::string& text) const {
    if (text.empty()) refuse(i, ResultField::step, "the step is empty, expected a whole number", "");
    double value = 0;
    base::parse_number(number(i, ResultField::step, text), value);
    value -= columns_.rule(ResultField::step)->minus;
    if (!(value >= 0 && value <= 1e6 && value == std::floor(value)))
      refuse(i, ResultField::step,
             fmt::format("the step must be a whole number from {}",
                         base::shortest(columns_.rule(ResultField::step)->minus)),
             text);
    return base::shortest(value);
  }

  // A reward is there once: known, or as a bound.
  void join_bounds(std::size_t i, ExportedResult& row) const {
    for (const ResultField bound : {ResultField::at_least, ResultField::at_most}) {
      if (row[bound].empty()) continue;
      if (!row[ResultField::reward].empty())
        refuse(i, bound, "the reward is given twice: known, at least and at most exclude each other",
               row[bound]);
      row[ResultField::reward] = row[bound];
      row[ResultField::censored] = to_string(bound);
    }
  }

  [[noreturn]] void refuse(std::size_t i, ResultField field, const std::string& problem,
                           std::string_view value) const {
    const ColumnRule& rule = *columns_.rule(field);
    table_.fail(i,
                rule.always ? fmt::format("columns.{}.always: {}", to_string(field), problem)
                            : fmt::format("column '{}'{}: {}", rule.column,
                                          rule.in_parent ? " of the parent" : "", problem),
                value);
  }

  const ExportColumns& columns_;
  ExportTable table_;
  const Filters filters_;
  std::optional<Parents> parents_;
  std::size_t named_by_ = 0;
  std::string parent_;  // of the row that is being read
  std::array<std::size_t, kResultFields> position_ = {};
};

}  // namespace

ExportedResults parse_export(const TextFile& file, const ExportColumns& columns,
                             const std::optional<TextFile>& parent) {
  return ExportReader(file, columns, parent).read();
}

}  // namespace mindgap::files
