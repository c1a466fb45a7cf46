#include "mindgap/files/model_toml.h"

#include <fmt/format.h>

#include "mindgap/base/number.h"
#include "mindgap/files/toml_table.h"
#include "mindgap/mdp/model_values.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace {

PriorSpec read_prior(const toml::table& table, const std::string& file, ModelToml& result) {
  TomlTable reader(table, "prior.", file);
  PriorSpec prior;
  prior.reward_sd = reader.number("reward_sd", kRewardSd);
  prior.transition_strength = reader.number("transition_strength", kTransitionStrength);
  prior.odds = reader.number("odds", kOdds).value_or(1);
  prior.drift_sd = reader.number("drift_sd", kDriftSd).value_or(0);
  prior.unseen = reader.number("unseen", kUnseen);
  prior.unseen_strength = reader.number("unseen_strength", kUnseenStrength).value_or(1);
  prior.reward_min = reader.number("reward_min", kTrueRewardMin);
  prior.reward_max = reader.number("reward_max", kTrueRewardMax);
  if (const toml::node* node = reader.find("rewards")) {
    const std::string name = reader.as_string("rewards", *node);
    const std::optional<RewardKind> kind = reward_kind_from(name);
    if (!kind) reader.fail(*node, reward_kind_wanted(), name);
    prior.rewards = *kind;
  }
  result.shared = read_shared(reader);
  if (const toml::node* node = reader.find("file")) result.prior_file = reader.as_path("file", *node);
  reader.finish();
  return prior;
}

}  // namespace

void read_format(TomlTable& top, std::string_view wanted) {
  const toml::node& node = top.get("format");
  const std::string format = top.as_string("format", node);
  if (format != wanted) top.fail(node, fmt::format("the format must be '{}'", wanted), format);
}

std::string read_name(TomlTable& top) {
  const toml::node* node = top.find("name");
  if (node == nullptr) return {};
  std::string name = top.as_string("name", *node);
  if (!is_clean_utf8(name)) top.fail(*node, "the name must be valid UTF-8 without NUL bytes");
  return name;
}

std::optional<double> read_reward_variance(TomlTable& top) {
  const toml::node* node = top.find("observation");
  if (node == nullptr) return std::nullopt;
  if (!node->is_table()) top.wrong_type("observation", *node, "a table");
  TomlTable observation(*node->as_table(), "observation.", top.file());
  const std::optional<double> variance = observation.number("reward_variance", kVariance);
  observation.finish();
  return variance;
}

About read_about(TomlTable& top) {
  About about;
  const toml::node* node = top.find("about");
  if (node == nullptr) return about;
  if (!node->is_table()) top.wrong_type("about", *node, "a table");
  TomlTable table(*node->as_table(), "about.", top.file());
  for (const AboutKey& key : kAboutKeys) {
    const toml::node* text = table.find(key.name);
    if (text == nullptr) continue;
    about.*key.text = table.as_string(key.name, *text);
    if (!is_clean_utf8(about.*key.text)) table.fail(*text, "the text must be valid UTF-8 without NUL bytes");
  }
  table.finish();
  return about;
}

std::string format_about(const About& about) {
  if (about == About{}) return {};
  std::string text = "\n[about]\n";
  for (const AboutKey& key : kAboutKeys) {
    if (!(about.*key.text).empty()) text += fmt::format("{} = {}\n", key.name, toml_string(about.*key.text));
  }
  return text;
}

void read_prior_table(TomlTable& top, ModelToml& result) {
  const toml::node* node = top.find("prior");
  if (node == nullptr) return;
  if (node->is_table()) {
    result.prior = read_prior(*node->as_table(), top.file(), result);
  } else if (node->is_string()) {
    result.prior_file = top.as_path("prior", *node);
    result.prior.emplace();
  } else {
    top.wrong_type("prior", *node, "a table or the name of a file");
  }
}

ModelToml read_model_keys(TomlTable& top, std::string_view format) {
  ModelToml result;
  read_format(top, format);
  result.name = read_name(top);
  const toml::node& discount = top.get("discount");
  result.discount = top.as_number("discount", discount);
  if (!(result.discount >= 0 && result.discount <= 1)) {
    top.fail(discount, "the discount must be from 0 to 1", base::shortest(result.discount));
  }
  constexpr ValueRule kRewardMax{"reward_max", "reward_max must be finite and zero or more", is_zero_or_more};
  result.reward_max = top.number("reward_max", kRewardMax);
  result.states = top.path("states");
  result.actions = top.names("actions", "action");
  result.rewards = top.path("rewards");
  result.transitions = top.path("transitions");
  result.reward_variance = read_reward_variance(top);
  return result;
}

ModelToml parse_model_toml(std::string_view text, const std::string& file) {
  const toml::table table = parse_toml(text, file);
  TomlTable top(table, "", file);
  ModelToml result = read_model_keys(top, kModelFormat);
  read_prior_table(top, result);
  if (const toml::node* node = top.find("restart")) {
    if (node->is_array()) {
      result.ends = top.names("restart", "state");
    } else if (!node->is_boolean()) {
      top.wrong_type("restart", *node, "true, false or an array of states");
    }
    result.restart = node->is_array() || node->value_or(false);
  }
  result.about = read_about(top);
  top.finish();
  return result;
}

std::string format_model_keys(const ModelToml& toml, std::string_view format) {
  std::string text = fmt::format("format = \"{}\"\nname = {}\ndiscount = {}\n", format,
                                 toml_string(toml.name), toml_number(toml.discount));
  if (toml.reward_max) text += fmt::format("reward_max = {}\n", toml_number(*toml.reward_max));
  return text + fmt::format("states = {}\nactions = {}\nrewards = {}\ntransitions = {}\n",
                            toml_string(toml.states), toml_names(toml.actions), toml_string(toml.rewards),
                            toml_string(toml.transitions));
}

std::string format_model_toml(const ModelToml& toml) {
  std::string text = format_model_keys(toml, kModelFormat);
  if (toml.restart) text += fmt::format("restart = {}\n", toml.ends.empty() ? "true" : toml_names(toml.ends));
  return text + format_prior(toml) + format_about(toml.about);
}

std::string format_prior(const ModelToml& toml) {
  std::string text;
  const PriorSpec prior = toml.prior.value_or(PriorSpec{});
  const bool file_only = toml.prior_file && prior == PriorSpec{} && !toml.shared.any();
  if (file_only) text += fmt::format("prior = {}\n", toml_string(*toml.prior_file));
  if (toml.prior && !file_only) {
    text += "\n[prior]\n";
    if (prior.reward_sd) text += fmt::format("reward_sd = {}\n", toml_number(*prior.reward_sd));
    if (prior.transition_strength) {
      text += fmt::format("transition_strength = {}\n", toml_number(*prior.transition_strength));
    }
    text += fmt::format("odds = {}\ndrift_sd = {}\n", toml_number(prior.odds), toml_number(prior.drift_sd));
    if (prior.unseen) text += fmt::format("unseen = {}\n", toml_number(*prior.unseen));
    if (prior.unseen_strength != 1)
      text += fmt::format("unseen_strength = {}\n", toml_number(prior.unseen_strength));
    if (prior.reward_min) text += fmt::format("reward_min = {}\n", toml_number(*prior.reward_min));
    if (prior.reward_max) text += fmt::format("reward_max = {}\n", toml_number(*prior.reward_max));
    if (prior.rewards != RewardKind::gaussian) {
      text += fmt::format("rewards = {}\n", toml_string(std::string(to_string(prior.rewards))));
    }
    if (toml.prior_file) text += fmt::format("file = {}\n", toml_string(*toml.prior_file));
    text += format_shared(toml.shared);
  }
  if (toml.reward_variance) {
    text += fmt::format("\n[observation]\nreward_variance = {}\n", toml_number(*toml.reward_variance));
  }
  return text;
}

}  // namespace mindgap::files
