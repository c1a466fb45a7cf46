#include "command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <ctime>

#include "mindgap/base/error.h"
#include "mindgap/base/progress.h"
#include "mindgap/files/model_file.h"
#include "mindgap/files/model_hdf5.h"
#include "mindgap/files/output.h"

namespace mindgap::app {
namespace {

// A signal may reach any thread, so what holds it back must not be a thread's mask.
std::atomic<bool> writing{false}, interrupted{false}, finishing{false};
static_assert(std::atomic<bool>::is_always_lock_free, "used in a signal handler");

// Results are printed whole and files are written behind UninterruptedWrite: leaving at once loses nothing. A
// command that can say something of what it has by then is left to finish (GentleInterruption), but only
// once.
void interrupt(int) {
  if (writing || (finishing && !interrupted)) {
    interrupted = true;
  } else {
    _exit(kInterrupted);
  }
}

}  // namespace

CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& example, CommonOptions& common) {
  CLI::App& command = *app.add_subcommand(name, description);
  command
      .add_option_function<std::string>(
          "--format", [&common](const std::string& value) { common.json = value == "json"; },
          "text for people, json for programs")
      ->check(CLI::IsMember({"text", "json"}))
      ->default_str("text");
  command.add_option("--seed", common.seed, "root of every random number")
      ->check([](const std::string& text) {
        return text.empty() || text[0] != '-' ? std::string() : "must not be negative: " + text;
      })
      ->capture_default_str();
  command
      .add_option("--threads", common.threads, "threads to use; 0 = all cores. Results do not depend on it")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command.add_flag("--quiet", common.quiet, "no progress, no warnings on stderr");
  command.add_flag("--allow-outside", common.allow_outside,
                   "models and worlds may name files outside their own folder");
  command.footer("Example:\n  " + example);
  return command;
}

void warn(const CommonOptions& common, const std::string& text) {
  if (common.quiet) return;
  std::fputs(fmt::format("mindgap: warning: {}\n", base::printable(text, 4000)).c_str(), stderr);
}

std::string quoted(int argc, const char* const* argv) {
  std::string line = "mindgap";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789-_./=:,+@%") == std::string::npos;
    line += ' ';
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

void check_report(const std::string& path) {
  if (!path.empty()) files::check_writable(path);
}

void write_report(const std::string& path, const report::Page& page) {
  if (path.empty()) return;
  const UninterruptedWrite whole;
  files::write_file(path, report::to_html(page));
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm date{};
  gmtime_r(&now, &date);
  return fmt::format("{:04}-{:02}-{:02}", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
}

mdp::Model load_model(const std::string& path, const CommonOptions& common) {
  base::Progress progress({.label = "reading " + path, .quiet = common.quiet});
  progress.advance(0);
  return files::read_model(path);
}

mdp::Model load_mapped_model(const std::string& path, const CommonOptions& common) {
  base::Progress progress({.label = "checking " + path, .quiet = common.quiet});
  progress.advance(0);
  return files::map_model_hdf5(path);
}

void print_result(const CommonOptions& common, const std::string& text, const Json& json) {
  const std::string out = common.json ? view::dumped(json) + "\n" : text;
  const bool written =
      std::fwrite(out.data(), 1, out.size(), stdout) == out.size() && std::fflush(stdout) == 0;
  if (!written) throw StoreError("standard output cannot be written");
}

void handle_interruption() {
  signal(SIGINT, interrupt);
  signal(SIGTERM, interrupt);
  signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of print_result
  signal(SIGXFSZ, SIG_IGN);  // and a file that may not grow one of whoever writes it
}

UninterruptedWrite::UninterruptedWrite() {
  writing = true;
}

UninterruptedWrite::~UninterruptedWrite() {
  writing = false;
  if (interrupted) _exit(kInterrupted);
}

GentleInterruption::GentleInterruption() {
  finishing = true;
}

GentleInterruption::~GentleInterruption() {
  finishing = false;
}

bool GentleInterruption::asked() const {
  return interrupted;
}

}  // namespace mindgap::app
