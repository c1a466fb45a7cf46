#include <fmt/format.h>

#include <algorithm>

#include "manual.h"
#include "mindgap/base/error.h"

// Each script knows, for every command, the words that may follow: commands below it, or options. Files are
// completed by the shell itself.
namespace mindgap::app {
namespace {

// Words that an argument takes: commands after `help`, shells after `completion`.
std::vector<std::string> words_of_arguments(const CommandEntry& program, const CommandEntry& command) {
  std::vector<std::string> words;
  if (command.path == program.path + " help") {
    for (const CommandEntry& one : program.commands) words.push_back(one.name());
  }
  for (const Section& section : command.sections) {
    for (const OptionEntry& option : section.options) {
      if (!option.name.starts_with("--"))
        words.insert(words.end(), option.choices.begin(), option.choices.end());
    }
  }
  return words;
}

std::string words_after(const CommandEntry& program, const CommandEntry& command) {
  std::string words;
  const auto add = [&](const std::string& word) { words += (words.empty() ? "" : " ") + word; };
  for (const CommandEntry& below : command.commands) add(below.name());
  for (const std::string& word : words_of_arguments(program, command)) add(word);
  for (const Section& section : command.sections) {
    for (const OptionEntry& option : section.options) {
      if (option.name.starts_with("--")) add(option.name);
    }
  }
  return words;
}

// Calls `each` for a command and all below it.
template <typename Each>
void for_each_command(const CommandEntry& command, const Each& each) {
  each(command);
  for (const CommandEntry& below : command.commands) for_each_command(below, each);
}

// In single quotes of a shell; in fish a quote has a backslash before it.
std::string shell_quoted(const std::string& text, bool fish) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += fish ? "\\'" : "'\\''";
    } else if (c == '\\' && fish) {
      out += "\\\\";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// The parts of the scripts for bash and zsh, which read the same: lines of `case`.
struct CaseLines {
  std::string routes;   // from a command to one below it, by the next word
  std::string choices;  // the words an option takes
  std::string words;    // all that may follow a command
  std::string groups;   // commands after which a word of a list is expected
};

CaseLines case_lines(const CommandEntry& program) {
  CaseLines lines;
  for_each_command(program, [&](const CommandEntry& command) {
    const std::string path = shell_quoted(command.path, false);
    if (!command.commands.empty()) {
      std::string below;
      for (const CommandEntry& one : command.commands) below += (below.empty() ? "" : "|") + one.name();
      lines.routes += fmt::format(
          "      {}) case \"$word\" in {}) route=\"$route $word\" ;; *) break ;; esac ;;\n", path, below);
    }
    if (!command.commands.empty() || !words_of_arguments(program, command).empty())
      lines.groups += (lines.groups.empty() ? "" : "|") + path;
    lines.words +=
        fmt::format("      {}) list={} ;;\n", path, shell_quoted(words_after(program, command), false));
    for (const Section& section : command.sections) {
      for (const OptionEntry& option : section.options) {
        if (option.choices.empty() || !option.name.starts_with("--")) continue;
        lines.choices +=
            fmt::format("    {}) list={} ;;\n", shell_quoted(command.path + " " + option.name, false),
                        shell_quoted(fmt::format("{}", fmt::join(option.choices, " ")), false));
      }
    }
  });
  return lines;
}

// Sets `list` to the words that may come next, from `given`, `before` and `current`.
std::string shell_body(const CommandEntry& program) {
  const CaseLines lines = case_lines(program);
  return fmt::format(R"(  local route=mindgap list='' word
  for word in "${{given[@]}}"; do
    case "$route" in
{}      *) break ;;
    esac
  done
  case "$route $before" in
{}  esac
  if [[ -z "$list" ]]; then
    case "$route" in
{}    esac
    case "$route" in
      {}) ;;
      *) [[ "$current" == -* ]] || list='' ;;
    esac
  fi
)",
                     lines.routes, lines.choices, lines.words, lines.groups);
}

std::string bash_script(const CommandEntry& program) {
  return fmt::format(R"(# Made by: mindgap completion bash
_mindgap() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local -a given=("${{COMP_WORDS[@]:1:COMP_CWORD-1}}")
{}  COMPREPLY=()
  [[ -z "$list" ]] || COMPREPLY=($(compgen -W "$list" -- "$current"))
  if [[ ${{#COMPREPLY[@]}} == 0 && "$current" != -* ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _mindgap mindgap
)",
                     shell_body(program));
}

std::string zsh_script(const CommandEntry& program) {
  return fmt::format(R"(#compdef mindgap
# Made by: mindgap completion zsh
_mindgap() {{
  local current=${{words[CURRENT]}} before=${{words[CURRENT-1]}}
  local -a given=("${{words[@]:1:$((CURRENT-2))}}")
{}  if [[ -n "$list" ]]; then
    compadd -- ${{=list}}
  elif [[ "$current" != -* ]]; then
    _files
  fi
}}
_mindgap "$@"
)",
                     shell_body(program));
}

std::string fish_script(const CommandEntry& program) {
  std::string out = "# Made by: mindgap completion fish\n";
  for_each_command(program, [&](const CommandEntry& command) {
    // "mindgap study init": after the words `study init`, before any command below it.
    std::string condition;
    std::string rest = command.path.substr(std::min(command.path.size(), program.path.size() + 1));
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      condition += fmt::format("{}__fish_seen_subcommand_from {}", condition.empty() ? "" : "; and ",
                               rest.substr(0, end));
      rest.erase(0, end + 1);
    }
    std::string below;
    for (const CommandEntry& one : command.commands) below += " " + one.name();
    if (!below.empty()) {
      condition +=
          fmt::format("{}not __fish_seen_subcommand_from{}", condition.empty() ? "" : "; and ", below);
    }
    const std::string start = fmt::format("complete -c mindgap -n {}", shell_quoted(condition, true));
    for (const CommandEntry& one : command.commands) {
      out += fmt::format("{} -f -a {} -d {}\n", start, one.name(), shell_quoted(one.text, true));
    }
    const std::vector<std::string> words = words_of_arguments(program, command);
    if (!words.empty())
      out +=
          fmt::format("{} -f -a {}\n", start, shell_quoted(fmt::format("{}", fmt::join(words, " ")), true));
    for (const Section& section : command.sections) {
      for (const OptionEntry& option : section.options) {
        if (!option.name.starts_with("--")) continue;
        out += fmt::format("{} -l {}", start, option.name.substr(2));
        if (!option.short_name.empty()) out += " -s " + option.short_name.substr(1);
        if (!option.choices.empty()) {
          out +=
              fmt::format(" -x -a {}", shell_quoted(fmt::format("{}", fmt::join(option.choices, " ")), true));
        } else if (!option.value.empty()) {
          out += " -r";
        }
        out += fmt::format(" -d {}\n", shell_quoted(option.text, true));
      }
    }
  });
  return out;
}

}  // namespace

std::string completion_script(const CommandEntry& program, const std::string& shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "fish") return fish_script(program);
  if (shell == "zsh") return zsh_script(program);
  throw InvalidArgument(fmt::format("'{}' is no shell that can be completed: expected bash, zsh or fish",
                                    base::printable(shell)));
}

}  // namespace mindgap::app
