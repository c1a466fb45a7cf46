#include "paper/cases/stateless/simulate.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/parallel.h"
#include "mindgap/base/random.h"

namespace mindgap::cases::stateless {
namespace {

struct Sums {
  double sum = 0, squares = 0;
};

}  // namespace

SimulatedValue simulate_experiment(const gap::StatelessProblem& problem, double experiment_units,
                                   std::int64_t draws, std::uint64_t seed, int threads) {
  problem.validate();
  const double n = static_cast<double>(problem.units);
  base::check_range("simulate_experiment", "experiment_units", experiment_units, 0, n);
  base::check_range("simulate_experiment", "draws", static_cast<double>(draws), 2, 1e12);
  if (experiment_units == 0) return {};
  const double variance = 4 * problem.observation_variance / experiment_units;
  const double prior_variance = problem.prior_sd * problem.prior_sd;
  const double weight = prior_variance / (prior_variance + variance);  // of the estimate

  const auto gain = [&](std::int64_t i) {
    base::Stream stream({seed, base::Purpose::world, static_cast<std::uint64_t>(i)});
    const double delta = problem.prior_mean + problem.prior_sd * base::normal(stream);
    const double estimate = delta + std::sqrt(variance) * base::normal(stream);
    const double posterior = problem.prior_mean + weight * (estimate - problem.prior_mean);
    return -experiment_units * delta / 2 + (posterior < 0 ? -problem.discount * n * delta : 0);
  };
  const Sums sums = base::parallel_reduce(
      base::Threads(threads), draws, 4096, Sums{},
      [&](std::int64_t begin, std::int64_t end) {
        Sums part;
        for (std::int64_t i = begin; i < end; ++i) {
          const double value = gain(i);
          part.sum += value;
          part.squares += value * value;
        }
        return part;
      },
      [](const Sums& a, const Sums& b) {
        return Sums{a.sum + b.sum, a.squares + b.squares};
      });
  const double count = static_cast<double>(draws), mean = sums.sum / count;
  const double spread = std::max(0., sums.squares / count - mean * mean) * count / (count - 1);
  return {mean, std::sqrt(spread / count)};
}

}  // namespace mindgap::cases::stateless
