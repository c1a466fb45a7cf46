// How far the stated gains and verdicts can be relied on: calibrate [PROBLEMS [FRESH_WORLDS [SECONDS
// [FIRST]]]] 200 problems from number 0 on, 20,000 fresh worlds, at most 10 seconds for each decision. Exit 1
// where a number is missed. Decisions are cut off by the clock as a user's are, so the numbers depend a
// little on the machine.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#include "decide/calibration.h"

namespace {

using namespace mindgap::decide;

void print_one(const Judged& judged) {
  fmt::print(
      "{:>4} {:<7} {:<10} {:>12} over {:<12} {:>6} worlds  {:>9.4g} +- {:<8.3g} {:>9.4g} +- {:<8.3g} {}  "
      "{:.3f}\n",
      judged.number, judged.family, judged.verdict, judged.recommended, judged.other, judged.worlds,
      judged.stated, judged.stated_error, judged.realised, judged.realised_error,
      !judged.differs  ? "same"
      : judged.covered ? "    "
                       : "MISS",
      judged.verdict_share);
  std::fflush(stdout);
}

bool reached(const char* what, double value, double low, std::optional<double> high = {}) {
  const bool good = low <= value && (!high || value <= *high);
  const std::string wanted = high ? fmt::format("{:.0f} to {:.0f} %", 100 * low, 100 * *high)
                                  : fmt::format("{:.0f} % or more", 100 * low);
  fmt::print("{:<58} {:6.2f} %  wanted {}  {}\n", what, 100 * value, wanted, good ? "ok" : "MISSED");
  return good;
}

int run(const CalibrationOptions& options) {
  fmt::print(
      "problem, verdict, plan over the best of another kind, stated gain, realised gain, share of "
      "clairvoyant\n");
  const Calibration calibration = calibrate(options);
  fmt::print("\n{:<20} {:>10}\n", "always", "share");
  const std::vector<double> fixed = calibration.fixed_shares();
  for (std::size_t p = 0; p < fixed.size(); ++p)
    fmt::print("{:<20} {:>8.2f} %\n", fixed_plans()[p], 100 * fixed[p]);
  fmt::print("{:<20} {:>8.2f} %\n\n", "the verdict", 100 * calibration.verdict_share());
  fmt::print("{} problems; in {} the two plans differ in some world\n", calibration.problems.size(),
             calibration.stating());
  fmt::print("{:<58} {:6.2f} %\n", "realised gain within the stated interval as it is",
             100 * calibration.inside());
  const bool covered =
      reached("the same, with the realised gain's own error", calibration.covered(), .92, .98);
  const bool worth =
      reached("the verdict against the best fixed plan in hindsight", calibration.of_best_fixed(), .98);
  return covered && worth ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CalibrationOptions options;
  if (argc > 1) options.problems = std::strtoull(argv[1], nullptr, 10);
  if (argc > 2) options.fresh_worlds = std::strtoll(argv[2], nullptr, 10);
  if (argc > 3) options.time_limit = std::strtod(argv[3], nullptr);
  if (argc > 4) options.first = std::strtoull(argv[4], nullptr, 10);
  if (argc > 5 || options.problems < 1 || options.fresh_worlds < 2 || !(options.time_limit > 0)) {
    std::fputs("usage: calibrate [PROBLEMS [FRESH_WORLDS [SECONDS [FIRST]]]]\n", stderr);
    return 2;
  }
  options.on_judged = print_one;
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "calibrate: error: %s\n", error.what());
    return 2;
  }
}
