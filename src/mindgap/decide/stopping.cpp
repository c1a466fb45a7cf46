#include "mindgap/decide/stopping.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mindgap/base/check.h"
#include "mindgap/base/listener.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/planner/explorers.h"
#include "mindgap/stats/moments.h"

namespace mindgap::decide {
namespace {

constexpr double kDraws = 64, kFewestDraws = 8;
constexpr double kWalks = 4e6;

void report(std::int64_t done) {
  base::report_progress("pricing a batch", done, 3);
}

}  // namespace

BatchPrice price_batch(const Batch& batch) {
  const auto explorers = static_cast<std::int64_t>(batch.pilot.route_of_unit.size());
  base::check_range("price_batch", "explorers", static_cast<double>(explorers), 0,
                    static_cast<double>(batch.unit_state.size()));
  base::check_range("price_batch", "steps", static_cast<double>(batch.pilot.steps), 0,
                    static_cast<double>(batch.left));
  BatchPrice price;
  if (explorers == 0 || batch.pilot.steps == 0) return price;
  price.explorers = explorers;
  price.steps = batch.pilot.steps;
  const double walks = static_cast<double>(explorers) * static_cast<double>(price.steps);
  price.draws = static_cast<std::int64_t>(std::clamp(kWalks / walks, kFewestDraws, kDraws));
  report(0);
  const mdp::Mdp mean = batch.belief.mean();
  const mdp::Solution best = mdp::solve(mean, {.threads = 1});
  const planner::Deployment now{batch.belief, mean, best.policy, best.value, batch.unit_state, explorers};
  const planner::PlannedPilot pilot{batch.pilot, batch.pilot.counts, planner::credit_of(now, price.steps)};
  report(1);
  const planner::Aim drawn = planner::draw_models(batch.belief, static_cast<std::int32_t>(price.draws),
                                                  batch.seed, batch.first_draw);
  report(2);
  // What is found out in the last steps is of no use to anybody.
  std::vector<double> each(drawn.models.size(), 0.0);
  if (batch.left > price.steps) each = planner::pilot_worths(now, drawn, pilot, batch.left - price.steps);
  report(3);
  price.worth = stats::mean(each);
  price.standard_error = stats::standard_deviation(each) / std::sqrt(static_cast<double>(each.size()));
  price.cost = planner::pilot_cost(now, pilot, batch.left);
  price.net = price.worth - price.cost;
  price.interval = {price.net - 1.96 * price.standard_error, price.net + 1.96 * price.standard_error};
  return price;
}

}  // namespace mindgap::decide
