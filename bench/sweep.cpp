// The memory traffic of one Bellman sweep against a triad loop in the same process: bench_sweep MODEL.h5
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <limits>
#include <vector>

#include "measure.h"
#include "mindgap/base/parallel.h"
#include "mindgap/files/model_file.h"
#include "mindgap/mdp/bellman.h"
#include "mindgap/mdp/model.h"
#include "triad.h"

namespace {

using namespace mindgap;

// What a sweep must move: the rows, rewards and pointers once, V once in and once out, and the greedy pairs.
// That the same entries of V are read again and again is not counted.
double bytes_of_sweep(const mdp::Mdp& m) {
  return static_cast<double>(m.next_state().size_bytes() + m.probability().size_bytes() +
                             m.row_begin().size_bytes() + m.reward().size_bytes() +
                             m.pair_begin().size_bytes()) +
         m.states() * (2.0 * sizeof(double) + sizeof(std::int32_t));
}

void run(const char* path) {
  const mdp::Model model = files::read_model(path);
  const auto states = static_cast<std::size_t>(model.mdp.states());
  std::vector<double> in(states, 1), out(states);
  std::vector<std::int32_t> pick(states);
  const base::Threads one(1);
  const mdp::Bellman bellman(model.mdp, one);
  const double triad_before = bench::triad_bandwidth();
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 30; ++i) {
    best = std::min(best, bench::seconds_of([&] { bellman.improve(in, out, pick); }));
    in.swap(out);
  }
  const double triad = std::max(triad_before, bench::triad_bandwidth());
  const double bandwidth = bytes_of_sweep(model.mdp) / best;
  fmt::print(
      "{{\"sweep_seconds\": {:.6g}, \"sweep_bandwidth\": {:.4g}, \"triad_bandwidth\": {:.4g}, "
      "\"share\": {:.3f}}}\n",
      best, bandwidth, triad, bandwidth / triad);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: bench_sweep MODEL.h5\n", stderr);
    return 2;
  }
  try {
    run(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_sweep: error: %s\n", error.what());
    return 2;
  }
}
