#include "mindgap/gap/evpi.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/parallel.h"
#include "mindgap/base/workers.h"
#include "mindgap/gap/batch_evpi.h"
#include "mindgap/gap/gap_decomposition.h"
#include "mindgap/mdp/one_product.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::gap {

std::int64_t default_draws(const mdp::Mdp& mdp) {
  return std::clamp<std::int64_t>(20'000'000 / std::max<std::int64_t>(1, mdp.nonzeros()), 8, 1000);
}

Estimate estimate(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  if (values.empty()) return {};
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, values.size() < 2 ? 0 : std::sqrt(squares / (n - 1) / n)};
}

Evpi expected_value_of_perfect_information(const belief::Belief& belief, const mdp::Policy& deployed,
                                           const EvpiOptions& options) {
  base::check_range("expected_value_of_perfect_information", "draws", static_cast<double>(options.draws), 0,
                    1e9);
  const std::int64_t draws = options.draws > 0 ? options.draws : default_draws(belief.simulator());
  if (options.engine && deployed.is_deterministic()) return batch_evpi(belief, deployed, draws, options);
  const base::Threads threads(options.run.threads);
  // Every drawn model is close to the mean one: its solution is the first guess for all, and what solves its
  // linear systems best does for all.
  const mdp::Mdp mean = belief.mean();
  const std::vector<double> guess =
      mdp::solve(mean, {.tolerance = 1e-6, .threads = options.run.threads}).value;
  mdp::LinearMethod linear = mdp::method_for_one_product(mean, mdp::LinearMethod::automatic);
  if (linear == mdp::LinearMethod::automatic) linear = mdp::Resolvent(mean, deployed).method();

  // Of each draw: the local gap, the gap of reach, the error bound and the optimal visitation.
  const std::size_t each = guess.size() + 3;
  std::atomic<std::int64_t> done{0};
  const bool shared = base::are_shared();
  const auto some = [&](std::int64_t first, std::int64_t last) {
    std::vector<double> numbers(static_cast<std::size_t>(last - first) * each);
    threads.for_each_chunk(last - first, [&](std::int64_t i) {
      const mdp::Mdp model = belief.sample(options.run.seed, static_cast<std::uint64_t>(first + i));
      const GapDecomposition gap = gap_decomposition(model, deployed,
                                                     {.support_threshold = options.support_threshold,
                                                      .tolerance = options.tolerance,
                                                      .threads = 1,
                                                      .linear = linear,
                                                      .initial_value = guess});
      double* one = numbers.data() + static_cast<std::size_t>(i) * each;
      one[0] = gap.local_gap;
      one[1] = gap.reach_gap;
      one[2] = gap.error_bound;
      std::copy(gap.optimal_visitation.begin(), gap.optimal_visitation.end(), one + 3);
      if (!shared) options.run.listener.tell("drawing models", ++done, draws);
    });
    return numbers;
  };

  Evpi result;
  result.draws = draws;
  result.optimal_visitation.resize(guess.size());
  std::vector<double> total, local, reach;
  const auto take = [&](std::span<const double> numbers) {
    for (std::size_t at = 0; at < numbers.size(); at += each) {
      const std::span<const double> one = numbers.subspan(at, each);
      total.push_back(one[0] + one[1]);
      local.push_back(one[0]);
      reach.push_back(one[1]);
      result.error_bound = std::max(result.error_bound, one[2]);
      for (std::size_t s = 0; s < guess.size(); ++s)
        result.optimal_visitation[s] += one[3 + s] / static_cast<double>(draws);
    }
  };
  if (shared) {
    const base::Stage stage{"models", 0, draws};
    base::share(stage, some, [&](std::int64_t first, std::int64_t last, std::span<const double> numbers) {
      base::check_piece(stage, numbers.size(), static_cast<std::size_t>(last - first) * each);
      take(numbers);
      options.run.listener.tell("drawing models", last, draws);
      return true;
    });
  } else {
    constexpr std::int64_t kBatch = 256;  // draws whose visitations are kept at a time
    for (std::int64_t first = 0; first < draws; first += kBatch)
      take(some(first, std::min(first + kBatch, draws)));
  }
  result.total = estimate(total);
  result.local = estimate(local);
  result.reach = estimate(reach);
  return result;
}

}  // namespace mindgap::gap
