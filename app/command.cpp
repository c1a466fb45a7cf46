#include "command.h"

#include <fmt/format.h>
#include <signal.h>

#include <cstdio>

#include "mindgap/base/error.h"
#include "mindgap/base/progress.h"

namespace mindgap::app {
namespace {

sigset_t interruptions() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  return set;
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
  command.add_option("--seed", common.seed, "root of every random number")->capture_default_str();
  command
      .add_option("--threads", common.threads, "threads to use; 0 = all cores. Results do not depend on it")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command.add_flag("--quiet", common.quiet, "no progress, no warnings on stderr");
  command.footer("Example:\n  " + example);
  return command;
}

mdp::Model load_model(const std::string& path, const CommonOptions& common) {
  base::Progress progress({.label = "reading " + path, .quiet = common.quiet});
  progress.advance(0);
  return mdp::read_model(path);
}

void print_result(const CommonOptions& common, const std::string& text, const Json& json) {
  // Names come from files, and files hold any bytes: what is not UTF-8 is replaced, not refused.
  const std::string out =
      common.json ? json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n" : text;
  const bool written =
      std::fwrite(out.data(), 1, out.size(), stdout) == out.size() && std::fflush(stdout) == 0;
  if (!written) throw StoreError("standard output cannot be written");
}

void warn(const CommonOptions& common, const std::string& text) {
  if (!common.quiet) fmt::print(stderr, "mindgap: warning: {}\n", text);
}

UninterruptedWrite::UninterruptedWrite() {
  const sigset_t set = interruptions();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

UninterruptedWrite::~UninterruptedWrite() {
  const sigset_t set = interruptions();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace mindgap::app
