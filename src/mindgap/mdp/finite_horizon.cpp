#include "mindgap/mdp/finite_horizon.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/base/parallel.h"
#include "mindgap/mdp/bellman.h"
#include "mindgap/mdp/start_value.h"
#include "mindgap/mdp/underflow.h"

namespace mindgap::mdp {
namespace {

void check_size_of_result(const Mdp& mdp, std::int64_t steps, const FiniteHorizonOptions& options) {
  const double numbers = static_cast<double>(steps) * mdp.states();
  constexpr double kMost = 2147483648.0;  // 8 GiB of pair numbers
  if (options.keep_policy && numbers > kMost) {
    throw InvalidArgument(
        fmt::format("solve_finite_horizon: {} steps of {} states are more than a policy in memory can "
                    "hold ({} numbers); take fewer steps, or do not keep the policy",
                    steps, mdp.states(), kMost));
  }
  // |V| <= max|r| (1 + gQ + (gQ)^2 + ...) + (gQ)^steps max|terminal|, and 1e-9 a step is all Q can be
  // above 1.
  double largest = mdp.reward_magnitude() * static_cast<double>(steps);
  for (const double v : options.terminal_value) largest = std::max(largest, std::abs(v));
  if (!(largest * std::exp(1e-9 * static_cast<double>(steps)) < kLargestValue)) {
    throw NumericalError("solve_finite_horizon: values are beyond double precision; scale the rewards");
  }
}

}  // namespace

FiniteHorizonSolution solve_finite_horizon(const Mdp& mdp, std::int64_t steps,
                                           const FiniteHorizonOptions& options) {
  const auto started = std::chrono::steady_clock::now();
  const auto states = static_cast<std::size_t>(mdp.states());
  base::check_positive("solve_finite_horizon", "steps", static_cast<double>(steps));
  if (!options.terminal_value.empty()) {
    base::check_size("solve_finite_horizon", "terminal_value", options.terminal_value.size(), states);
    base::check_finite("solve_finite_horizon", "terminal_value", options.terminal_value);
  }
  check_size_of_result(mdp, steps, options);
  const base::Threads threads(options.threads);
  const Bellman bellman(mdp, threads);
  FiniteHorizonSolution solution;
  solution.steps = steps;
  std::vector<double> after = options.terminal_value, now(states);
  if (after.empty()) after.assign(states, 0.0);
  std::vector<std::int32_t> pick(states);
  if (options.keep_policy) solution.pair.resize(static_cast<std::size_t>(steps) * states);
  const double unit = std::numeric_limits<double>::epsilon() / 2;
  for (std::int64_t t = steps - 1; t >= 0; --t) {
    const std::span<std::int32_t> kept =
        options.keep_policy ? std::span(solution.pair).subspan(static_cast<std::size_t>(t) * states, states)
                            : pick;
    base::interruption_point();
    const Residual residual = bellman.improve(after, now, kept);
    // Each step hands on the error of the one after it, at most g times the largest row sum, and adds its
    // own.
    const double magnitude = mdp.reward_magnitude() + residual.magnitude;
    solution.error_bound = mdp.discount() * mdp.row_sum_max() * solution.error_bound +
                           (mdp.row_length_max() + 6) * unit * magnitude +
                           underflow(mdp.row_length_max() + 8, magnitude);
    std::swap(after, now);
  }
  solution.value = std::move(after);
  const StartValue start = start_value(mdp, solution.value, solution.error_bound);
  solution.value_at_start = start.value;
  solution.bounds = {start.value - start.error, start.value + start.error};
  solution.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return solution;
}

}  // namespace mindgap::mdp
