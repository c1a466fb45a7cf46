#include "mindgap/gap/regret_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/base/check.h"

namespace mindgap::gap {
namespace {

double steps_after(const RegretProblem& problem, double steps) {
  if (!problem.horizon) return 1 / (1 - problem.discount);
  return std::max(0.0, static_cast<double>(*problem.horizon) - steps);
}

// The root of P log(2 P / delta) / (2 f n): e = span times this over the root of T.
double spread_of(const RegretProblem& problem) {
  const auto pairs = static_cast<double>(problem.pairs);
  return std::sqrt(pairs * std::log(2 * pairs / problem.delta) /
                   (2 * problem.explorers * static_cast<double>(problem.units)));
}

}  // namespace

void RegretProblem::validate() const {
  const char* function = "RegretProblem";
  base::check_range(function, "pairs", static_cast<double>(pairs), 1, 1e12);
  base::check_range(function, "units", static_cast<double>(units), 1, 1e12);
  base::check_range(function, "explorers", explorers, std::numeric_limits<double>::min(), 1);
  base::check_positive(function, "reward_span", reward_span);
  base::check_range(function, "discount", discount, 0, horizon ? 1 : std::nextafter(1.0, 0.0));
  base::check_range(function, "delta", delta, std::numeric_limits<double>::min(), std::nextafter(1.0, 0.0));
  if (horizon) base::check_range(function, "horizon", static_cast<double>(*horizon), 1, 1e12);
  base::check_nonnegative(function, "reward_error", reward_error);
  base::check_nonnegative(function, "transition_error", transition_error);
}

RegretBound regret_bound(const RegretProblem& problem, double steps) {
  problem.validate();
  base::check_nonnegative("regret_bound", "steps", steps);
  const double h = steps_after(problem, steps), g = problem.horizon ? 1 : problem.discount;
  const double off = steps > 0 ? std::min(1.0, spread_of(problem) / std::sqrt(steps)) : 1;
  RegretBound bound;
  bound.steps = steps;
  bound.exploration = problem.reward_span * steps;
  bound.misranking = problem.reward_span * std::min(h, 2 * h * off);
  bound.residual =
      2 * h * problem.reward_error + 2 * g * problem.reward_span * h * h * problem.transition_error;
  bound.total = bound.exploration + bound.misranking + bound.residual;
  return bound;
}

RegretBound regret_bound_paper(const RegretProblem& problem, double steps) {
  problem.validate();
  base::check_positive("regret_bound_paper", "steps", steps);
  const auto pairs = static_cast<double>(problem.pairs);
  const double h = 1 / (1 - std::min(problem.discount, std::nextafter(1.0, 0.0))), r = problem.reward_span;
  RegretBound bound;
  bound.steps = steps;
  bound.exploration = 2 * problem.explorers * r * steps;
  bound.misranking =
      r * h * h * std::sqrt(pairs * std::log(pairs / problem.delta) / (problem.explorers * steps));
  bound.residual =
      2 * r * h * problem.reward_error + 2 * problem.discount * r * r * h * h * problem.transition_error;
  bound.total = bound.exploration + bound.misranking + bound.residual;
  return bound;
}

PilotLength best_pilot_length(const RegretProblem& problem) {
  problem.validate();
  PilotLength best;
  best.without = regret_bound(problem, 0).total;
  const double spread = spread_of(problem), full = steps_after(problem, 0);
  // Below this many steps the pilot proves nothing; from there on the bound is convex, then rises.
  const double least = 4 * spread * spread;
  double at = std::max(least, std::pow(full * spread, 2. / 3));
  if (problem.horizon) {
    const auto end = static_cast<double>(*problem.horizon);
    double low = std::min(least, end), high = end;
    const double ratio = (std::sqrt(5.) - 1) / 2;
    for (int i = 0; i < 200 && high - low > 1e-9 * end; ++i) {
      const double left = high - ratio * (high - low), right = low + ratio * (high - low);
      if (regret_bound(problem, left).total < regret_bound(problem, right).total)
        high = right;
      else
        low = left;
    }
    at = (low + high) / 2;
  }
  best.steps = at;
  best.bound = regret_bound(problem, at);
  best.says_nothing = !(best.bound.total < best.without);
  // d/dT of 2 f R T + c / sqrt(T) with c = R h^2 sqrt(P log(P/delta) / f).
  const auto pairs = static_cast<double>(problem.pairs);
  const double h = 1 / (1 - std::min(problem.discount, std::nextafter(1.0, 0.0)));
  const double c = h * h * std::sqrt(pairs * std::log(pairs / problem.delta) / problem.explorers);
  best.paper_steps = std::pow(c / (4 * problem.explorers), 2. / 3);
  if (best.paper_steps > 0) best.paper = regret_bound_paper(problem, best.paper_steps);
  return best;
}

}  // namespace mindgap::gap
