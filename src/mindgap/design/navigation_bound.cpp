#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/design/navigation.h"
#include "mindgap/design/objective.h"
#include "mindgap/design/walk.h"

namespace mindgap::design {
namespace {

// The three kinds of pairs, added up one after another.
void add_pair(double nav, double best, double before, double at_best, double threshold,
              NavigationBound& bound) {
  if (best <= threshold) {
    if (nav < best) bound.tail_excess += before - at_best;  // only where the threshold is above 0
    return;
  }
  if (nav <= threshold) {
    bound.tail += before;
    bound.tail_excess += before - at_best;
    return;
  }
  const double kappa = std::min(1.0, nav / best);
  bound.kappa = std::min(bound.kappa, kappa);
  bound.overlap += at_best;
  bound.overlap_excess += (1 / kappa - 1) * at_best;
}

double crossing_share(const NavigationProblem& problem, const Navigation& navigation,
                      std::span<const std::int32_t> bottleneck) {
  if (bottleneck.empty() || navigation.units.empty()) return 0;
  double sum = 0;
  for (const UnitWay& unit : navigation.units) {
    sum += entering(problem.mdp, unit.way.pair, problem.steps, unit.start, bottleneck);
  }
  return sum / static_cast<double>(navigation.units.size());
}

// No tail pair can be taken without having entered the bottleneck.
bool lies_behind(const NavigationProblem& problem, const Navigation& navigation,
                 std::span<const double> optimum, const NavigationBoundOptions& options) {
  if (options.bottleneck.empty()) return false;
  const auto reached = states_within(problem.mdp, problem.positions, problem.mdp.states(), problem.allowed,
                                     options.bottleneck);
  std::vector<std::uint8_t> in_bottleneck(reached.size());
  for (const std::int32_t s : options.bottleneck) in_bottleneck[s] = 1;
  for (std::int32_t k = 0; k < problem.mdp.pairs(); ++k) {
    const std::int32_t s = problem.mdp.state_of_pair(k);
    const bool in_tail = optimum[k] > options.threshold && navigation.counts[k] <= options.threshold;
    if (in_tail && reached[s] != 0 && in_bottleneck[s] == 0) return false;
  }
  return true;
}

}  // namespace

NavigationBound navigation_bound(const NavigationProblem& problem, const Navigation& navigation,
                                 std::span<const double> optimum, const NavigationBoundOptions& options) {
  const char* function = "navigation_bound";
  problem.validate();
  base::check_size(function, "optimum", optimum.size(), static_cast<std::size_t>(problem.mdp.pairs()));
  base::check_nonnegative(function, "optimum", optimum);
  base::check_size(function, "navigation.counts", navigation.counts.size(), optimum.size());
  base::check_nonnegative(function, "threshold", options.threshold);
  for (const std::int32_t s : options.bottleneck) {
    base::check_range(function, "bottleneck", s, 0, problem.mdp.states() - 1);
  }
  const Objective objective(problem.weights, problem.prior, problem.block, problem.credit);
  const std::vector<double> before = objective.contributions(std::vector<double>(optimum.size()));
  const std::vector<double> at_best = objective.contributions(optimum),
                            at_nav = objective.contributions(navigation.counts);
  NavigationBound bound;
  for (std::size_t k = 0; k < optimum.size(); ++k) {
    bound.excess += at_nav[k] - at_best[k];
    if (before[k] == 0) continue;  // a pair without weight says nothing about kappa
    add_pair(navigation.counts[k], optimum[k], before[k], at_best[k], options.threshold, bound);
  }
  bound.crossing = crossing_share(problem, navigation, options.bottleneck);
  bound.is_bottleneck = lies_behind(problem, navigation, optimum, options);
  bound.paper_bound = (1 - bound.crossing) * bound.tail + (1 / bound.kappa - 1) * bound.overlap;
  bound.bound = bound.tail_excess + bound.overlap_excess;
  double size = 0;
  for (const double term : at_nav) size += term;
  bound.paper_holds = bound.excess <= bound.paper_bound + 1e-12 * size;
  return bound;
}

}  // namespace mindgap::design
