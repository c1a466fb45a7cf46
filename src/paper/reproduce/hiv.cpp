#include "paper/reproduce/hiv.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "mindgap/base/parallel.h"

namespace mindgap::reproduce {
namespace {

using cases::hiv::World;

// Of one trial.
struct Run {
  std::vector<double> cases, infections, visits, positives;
  std::int64_t crossed = -1;  // day
  double entries = 0, days_in_b = 0;
};

Run run_once(const cases::hiv::HivCase& on, std::string_view planner, std::int64_t days,
             std::uint64_t trial) {
  Run run;
  const auto zones = static_cast<std::size_t>(on.geography().zones());
  run.visits.assign(zones, 0.0);
  run.positives.assign(zones, 0.0);
  std::vector<double> share(zones);
  std::vector<char> in_b(static_cast<std::size_t>(on.options().teams), 0);  // by team, the day before
  on.run_days(planner, trial, days, [&](const World& world) {
    run.cases.push_back(static_cast<double>(world.cases_found()));
    cases::hiv::infectious_share(world.transmission(), world.prevalence(), world.diagnosed(), share);
    double infectious = 0;
    for (std::size_t j = 0; j < zones; ++j) infectious += share[j] * world.transmission().population[j];
    run.infections.push_back(infectious);
    for (const cases::hiv::TeamDay& test : world.tests()) {
      run.visits[static_cast<std::size_t>(test.zone)] += 1;
      run.positives[static_cast<std::size_t>(test.zone)] += test.positives;
      const bool now = on.geography().in_b(test.zone);
      if (run.crossed < 0 && now) run.crossed = world.day() - 1;
      char& before = in_b[static_cast<std::size_t>(test.team)];
      run.entries += now && !before ? 1 : 0;
      run.days_in_b += now ? 1 : 0;
      before = now ? 1 : 0;
    }
  });
  return run;
}

// Adds x_i / n to `mean` and x_i^2 / n to `square`.
void add(std::span<const double> x, double n, std::vector<double>& mean, std::vector<double>& square) {
  mean.resize(x.size());
  square.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean[i] += x[i] / n;
    square[i] += x[i] * x[i] / n;
  }
}

void to_standard_error(const std::vector<double>& mean, double n, std::vector<double>& square) {
  for (std::size_t i = 0; i < mean.size(); ++i) {
    square[i] = n > 1 ? std::sqrt(std::max(0.0, square[i] - mean[i] * mean[i]) / (n - 1)) : 0;
  }
}

}  // namespace

std::string hiv_title(std::string_view planner) {
  static const std::map<std::string, std::string, std::less<>> kTitles = {
      {"oracle", "Oracle"},
      {"sop", "SOP"},
      {"epsilon", "epsilon-greedy"},
      {"asop", "A-SOP"},
      {"thompson", "Thompson"},
      {"kg", "KG-SEP"},
      {"sep", "SEP"},
      {"fisher", "Fisher-SEP-T"},
      {"ucrl2", "UCRL2"},
      {"ucbvi", "UCBVI"},
      {"routes", "designed routes"},
      {"adaptive-fisher", "adaptive Fisher-SEP"},
      {"ids", "value-IDS"},
      {"tai", "travel-aware index"},
      {"tai-dynamic", "dynamic travel-aware index"},
  };
  const auto found = kTitles.find(planner);
  return found == kTitles.end() ? std::string(planner) : found->second;
}

trial::Results hiv_results(const cases::hiv::HivOptions& of_case, std::vector<std::string> planners,
                           std::int64_t trials, const Options& options, const std::string& what) {
  cases::hiv::HivOptions seeded = of_case;
  seeded.seed = options.run.seed;
  trial::SweepOptions sweep;
  planners.insert(planners.begin(), "oracle");
  sweep.planners = std::move(planners);
  sweep.trials = options.trials > 0 ? options.trials : trials;
  sweep.run = options.run;
  sweep.what = what;
  return trial::run_sweep(cases::hiv::HivCase(seeded), sweep);
}

HivCourse hiv_course(const cases::hiv::HivCase& on, std::string_view planner, std::int64_t days,
                     std::int64_t trials, const Options& options) {
  std::vector<Run> runs(static_cast<std::size_t>(trials));
  const base::Threads threads(options.run.threads);
  base::parallel_for(threads, trials, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      runs[static_cast<std::size_t>(i)] = run_once(on, planner, days, static_cast<std::uint64_t>(i));
    }
  });
  HivCourse course;
  course.trials = trials;
  const auto n = static_cast<double>(trials);
  std::vector<double> unused;
  double crossings = 0, day = 0;
  for (const Run& run : runs) {
    add(run.cases, n, course.cases, course.cases_se);
    add(run.infections, n, course.infections, course.infections_se);
    add(run.visits, n, course.visits, unused);
    add(run.positives, n, course.positives, unused);
    course.cases_of_trial.push_back(run.cases);
    course.entries.push_back(run.entries);
    course.days_in_b.push_back(run.days_in_b);
    if (run.crossed < 0) continue;
    ++crossings;
    day += static_cast<double>(run.crossed);
  }
  to_standard_error(course.cases, n, course.cases_se);
  to_standard_error(course.infections, n, course.infections_se);
  course.crossing = crossings / n;
  course.first_crossing = crossings > 0 ? day / crossings : 0;
  return course;
}

}  // namespace mindgap::reproduce
