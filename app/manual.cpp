#include "manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace mindgap::app {
namespace {

// CLI11 joins the type and what checks say of it with colons: "INT:from 0 to 4096", "TEXT:{text,json}".
struct TypeName {
  std::string value;
  std::vector<std::string> choices;
  std::string limits;
};

std::vector<std::string> words_between(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::size_t at = 0;
  for (std::size_t end = 0; end != std::string::npos; at = end + 1) {
    end = text.find(separator, at);
    words.push_back(text.substr(at, end == std::string::npos ? end : end - at));
  }
  return words;
}

TypeName type_of(const CLI::Option& option) {
  static const std::map<std::string, std::string> kValues = {
      {"INT", "N"},     {"UINT", "N"},        {"FLOAT", "X"},     {"TEXT", "TEXT"},
      {"FILE", "FILE"}, {"FOLDER", "FOLDER"}, {"MODEL", "MODEL"}, {"GROUP=SHARE", "GROUP=SHARE"}};
  TypeName type;
  for (const std::string& part : words_between(option.get_type_name(), ':')) {
    if (part.starts_with('{') && part.ends_with('}')) {
      type.choices = words_between(part.substr(1, part.size() - 2), ',');
    } else if (const auto known = kValues.find(part); known != kValues.end()) {
      type.value = known->second;
    } else if (!part.empty()) {
      type.limits = part;
    }
  }
  if (!type.choices.empty()) type.value = fmt::format("{}", fmt::join(type.choices, "|"));
  if (type.value.empty()) type.value = "TEXT";
  return type;
}

std::string names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  names.reserve(options.size());
  for (const CLI::Option* option : options) names.push_back("--" + option->get_lnames().at(0));
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

OptionEntry entry_of(const CLI::Option& option) {
  OptionEntry entry;
  const bool argument = option.get_lnames().empty() && option.get_snames().empty();
  entry.name = argument ? option.get_name(true) : "--" + option.get_lnames().at(0);
  if (!option.get_snames().empty()) entry.short_name = "-" + option.get_snames().front();
  entry.text = option.get_description();
  if (option.get_expected_max() > 0) {
    const TypeName type = type_of(option);
    entry.value = type.value;
    entry.choices = type.choices;
    if (!type.limits.empty()) entry.text += fmt::format(" [{}]", type.limits);
    if (!option.get_default_str().empty())
      entry.text += fmt::format(" [default: {}]", option.get_default_str());
  }
  if (argument) entry.value.clear();
  if (option.get_required() && !argument) entry.text += " [required]";
  if (!option.get_needs().empty()) entry.text += fmt::format(" [only with {}]", names_of(option.get_needs()));
  if (!option.get_excludes().empty())
    entry.text += fmt::format(" [not with {}]", names_of(option.get_excludes()));
  return entry;
}

}  // namespace

CommandEntry describe(const CLI::App& app, const std::string& above) {
  CommandEntry command{above.empty() ? app.get_name() : above + " " + app.get_name(),
                       app.get_description(),
                       {{"Arguments", {}}, {"Options", {}}},
                       {},
                       app.get_footer()};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    const bool argument = option->get_lnames().empty() && option->get_snames().empty();
    const std::string title = argument ? "Arguments" : option->get_group();
    auto section = std::find_if(command.sections.begin(), command.sections.end(),
                                [&](const Section& one) { return one.title == title; });
    if (section == command.sections.end()) section = command.sections.insert(section, {title, {}});
    section->options.push_back(entry_of(*option));
  }
  std::erase_if(command.sections, [](const Section& section) { return section.options.empty(); });
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!below->get_group().empty()) command.commands.push_back(describe(*below, command.path));
  }
  return command;
}

}  // namespace mindgap::app
