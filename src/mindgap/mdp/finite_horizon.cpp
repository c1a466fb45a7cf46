#include "mindgap/mdp/finite_horizon.h"

#include <chrono>
#include <limits>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/parallel.h"
#include "mindgap/mdp/bellman.h"

namespace mindgap::mdp {

FiniteHorizonSolution solve_finite_horizon(const Mdp& mdp, std::int64_t steps,
                                           const FiniteHorizonOptions& options) {
  const auto started = std::chrono::steady_clock::now();
  const auto states = static_cast<std::size_t>(mdp.states());
  base::check_positive("solve_finite_horizon", "steps", static_cast<double>(steps));
  if (!options.terminal_value.empty()) {
    base::check_size("solve_finite_horizon", "terminal_value", options.terminal_value.size(), states);
    base::check_finite("solve_finite_horizon", "terminal_value", options.terminal_value);
  }
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
    const Residual residual = bellman.improve(after, now, kept);
    // Each step hands on the error of the one after it, at most g times the largest row sum, and adds its
    // own.
    solution.error_bound = mdp.discount() * mdp.row_sum_max() * solution.error_bound +
                           (mdp.row_length_max() + 4) * unit * (mdp.reward_magnitude() + residual.magnitude);
    std::swap(after, now);
  }
  solution.value = std::move(after);
  solution.value_at_start =
      std::inner_product(mdp.start().begin(), mdp.start().end(), solution.value.begin(), 0.0);
  solution.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return solution;
}

std::vector<double> finite_occupancy(const Mdp& mdp, std::span<const std::int32_t> pair, std::int64_t steps) {
  const auto states = static_cast<std::size_t>(mdp.states());
  base::check_size("finite_occupancy", "pair", pair.size(), states * static_cast<std::size_t>(steps));
  std::vector<double> now(mdp.start().begin(), mdp.start().end()), next(states), total(states, 0.0);
  for (std::int64_t t = 0; t < steps; ++t) {
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t s = 0; s < states; ++s) {
      total[s] += now[s];
      if (now[s] == 0) continue;
      const std::int32_t k = pair[static_cast<std::size_t>(t) * states + s];
      for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
        next[mdp.next_state()[i]] += now[s] * mdp.probability()[i];
      }
    }
    std::swap(now, next);
  }
  return total;
}

}  // namespace mindgap::mdp
