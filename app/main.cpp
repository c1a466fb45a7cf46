#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "command.h"
#include "mindgap/base/error.h"

namespace {

using namespace mindgap;

// Results are printed whole and files are written behind UninterruptedWrite: leaving at once loses nothing.
void leave(int) {
  _exit(app::kInterrupted);
}

int complain(int code, const std::string& text) {
  fmt::print(stderr, "mindgap: error: {}\n", text);
  return code;
}

int run(int argc, char** argv) {
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
  app::add_check(cli, common, chosen);
  app::add_solve(cli, common, chosen);
  app::add_convert(cli, common, chosen);
  try {
    cli.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    return cli.exit(request);
  } catch (const CLI::ParseError& error) {
    return complain(app::kBadInput, base::printable(error.what(), 500) + "; see mindgap --help");
  }
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  signal(SIGINT, leave);
  signal(SIGTERM, leave);
  signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of print_result
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    return complain(app::kBadInput, error.what());
  } catch (const std::bad_alloc&) {
    return complain(app::kBug, "out of memory");
  } catch (const std::exception& error) {
    return complain(app::kBug, fmt::format("{} (this is a bug in mindgap)", error.what()));
  }
}
