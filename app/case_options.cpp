#include "case_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "mindgap/cases/registry.h"
#include "mindgap/cases/world_case.h"

namespace mindgap::app {
namespace {

bool is_switch(const trial::CaseOption& option) {
  return option.choices == std::vector<std::string>{"no", "yes"} ||
         option.choices == std::vector<std::string>{"yes", "no"};
}

std::string help_of(const trial::CaseOption& option) {
  std::string text = option.meaning;
  if (!is_switch(option) && !option.choices.empty())
    text += fmt::format(": {}", fmt::join(option.choices, ", "));
  return option.standard.empty() ? text : fmt::format("{} [{}]", text, option.standard);
}

}  // namespace

void CaseOptions::add_to(CLI::App& cli) {
  std::vector<std::pair<std::string, std::vector<trial::CaseOption>>> owners;
  for (const cases::CaseInfo& info : cases::all_cases()) owners.emplace_back(info.name, info.options);
  owners.emplace_back("world folders", cases::world_options());
  std::map<std::string, std::string> groups;  // option -> names of the cases that have it
  for (const auto& [owner, options] : owners) {
    for (const trial::CaseOption& option : options)
      groups[option.name] += (groups[option.name].empty() ? "Options of " : ", ") + owner;
  }
  for (const auto& [owner, options] : owners) {
    for (const trial::CaseOption& option : options) {
      auto& own = options_[option.name];
      if (own) continue;
      own = std::make_unique<Option>();
      const std::string flag = "--" + option.name;
      own->on_command_line = is_switch(option) ? cli.add_flag(flag + "{yes}", own->value, help_of(option))
                                               : cli.add_option(flag, own->value, help_of(option));
      own->on_command_line->group(groups[option.name]);
    }
  }
}

std::map<std::string, std::string> CaseOptions::given() const {
  std::map<std::string, std::string> values;
  for (const auto& [name, option] : options_) {
    if (option->on_command_line->count() > 0) values[name] = option->value;
  }
  return values;
}

}  // namespace mindgap::app
