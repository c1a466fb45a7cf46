// What a decision costs: the vans (examples/vans, history in region A), 8 units, 100 days, 5 plans, over
// drawn worlds and threads. bench_decide MODEL
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <limits>
#include <thread>

#include "measure.h"
#include "mindgap/decide/simulation.h"
#include "mindgap/files/log_file.h"
#include "mindgap/files/model_file.h"
#include "mindgap/files/pilot_tables.h"

namespace {

using namespace mindgap;

decide::Situation vans(const std::string& folder) {
  const mdp::Model model = files::read_model(folder);
  const std::vector<double> coverage = files::read_coverage(folder + "/coverage.csv", model.mdp);
  return {belief::gather_knowledge(model, coverage, {}), mdp::spread_units(model.mdp.start(), 8), 100};
}

double seconds_of_run(const decide::Situation& situation, std::int64_t worlds, int threads) {
  std::vector<decide::Plan> plans;
  for (const char* name : {"sop", "asop", "thompson", "pilot-8x10", "pilot-8x20"})
    plans.push_back(decide::plan_from_string(name));
  decide::SimulationOptions options;
  options.run.threads = threads;
  const std::vector<std::size_t> all = {0, 1, 2, 3, 4};
  const decide::Simulation simulation(situation, plans, options);
  return bench::seconds_of(
      [&] { simulation.run(all, 0, worlds, std::numeric_limits<double>::infinity(), ""); });
}

void run(const std::string& folder) {
  const decide::Situation situation = vans(folder);
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  fmt::print("Decision on the vans: 8 units, 100 days, 5 plans; seconds to follow them\n");
  fmt::print("{:>8} {:>8} {:>9} {:>16}\n", "worlds", "threads", "seconds", "ms per world");
  for (const int threads : {1, cores}) {
    for (const std::int64_t worlds : {250, 500, 1000, 2000}) {
      const double seconds = seconds_of_run(situation, worlds, threads);
      fmt::print("{:>8} {:>8} {:>9.2f} {:>16.3f}\n", worlds, threads, seconds,
                 1e3 * seconds / static_cast<double>(worlds));
    }
    if (cores == 1) break;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: bench_decide MODEL_FOLDER\n", stderr);
    return 2;
  }
  try {
    run(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_decide: error: %s\n", error.what());
    return 2;
  }
}
