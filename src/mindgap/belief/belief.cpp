#include "mindgap/belief/belief.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"
#include "mindgap/belief/at_least.h"

namespace mindgap::belief {
namespace {

using mdp::Mdp;

void add(SampleSummary& summary, double value) {  // Welford (1962)
  summary.count += 1;
  const double before = value - summary.mean;
  summary.mean += before / summary.count;
  summary.squared_deviations += before * (value - summary.mean);
}

}  // namespace

Belief::Belief(Mdp simulator, Prior prior, std::vector<double> observation_variance,
               const BeliefOptions& options)
    : simulator_(std::move(simulator)),
      prior_(std::move(prior)),
      observation_variance_(std::move(observation_variance)),
      options_(options),
      rewards_(static_cast<std::size_t>(simulator_.pairs())),
      transitions_(simulator_, options.unseen) {
  check_prior(simulator_, prior_);
  base::check_size("Belief", "observation_variance", observation_variance_.size(), rewards_.size());
  base::check_nonnegative("Belief", "observation_variance", observation_variance_);
  if (options_.rewards == RewardModel::estimated_variance) {
    for (const double v : observation_variance_) base::check_positive("Belief", "observation_variance", v);
  }
}

void Belief::check_pair(const char* function, std::int32_t pair) const {
  if (pair >= 0 && pair < simulator_.pairs()) return;  // called for every observation of every unit
  base::check_range(function, "pair", pair, 0, simulator_.pairs() - 1);
}

Belief Belief::with_prior(Prior prior) const {
  check_prior(simulator_, prior);
  Belief other = *this;
  other.prior_ = std::move(prior);
  return other;
}

void Belief::observe(std::int32_t pair, double reward, std::int32_t next_state) {
  observe_reward(pair, reward);
  observe_transition(pair, next_state);
}

void Belief::observe_reward(std::int32_t pair, double reward) {
  check_pair("Belief::observe", pair);
  if (!std::isfinite(reward)) base::check_finite("Belief::observe", "reward", reward);
  add(rewards_[pair], reward);
}

void Belief::observe_transition(std::int32_t pair, std::int32_t next_state) {
  check_pair("Belief::observe", pair);
  if (next_state < 0 || next_state >= simulator_.states())
    base::check_range("Belief::observe", "next_state", next_state, 0, simulator_.states() - 1);
  transitions_.observe(pair, next_state);
}

void Belief::observe_at_least(std::int32_t pair, double bound, std::int32_t next_state) {
  observe_reward_at_least(pair, bound);
  observe_transition(pair, next_state);
}

// What takes N(m, 1/p) to N(m', 1/p') is n = v (p' - p) observations of mean m + (m' - m) p' / (p' - p): the
// update of gaussian.h, solved for them.
void Belief::observe_reward_at_least(std::int32_t pair, double bound) {
  check_pair("Belief::observe", pair);
  base::check_finite("Belief::observe", "bound", bound);
  ++censored_;
  const double v = observation_variance_[pair], variance = reward_variance(pair);
  if (options_.rewards == RewardModel::estimated_variance || v == 0 || variance == 0) return;
  const Gaussian now{reward_mean(pair), 1 / variance};
  const Gaussian then = update_at_least(now, bound, v);
  const double gained = then.precision - now.precision;
  if (!(gained > 0)) return;  // a bound far below says nothing
  SampleSummary& seen = rewards_[pair];
  seen.count += v * gained;
  seen.mean +=
      v * gained / seen.count * (now.mean + (then.mean - now.mean) * then.precision / gained - seen.mean);
}

void Belief::observe(const mdp::ObservationLog& log) {
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (!log.censored.empty() && log.censored[i] != 0) {
      check_pair("Belief::observe", log.pair[i]);
      ++censored_;
      observe_transition(log.pair[i], log.next_state[i]);
    } else {
      observe(log.pair[i], log.reward[i], log.next_state[i]);
    }
  }
}

// Known variance: the precisions 1/sd^2 and n/v add up, and the mean is weighted by them.
// Estimated variance: the Normal-Inverse-Gamma with shape 2 and scale 2 v (stated_normal_inverse_gamma), and
// a strength such that the prior variance of the mean, scale / ((shape - 1) strength), is sd^2.
NormalInverseGamma Belief::reward_posterior(std::int32_t pair) const {
  const double sd = prior_.reward_sd[pair];
  NormalInverseGamma prior =
      stated_normal_inverse_gamma(simulator_.reward()[pair], 1, observation_variance_[pair]);
  prior.strength = prior.scale / ((prior.shape - 1) * sd * sd);
  return update(prior, rewards_[pair]);
}

double Belief::reward_mean(std::int32_t pair) const {
  check_pair("Belief::reward_mean", pair);
  const SampleSummary& seen = rewards_[pair];
  const double r = simulator_.reward()[pair], sd = prior_.reward_sd[pair];
  if (seen.count == 0 || sd == 0) return r;
  if (options_.rewards == RewardModel::estimated_variance) return reward_posterior(pair).mean;
  const double v = observation_variance_[pair];
  if (v == 0) return seen.mean;
  const double weight = seen.count * sd * sd / (seen.count * sd * sd + v);
  return r + weight * (seen.mean - r);
}

double Belief::reward_variance(std::int32_t pair) const {
  check_pair("Belief::reward_variance", pair);
  const double sd = prior_.reward_sd[pair], v = observation_variance_[pair], n = rewards_[pair].count;
  if (sd == 0 || n == 0) return sd * sd;
  if (options_.rewards == RewardModel::estimated_variance) return variance(reward_posterior(pair));
  return v == 0 ? 0 : sd * sd * (v / (v + n * sd * sd));
}

std::vector<double> Belief::reward_variances() const {
  std::vector<double> variance(rewards_.size());
  for (std::int32_t k = 0; k < simulator_.pairs(); ++k) variance[k] = reward_variance(k);
  return variance;
}

double Belief::observation_precision(std::int32_t pair) const {
  check_pair("Belief::observation_precision", pair);
  if (options_.rewards == RewardModel::estimated_variance && prior_.reward_sd[pair] > 0) {
    return mean_precision(reward_posterior(pair));
  }
  return 1 / observation_variance_[pair];
}

double Belief::transition_strength(std::int32_t pair) const {
  check_pair("Belief::transition_strength", pair);
  return transitions_.strength(pair, prior_.transition_strength[pair]);
}

std::vector<double> Belief::transition_strengths() const {
  std::vector<double> strength(rewards_.size());
  for (std::int32_t k = 0; k < simulator_.pairs(); ++k) strength[k] = transition_strength(k);
  return strength;
}

Mdp Belief::mean() const {
  const Mdp& shape = transitions_.shape();
  std::vector<double> reward(rewards_.size()), probability(static_cast<std::size_t>(shape.nonzeros()));
  const std::span<double> all(probability);
  for (std::int32_t k = 0; k < simulator_.pairs(); ++k) {
    reward[k] = reward_mean(k);
    const auto begin = static_cast<std::size_t>(shape.row_begin()[k]);
    const auto size = static_cast<std::size_t>(shape.row_begin()[k + 1]) - begin;
    transitions_.mean_row(k, prior_.transition_strength[k], all.subspan(begin, size));
  }
  return shape.with_probability(std::move(probability)).with_reward(std::move(reward));
}

double Belief::draw_reward(std::int32_t pair, base::Stream& stream) const {
  if (options_.rewards == RewardModel::known_variance || prior_.reward_sd[pair] == 0) {
    return reward_mean(pair) + std::sqrt(reward_variance(pair)) * base::normal(stream);
  }
  return belief::sample(reward_posterior(pair), stream).mean;
}

void Belief::draw_pairs(std::int32_t begin, std::int32_t end, double rho, std::uint64_t seed,
                        std::uint64_t draw, std::span<double> reward, std::span<double> probability) const {
  const Mdp& shape = transitions_.shape();
  for (std::int32_t k = begin; k < end; ++k) {
    base::Stream stream({seed, base::Purpose::belief, draw, static_cast<std::uint64_t>(k)});
    reward[k] = draw_reward(k, stream);
    const auto first = static_cast<std::size_t>(shape.row_begin()[k]);
    const auto size = static_cast<std::size_t>(shape.row_begin()[k + 1]) - first;
    transitions_.draw_row(k, prior_.transition_strength[k], rho, seed, draw, stream,
                          probability.subspan(first, size));
  }
}

Mdp Belief::sample(std::uint64_t seed, std::uint64_t draw) const {
  const base::Threads one(1);
  return sample(seed, draw, one);
}

Mdp Belief::sample(std::uint64_t seed, std::uint64_t draw, const base::Threads& threads) const {
  constexpr std::int64_t kGrain = 4096;
  std::vector<double> reward(rewards_.size());
  const Mdp& shape = transitions_.shape();
  std::vector<double> probability(static_cast<std::size_t>(shape.nonzeros()));
  const double rho = transitions_.draw_share(seed, draw);
  base::parallel_for(threads, simulator_.pairs(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    draw_pairs(static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end), rho, seed, draw, reward,
               probability);
  });
  return shape.with_probability(std::move(probability)).with_reward(std::move(reward));
}

std::optional<double> pooled_variance(const Mdp& mdp, const mdp::ObservationLog& log) {
  std::vector<SampleSummary> seen(static_cast<std::size_t>(mdp.pairs()));
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (log.censored.empty() || log.censored[i] == 0) add(seen[log.pair[i]], log.reward[i]);
  }
  double squares = 0, freedom = 0;
  for (const SampleSummary& pair : seen) {
    squares += pair.squared_deviations;
    freedom += std::max(0.0, pair.count - 1);
  }
  if (squares == 0) return std::nullopt;  // a variance of 0 would say that one look is enough
  return squares / freedom;
}

}  // namespace mindgap::belief
