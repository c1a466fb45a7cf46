#include "mindgap/gap/delta_check.h"

#include "mindgap/base/check.h"
#include "mindgap/base/parallel.h"
#include "mindgap/mdp/evaluate.h"

namespace mindgap::gap {

DeltaCheck delta_method_check(const belief::Belief& belief, const mdp::Policy& target,
                              const DeltaCheckOptions& options) {
  base::check_range("delta_method_check", "draws", static_cast<double>(options.draws), 2, 1e7);
  const mdp::Mdp mean = belief.mean();
  const PvvWeights weights = pvv_weights(mean, target, for_belief({.run = options.run}, belief));
  const auto draws = static_cast<std::size_t>(options.draws);
  std::vector<std::vector<double>> value(draws);
  const base::Threads threads(options.run.threads);
  threads.for_each_chunk(options.draws, [&](std::int64_t draw) {
    const mdp::Mdp model = belief.sample(options.run.seed, static_cast<std::uint64_t>(draw));
    value[draw] = mdp::evaluate(model, target, {.tolerance = 1e-10}).value;
  });

  const auto states = static_cast<std::size_t>(mean.states());
  std::vector<double> average(states), deviation(draws);
  for (const auto& v : value) {
    for (std::size_t s = 0; s < states; ++s) average[s] += v[s] / static_cast<double>(draws);
  }
  const double correction = static_cast<double>(draws) / static_cast<double>(draws - 1);
  for (std::size_t i = 0; i < draws; ++i) {
    for (std::size_t s = 0; s < states; ++s) {
      const double off = value[i][s] - average[s];
      deviation[i] += correction * weights.visitation[s] * off * off;
    }
  }
  DeltaCheck check;
  check.draws = options.draws;
  check.pvv = pvv(mean, weights, precision_of(belief)).total;
  check.variance = estimate(deviation);
  check.ratio = check.variance.mean > 0 ? check.pvv / check.variance.mean : 1;
  check.ratio_standard_error =
      check.variance.mean > 0 ? check.ratio * check.variance.standard_error / check.variance.mean : 0;
  check.second_order = second_order_variance(belief, target);
  return check;
}

}  // namespace mindgap::gap
