#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/command/page.h"
#include "mindgap/command/source.h"

// What the subcommands share. The command line only translates: every deed is a library call.
namespace mindgap::app {

using view::Json;

// Exit codes.
constexpr int kDone = 0;
constexpr int kBadInput = 2;
constexpr int kNotConverged = 3;
constexpr int kBug = 70;
constexpr int kInterrupted = 130;

/// The options every subcommand has.
struct CommonOptions {
  bool json = false;
  std::uint64_t seed = base::Run().seed;
  int threads = base::Run().threads;
  bool quiet = false;
  bool allow_outside = false;
  std::string command_line = {};           // as a shell would take it again
  std::vector<std::string> words = {};     // the same, word by word, without the program
  std::string shards = {};                 // the folder whose numbers are merged, or ""
  std::function<void()> before_help = {};  // called before a command's help is made
};

/// The words of a command, after `mindgap`, as a shell takes them: in quotes where they need them.
std::string quoted(const std::vector<std::string>& words);
/// Says before anything is computed where a page cannot be written; nothing where none is asked for.
void check_report(const std::string& path);
/// Writes a page to hand over; nothing where `path` is empty.
void write_report(const std::string& path, const report::Page& page);
inline constexpr const char* kReportHelp = "write a page to hand over: one HTML file that opens offline";
/// "2026-01-31", in UTC.
std::string today();

/// Adds a subcommand with the common options and an example at the end of its help. `run` gives the exit
/// code.
CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& example, CommonOptions& common);

/// Reads a model, with a spinner on a terminal.
mdp::Model load_model(const std::string& path, const CommonOptions& common);
/// The same of an HDF5 file whose transitions stay where they are (command::map_model_hdf5).
mdp::Model load_mapped_model(const std::string& path, const CommonOptions& common);

/// Prints a result on standard output: `text` or `json`. Throws StoreError where it cannot be written.
void print_result(const CommonOptions& common, const std::string& text, const Json& json);

/// The same of an answer; only what is printed is made.
template <typename Answer>
void print_answer(const CommonOptions& common, const Answer& answer) {
  print_result(common, common.json ? std::string() : answer.text(), common.json ? answer.json() : Json());
}

/// One line "mindgap: warning: ..." on stderr, unless quiet.
void warn(const CommonOptions& common, const std::string& text);

/// Lets SIGINT and SIGTERM end the program with exit code 130, from now on, with a line that says what is
/// kept.
void handle_interruption();
/// What is kept where the program is interrupted from now on: "finished trials are kept in out". At first it
/// says that nothing was written.
void keeps_on_interruption(const std::string& what);

/// Holds back interruption while files are put in place, so that none is left half-written or forgotten.
class UninterruptedWrite {
 public:
  UninterruptedWrite();
  ~UninterruptedWrite();
  UninterruptedWrite(const UninterruptedWrite&) = delete;
  UninterruptedWrite& operator=(const UninterruptedWrite&) = delete;
};

/// While it lives, the first SIGINT or SIGTERM only asks to come to an end: whoever computes looks at
/// asked(), prints what is known by then and returns kInterrupted. The second one ends the program at once.
class GentleInterruption {
 public:
  GentleInterruption();
  ~GentleInterruption();
  GentleInterruption(const GentleInterruption&) = delete;
  GentleInterruption& operator=(const GentleInterruption&) = delete;

  bool asked() const;
};

/// What the subcommand that was called does; it gives the exit code.
using Action = std::function<int()>;

}  // namespace mindgap::app
