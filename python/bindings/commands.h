#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <type_traits>
#include <variant>

#include "bindings/bindings.h"
#include "mindgap/command/evidence.h"
#include "mindgap/command/limits.h"
#include "mindgap/command/page.h"
#include "mindgap/command/terms.h"

// What the bindings of the commands share: what comes in beside the model, and results as tables and pages.
namespace mindgap::python {

using command::Source;

/// What was given, or none where it is null.
inline std::optional<Source> given(const Source* source) {
  return source == nullptr ? std::nullopt : std::optional(*source);
}
inline command::Evidence evidence_of(const Source* coverage, const Source* log,
                                     const belief::PriorOverrides& prior) {
  return {given(coverage), given(log), false, prior};
}

/// Columns of one length, as Arrow and NumPy know them; any value may be missing.
class Table {
 public:
  struct Texts {
    std::vector<std::int32_t> begin = {0};  // text i is bytes[begin[i]] .. bytes[begin[i + 1] - 1]
    std::string bytes;
    void add(const std::string& text);
  };
  struct Flags {
    std::vector<std::uint8_t> values;
  };
  struct Column {
    std::string name;
    std::variant<std::vector<std::int64_t>, std::vector<double>, Flags, Texts> values;
    std::vector<std::uint8_t> missing;  // 1 where it is; empty: none is
  };

  explicit Table(std::int64_t rows) : rows_(rows) {}

  /// value(row) is a whole number, a number, a bool or a text, or an optional of these.
  template <typename Value>
  Table& add(std::string name, Value value);

  std::int64_t rows() const { return rows_; }
  const std::vector<Column>& columns() const { return columns_; }

 private:
  template <typename T>
  struct Kind;

  std::int64_t rows_;
  std::vector<Column> columns_;
};

/// A page for a notebook: its answer and its tables as HTML, and its pictures, each as title, caption,
/// description and SVG.
nb::tuple notebook_parts(const report::Page& page);

/// What both halves of a result's HTML are read from.
template <typename Result>
void bind_page(nb::class_<Result>& type) {
  type.def("_html", [](const Result& result) { return command::to_html(result.page()); });
  type.def(
      "_notebook", [](const Result& result) { return notebook_parts(result.page()); },
      nb::sig("def _notebook(self) -> tuple[str, list[tuple[str, str, str, str]]]"));
}

/// The state's and the action's name of each of some pairs.
void add_pairs(Table& table, const mdp::Mdp& mdp, const std::function<std::int32_t(std::int64_t row)>& pair);

void bind_table(nb::module_& module);
void bind_ensemble(nb::module_& module);
void bind_command_line(nb::module_& module);

// ---- Table::add

template <typename T>
struct Table::Kind {
  static constexpr bool optional = false;
  using Type = T;
};
template <typename T>
struct Table::Kind<std::optional<T>> {
  static constexpr bool optional = true;
  using Type = T;
};

template <typename Value>
Table& Table::add(std::string name, Value value) {
  using Given = std::remove_cvref_t<std::invoke_result_t<Value&, std::int64_t>>;
  using Type = typename Kind<Given>::Type;
  using Values = std::conditional_t<
      std::same_as<Type, bool>, Flags,
      std::conditional_t<std::integral<Type>, std::vector<std::int64_t>,
                         std::conditional_t<std::floating_point<Type>, std::vector<double>, Texts>>>;
  Values values;
  std::vector<std::uint8_t> missing;
  const auto put = [&](const Type& one) {
    if constexpr (std::same_as<Values, Flags>) {
      values.values.push_back(one);
    } else if constexpr (std::same_as<Values, Texts>) {
      values.add(std::string(one));
    } else {
      values.push_back(static_cast<typename Values::value_type>(one));
    }
  };
  for (std::int64_t row = 0; row < rows_; ++row) {
    const Given one = value(row);
    if constexpr (Kind<Given>::optional) {
      missing.push_back(one ? 0 : 1);
      put(one.value_or(Type{}));
    } else {
      put(one);
    }
  }
  columns_.push_back({std::move(name), std::move(values), std::move(missing)});
  return *this;
}

}  // namespace mindgap::python
