// How long a trial of 1,600 days takes beside plain NumPy (bench/vending_numpy.py), and the whole table: 13
// planners, 5 horizons, 30 trials.
//   bench_vending [FILE ...]     what bench/vending_numpy.py printed
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>

#include "measure.h"
#include "mindgap/trial/sweep.h"
#include "paper/cases/vending/vending_case.h"

namespace {

using namespace mindgap;

// Processor seconds of a trial: the median of 51 trials.
double ours(const cases::vending::VendingCase& network) {
  constexpr int kTrials = 51;
  const std::vector<std::int64_t> horizon = {1600};
  std::vector<double> seconds;
  seconds.reserve(kTrials);
  double cash = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    seconds.push_back(bench::processor_seconds_of(
        [&] { cash += network.run("asop", static_cast<std::uint64_t>(trial), horizon)[0] / kTrials; }));
  }
  const double median = bench::median(seconds);
  fmt::print("A-SOP, one trial of 1,600 days: {:.2f} ms, mean cash {:.0f}\n", 1e3 * median, cash);
  return median;
}

void against(const nlohmann::json& numpy, double seconds) {
  const double ratio = numpy["seconds"].get<double>() / seconds;
  const bool plain = numpy["kind"] == "plain";
  fmt::print("  {} NumPy: {:.2f} s, mean cash {:.0f}: ratio {:.0f}{}\n", numpy["kind"].get<std::string>(),
             numpy["seconds"].get<double>(), numpy["mean_cash"].get<double>(), ratio,
             !plain         ? ""
             : ratio >= 300 ? " (wanted: 300)"
                            : " (wanted: 300)  MISSED");
}

void whole_table(const cases::vending::VendingCase& network) {
  trial::SweepOptions options;
  options.planners = {
      "oracle", "sop",    "epsilon",  "asop",  "asop-pilot", "learning-epsilon", "adaptive-epsilon", "kg",
      "sep",    "fisher", "thompson", "ucrl2", "ucbvi"};
  options.run.threads = 2;
  const double seconds = bench::seconds_of([&] { trial::run_sweep(network, options); });
  fmt::print("The table, 13 planners, 5 horizons, 30 trials, 2 threads: {:.1f} s (wanted: 60){}\n", seconds,
             seconds <= 60 ? "" : "  MISSED");
}

void run(int argc, char** argv) {
  const cases::vending::VendingCase network(cases::vending::default_configuration(), 42);
  const double seconds = ours(network);
  for (int i = 1; i < argc; ++i) {
    nlohmann::json numpy;
    std::ifstream(argv[i]) >> numpy;
    against(numpy, seconds);
  }
  whole_table(network);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_vending: error: %s\n", error.what());
    return 2;
  }
}
