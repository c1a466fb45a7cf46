// What a decision costs as models grow: two regions (models.h), 20 units, 100 steps, the default plans.
// bench_decide_scale SIDE WORLDS [THREADS [DEVICE [EVERY]]]: WORLDS drawn worlds to compare plans on and as
// many fresh ones; THREADS 0: all; DEVICE cpu or gpu; EVERY steps between two looks, 0: the default.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <exception>
#include <limits>
#include <string>
#include <string_view>

#include "measure.h"
#include "mindgap/decide/decide.h"
#include "mindgap/mdp/gpu_engine.h"
#include "mindgap/view/decide.h"
#include "models.h"

namespace {

using namespace mindgap;

void run(std::int32_t side, std::int64_t worlds, int threads, const std::string& device, std::int64_t every) {
  const mdp::Model model = bench::two_regions(side);
  const decide::Situation situation{belief::gather_knowledge(model, model.coverage, {}),
                                    mdp::spread_units(model.mdp.start(), 20), 100};
  decide::DecideOptions options;
  options.worlds = worlds;
  options.time_limit = 1e6;
  options.most_work = decide::kWorkPerSecond * 60;  // the plans that a time limit of a minute leaves
  options.simulation.run.threads = threads;
  options.simulation.replan_every = every;
  options.simulation.engine = mdp::engine_of(device);
  std::string phase;
  double since = 0, spent = 0;  // seconds on the wall, and of all processors
  const base::Clock clock;
  const auto processor = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  const auto end_phase = [&] {
    if (!phase.empty())
      fmt::print("  {:<40} {:8.2f} s {:8.2f} of processors\n", phase, clock.seconds() - since,
                 processor() - spent);
    since = clock.seconds();
    spent = processor();
  };
  options.simulation.run.listener.progress = [&](const std::string& what, std::int64_t, std::int64_t) {
    if (what == phase) return;
    end_phase();
    phase = what;
  };
  const decide::Decision decision = decide::decide(situation, options);
  end_phase();
  std::string too_slow;
  for (const decide::Plan& plan : decide::default_plans(situation)) {
    const auto is_it = [&](const decide::PlanResult& one) { return one.plan == plan; };
    if (std::none_of(decision.plans.begin(), decision.plans.end(), is_it)) too_slow += " " + plan.name;
  }
  fmt::print("  {} default plans; too slow for a default here:{}\n", decision.plans.size(),
             too_slow.empty() ? " none" : too_slow);
  fmt::print("{} states, {} + {} worlds: {:.1f} s, {:.1f} of processors, {:.0f} MiB\n", model.mdp.states(),
             worlds, worlds, clock.seconds(), processor(),
             static_cast<double>(bench::peak_bytes()) / (1 << 20));
  for (const decide::PlanResult& plan : decision.plans) {
    if (!plan.screened)
      fmt::print("    {:<16} {:10.2f} +- {:.2f}, looks every {} steps\n", plan.plan.name, plan.value,
                 plan.standard_error, plan.replan_every);
  }
  for (const std::string& note : view::notes_of(decision)) fmt::print("    {}\n", note);
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t numbers[5] = {};
  for (int i = 1; i < argc && i < 6; ++i) {
    const std::string_view text = argv[i];
    std::from_chars(text.data(), text.data() + text.size(), numbers[i - 1]);
  }
  if (argc < 3 || argc > 6 || numbers[0] < 2 || numbers[1] < 1) {
    std::fputs("usage: bench_decide_scale SIDE WORLDS [THREADS [DEVICE [EVERY]]]\n", stderr);
    return 2;
  }
  try {
    run(static_cast<std::int32_t>(numbers[0]), numbers[1], static_cast<int>(numbers[2]),
        argc > 4 ? argv[4] : "cpu", numbers[4]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_decide_scale: error: %s\n", error.what());
    return 2;
  }
}
