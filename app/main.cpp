#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>

#include "command.h"
#include "given_values.h"
#include "mindgap/base/error.h"
#include "mindgap/files/model_hdf5.h"
#include "mindgap/files/named_file.h"
#include "shards.h"

// What the file of each subcommand gives: it adds itself to `cli` and sets `chosen` when it is the one
// called.
namespace mindgap::app {
#define MINDGAP_LISTED(name) void add_##name(CLI::App& cli, CommonOptions& common, Action& chosen);
#include "generated/commands.h"
#undef MINDGAP_LISTED
}  // namespace mindgap::app

namespace {

using namespace mindgap;

// One line, whatever is in the names and paths it mentions. Should stderr be closed, the exit code still
// tells.
int complain(int code, const std::string& text) {
  std::fputs(fmt::format("mindgap: error: {}\n", base::printable(text, 4000)).c_str(), stderr);
  return code;
}

int run(int argc, const char* const* argv, const std::string& shards = {}) {
  CLI::App cli(
      "mindgap: should you experiment before you trust your simulator, where, how much, and when do you "
      "stop?",
      "mindgap");
  cli.set_version_flag("--version", "mindgap " MINDGAP_VERSION);
  cli.require_subcommand(1);
  cli.footer(
      "Exit status: 0 done; 2 bad input or usage; 3 stopped before converging; 70 a bug of ours; 130 "
      "interrupted.\n"
      "Help on a command: mindgap COMMAND --help");
  app::CommonOptions common;
  app::Action chosen;
#define MINDGAP_LISTED(name) app::add_##name(cli, common, chosen);
#include "generated/commands.h"
#undef MINDGAP_LISTED
  if (argc > 1 && argv[1][0] != '-') {
    std::string known;
    bool found = false;
    for (const CLI::App* command : cli.get_subcommands({})) {
      known += " " + command->get_name();
      found = found || command->get_name() == argv[1];
    }
    const std::string problem =
        fmt::format("there is no command '{}'; there are:{}", base::printable(argv[1]), known);
    if (!found) return complain(app::kBadInput, problem);
  }
  try {
    common.command_line = app::quoted(argc, argv);
    common.words.assign(argv + std::min(argc, 1), argv + argc);
    common.shards = shards;
    cli.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    const int code = cli.exit(request);
    if (!std::cout.flush()) throw StoreError("standard output cannot be written");
    return code;
  } catch (const CLI::ParseError& error) {
    return complain(app::kBadInput, std::string(error.what()) + "; see mindgap --help");
  }
  app::check_given_values(cli);
  std::optional<files::AllowOutside> outside;
  if (common.allow_outside) outside.emplace();
  return chosen();
}

}  // namespace

namespace mindgap::app {

int run_again(const std::vector<std::string>& words, const std::string& shards) {
  std::vector<const char*> argv = {"mindgap"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return ::run(static_cast<int>(argv.size()), argv.data(), shards);
}

}  // namespace mindgap::app

int main(int argc, char** argv) {
  app::handle_interruption();
  files::leave_hdf5_quietly();
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    return complain(app::kBadInput, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(app::kBadInput, fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    return complain(app::kBug, "out of memory");
  } catch (const std::exception& error) {
    return complain(app::kBug, fmt::format("{} (this is a bug in mindgap)", error.what()));
  }
}
