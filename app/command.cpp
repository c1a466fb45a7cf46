#include "command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "mindgap/base/error.h"
#include "mindgap/base/progress.h"
#include "mindgap/command/files.h"
#include "ranges.h"
#include "terminal.h"

namespace mindgap::app {
namespace {

// A signal may reach any thread, so what holds it back must not be a thread's mask.
std::atomic<bool> writing{false}, interrupted{false}, finishing{false};
static_assert(std::atomic<bool>::is_always_lock_free, "used in a signal handler");

char kept[512] = "nothing was written";

// Only what a signal handler may call. On a terminal, what a progress bar left behind is cleared first.
void say_in_handler(const char* text) {
  constexpr const char* kClear = "\r\x1b[K";
  ssize_t written = 0;
  if (isatty(STDERR_FILENO) != 0) written = write(STDERR_FILENO, kClear, std::strlen(kClear));
  written = write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(written);  // a closed stderr changes nothing
}

[[noreturn]] void leave() {
  say_in_handler("mindgap: interrupted; ");
  const ssize_t written = write(STDERR_FILENO, kept, std::strlen(kept)) + write(STDERR_FILENO, "\n", 1);
  static_cast<void>(written);
  _exit(kInterrupted);
}

// Results are printed whole and files are written behind UninterruptedWrite: leaving at once loses nothing. A
// command that can say something of what it has by then is left to finish (GentleInterruption), but only
// once.
void interrupt(int) {
  const int before = errno;  // of whatever was interrupted, which may not have looked at it yet
  if (writing) {
    interrupted = true;
  } else if (finishing && !interrupted) {
    interrupted = true;
    say_in_handler("mindgap: interrupted; finishing with what there is (Ctrl-C again ends it at once)\n");
  } else {
    leave();
  }
  errno = before;
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
  command.add_option("--seed", common.seed, "seed of all random numbers")
      ->check([](const std::string& text) {
        return text.empty() || text[0] != '-' ? std::string() : "must not be negative: " + text;
      })
      ->capture_default_str();
  command
      .add_option("--threads", common.threads,
                  "number of threads; 0 = all cores. Results do not depend on it")
      ->check(in_range(0, 4096))
      ->capture_default_str();
  command.add_flag("-q,--quiet", common.quiet, "show no progress and no warnings");
  command.add_flag("--allow-outside", common.allow_outside,
                   "allow models and worlds to name files outside their own folder");
  command.footer("Example:\n  " + example);
  return command;
}

void warn(const CommonOptions& common, const std::string& text) {
  if (common.quiet) return;
  std::fputs(fmt::format("{} {}\n", styled("mindgap: warning:", Style::yellow, has_colour(stderr)),
                         base::printable(text, 4000))
                 .c_str(),
             stderr);
}

std::string quoted(const std::vector<std::string>& words) {
  std::string line = "mindgap";
  for (const std::string& word : words) {
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
  if (!path.empty()) command::check_writable(path);
}

void write_report(const std::string& path, const report::Page& page) {
  if (path.empty()) return;
  const UninterruptedWrite whole;
  command::write_file(path, command::to_html(page));
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
  return command::read_model(path);
}

mdp::Model load_mapped_model(const std::string& path, const CommonOptions& common) {
  base::Progress progress({.label = "checking " + path, .quiet = common.quiet});
  progress.advance(0);
  return command::map_model_hdf5(path);
}

void print_result(const CommonOptions& common, const std::string& text, const Json& json) {
  const std::string out = common.json          ? command::dumped(json) + "\n"
                          : has_colour(stdout) ? with_bold_verdict(text)
                                               : text;
  const bool written =
      std::fwrite(out.data(), 1, out.size(), stdout) == out.size() && std::fflush(stdout) == 0;
  if (!written) throw StoreError("standard output cannot be written");
}

void handle_interruption() {
  signal(SIGINT, interrupt);
  signal(SIGTERM, interrupt);
  signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of print_result
  signal(SIGXFSZ, SIG_IGN);  // hitting the file-size limit is reported by the writer
}

void keeps_on_interruption(const std::string& what) {
  const std::string text = base::printable(what, sizeof(kept) - 10);
  std::strncpy(kept, text.c_str(), sizeof(kept) - 1);
}

UninterruptedWrite::UninterruptedWrite() {
  writing = true;
}

UninterruptedWrite::~UninterruptedWrite() {
  writing = false;
  if (interrupted) leave();
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
