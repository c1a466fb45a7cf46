#include "mindgap/decide/simulation.h"
#include "mindgap/voi/tail.h"

namespace mindgap::decide {

std::vector<double> Outcomes::values(std::size_t plan, Objective objective) const {
  return voi::tail_values(sums(plan, objective.sum), objective.tail);
}

std::vector<double> Outcomes::sums(std::size_t plan, Objective::Sum sum) const {
  if (sum == Objective::total) return values_at(plan, steps.size() - 1);
  std::vector<double> column;
  for (std::int64_t w = 0; w < worlds; ++w)
    column.push_back(discounted[static_cast<std::size_t>(w) * plans + plan]);
  return column;
}

std::vector<double> Outcomes::values_at(std::size_t plan, std::size_t point) const {
  std::vector<double> column;
  for (std::int64_t w = 0; w < worlds; ++w)
    column.push_back(gathered[(static_cast<std::size_t>(w) * plans + plan) * steps.size() + point]);
  return column;
}

void append(Outcomes& some, const Outcomes& more) {
  if (some.worlds == 0) {
    some = more;
    return;
  }
  const auto before = static_cast<double>(some.worlds), added = static_cast<double>(more.worlds);
  some.worlds += more.worlds;
  some.gathered.insert(some.gathered.end(), more.gathered.begin(), more.gathered.end());
  some.discounted.insert(some.discounted.end(), more.discounted.begin(), more.discounted.end());
  some.cost.insert(some.cost.end(), more.cost.begin(), more.cost.end());
  some.by_group.insert(some.by_group.end(), more.by_group.begin(), more.by_group.end());
  for (std::size_t i = 0; i < some.mean_gathered.size(); ++i) {
    some.mean_gathered[i] =
        (before * some.mean_gathered[i] + added * more.mean_gathered[i]) / (before + added);
  }
  for (std::size_t p = 0; p < some.seconds.size(); ++p) some.seconds[p] += more.seconds[p];
}

Outcomes only(const Outcomes& all, std::span<const std::size_t> plans) {
  Outcomes some;
  some.worlds = all.worlds;
  some.plans = plans.size();
  some.groups = all.groups;
  some.steps = all.steps;
  const std::size_t points = all.steps.size();
  for (std::size_t w = 0; w < static_cast<std::size_t>(all.worlds); ++w) {
    for (const std::size_t p : plans) {
      const std::size_t row = w * all.plans + p;
      const auto from = all.gathered.begin() + static_cast<std::ptrdiff_t>(row * points);
      some.gathered.insert(some.gathered.end(), from, from + static_cast<std::ptrdiff_t>(points));
      some.discounted.push_back(all.discounted[row]);
      some.cost.push_back(all.cost[row]);
      const auto group = all.by_group.begin() + static_cast<std::ptrdiff_t>(row * all.groups);
      some.by_group.insert(some.by_group.end(), group, group + static_cast<std::ptrdiff_t>(all.groups));
    }
  }
  const std::size_t horizon = all.mean_gathered.size() / all.plans;
  for (const std::size_t p : plans) {
    const auto from = all.mean_gathered.begin() + static_cast<std::ptrdiff_t>(p * horizon);
    some.mean_gathered.insert(some.mean_gathered.end(), from, from + static_cast<std::ptrdiff_t>(horizon));
    some.seconds.push_back(all.seconds[p]);
  }
  return some;
}

}  // namespace mindgap::decide
