#include "mindgap/gap/checks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/random.h"
#include "mindgap/gap/routes_to_unreached.h"
#include "mindgap/mdp/observation_log.h"

namespace mindgap::gap {
namespace {

constexpr std::size_t kTopPairs = 10;

// Rewards of a log that are neither missing nor only bounds.
struct SeenRewards {
  std::vector<double> count, mean, squares;

  SeenRewards(const mdp::ObservationLog& log, std::size_t pairs) : count(pairs), mean(pairs), squares(pairs) {
    for (std::size_t i = 0; i < log.size(); ++i) {
      const mdp::Observation row = log.row(i);
      if (!row.reward || row.censored != mdp::Censoring::none) continue;
      const auto k = static_cast<std::size_t>(row.pair);
      const double before = *row.reward - mean[k];
      mean[k] += before / ++count[k];
      squares[k] += before * (*row.reward - mean[k]);
    }
  }
  double variance(std::size_t k) const { return squares[k] / (count[k] - 1); }
};

std::vector<std::size_t> largest_of(std::span<const double> values, std::size_t top) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] > values[b]; });
  order.resize(std::min(top, order.size()));
  std::sort(order.begin(), order.end());
  return order;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// kappa_0: the variance that the simulator states against that of the data it was fitted to.
std::vector<double> consistency(const belief::Knowledge& knowledge, const PvvWeights& weights,
                                const mdp::ObservationLog* calibration) {
  std::vector<double> in_data = knowledge.variance;
  if (calibration != nullptr) {
    const SeenRewards seen(*calibration, in_data.size());
    for (std::size_t k = 0; k < in_data.size(); ++k) {
      if (seen.count[k] >= 2) in_data[k] = seen.variance(k);
    }
  }
  return belief::self_consistency_strength(in_data, knowledge.variance, weights.reward);
}

void estimate_strength(const belief::Knowledge& knowledge, const mdp::ObservationLog& log,
                       StrengthCheck& check) {
  const std::span<const double> reward = knowledge.now.simulator().reward();
  const SeenRewards seen(log, reward.size());
  std::vector<belief::PilotPair> pairs;
  for (std::size_t k = 0; k < reward.size(); ++k) {
    if (seen.count[k] < 2) continue;
    pairs.push_back({seen.count[k], seen.mean[k], seen.variance(k), reward[k], knowledge.variance[k]});
  }
  check.effective = belief::effective_strength(pairs);
  check.paper = belief::truncated_strength(pairs);
  if (check.effective->basis == belief::StrengthBasis::no_data) return;
  const auto [least, most] = std::minmax_element(knowledge.variance.begin(), knowledge.variance.end());
  check.reward_sd_least = std::sqrt(*least / check.effective->strength);
  check.reward_sd_most = std::sqrt(*most / check.effective->strength);
}

}  // namespace

std::optional<PrecisionCheck> check_precision(const PvvWeights& weights, const belief::Belief& belief,
                                              const ChecksOptions& options) {
  base::check_range("diagnose", "precision_factor", options.precision_factor, 1, 1e6);
  if (belief.learns_jointly()) return std::nullopt;
  const Precision known = precision_of(belief);
  PrecisionProblem problem;
  for (std::size_t k = 0; k < weights.reward.size(); ++k) {
    const double tau = known.observation_precision[k];
    if (!(weights.reward[k] > 0) || !(known.reward_variance[k] > 0) || !(tau > 0) || !std::isfinite(tau))
      continue;
    problem.weight.push_back(weights.reward[k]);
    problem.prior_precision.push_back(1 / known.reward_variance[k]);
    problem.precision.push_back(tau);
  }
  if (problem.weight.empty()) return std::nullopt;
  PrecisionCheck check;
  check.factor = options.precision_factor;
  check.patterns = options.patterns;
  check.pairs = static_cast<std::int64_t>(problem.weight.size());
  check.bound = check.factor * check.factor;
  // As many looks as there are pairs: one for each on average.
  const auto total = static_cast<double>(problem.weight.size());
  const std::vector<double> best = best_counts(problem, total);
  const std::vector<std::size_t> top = largest_of(best, kTopPairs);
  check.top = check.kept = static_cast<std::int64_t>(top.size());
  double sum = 0;
  for (std::int64_t i = 0; i < options.patterns; ++i) {
    base::Stream stream({options.run.seed, base::Purpose::analysis, static_cast<std::uint64_t>(i), 23});
    PrecisionProblem guess = problem;
    for (double& tau : guess.precision) tau *= stream.next() % 2 == 0 ? check.factor : 1 / check.factor;
    const std::vector<double> counts = best_counts(guess, total);
    const RankStability cost = rank_stability(problem, guess.precision, counts, best);
    check.worst = std::max(check.worst, cost.ratio);
    sum += cost.ratio;
    std::vector<std::size_t> both;
    const std::vector<std::size_t> guessed = largest_of(counts, kTopPairs);
    std::set_intersection(top.begin(), top.end(), guessed.begin(), guessed.end(), std::back_inserter(both));
    check.kept = std::min(check.kept, static_cast<std::int64_t>(both.size()));
  }
  if (options.patterns > 0) check.mean = sum / static_cast<double>(options.patterns);
  return check;
}

PositivityCheck check_positivity(std::span<const double> wanted, std::span<const double> deployed,
                                 double threshold, bool by_truth) {
  // Shares from linear solves may be below 0 by rounding.
  const auto at_least_zero = [](std::span<const double> shares) {
    std::vector<double> result(shares.begin(), shares.end());
    for (double& share : result) share = std::max(share, 0.0);
    return result;
  };
  PositivityCheck check;
  check.by_truth = by_truth;
  check.threshold = threshold;
  check.states = positivity_violations(at_least_zero(wanted), at_least_zero(deployed), threshold);
  std::stable_sort(check.states.begin(), check.states.end(),
                   [&](std::int32_t a, std::int32_t b) { return wanted[a] > wanted[b]; });
  for (const std::int32_t s : check.states) {
    check.wanted.push_back(wanted[s]);
    check.deployed.push_back(deployed[s]);
    check.share += wanted[s];
  }
  return check;
}

StrengthCheck check_strength(const belief::Knowledge& knowledge, const PvvWeights& weights,
                             const mdp::ObservationLog* log, const mdp::ObservationLog* calibration) {
  StrengthCheck check;
  if (knowledge.variance.empty()) return check;
  std::vector<double> stated;
  for (std::int32_t k = 0; k < knowledge.before.simulator().pairs(); ++k) {
    const double sd = knowledge.before.prior_reward_sd(k);
    if (sd > 0) stated.push_back(knowledge.variance[static_cast<std::size_t>(k)] / (sd * sd));
  }
  if (!stated.empty()) check.stated = median_of(std::move(stated));
  if (log != nullptr) estimate_strength(knowledge, *log, check);
  check.calibrated = calibration != nullptr;
  check.self_consistency = consistency(knowledge, weights, calibration);
  for (std::size_t k = 0; k < check.self_consistency.size(); ++k) {
    const double sd = std::sqrt(knowledge.variance[k] / check.self_consistency[k]);
    check.self_consistent_sd_least = k == 0 ? sd : std::min(check.self_consistent_sd_least, sd);
    check.self_consistent_sd_most = k == 0 ? sd : std::max(check.self_consistent_sd_most, sd);
  }
  return check;
}

}  // namespace mindgap::gap
