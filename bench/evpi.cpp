// What the value of information costs: drawn models, each split into local and reach.
// bench_evpi random|grid STATES DRAWS [THREADS [DEVICE]]: random has 4 actions of 5 successors and discount
// .95, grid is two regions (models.h) with about so many states; THREADS 0: all; DEVICE cpu or gpu.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "measure.h"
#include "mindgap/belief/knowledge.h"
#include "mindgap/gap/evpi.h"
#include "mindgap/mdp/gpu_engine.h"
#include "mindgap/mdp/solve.h"
#include "models.h"

namespace {

using namespace mindgap;

belief::Belief belief_of(std::string_view kind, std::int32_t states) {
  if (kind == "grid") {
    const mdp::Model model = bench::two_regions(static_cast<std::int32_t>(std::sqrt(states)));
    return belief::gather_knowledge(model, model.coverage, {}).now;
  }
  const mdp::Mdp mdp = bench::random_sparse(states, 4, 5, .95);
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return {mdp,
          {std::vector<double>(pairs, .3), std::vector<double>(pairs, 5.0)},
          std::vector<double>(pairs, 1.0)};
}

void run(std::string_view kind, std::int32_t states, const gap::EvpiOptions& options) {
  const belief::Belief belief = belief_of(kind, states);
  const mdp::Policy deployed = mdp::solve(belief.mean()).policy;
  gap::Evpi evpi;
  const double seconds = bench::seconds_of(
      [&] { evpi = gap::expected_value_of_perfect_information(belief, deployed, options); });
  fmt::print(
      "{}, {} states, {} transitions, {} draws on {}: {:.2f} s, {:.0f} MiB\n"
      "  total {:.9g} +- {:.2g}, local {:.9g}, reach {:.9g}, each value within {:.1e}\n",
      kind, belief.simulator().states(), belief.simulator().nonzeros(), evpi.draws,
      options.engine ? options.engine->device : "the processor", seconds,
      static_cast<double>(bench::peak_bytes()) / (1 << 20), evpi.total.mean, evpi.total.standard_error,
      evpi.local.mean, evpi.reach.mean, evpi.error_bound);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view kind = argc > 1 ? argv[1] : "";
  if (argc < 4 || argc > 6 || (kind != "random" && kind != "grid")) {
    std::fputs("usage: bench_evpi random|grid STATES DRAWS [THREADS [DEVICE]]\n", stderr);
    return 2;
  }
  try {
    gap::EvpiOptions options;
    options.draws = std::atol(argv[3]);
    options.run.threads = argc > 4 ? std::atoi(argv[4]) : 0;
    options.engine = mdp::engine_of(argc > 5 ? argv[5] : "cpu");
    run(kind, std::atoi(argv[2]), options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_evpi: error: %s\n", error.what());
    return 2;
  }
}
