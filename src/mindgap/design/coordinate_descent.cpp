#include "mindgap/design/coordinate_descent.h"

#include <chrono>
#include <cmath>
#include <optional>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"

namespace mindgap::design {
namespace {

class CoordinateSearch {
 public:
  CoordinateSearch(const gap::PvvWeights& weights, const gap::Precision& prior, const Occupancy& occupancies,
                   const CoordinateDescentOptions& options)
      : prior_(prior), occupancies_(occupancies), options_(options) {
    if (options.target_is_explorer) return;
    given_.emplace(weights, prior, options.block, options.credit);
    base::check_size("coordinate_descent", "weights", given_->size(),
                     static_cast<std::size_t>(occupancies.mdp().pairs()));
  }

  double evaluate(const std::vector<double>& pi) {
    ++evaluations;
    const std::vector<double> n = counts(pi);
    if (given_) return given_->value(n);
    const mdp::Mdp& mdp = occupancies_.mdp();
    const gap::PvvWeights weights = gap::pvv_weights(mdp, mdp::Policy::stochastic(mdp, pi),
                                                     {.loads = prior_.dependence->needs_loads(),
                                                      .member_models = prior_.dependence->member_models(),
                                                      .run = {.threads = options_.run.threads}});
    if (options_.fisher_trace) return -trace(weights);
    return Objective(weights, prior_, options_.block, options_.credit).value(n);
  }

  double trace(const gap::PvvWeights& weights) const {
    double sum = 0;
    for (std::size_t k = 0; k < weights.reward.size(); ++k) {
      const double tau = prior_.observation_precision[k];
      sum += weights.reward[k] * (std::isfinite(tau) ? tau : 1);
    }
    return sum;
  }

  std::vector<double> counts(const std::vector<double>& pi) const {
    if (!occupancies_.is_finite()) return occupancies_.counts(pi);
    std::vector<double> at_every_step;
    for (std::int64_t t = 0; t < occupancies_.steps(); ++t) {
      at_every_step.insert(at_every_step.end(), pi.begin(), pi.end());
    }
    return occupancies_.counts(at_every_step);
  }

  std::int64_t evaluations = 0;

 private:
  const gap::Precision& prior_;
  const Occupancy& occupancies_;
  const CoordinateDescentOptions& options_;
  std::optional<Objective> given_;
};

}  // namespace

void CoordinateDescentOptions::validate(const Occupancy& occupancies) const {
  const char* function = "coordinate_descent";
  base::check_range(function, "iterations", static_cast<double>(iterations), 0, 1e18);
  base::check_positive(function, "rate", rate);
  base::check_range(function, "rate", rate, 0, 1);
  if (target_is_explorer && occupancies.is_finite()) {
    throw InvalidArgument("coordinate_descent: the explorer as its own target needs discounted occupancies");
  }
  if (fisher_trace && !target_is_explorer)
    throw InvalidArgument(
        "coordinate_descent: the trace of the Fisher information is of the explorer's own value");
  if (!initial_pi.empty()) mdp::Policy::stochastic(occupancies.mdp(), initial_pi);
}

CoordinateDescent coordinate_descent(const gap::PvvWeights& weights, const gap::Precision& prior,
                                     const Occupancy& occupancies, const CoordinateDescentOptions& options) {
  const auto started = std::chrono::steady_clock::now();
  options.validate(occupancies);
  const mdp::Mdp& mdp = occupancies.mdp();
  CoordinateSearch search(weights, prior, occupancies, options);
  CoordinateDescent result;
  result.pi =
      options.initial_pi.empty() ? mdp::Policy::uniform(mdp).probability_of_pair(mdp) : options.initial_pi;
  result.value = search.evaluate(result.pi);
  base::Stream stream({options.run.seed, base::Purpose::design});
  for (std::int64_t i = 0; i < options.iterations; ++i) {
    const auto s = static_cast<std::int32_t>(base::uniform_index(stream, mdp.states()));
    std::vector<double> best = result.pi;
    for (const std::int32_t k : mdp.pairs_of(s)) {
      std::vector<double> trial = result.pi;
      for (const std::int32_t j : mdp.pairs_of(s)) {
        trial[j] = (1 - options.rate) * trial[j] + (j == k ? options.rate : 0);
      }
      const double value = search.evaluate(trial);
      if (value < result.value) {
        result.value = value;
        best = std::move(trial);
      }
    }
    result.pi = std::move(best);
  }
  result.counts = search.counts(result.pi);
  result.evaluations = search.evaluations;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return result;
}

}  // namespace mindgap::design
