// How long a trial of 1,600 days takes beside plain NumPy (bench/vending_numpy.py), and the whole table: 13
// planners, 5 horizons, 30 trials.
//   bench_vending [FILE]     FILE: what bench/vending_numpy.py printed
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "measure.h"
#include "mindgap/cases/vending/vending_case.h"
#include "mindgap/trial/sweep.h"

namespace {

using namespace mindgap;

void against_numpy(const cases::vending::VendingCase& network, double numpy_seconds, double numpy_cash) {
  constexpr int kTrials = 50;
  const std::vector<std::int64_t> horizon = {1600};
  double best = 1e9, cash = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    best = std::min(best, bench::seconds_of([&] {
                      cash += network.run("asop", static_cast<std::uint64_t>(trial), horizon)[0] / kTrials;
                    }));
  }
  fmt::print("A-SOP, one trial of 1,600 days: {:.2f} ms, mean cash {:.0f}\n", 1e3 * best, cash);
  if (numpy_seconds <= 0) return;
  const double ratio = numpy_seconds / best;
  fmt::print("  plain NumPy: {:.2f} s, mean cash {:.0f}\n", numpy_seconds, numpy_cash);
  fmt::print("  ratio {:.0f} (wanted: 300){}\n", ratio, ratio >= 300 ? "" : "  MISSED");
}

void whole_table(const cases::vending::VendingCase& network) {
  trial::SweepOptions options;
  options.planners = {
      "oracle", "sop",    "epsilon",  "asop",  "asop-pilot", "learning-epsilon", "adaptive-epsilon", "kg",
      "sep",    "fisher", "thompson", "ucrl2", "ucbvi"};
  options.threads = 2;
  const double seconds = bench::seconds_of([&] { trial::run_sweep(network, options); });
  fmt::print("The table, 13 planners, 5 horizons, 30 trials, 2 threads: {:.1f} s (wanted: 60){}\n", seconds,
             seconds <= 60 ? "" : "  MISSED");
}

}  // namespace

int main(int argc, char** argv) {
  const cases::vending::VendingCase network(cases::vending::default_configuration(), 42);
  nlohmann::json numpy = {{"best_seconds", 0.0}, {"mean_cash", 0.0}};
  if (argc > 1) std::ifstream(argv[1]) >> numpy;
  against_numpy(network, numpy["best_seconds"], numpy["mean_cash"]);
  whole_table(network);
}
