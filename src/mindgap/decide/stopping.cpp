#include "mindgap/decide/stopping.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mindgap/base/check.h"
#include "mindgap/base/report_progress.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/planner/explorers.h"
#include "mindgap/stats/moments.h"

namespace mindgap::decide {
namespace {

constexpr double kDraws = 64, kFewestDraws = 8;
constexpr double kWalks = 4e6;
constexpr std::int64_t kLarge = 2'000;  // explorers

void report(std::int64_t done) {
  base::report_progress("pricing a batch", done, 4);
}

}  // namespace

BatchPrice price_batch(const Batch& batch) {
  base::check_range("price_batch", "explorers", static_cast<double>(batch.explorers), 0,
                    static_cast<double>(batch.unit_state.size()));
  BatchPrice price;
  const std::int64_t steps = std::min(batch.steps, batch.left);
  if (batch.explorers == 0 || steps <= 0) return price;
  price.explorers = batch.explorers;
  price.steps = steps;
  const double walks = static_cast<double>(batch.explorers) * static_cast<double>(steps);
  price.draws = static_cast<std::int64_t>(std::clamp(kWalks / walks, kFewestDraws, kDraws));
  report(0);
  const mdp::Mdp mean = batch.belief.mean();
  const mdp::Solution best = mdp::solve(mean, {.threads = 1});
  const planner::Deployment now{batch.belief,     mean,           best.policy, best.value,
                                batch.unit_state, batch.explorers};
  const design::Target target{design::TargetKind::difference, static_cast<std::int32_t>(price.draws)};
  report(1);
  const planner::Aim aim = planner::aim(now, target, batch.seed, batch.first_draw);
  report(2);
  const planner::Pilot pilot = planner::plan_pilot(now, aim.weights, steps, batch.explorers <= kLarge);
  report(3);
  // What is found out in the last steps is of no use to anybody.
  std::vector<double> each(aim.models.size(), 0.0);
  if (batch.left > steps) each = planner::pilot_worths(now, aim, pilot, batch.left - steps);
  report(4);
  price.worth = stats::mean(each);
  price.standard_error = stats::standard_deviation(each) / std::sqrt(static_cast<double>(each.size()));
  price.cost = planner::pilot_cost(now, pilot, batch.left);
  price.net = price.worth - price.cost;
  price.interval = {price.net - 1.96 * price.standard_error, price.net + 1.96 * price.standard_error};
  return price;
}

}  // namespace mindgap::decide
