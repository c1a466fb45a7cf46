#include "command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>

#include "command.h"
#include "given_values.h"
#include "manual.h"
#include "mindgap/base/error.h"
#include "shards.h"
#include "terminal.h"
#include "usage_error.h"

namespace mindgap::app {

// What the file of each subcommand gives: it adds itself to `cli` and sets `chosen` when it is the one
// called.
#define MINDGAP_LISTED(name) void add_##name(CLI::App& cli, CommonOptions& common, Action& chosen);
#include "generated/commands.h"
#undef MINDGAP_LISTED

namespace {

// One line, whatever is in the names and paths it mentions. Should stderr be closed, the exit code still
// tells.
int complain(int code, const std::string& text) {
  std::fputs(fmt::format("{} {}\n", styled("mindgap: error:", Style::red, has_colour(stderr)),
                         base::printable(text, 4000))
                 .c_str(),
             stderr);
  return code;
}

// Man pages in man/man1 and scripts for shells in completion, below `folder`.
void write_manual(const CLI::App& cli, const std::filesystem::path& folder, const std::string& date) {
  const CommandEntry program = describe(cli);
  std::filesystem::create_directories(folder / "man/man1");
  std::filesystem::create_directories(folder / "completion");
  std::vector<const CommandEntry*> ahead = {&program};
  while (!ahead.empty()) {
    const CommandEntry* command = ahead.back();
    ahead.pop_back();
    for (const CommandEntry& below : command->commands) ahead.push_back(&below);
    std::string name = command->path;
    std::replace(name.begin(), name.end(), ' ', '-');
    command::write_file(folder / "man/man1" / (name + ".1"), man_page(*command, MINDGAP_VERSION, date));
  }
  command::write_file(folder / "completion/mindgap", completion_script(program, "bash"));
  command::write_file(folder / "completion/_mindgap", completion_script(program, "zsh"));
  command::write_file(folder / "completion/mindgap.fish", completion_script(program, "fish"));
}

// Commands about the command line itself. `help` is done before words are parsed; it is here to be listed.
void add_own_commands(CLI::App& cli, Action& chosen) {
  cli.add_subcommand("help", "show help on a command: mindgap help decide");
  CLI::App& completion =
      *cli.add_subcommand("completion", "print a script that completes commands in bash, zsh or fish");
  const auto shell = std::make_shared<std::string>();
  completion.add_option("SHELL", *shell, "bash, zsh or fish")->required()->type_name("{bash,zsh,fish}");
  completion.footer(
      "Example:\n  mindgap completion bash > ~/.local/share/bash-completion/completions/mindgap");
  completion.callback([&cli, &chosen, shell] {
    chosen = [&cli, shell] {
      print_result({}, completion_script(describe(cli), *shell), {});
      return kDone;
    };
  });
  CLI::App& manual = *cli.add_subcommand("write-manual", "man pages and completion, for packages")->group("");
  const auto folder = std::make_shared<std::string>(), date = std::make_shared<std::string>();
  manual.add_option("FOLDER", *folder, "where they go")->required();
  manual.add_option("DATE", *date, "of the release, as 2026-11-17");
  manual.callback([&cli, &chosen, folder, date] {
    chosen = [&cli, folder, date] {
      write_manual(cli, *folder, *date);
      return kDone;
    };
  });
}

int print_help(const CLI::App& cli, const std::vector<std::string>& words) {
  const Reached at = reached_by(cli, words);
  const std::size_t name = at.path.rfind(' ');
  const CommandEntry entry = describe(*at.command, name == std::string::npos ? "" : at.path.substr(0, name));
  print_result({}, help_text(entry, help_width(), has_colour(stdout)), {});
  return kDone;
}

// Whether the words end at a command that only groups others: its help says which.
bool names_a_group(const CLI::App& cli, const std::vector<std::string>& words) {
  const Reached at = reached_by(cli, words);
  return at.words == words.size() && at.command->get_require_subcommand_min() > 0;
}

int run(std::vector<std::string> words, const std::string& shards = {}) {
  if (!words.empty() && words.front() == "help") {  // help study init -> study init --help
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  CLI::App cli(
      "mindgap: should you experiment before you trust your simulator, where, how much, and when do you "
      "stop?",
      "mindgap");
  cli.set_version_flag("-V,--version", "mindgap " MINDGAP_VERSION);
  cli.require_subcommand(1);
  cli.footer(
      "Exit status: 0 done; 2 bad input or usage; 3 stopped before converging; 70 a bug of ours; 130 "
      "interrupted.\n"
      "Help on a command: mindgap help COMMAND");
  CommonOptions common;
  Action chosen;
#define MINDGAP_LISTED(name) add_##name(cli, common, chosen);
#include "generated/commands.h"
#include "mindgap/command/files.h"
#undef MINDGAP_LISTED
  add_own_commands(cli, chosen);
  try {
    common.command_line = quoted(words);
    common.words = words;
    common.shards = shards;
    if (names_a_group(cli, words)) return print_help(cli, words);
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    cli.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    const Reached at = reached_by(cli, words);
    const bool unknown = at.command->get_require_subcommand_min() > 0 && at.words < words.size() &&
                         !words[at.words].starts_with('-');
    if (unknown) return complain(kBadInput, usage_error(cli, words, CLI::ExtrasError({words[at.words]})));
    if (common.before_help) common.before_help();
    return print_help(cli, words);
  } catch (const CLI::CallForVersion&) {
    print_result({}, "mindgap " MINDGAP_VERSION "\n", {});
    return kDone;
  } catch (const CLI::ParseError& error) {
    return complain(kBadInput, usage_error(cli, words, error));
  }
  check_given_values(cli);
  std::optional<command::AllowOutside> outside;
  if (common.allow_outside) outside.emplace();
  return chosen();
}

}  // namespace

int run_again(const std::vector<std::string>& words, const std::string& shards) {
  return run(words, shards);
}

int run_command_line(const std::vector<std::string>& words) {
  handle_interruption();
  command::leave_hdf5_quietly();
  try {
    return run(words);
  } catch (const Error& error) {
    return complain(kBadInput, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(kBadInput, fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    return complain(kBug, "out of memory");
  } catch (const std::exception& error) {
    return complain(kBug, fmt::format("{} (this is a bug in mindgap)", error.what()));
  }
}

}  // namespace mindgap::app
