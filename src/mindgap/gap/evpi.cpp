#include "mindgap/gap/evpi.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/parallel.h"
#include "mindgap/gap/batch_evpi.h"
#include "mindgap/gap/gap_decomposition.h"
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
  const mdp::LinearMethod linear = mdp::Resolvent(mean, deployed).method();

  std::vector<GapDecomposition> gaps(static_cast<std::size_t>(draws));
  std::atomic<std::int64_t> done{0};
  threads.for_each_chunk(draws, [&](std::int64_t draw) {
    const mdp::Mdp model = belief.sample(options.run.seed, static_cast<std::uint64_t>(draw));
    gaps[draw] = gap_decomposition(model, deployed,
                                   {.support_threshold = options.support_threshold,
                                    .tolerance = options.tolerance,
                                    .threads = 1,
                                    .linear = linear,
                                    .initial_value = guess});
    gaps[draw].value = {};  // only its numbers are needed, and there may be many
    options.run.listener.tell("drawing models", ++done, draws);
  });

  Evpi result;
  result.draws = draws;
  result.optimal_visitation.resize(guess.size());
  std::vector<double> total, local, reach;
  for (const GapDecomposition& gap : gaps) {
    total.push_back(gap.local_gap + gap.reach_gap);
    local.push_back(gap.local_gap);
    reach.push_back(gap.reach_gap);
    result.error_bound = std::max(result.error_bound, gap.error_bound);
    for (std::size_t s = 0; s < guess.size(); ++s) {
      result.optimal_visitation[s] += gap.optimal_visitation[s] / static_cast<double>(draws);
    }
  }
  result.total = estimate(total);
  result.local = estimate(local);
  result.reach = estimate(reach);
  return result;
}

}  // namespace mindgap::gap
