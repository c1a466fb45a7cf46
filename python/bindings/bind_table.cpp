#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "bindings/commands.h"
#include "mindgap/base/error.h"

namespace mindgap::python {
namespace {

// The Arrow C data interface (https://arrow.apache.org/docs/format/CDataInterface.html), in our own words.
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

constexpr std::int64_t kNullable = 2;  // ARROW_FLAG_NULLABLE

using Shared = std::shared_ptr<const Table>;
using Bits = std::vector<std::uint8_t>;

// What a schema or an array owns, and lets go of when it is released: the children that nobody has moved
// away.
template <typename Node>
struct Owned {
  Shared table;
  std::vector<Bits> bits;
  std::vector<const void*> buffers;
  std::vector<std::unique_ptr<Node>> children;
  std::vector<Node*> places;
};

template <typename Node>
void release(Node* node) {
  const std::unique_ptr<Owned<Node>> owned(static_cast<Owned<Node>*>(node->private_data));
  for (const auto& child : owned->children) {
    if (child->release != nullptr) child->release(child.get());
  }
  node->release = nullptr;
}

template <typename Node>
void take(Node& node, std::unique_ptr<Owned<Node>> owned) {
  for (const auto& child : owned->children) owned->places.push_back(child.get());
  node.n_children = static_cast<std::int64_t>(owned->children.size());
  node.children = owned->places.data();
  node.release = release<Node>;
  node.private_data = owned.release();
}

const char* format_of(const Table::Column& column) {
  constexpr const char* kFormats[] = {"l", "g", "b", "u"};  // by place in the variant
  return kFormats[column.values.index()];
}

void fill_schema(const Shared& table, ArrowSchema& schema) {
  auto owned = std::make_unique<Owned<ArrowSchema>>();
  owned->table = table;
  for (const Table::Column& column : table->columns()) {
    auto child = std::make_unique<ArrowSchema>();
    *child = {
        format_of(column), column.name.c_str(), nullptr, kNullable, 0, nullptr, nullptr, nullptr, nullptr};
    auto of_child = std::make_unique<Owned<ArrowSchema>>();
    of_child->table = table;
    take(*child, std::move(of_child));
    owned->children.push_back(std::move(child));
  }
  schema = {"+s", "", nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr};
  take(schema, std::move(owned));
}

// One bit per value, the first in the lowest bit: where `values` is not `zero`.
Bits packed(std::span<const std::uint8_t> values, std::uint8_t zero) {
  Bits bits((values.size() + 7) / 8);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != zero) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | (1U << (i % 8)));
  }
  return bits;
}

void add_buffers(const Table::Column& column, Owned<ArrowArray>& owned) {
  owned.bits.reserve(2);
  const auto bits = [&](std::span<const std::uint8_t> values, std::uint8_t zero) {
    owned.bits.push_back(packed(values, zero));
    owned.buffers.push_back(owned.bits.back().data());
  };
  if (column.missing.empty()) {
    owned.buffers.push_back(nullptr);
  } else {
    bits(column.missing, 1);
  }
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&column.values)) {
    owned.buffers.push_back(whole->data());
  } else if (const auto* numbers = std::get_if<std::vector<double>>(&column.values)) {
    owned.buffers.push_back(numbers->data());
  } else if (const auto* flags = std::get_if<Table::Flags>(&column.values)) {
    bits(flags->values, 0);
  } else {
    const auto& texts = std::get<Table::Texts>(column.values);
    owned.buffers.push_back(texts.begin.data());
    owned.buffers.push_back(texts.bytes.data());
  }
}

void fill_array(const Shared& table, ArrowArray& array) {
  auto owned = std::make_unique<Owned<ArrowArray>>();
  owned->table = table;
  for (const Table::Column& column : table->columns()) {
    auto of_child = std::make_unique<Owned<ArrowArray>>();
    of_child->table = table;
    add_buffers(column, *of_child);
    auto child = std::make_unique<ArrowArray>();
    *child = {};
    child->length = table->rows();
    child->null_count = std::count(column.missing.begin(), column.missing.end(), 1);
    child->n_buffers = static_cast<std::int64_t>(of_child->buffers.size());
    child->buffers = of_child->buffers.data();
    take(*child, std::move(of_child));
    owned->children.push_back(std::move(child));
  }
  owned->buffers = {nullptr};
  array = {};
  array.length = table->rows();
  array.n_buffers = 1;
  array.buffers = owned->buffers.data();
  take(array, std::move(owned));
}

struct StreamState {
  Shared table;
  bool done = false;
};

StreamState& state_of(ArrowArrayStream* stream) {
  return *static_cast<StreamState*>(stream->private_data);
}

// A stream of one batch.
void fill_stream(Shared table, ArrowArrayStream& stream) {
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    fill_schema(state_of(self).table, *out);
    return 0;
  };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    StreamState& state = state_of(self);
    if (state.done) {
      *out = {};  // released: the end
    } else {
      fill_array(state.table, *out);
    }
    state.done = true;
    return 0;
  };
  stream.get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  stream.release = [](ArrowArrayStream* self) {
    delete static_cast<StreamState*>(self->private_data);
    self->release = nullptr;
  };
  stream.private_data = new StreamState{std::move(table)};
}

nb::object stream_capsule(const Table& table) {
  auto stream = std::make_unique<ArrowArrayStream>();
  fill_stream(std::make_shared<const Table>(table), *stream);
  PyObject* capsule = PyCapsule_New(stream.get(), "arrow_array_stream", [](PyObject* self) {
    auto* held = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(self, "arrow_array_stream"));
    if (held->release != nullptr) held->release(held);
    delete held;
  });
  if (capsule == nullptr) throw nb::python_error();
  stream.release();  // the capsule has it now
  return nb::steal(capsule);
}

nb::object values_of(const Table::Column& column) {
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&column.values))
    return nb::cast(array_of(*whole));
  if (const auto* numbers = std::get_if<std::vector<double>>(&column.values))
    return nb::cast(array_of(*numbers));
  if (const auto* flags = std::get_if<Table::Flags>(&column.values))
    return nb::cast(array_of(flags->values)).attr("view")("bool");
  const auto& texts = std::get<Table::Texts>(column.values);
  nb::list list;
  for (std::size_t i = 0; i + 1 < texts.begin.size(); ++i) {
    if (!column.missing.empty() && column.missing[i] != 0) {
      list.append(nb::none());
    } else {
      list.append(nb::str(texts.bytes.data() + texts.begin[i],
                          static_cast<std::size_t>(texts.begin[i + 1] - texts.begin[i])));
    }
  }
  return list;
}

nb::dict columns_of(const Table& table) {
  nb::dict dict;
  for (const Table::Column& column : table.columns()) {
    nb::object missing = nb::none();
    if (!column.missing.empty()) missing = nb::cast(array_of(column.missing)).attr("view")("bool");
    dict[column.name.c_str()] = nb::make_tuple(values_of(column), missing);
  }
  return dict;
}

// Names come from files, and files hold any bytes; Arrow and Python want UTF-8. What is none is replaced.
std::string as_utf8(const std::string& text) {
  const auto plain = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), plain)) return text;
  const nb::object decoded =
      nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  return nb::cast<std::string>(decoded);
}

// ---- options that several commands take

// name, kind, help and the option that it needs, of each.
template <typename Holder>
std::vector<std::tuple<std::string, std::string, std::string, std::string>> told_of(
    std::span<const command::Option<Holder>> table) {
  constexpr std::array kinds = {"shares", "table", "number", "word"};  // in the order of the variant
  std::vector<std::tuple<std::string, std::string, std::string, std::string>> all;
  for (const command::Option<Holder>& option : table)
    all.emplace_back(option.name, kinds[option.member.index()], option.help, option.needs);
  return all;
}

// What `given` has by the names of a table.
template <typename Holder>
Holder given_of(std::span<const command::Option<Holder>> table, const nb::dict& given) {
  Holder all = {};
  for (const command::Option<Holder>& option : table) {
    const nb::str name(option.name.data(), option.name.size());
    if (!given.contains(name)) continue;
    const nb::object value = given[name];
    std::visit(
        [&](auto member) {
          using Value = command::ValueOf<Holder, decltype(member)>;
          if constexpr (std::is_same_v<Value, std::optional<mdp::RewardKind>>) {
            all.*member = reward_kind(nb::cast<std::string>(value));
          } else if constexpr (std::is_same_v<Value, std::optional<Source>>) {
            all.*member = nb::cast<const Source&>(value);
          } else {
            all.*member = nb::cast<Value>(value);
          }
        },
        option.member);
  }
  return all;
}

void bind_options(nb::module_& module) {
  module.def("limit_options", [] { return told_of(command::limit_options()); });
  module.def("terms_options", [] { return told_of(command::terms_options()); });
  nb::class_<command::TermsRequest>(module, "Terms")
      .def(
          "__init__",
          [](command::TermsRequest* self, const nb::dict& given) {
            new (self) command::TermsRequest(given_of(command::terms_options(), given));
          },
          nb::arg("given"), nb::sig("def __init__(self, given: dict[str, typing.Any]) -> None"));
  module.def("prior_options", [] { return told_of(command::prior_options()); });
  nb::class_<belief::PriorOverrides>(module, "PriorOverrides")
      .def(
          "__init__",
          [](belief::PriorOverrides* self, const nb::dict& given, bool estimate_variance) {
            new (self) belief::PriorOverrides(given_of(command::prior_options(), given));
            self->estimate_variance = estimate_variance;
          },
          nb::arg("given"), nb::arg("estimate_variance"),
          nb::sig("def __init__(self, given: dict[str, typing.Any], estimate_variance: bool) -> None"));
  nb::class_<command::LimitsRequest>(module, "Limits")
      .def(
          "__init__",
          [](command::LimitsRequest* self, const nb::dict& given) {
            new (self) command::LimitsRequest(given_of(command::limit_options(), given));
          },
          nb::arg("given"), nb::sig("def __init__(self, given: dict[str, typing.Any]) -> None"));
}

}  // namespace

void Table::Texts::add(const std::string& text) {
  bytes += as_utf8(text);
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw InvalidArgument("a column of a table has more than 2 GiB of text");
  begin.push_back(static_cast<std::int32_t>(bytes.size()));
}

void add_pairs(Table& table, const mdp::Mdp& mdp, const std::function<std::int32_t(std::int64_t row)>& pair) {
  table.add("state", [&](std::int64_t row) { return mdp.state_name(mdp.state_of_pair(pair(row))); });
  table.add("action", [&](std::int64_t row) { return mdp.action_name_of_pair(pair(row)); });
}

void bind_table(nb::module_& module) {
  nb::class_<Table> table(module, "Table",
                          "Columns of one length, for Arrow (no copy of numbers) and NumPy.");
  table.def("__len__", &Table::rows);
  table.def("columns", &columns_of, nb::sig("def columns(self) -> dict[str, tuple[typing.Any, typing.Any]]"),
            "Per column its values and which of them are missing (or None).");
  table.def(
      "__arrow_c_stream__", [](const Table& self, const nb::object&) { return stream_capsule(self); },
      nb::arg("requested_schema") = nb::none(),
      nb::sig("def __arrow_c_stream__(self, requested_schema: object | None = None) -> object"));

  nb::class_<Source> source(module, "Source", "A file, or a table as the text of one.");
  source.def_static(
      "of_file", [](const std::string& path) { return command::open_source(path); }, nb::arg("path"));
  source.def_static(
      "of_table",
      [](std::string name, const nb::bytes& text) {
        auto held = std::make_shared<const std::string>(text.c_str(), text.size());
        return Source{{std::move(name), *held, held}, true};
      },
      nb::arg("name"), nb::arg("text"));
  source.def(
      "unknown_states",
      [](const Source& self, const mdp::Model& model) { return command::unknown_states(self, model); },
      nb::arg("model"), "The states that it names and the model does not have.");

  bind_options(module);
}

}  // namespace mindgap::python
