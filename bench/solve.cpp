// How long we take to the certified gap: bench_solve MODEL.h5 [--threads N] [--repeat R]
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string_view>
#include <vector>

#include "measure.h"
#include "mindgap/files/model_file.h"
#include "mindgap/mdp/model.h"
#include "mindgap/mdp/solve.h"

namespace {

using namespace mindgap;

// The gap that one Bellman sweep from `value` proves, as peers.py computes it for the peers: g/(1-g) span(TV
// - V). Written out here rather than taken from the solver, which is what is being checked.
double certified_gap(const mdp::Mdp& m, const std::vector<double>& value) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (std::int32_t s = 0; s < m.states(); ++s) {
    double best = -std::numeric_limits<double>::infinity();
    for (std::int32_t k = m.pair_begin()[s]; k < m.pair_begin()[s + 1]; ++k) {
      double mean = 0;
      for (std::int64_t i = m.row_begin()[k]; i < m.row_begin()[k + 1]; ++i) {
        mean += m.probability()[i] * value[m.next_state()[i]];
      }
      best = std::max(best, m.reward()[k] + m.discount() * mean);
    }
    least = std::min(least, best - value[s]);
    most = std::max(most, best - value[s]);
  }
  return m.discount() / (1 - m.discount()) * (most - least);
}

void run(const char* path, int threads, int repeat) {
  constexpr double kGap = 1e-6;  // of max|r| / (1 - discount), as for the peers
  const auto begin = std::chrono::steady_clock::now();
  const mdp::Model model = files::read_model(path);
  const double read = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::int64_t peak_of_read = bench::peak_bytes();
  mdp::Solution solution;
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeat; ++i) {
    solution = {};  // one at a time in memory
    best = std::min(best, bench::seconds_of([&] {
                      solution = mdp::solve(model.mdp, {.tolerance = kGap, .threads = threads});
                    }));
  }
  fmt::print(
      "{{\"seconds\": {:.6g}, \"threads\": {}, \"runs\": {}, \"gap\": {:.4g}, \"target\": {:.4g}, "
      "\"width\": {:.4g}, \"status\": \"{}\", \"method\": \"{}\", \"iterations\": {}, \"policy_sweeps\": {}, "
      "\"states\": {}, \"pairs\": {}, \"nonzeros\": {}, \"read_seconds\": {:.6g}, \"read_bytes\": {}, "
      "\"bytes\": {}, \"model_bytes\": {}}}\n",
      best, threads, repeat, certified_gap(model.mdp, solution.value),
      kGap * model.mdp.reward_max() / (1 - model.mdp.discount()), 2 * solution.half_width,
      mdp::to_string(solution.status), mdp::to_string(solution.method), solution.iterations,
      solution.policy_sweeps, model.mdp.states(), model.mdp.pairs(), model.mdp.nonzeros(), read, peak_of_read,
      bench::peak_bytes(), bench::model_bytes(model.mdp));
}

}  // namespace

int main(int argc, char** argv) {
  const char* path = nullptr;
  int threads = 1, repeat = 7;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--threads" && i + 1 < argc) {
      threads = std::atoi(argv[++i]);
    } else if (word == "--repeat" && i + 1 < argc) {
      repeat = std::atoi(argv[++i]);
    } else {
      path = argv[i];
    }
  }
  if (path == nullptr || threads < 0 || repeat < 1) {
    std::fputs("usage: bench_solve MODEL.h5 [--threads N] [--repeat R]\n", stderr);
    return 2;
  }
  try {
    run(path, threads, repeat);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_solve: error: %s\n", error.what());
    return 2;
  }
}
