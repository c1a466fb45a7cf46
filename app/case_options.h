#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>

namespace mindgap::app {

/// Adds every option that some case has (and those of world folders) to a command, each under its own name
/// and grouped by the cases it belongs to. A case that does not have an option refuses it.
class CaseOptions {
 public:
  void add_to(CLI::App& cli);
  /// Leaves only the options of one case in the help; those of world folders where `name` is no case, and
  /// none where it is empty.
  void show_only(const std::string& name);
  /// Those that were given.
  std::map<std::string, std::string> given() const;

 private:
  struct Option {
    std::string value;
    CLI::Option* on_command_line = nullptr;
  };
  std::map<std::string, std::unique_ptr<Option>> options_;
};

}  // namespace mindgap::app
