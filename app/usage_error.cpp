#include "usage_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <optional>

#include "mindgap/base/error.h"
#include "mindgap/base/near_name.h"

namespace mindgap::app {
namespace {

std::vector<std::string> shown_commands(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!below->get_group().empty()) names.push_back(below->get_name());
  }
  return names;
}

bool has_option(const CLI::App& command, const std::string& word) {
  const auto options = command.get_options();
  return std::any_of(options.begin(), options.end(), [&](const CLI::Option* option) {
    const auto& names = word.starts_with("--") ? option->get_lnames() : option->get_snames();
    const std::string name = word.starts_with("--") ? word.substr(2) : word.substr(1, 1);
    return std::find(names.begin(), names.end(), name) != names.end();
  });
}

// "--unit=8" -> "--unit"; nothing where the word is no option, as "-5" is none.
std::optional<std::string> option_in(const std::string& word) {
  const std::size_t dashes = word.starts_with("--") ? 2 : word.starts_with('-') ? 1 : 0;
  if (dashes == 0 || word.size() == dashes || !std::isalpha(static_cast<unsigned char>(word[dashes])))
    return std::nullopt;
  return word.substr(0, word.find('='));
}

std::string no_option(const CLI::App& command, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back(name);
  }
  const std::optional<std::string> meant =
      base::near_name(std::string_view(word).substr(word.find_first_not_of('-')), known);
  return fmt::format("there is no option '{}'{}", base::printable(word),
                     meant ? fmt::format("; did you mean --{}?", *meant) : ";");
}

std::string no_command(const CLI::App& group, const std::string& word) {
  const std::vector<std::string> known = shown_commands(group);
  const std::optional<std::string> meant = base::near_name(word, known);
  return fmt::format("there is no command '{}'; {}", base::printable(word),
                     meant ? fmt::format("did you mean {}?", *meant)
                           : fmt::format("there are: {};", fmt::join(known, ", ")));
}

// "--units is 'x', but must be a whole number"; nothing where the value of no option is at fault.
std::optional<std::string> no_number(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string type = option->get_type_name();
    const bool whole = type.starts_with("INT") || type.starts_with("UINT");
    if (!whole && !type.starts_with("FLOAT")) continue;
    for (const std::string& value : option->results()) {
      errno = 0;
      double read = 0;
      std::int64_t counted = 0;
      const bool good =
          whole ? CLI::detail::lexical_cast(value, counted) : CLI::detail::lexical_cast(value, read);
      if (!good && errno != ERANGE)
        return fmt::format("{} is '{}', but must be a {};", option->get_name(), base::printable(value),
                           whole ? "whole number" : "number");
    }
  }
  return std::nullopt;
}

// What is wrong, without where to read more.
std::string problem_of(const Reached& at, const std::vector<std::string>& words,
                       const CLI::ParseError& error) {
  for (std::size_t i = at.words; i < words.size() && words[i] != "--"; ++i) {
    const std::optional<std::string> option = option_in(words[i]);
    if (option && !has_option(*at.command, *option)) return no_option(*at.command, *option);
  }
  const bool group = !shown_commands(*at.command).empty();
  if (group && at.words < words.size()) return no_command(*at.command, words[at.words]);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extra = at.command->remaining(true);
    if (!extra.empty()) return fmt::format("'{}' is one argument too many;", base::printable(extra.front()));
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    if (const std::optional<std::string> problem = no_number(*at.command)) return *problem;
  }
  return std::string(error.what()) + ";";
}

}  // namespace

Reached reached_by(const CLI::App& program, const std::vector<std::string>& words) {
  Reached at{&program, program.get_name(), 0};
  while (at.words < words.size()) {
    const auto below = at.command->get_subcommands([](const CLI::App*) { return true; });
    const auto next = std::find_if(below.begin(), below.end(), [&](const CLI::App* command) {
      return command->get_name() == words[at.words];
    });
    if (next == below.end()) break;
    at = {*next, at.path + " " + words[at.words], at.words + 1};
  }
  return at;
}

std::string usage_error(const CLI::App& program, const std::vector<std::string>& words,
                        const CLI::ParseError& error) {
  const Reached at = reached_by(program, words);
  const std::string problem = problem_of(at, words, error);
  return fmt::format("{} {} {} --help", problem, problem.ends_with('?') ? "See" : "see", at.path);
}

}  // namespace mindgap::app
