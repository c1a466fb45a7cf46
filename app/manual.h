#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

// What a command takes, read from the tables of the command line itself. Help, man pages and completion are
// made from this, so none of them can say anything else than what the program takes.
namespace mindgap::app {

struct OptionEntry {
  std::string short_name, name;      // "-h", "--help"; an argument has only a name: "MODEL"
  std::string value;                 // "N"; empty: a flag
  std::vector<std::string> choices;  // the words it takes, if only some
  std::string text;                  // what it does, with default and limits
};

struct Section {
  std::string title;
  std::vector<OptionEntry> options;
};

struct CommandEntry {
  std::string path;  // "mindgap study init"
  std::string text;
  std::vector<Section> sections;       // Arguments, Options, and groups of options
  std::vector<CommandEntry> commands;  // those below it that are shown
  std::string footer;

  std::string name() const { return path.substr(path.rfind(' ') + 1); }
};

/// Of a command and all below it; `above` is the path of what it belongs to. What is hidden is left out.
CommandEntry describe(const CLI::App& app, const std::string& above = "");

/// "Usage: ..." with everything a command takes, in `width` columns.
std::string help_text(const CommandEntry& command, std::size_t width, bool colour);
/// A page for man, in section 1; `date` is that of the release, or "".
std::string man_page(const CommandEntry& command, const std::string& version, const std::string& date);
/// A script that completes commands and options in a shell: bash, zsh or fish.
std::string completion_script(const CommandEntry& program, const std::string& shell);

}  // namespace mindgap::app
