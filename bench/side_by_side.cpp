// What models side by side cost against one at a time: eight draws of two regions (models.h), best over 100
// steps. bench_side_by_side SIDE; processor seconds for a model, the least of three turns.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <limits>

#include "mindgap/belief/knowledge.h"
#include "mindgap/mdp/finite_horizon.h"
#include "mindgap/mdp/side_by_side.h"
#include "models.h"

namespace {

using namespace mindgap;

template <typename Run>
double seconds(const Run& run) {
  double least = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < 3; ++turn) {
    const std::clock_t begin = std::clock();
    run();
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least / static_cast<double>(mdp::SideBySide::kLanes);
}

void compare(std::int32_t side) {
  const mdp::Model model = bench::two_regions(side);
  const belief::Knowledge known = belief::gather_knowledge(model, model.coverage, {});
  std::vector<mdp::Mdp> drawn;
  for (std::uint64_t i = 0; i < mdp::SideBySide::kLanes; ++i) drawn.push_back(known.now.sample(42, i));
  const mdp::SideBySide beside(drawn);
  const auto print = [&](const char* what, double alone, double together) {
    fmt::print("{:>7} states, {:<15} {:9.3f} ms alone {:9.3f} ms side by side {:6.1f} times\n",
               model.mdp.states(), what, 1e3 * alone, 1e3 * together, alone / together);
  };
  print("draw, interleave", seconds([&] {
          for (std::uint64_t i = 0; i < drawn.size(); ++i) known.now.sample(42, i);
        }),
        seconds([&] { mdp::SideBySide(std::span<const mdp::Mdp>(drawn)); }));
  print("best, 100 steps", seconds([&] {
          for (const mdp::Mdp& one : drawn)
            mdp::solve_finite_horizon(one, 100, {.keep_policy = false, .threads = 1});
        }),
        seconds([&] { beside.best_over(100, model.mdp.start(), {}, {}); }));
}

}  // namespace

int main(int argc, char** argv) {
  const int side = argc == 2 ? std::atoi(argv[1]) : 0;
  if (side < 2) {
    std::fputs("usage: bench_side_by_side SIDE\n", stderr);
    return 2;
  }
  try {
    compare(side);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_side_by_side: error: %s\n", error.what());
    return 2;
  }
}
