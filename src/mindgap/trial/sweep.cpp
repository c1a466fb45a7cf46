#include "mindgap/trial/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"
#include "mindgap/base/parallel.h"
#include "mindgap/base/readable.h"
#include "mindgap/base/suggest.h"
#include "mindgap/base/workers.h"

namespace mindgap::trial {

std::vector<double> Results::column(std::size_t planner, std::size_t horizon) const {
  std::vector<double> values;
  for (std::size_t trial = 0; trial < trials.size(); ++trial) values.push_back(at(trial, planner, horizon));
  return values;
}

std::size_t Results::place_of(std::string_view planner) const {
  const auto it = std::find(planners.begin(), planners.end(), planner);
  if (it == planners.end())
    throw InvalidArgument(base::unknown_name("planner of these results", planner, planners));
  return static_cast<std::size_t>(it - planners.begin());
}

SweepOptions completed(const Case& on, SweepOptions options) {
  if (options.planners.empty()) options.planners = on.default_planners();
  if (options.horizons.empty()) options.horizons = on.default_horizons();
  if (options.trials == 0) options.trials = on.default_trials();
  std::vector<std::string> known;
  for (const PlannerName& planner : on.planners()) known.push_back(planner.name);
  std::set<std::string> seen;
  for (const std::string& planner : options.planners) {
    if (std::find(known.begin(), known.end(), planner) == known.end())
      throw InvalidArgument(fmt::format("{}: {}", on.name(), base::unknown_name("planner", planner, known)));
    if (!seen.insert(planner).second)
      throw InvalidArgument(fmt::format("{}: planner '{}' is listed twice", on.name(), planner));
  }
  for (std::size_t i = 0; i < options.horizons.size(); ++i) {
    base::check_range(on.name(), "horizon", static_cast<double>(options.horizons[i]), 1, 1e9);
    if (i > 0 && options.horizons[i] <= options.horizons[i - 1])
      throw InvalidArgument(fmt::format("{}: horizons must ascend, but {} follows {}", on.name(),
                                        options.horizons[i], options.horizons[i - 1]));
  }
  base::check_range(on.name(), "trials", static_cast<double>(options.trials), 1, 1e9);
  constexpr double kMost = 1e8;  // numbers to keep
  const double all = static_cast<double>(options.trials) * static_cast<double>(options.planners.size()) *
                     static_cast<double>(options.horizons.size()) /
                     static_cast<double>(std::max<std::int64_t>(1, options.shards));
  if (all > kMost) {
    throw InvalidArgument(
        fmt::format("{}: {} trials of {} planners at {} horizons are more results than one run keeps ({}); "
                    "run it in shards ({})",
                    on.name(), options.trials, options.planners.size(), options.horizons.size(),
                    base::number(kMost, 6), base::option_name("shard")));
  }
  base::check_range(on.name(), "shards", static_cast<double>(options.shards), 1, 1e6);
  base::check_range(on.name(), "shard", static_cast<double>(options.shard), 1,
                    static_cast<double>(options.shards));
  return options;
}

std::vector<std::uint64_t> trials_of(const SweepOptions& options) {
  std::vector<std::uint64_t> numbers;
  for (std::int64_t i = options.shard - 1; i < options.trials; i += options.shards)
    numbers.push_back(options.first_trial + static_cast<std::uint64_t>(i));
  return numbers;
}

Results run_sweep(const Case& on, const SweepOptions& asked, const Results& finished,
                  const OnTrial& on_trial) {
  const SweepOptions options = completed(on, asked);
  Results results{options.planners, options.horizons, trials_of(options), {}};
  const std::size_t planners = options.planners.size(), horizons = options.horizons.size();
  const std::size_t block = planners * horizons;
  results.value.resize(results.trials.size() * block);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < results.trials.size(); ++i) {
    const auto it = std::lower_bound(finished.trials.begin(), finished.trials.end(), results.trials[i]);
    if (it == finished.trials.end() || *it != results.trials[i]) {
      open.push_back(i);
      continue;
    }
    const auto from =
        finished.value.begin() + (it - finished.trials.begin()) * static_cast<std::ptrdiff_t>(block);
    std::copy(from, from + static_cast<std::ptrdiff_t>(block),
              results.value.begin() + static_cast<std::ptrdiff_t>(i * block));
  }
  const auto total = static_cast<std::int64_t>(results.trials.size() * planners);
  std::atomic<std::int64_t> done{total - static_cast<std::int64_t>(open.size() * planners)};
  std::atomic<bool> failed{false};  // where one trial cannot be run or kept, no other is begun
  const base::Threads threads(options.run.threads);
  const bool shared = base::are_shared();
  // The trials open[first .. last - 1], each into its place of `to`; told(trial, values) of each.
  const auto run_some = [&](std::int64_t first, std::int64_t last, const auto& place, const auto& told) {
    threads.for_each_chunk(last - first, [&](std::int64_t chunk) {
      if (failed) return;
      try {
        const std::size_t i = open[static_cast<std::size_t>(first + chunk)];
        const std::span<double> values(place(static_cast<std::size_t>(chunk), i), block);
        for (std::size_t p = 0; p < planners; ++p) {
          const std::vector<double> run = on.run(options.planners[p], results.trials[i], options.horizons);
          base::check_size("run_sweep", "values of a run", run.size(), horizons);
          std::copy(run.begin(), run.end(), values.begin() + static_cast<std::ptrdiff_t>(p * horizons));
          if (!shared) options.run.listener.tell(options.what, ++done, total);
        }
        told(results.trials[i], values);
      } catch (...) {
        failed = true;
        throw;
      }
    });
  };
  const auto keep = [&](std::uint64_t trial, std::span<const double> values) {
    if (on_trial) on_trial(trial, values);
  };
  if (!shared) {
    run_some(
        0, static_cast<std::int64_t>(open.size()),
        [&](std::size_t, std::size_t i) { return results.value.data() + i * block; }, keep);
    return results;
  }
  if (open.empty()) return results;
  const base::Stage stage{"trials", 0, static_cast<std::int64_t>(open.size())};
  base::share(
      stage,
      [&](std::int64_t first, std::int64_t last) {
        std::vector<double> numbers(static_cast<std::size_t>(last - first) * block);
        run_some(
            first, last, [&](std::size_t chunk, std::size_t) { return numbers.data() + chunk * block; },
            [](std::uint64_t, std::span<const double>) {});
        return numbers;
      },
      [&](std::int64_t first, std::int64_t last, std::span<const double> numbers) {
        base::check_piece(stage, numbers.size(), static_cast<std::size_t>(last - first) * block);
        for (std::int64_t t = first; t < last; ++t) {
          const std::size_t i = open[static_cast<std::size_t>(t)];
          const auto values = numbers.subspan(static_cast<std::size_t>(t - first) * block, block);
          std::copy(values.begin(), values.end(),
                    results.value.begin() + static_cast<std::ptrdiff_t>(i * block));
          const std::span<double> kept(results.value.data() + i * block, block);
          // A trial that broke off elsewhere is run again here, so that the case knows of it.
          if (std::any_of(kept.begin(), kept.end(), [](double v) { return std::isnan(v); }))
            run_some(
                t, t + 1, [&](std::size_t, std::size_t) { return kept.data(); },
                [](std::uint64_t, std::span<const double>) {});
          keep(results.trials[i], kept);
        }
        options.run.listener.tell(options.what, done += static_cast<std::int64_t>(planners) * (last - first),
                                  total);
        return true;
      });
  return results;
}

}  // namespace mindgap::trial
