// Processor seconds of one 400-day trial of Thompson sampling on the HIV case, one thread, and of the whole
// table of the paper. bench/hiv_numpy.py has the same trial in plain NumPy; given its output, prints the
// ratios.
//   bench_hiv [--trials 200] [--table 100] [NUMPY.json ...]
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "measure.h"
#include "mindgap/trial/sweep.h"
#include "paper/cases/hiv/case.h"

namespace {

using namespace mindgap;

struct Arguments {
  std::int64_t trials = 200, table = 100;
  std::vector<std::string> peers;
};

Arguments arguments_of(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--trials" && i + 1 < argc) {
      arguments.trials = std::atoll(argv[++i]);
    } else if (argument == "--table" && i + 1 < argc) {
      arguments.table = std::atoll(argv[++i]);
    } else {
      arguments.peers.push_back(argument);
    }
  }
  return arguments;
}

void run(int argc, char** argv) {
  const Arguments arguments = arguments_of(argc, argv);
  const cases::hiv::HivCase on{cases::hiv::HivOptions{}};
  const std::array<std::int64_t, 1> horizon = {400};
  std::vector<double> seconds;
  double cases = 0;
  for (std::int64_t trial = 0; trial < arguments.trials; ++trial) {
    seconds.push_back(bench::processor_seconds_of(
        [&] { cases += on.run("thompson", static_cast<std::uint64_t>(trial), horizon)[0]; }));
  }
  const double median = bench::median(seconds);
  fmt::print("HIV testing: 400 days of Thompson: {:.3f} ms a trial, one thread ({:.0f} cases)\n",
             1e3 * median, cases / static_cast<double>(arguments.trials));
  for (const std::string& file : arguments.peers) {
    const nlohmann::json peer = nlohmann::json::parse(std::ifstream(file));
    const double ratio = peer["seconds"].get<double>() / median;
    const bool wanted = peer["name"] == "NumPy, plain";
    fmt::print("  {:<28} {:8.1f} ms a trial, {:.0f} times ours ({:.0f} cases){}{}\n",
               peer["name"].get<std::string>(), 1e3 * peer["seconds"].get<double>(), ratio,
               peer["cases"].get<double>(), wanted ? " (wanted: 300)" : "",
               wanted && ratio < 300 ? "  MISSED" : "");
  }
  trial::SweepOptions sweep;
  sweep.planners = {"oracle", "sop", "asop", "thompson", "sep", "fisher", "ucrl2", "ucbvi"};
  sweep.trials = arguments.table;
  const double table = bench::seconds_of([&] { trial::run_sweep(on, sweep); });
  fmt::print("  the paper's table with 1,000 trials: {:.1f} s on all cores (from {} trials)\n",
             1000 * table / static_cast<double>(arguments.table), arguments.table);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_hiv: error: %s\n", error.what());
    return 2;
  }
}
