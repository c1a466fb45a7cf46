#include <algorithm>
#include <set>

#include "mindgap/base/check.h"
#include "mindgap/base/parallel.h"
#include "mindgap/base/workers.h"
#include "mindgap/decide/drawn_world.h"
#include "mindgap/decide/simulation.h"
#include "mindgap/planner/replanner.h"

namespace mindgap::decide {
namespace {

constexpr std::int64_t kPoints = 100;  // of a curve
// Worlds between two looks at the clock, at first and at most, but that a quick batch may be so many times as
// large as what all threads do at once: at its end threads wait for the last one.
constexpr std::int64_t kFirstBatch = 2, kBatch = 32, kRounds = 8;
constexpr double kQuick = 1;  // seconds

// Evenly over the horizon, and where pilots end.
std::vector<std::int64_t> curve_steps(std::int64_t horizon, std::span<const PreparedPlan> plans,
                                      std::span<const std::int64_t> more) {
  const std::int64_t points = std::min(horizon, kPoints);
  std::set<std::int64_t> steps(more.begin(), more.end());
  for (std::int64_t i = 1; i <= points; ++i) steps.insert((i * horizon + points - 1) / points);
  for (const PreparedPlan& plan : plans) {
    if (plan.plan.is_pilot()) steps.insert(plan.plan.pilot_steps);
  }
  return {steps.begin(), steps.end()};
}

double discounted_sum(std::span<const double> earned, double discount) {
  double sum = 0;
  for (std::size_t i = earned.size(); i-- > 0;) sum = earned[i] + discount * sum;
  return sum;
}

}  // namespace

namespace {

// Of each plan in each world, one behind the other, in numbers that others compute: what was gathered by each
// step of the horizon, the discounted sum, the cost, the rewards by group, and the seconds that it took.
struct Layout {
  std::size_t plans, horizon, groups;

  std::size_t each() const { return horizon + groups + 3; }

  // Room for so many worlds.
  Outcomes room(std::size_t worlds) const {
    Outcomes some;
    some.plans = plans;
    some.groups = groups;
    some.discounted.resize(worlds * plans);
    some.cost.resize(worlds * plans);
    some.by_group.resize(worlds * plans * groups);
    return some;
  }

  void write(const Outcomes& some, std::size_t row, std::span<const double> curve, double seconds,
             std::vector<double>& numbers) const {
    numbers.insert(numbers.end(), curve.begin(), curve.end());
    numbers.push_back(some.discounted[row]);
    numbers.push_back(some.cost[row]);
    const auto from = some.by_group.begin() + static_cast<std::ptrdiff_t>(row * groups);
    numbers.insert(numbers.end(), from, from + static_cast<std::ptrdiff_t>(groups));
    numbers.push_back(seconds);
  }

  // Places of what later stages depend on: the total and the discounted sum; where shorter horizons are read
  // off, too, what was gathered by then, and the cost. Fewer than each() in any case.
  std::vector<std::size_t> digested(std::span<const std::int64_t> more_steps) const {
    std::vector<std::size_t> places{horizon - 1, horizon};
    if (!more_steps.empty()) places.push_back(horizon + 1);
    for (const std::int64_t step : more_steps) places.push_back(static_cast<std::size_t>(step) - 1);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
  }
  std::vector<double> digest(std::span<const double> numbers, std::span<const std::size_t> places) const {
    std::vector<double> short_form;
    for (std::size_t at = 0; at < numbers.size(); at += each()) {
      for (const std::size_t place : places) short_form.push_back(numbers[at + place]);
    }
    return short_form;
  }
  std::vector<double> from_digest(std::span<const double> digest, std::span<const std::size_t> places) const {
    std::vector<double> numbers(digest.size() / places.size() * each());
    for (std::size_t i = 0; i < digest.size(); ++i)
      numbers[i / places.size() * each() + places[i % places.size()]] = digest[i];
    return numbers;
  }

  void add(std::span<const double> numbers, Outcomes& all) const {
    for (std::size_t row = 0; row < numbers.size() / each(); ++row) {
      const std::span<const double> one = numbers.subspan(row * each(), each());
      const std::size_t plan = row % plans;
      for (const std::int64_t step : all.steps)
        all.gathered.push_back(one[static_cast<std::size_t>(step) - 1]);
      for (std::size_t t = 0; t < horizon; ++t) all.mean_gathered[plan * horizon + t] += one[t];
      all.discounted.push_back(one[horizon]);
      all.cost.push_back(one[horizon + 1]);
      all.by_group.insert(all.by_group.end(), one.begin() + static_cast<std::ptrdiff_t>(horizon) + 2,
                          one.end() - 1);
      all.seconds[plan] += one.back();
    }
    all.worlds += static_cast<std::int64_t>(numbers.size() / each() / plans);
  }
};

}  // namespace

void Simulation::run_worlds(std::span<const std::size_t> which, std::uint64_t first, std::size_t place,
                            std::span<OneWorld> each, Outcomes& all) const {
  const double discount = situation_.belief().simulator().discount();
  std::vector<DrawnWorld> worlds;
  worlds.reserve(each.size());
  for (std::uint64_t number = first; number < first + each.size(); ++number) {
    worlds.emplace_back(belief::DrawnRows(situation_.belief(), options_.run.seed, world_number(number)),
                        situation_.knowledge.variance, situation_.unit_state, situation_.horizon,
                        options_.run.seed, number, situation_.belief().rewards());
    worlds.back().count_by(&groups_);
    worlds.back().move(situation_.belief(), options_.terms.drift_rate);
  }
  for (std::size_t p = 0; p < which.size(); ++p) {
    const PreparedPlan& plan = plans_[which[p]];
    const bool together = worlds.size() > 1 && goes_together(plan);
    base::Clock clock;
    for (DrawnWorld& world : worlds) world.forget();
    if (together) follow_together(plan, first, worlds);
    const double shared = clock.seconds() / static_cast<double>(worlds.size());
    for (std::size_t w = 0; w < worlds.size(); ++w) {
      const std::size_t row = (place + w) * which.size() + p;
      std::vector<double> earned(worlds[w].earned().begin(), worlds[w].earned().end());
      const base::Clock own;
      if (!together) earned = follow(plan, first + w, worlds[w], all.cost[row]);
      std::copy(worlds[w].earned_by_group().begin(), worlds[w].earned_by_group().end(),
                all.by_group.begin() + static_cast<std::ptrdiff_t>(row * all.groups));
      all.discounted[row] = discounted_sum(earned, discount);
      double sum = 0;
      for (const double reward : earned) each[w].gathered.push_back(sum += reward);
      each[w].seconds.push_back(together ? shared : own.seconds());
    }
  }
}

Outcomes Simulation::run(std::span<const std::size_t> which, std::int64_t first, std::int64_t worlds,
                         double deadline, const std::string& what, std::span<const std::int64_t> more_steps,
                         const std::function<void(double seconds)>& on_estimate) const {
  const base::Clock clock;
  for (const std::size_t place : which)
    base::check_range("Simulation::run", "plan", static_cast<double>(place), 0,
                      static_cast<double>(plans_.size()) - 1);
  const Layout layout{which.size(), static_cast<std::size_t>(situation_.horizon),
                      static_cast<std::size_t>(groups_.count)};
  const base::Threads threads(options_.run.threads);
  // Worlds whose plans are followed side by side.
  const auto beside = static_cast<std::int64_t>(planner::Together::most(situation_.belief(), begin_.get()));
  Outcomes all;
  all.plans = which.size();
  all.steps = curve_steps(situation_.horizon, plans_, more_steps);
  all.mean_gathered.assign(which.size() * layout.horizon, 0.0);
  all.seconds.assign(which.size(), 0.0);
  all.groups = layout.groups;
  const auto here = [&](std::int64_t begin, std::int64_t end) {
    Outcomes some = layout.room(static_cast<std::size_t>(end - begin));
    std::vector<OneWorld> each(static_cast<std::size_t>(end - begin));
    threads.for_each_chunk((end - begin + beside - 1) / beside, [&](std::int64_t i) {
      const auto first_place = static_cast<std::size_t>(i * beside),
                 size = static_cast<std::size_t>(std::min(beside, end - begin - i * beside));
      run_worlds(which, static_cast<std::uint64_t>(begin + i * beside), first_place,
                 std::span(each).subspan(first_place, size), some);
    });
    std::vector<double> numbers;
    numbers.reserve(each.size() * which.size() * layout.each());
    for (std::size_t row = 0; row < each.size() * which.size(); ++row) {
      const OneWorld& one = each[row / which.size()];
      const std::size_t plan = row % which.size();
      layout.write(some, row, std::span(one.gathered).subspan(plan * layout.horizon, layout.horizon),
                   one.seconds[plan], numbers);
    }
    return numbers;
  };
  const auto take = [&](std::span<const double> numbers) {
    const bool is_first = all.worlds == 0;
    layout.add(numbers, all);
    if (is_first && on_estimate)
      on_estimate(clock.seconds() * static_cast<double>(worlds) / static_cast<double>(all.worlds));
    options_.run.listener.tell(what, all.worlds, worlds);
    return clock.seconds() <= deadline && !options_.run.listener.wants_to_stop();
  };
  if (base::are_shared()) {
    base::Stage stage{"worlds", first, first + worlds};
    const std::vector<std::size_t> places = layout.digested(more_steps);
    stage.digest = [&](std::int64_t, std::int64_t, std::span<const double> numbers) {
      return layout.digest(numbers, places);
    };
    base::share(stage, here, [&](std::int64_t begin, std::int64_t end, std::span<const double> numbers) {
      const std::size_t rows = static_cast<std::size_t>(end - begin) * which.size();
      if (numbers.size() == places.size() * rows) return take(layout.from_digest(numbers, places));
      base::check_piece(stage, numbers.size(), rows * layout.each());
      return take(numbers);
    });
  } else {
    const std::int64_t at_once = beside * threads.count();
    std::int64_t most = std::max(kFirstBatch, at_once);  // worlds may be slow
    while (all.worlds < worlds) {
      const std::int64_t begin = first + all.worlds;
      const std::int64_t batch = std::min(most, worlds - all.worlds);
      const base::Clock own;
      if (!take(here(begin, begin + batch))) break;
      const std::int64_t largest = std::max(kBatch, (own.seconds() < kQuick ? kRounds : 1) * at_once);
      most = std::max(most, std::min(2 * most, largest));
    }
  }
  for (double& mean : all.mean_gathered) mean /= static_cast<double>(all.worlds);
  return all;
}

}  // namespace mindgap::decide
