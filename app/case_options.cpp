#include "case_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "paper/cases/registry.h"

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
  return option.standard.empty() ? text : fmt::format("{} [default: {}]", text, option.standard);
}

constexpr const char* kWorldFolders = "world folders";

std::vector<std::pair<std::string, std::vector<trial::CaseOption>>> owners_of_options() {
  std::vector<std::pair<std::string, std::vector<trial::CaseOption>>> owners;
  for (const cases::CaseInfo& info : cases::all_cases()) owners.emplace_back(info.name, info.options);
  owners.emplace_back(kWorldFolders, cases::world_options());
  return owners;
}

}  // namespace

void CaseOptions::show_only(const std::string& name) {
  for (const auto& [known, option] : options_) option->on_command_line->group("");
  if (name.empty()) return;
  const auto owners = owners_of_options();
  auto owner = std::find_if(owners.begin(), owners.end(), [&](const auto& one) { return one.first == name; });
  if (owner == owners.end()) owner = std::prev(owners.end());
  for (const trial::CaseOption& option : owner->second) {
    options_.at(option.name)
        ->on_command_line->group("Options of " + owner->first)
        ->description(help_of(option));
  }
}

void CaseOptions::add_to(CLI::App& cli) {
  const auto owners = owners_of_options();
  struct Shared {
    std::string owners, help;
    bool same = true;  // it means the same to all of them
  };
  std::map<std::string, Shared> shared;
  for (const auto& [owner, options] : owners) {
    for (const trial::CaseOption& option : options) {
      Shared& entry = shared[option.name];
      const std::string help = help_of(option);
      entry.same = entry.help.empty() || (entry.same && entry.help == help);
      entry.owners += (entry.owners.empty() ? "Options of " : ", ") + owner;
      if (entry.help.empty()) entry.help = help;
    }
  }
  for (const auto& [owner, options] : owners) {
    for (const trial::CaseOption& option : options) {
      Shared& entry = shared[option.name];
      auto& own = options_[option.name];
      if (!own) {
        own = std::make_unique<Option>();
        const std::string flag = "--" + option.name;
        own->on_command_line =
            is_switch(option) ? cli.add_flag(flag + "{yes}", own->value) : cli.add_option(flag, own->value);
        own->on_command_line->group(entry.owners)->description(entry.same ? entry.help : "");
      }
      if (entry.same) continue;
      const std::string before = own->on_command_line->get_description();
      own->on_command_line->description(
          fmt::format("{}{}{}: {}", before, before.empty() ? "" : "; ", owner, help_of(option)));
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
