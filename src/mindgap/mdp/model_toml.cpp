#include "mindgap/mdp/model_toml.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/mdp/model_values.h"
#include "mindgap/mdp/number.h"
#include "mindgap/mdp/text_file.h"

namespace mindgap::mdp {
namespace {

constexpr std::string_view kFormat = "mindgap-model/1";

std::string type_name(const toml::node& node) {
  std::string name;
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

// Reads the keys of one table; finish() refuses those that nobody asked for.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string prefix, const std::string& file)
      : table_(table), prefix_(std::move(prefix)), file_(file) {}

  const toml::node* find(std::string_view key) {
    known_.emplace_back(key);
    return table_.get(key);
  }

  const toml::node& get(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr) {
      throw InvalidModel(fmt::format("the key '{}{}' is missing", prefix_, key), {.file = file_});
    }
    return *node;
  }

  std::optional<double> number(std::string_view key) {
    const toml::node* node = find(key);
    return node == nullptr ? std::nullopt : std::optional(as_number(key, *node));
  }

  std::optional<double> number(std::string_view key, const ValueRule& rule) {
    const std::optional<double> value = number(key);
    if (value && !rule.good(*value)) fail(*table_.get(key), rule.problem, shortest(*value));
    return value;
  }

  double as_number(std::string_view key, const toml::node& node) const {
    if (!node.is_number()) wrong_type(key, node, "a number");
    return *node.value<double>();
  }

  std::string as_string(std::string_view key, const toml::node& node) const {
    if (!node.is_string()) wrong_type(key, node, "a string");
    return node.as_string()->get();
  }

  /// A string that names a file.
  std::string path(std::string_view key) {
    const toml::node& node = get(key);
    return as_path(key, node);
  }

  std::string as_path(std::string_view key, const toml::node& node) const {
    std::string text = as_string(key, node);
    if (text.empty() || text.find('\0') != std::string::npos) {
      fail(node, fmt::format("'{}{}' must name a file", prefix_, key), text);
    }
    return text;
  }

  void finish() const {
    for (const auto& [key, node] : table_) {
      if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
      throw InvalidModel(fmt::format("unknown key '{}{}'", prefix_, base::printable(key.str())),
                         {.file = file_, .line = key.source().begin.line});
    }
  }

  [[noreturn]] void wrong_type(std::string_view key, const toml::node& node, std::string_view wanted) const {
    fail(node, fmt::format("'{}{}' is {}, but {} is wanted", prefix_, key, type_name(node), wanted));
  }

  [[noreturn]] void fail(const toml::node& node, const std::string& problem,
                         const std::string& value = {}) const {
    throw InvalidModel(problem, {.file = file_, .line = node.source().begin.line, .value = excerpt(value)});
  }

 private:
  const toml::table& table_;
  std::string prefix_;
  const std::string& file_;
  std::vector<std::string> known_;
};

toml::table parse(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw InvalidModel("not valid TOML: " + base::printable(error.description(), 300),
                       {.file = file, .line = error.source().begin.line});
  }
}

void read_format(TableReader& top) {
  const toml::node& node = top.get("format");
  const std::string format = top.as_string("format", node);
  if (format != kFormat) top.fail(node, fmt::format("the format must be '{}'", kFormat), format);
}

NameTable read_actions(TableReader& top) {
  const toml::node& node = top.get("actions");
  const toml::array* names = node.as_array();
  if (names == nullptr) top.wrong_type("actions", node, "an array of names");
  if (names->empty()) top.fail(node, "the model has no actions");
  NameTable table;
  for (const toml::node& element : *names) {
    const std::string name = top.as_string("actions", element);
    try {
      check_name("action", name);
    } catch (const InvalidModel& error) {
      top.fail(element, error.problem(), error.where().value);
    }
    if (table.add(name) < 0) top.fail(element, "the action name occurs twice", name);
  }
  return table;
}

PriorSpec read_prior(const toml::table& table, const std::string& file,
                     std::optional<std::string>& prior_file) {
  TableReader reader(table, "prior.", file);
  PriorSpec prior;
  prior.reward_sd = reader.number("reward_sd", kRewardSd);
  prior.transition_strength = reader.number("transition_strength", kTransitionStrength);
  prior.odds = reader.number("odds", kOdds).value_or(1);
  prior.drift_sd = reader.number("drift_sd", kDriftSd).value_or(0);
  if (const toml::node* node = reader.find("file")) prior_file = reader.as_path("file", *node);
  reader.finish();
  return prior;
}

// TOML wants a point or an exponent in a float; without one a large number would be an integer out of range.
std::string toml_number(double value) {
  std::string text = shortest(value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\u{:04X}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace

ModelToml parse_model_toml(std::string_view text, const std::string& file) {
  const toml::table table = parse(text, file);
  TableReader top(table, "", file);
  ModelToml result;
  read_format(top);
  if (const toml::node* node = top.find("name")) {
    result.name = top.as_string("name", *node);
    if (!is_clean_utf8(result.name)) top.fail(*node, "the name must be valid UTF-8 without NUL bytes");
  }
  const toml::node& discount = top.get("discount");
  result.discount = top.as_number("discount", discount);
  if (!(result.discount >= 0 && result.discount <= 1)) {
    top.fail(discount, "the discount must be from 0 to 1", shortest(result.discount));
  }
  constexpr ValueRule kRewardMax{"reward_max", "reward_max must be finite and zero or more", is_zero_or_more};
  result.reward_max = top.number("reward_max", kRewardMax);
  result.states = top.path("states");
  result.actions = read_actions(top);
  result.rewards = top.path("rewards");
  result.transitions = top.path("transitions");
  if (const toml::node* node = top.find("prior")) {
    if (node->is_table()) {
      result.prior = read_prior(*node->as_table(), file, result.prior_file);
    } else if (node->is_string()) {
      result.prior_file = top.as_path("prior", *node);
      result.prior.emplace();
    } else {
      top.wrong_type("prior", *node, "a table or the name of a file");
    }
  }
  if (const toml::node* node = top.find("observation")) {
    if (!node->is_table()) top.wrong_type("observation", *node, "a table");
    TableReader observation(*node->as_table(), "observation.", file);
    result.reward_variance = observation.number("reward_variance", kVariance);
    observation.finish();
  }
  top.finish();
  return result;
}

std::string format_model_toml(const ModelToml& toml) {
  std::string actions;
  for (std::int32_t a = 0; a < toml.actions.size(); ++a) {
    actions += (a == 0 ? "" : ", ") + toml_string(toml.actions[a]);
  }
  std::string text = fmt::format("format = \"{}\"\nname = {}\ndiscount = {}\n", kFormat,
                                 toml_string(toml.name), toml_number(toml.discount));
  if (toml.reward_max) text += fmt::format("reward_max = {}\n", toml_number(*toml.reward_max));
  text +=
      fmt::format("states = {}\nactions = [{}]\nrewards = {}\ntransitions = {}\n", toml_string(toml.states),
                  actions, toml_string(toml.rewards), toml_string(toml.transitions));
  const PriorSpec prior = toml.prior.value_or(PriorSpec{});
  const bool file_only = toml.prior_file && prior == PriorSpec{};
  if (file_only) text += fmt::format("prior = {}\n", toml_string(*toml.prior_file));
  if (toml.prior && !file_only) {
    text += "\n[prior]\n";
    if (prior.reward_sd) text += fmt::format("reward_sd = {}\n", toml_number(*prior.reward_sd));
    if (prior.transition_strength) {
      text += fmt::format("transition_strength = {}\n", toml_number(*prior.transition_strength));
    }
    text += fmt::format("odds = {}\ndrift_sd = {}\n", toml_number(prior.odds), toml_number(prior.drift_sd));
    if (toml.prior_file) text += fmt::format("file = {}\n", toml_string(*toml.prior_file));
  }
  if (toml.reward_variance) {
    text += fmt::format("\n[observation]\nreward_variance = {}\n", toml_number(*toml.reward_variance));
  }
  return text;
}

}  // namespace mindgap::mdp
