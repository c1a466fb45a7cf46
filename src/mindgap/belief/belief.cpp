#include "mindgap/belief/belief.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"
#include "mindgap/belief/at_least.h"

namespace mindgap::belief {
namespace {

using mdp::Mdp;

constexpr std::int32_t kDenseLimit = 2000;  // states; full rows above are refused

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
      transitions_(static_cast<std::size_t>(simulator_.nonzeros())),
      row_count_(static_cast<std::size_t>(simulator_.pairs())) {
  check_prior(simulator_, prior_);
  base::check_size("Belief", "observation_variance", observation_variance_.size(), rewards_.size());
  base::check_nonnegative("Belief", "observation_variance", observation_variance_);
  base::check_nonnegative("Belief", "unseen_strength", options_.unseen_strength);
  if (options_.rewards == RewardModel::estimated_variance) {
    for (const double v : observation_variance_) base::check_positive("Belief", "observation_variance", v);
  }
  if (options_.unseen_strength > 0 && simulator_.states() > kDenseLimit) {
    throw InvalidArgument(fmt::format(
        "Belief: unseen_strength needs full rows, which are kept for at most {} states; the model has {}",
        kDenseLimit, simulator_.states()));
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
  count_transition(pair, next_state);
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
      count_transition(log.pair[i], log.next_state[i]);
    } else {
      observe(log.pair[i], log.reward[i], log.next_state[i]);
    }
  }
}

void Belief::count_transition(std::int32_t pair, std::int32_t next_state) {
  const auto row = simulator_.next_state();
  const auto first = row.begin() + simulator_.row_begin()[pair];
  const auto last = row.begin() + simulator_.row_begin()[pair + 1];
  const auto it = std::lower_bound(first, last, next_state);
  const bool known = it != last && *it == next_state;
  if (known) {
    ++transitions_[it - row.begin()];
  } else {
    ++off_support_[{pair, next_state}];
  }
  if (known || options_.unseen_strength > 0) ++row_count_[pair];
}

std::vector<OffSupport> Belief::off_support() const {
  std::vector<OffSupport> found;
  for (const auto& [where, count] : off_support_) found.push_back({where.first, where.second, count});
  return found;
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
  const std::int64_t support = simulator_.row_begin()[pair + 1] - simulator_.row_begin()[pair];
  const double unseen = support < simulator_.states() ? options_.unseen_strength : 0;  // nowhere else to go
  return prior_.transition_strength[pair] + unseen + row_count_[pair];
}

std::vector<double> Belief::transition_strengths() const {
  std::vector<double> strength(rewards_.size());
  for (std::int32_t k = 0; k < simulator_.pairs(); ++k) strength[k] = transition_strength(k);
  return strength;
}

std::size_t Belief::row_size(std::int32_t pair) const {
  if (options_.unseen_strength > 0) return static_cast<std::size_t>(simulator_.states());
  return static_cast<std::size_t>(simulator_.row_begin()[pair + 1] - simulator_.row_begin()[pair]);
}

void Belief::row_parameters(std::int32_t pair, std::span<double> alpha) const {
  const std::int64_t begin = simulator_.row_begin()[pair], end = simulator_.row_begin()[pair + 1];
  const bool full = options_.unseen_strength > 0;
  const std::int64_t others = simulator_.states() - (end - begin);
  if (full) {
    std::fill(alpha.begin(), alpha.end(),
              others > 0 ? options_.unseen_strength / static_cast<double>(others) : 0);
    for (auto it = off_support_.lower_bound({pair, 0}); it != off_support_.end() && it->first.first == pair;
         ++it) {
      alpha[it->first.second] += static_cast<double>(it->second);
    }
  }
  for (std::int64_t i = begin; i < end; ++i) {
    alpha[full ? simulator_.next_state()[i] : i - begin] =
        prior_.transition_strength[pair] * simulator_.probability()[i] + transitions_[i];
  }
}

Mdp Belief::with_rows(std::vector<double> reward, std::vector<double> probability) const {
  if (options_.unseen_strength == 0) {
    return simulator_.with_probability(std::move(probability)).with_reward(std::move(reward));
  }
  mdp::MdpArrays arrays;
  arrays.discount = simulator_.discount();
  arrays.pair_begin.assign(simulator_.pair_begin().begin(), simulator_.pair_begin().end());
  arrays.pair_action.assign(simulator_.pair_action().begin(), simulator_.pair_action().end());
  arrays.start.assign(simulator_.start().begin(), simulator_.start().end());
  arrays.actions = simulator_.actions();
  arrays.labels = simulator_.labels();
  arrays.reward = std::move(reward);
  arrays.probability = std::move(probability);
  arrays.row_begin = {0};
  for (std::int32_t k = 0; k < simulator_.pairs(); ++k) {
    for (std::int32_t s = 0; s < simulator_.states(); ++s) arrays.next_state.push_back(s);
    arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
  }
  return Mdp(std::move(arrays));
}

Mdp Belief::mean() const {
  std::vector<double> reward(rewards_.size()), probability;
  for (std::int32_t k = 0; k < simulator_.pairs(); ++k) {
    reward[k] = reward_mean(k);
    const std::size_t at = probability.size(), size = row_size(k);
    probability.resize(at + size);
    const std::span<double> row(probability.data() + at, size);
    if (options_.unseen_strength == 0 && row_count_[k] == 0) {  // no rounding where nothing was seen
      const auto p0 = simulator_.probability().subspan(simulator_.row_begin()[k], size);
      std::copy(p0.begin(), p0.end(), row.begin());
      continue;
    }
    row_parameters(k, row);
    const double total = std::accumulate(row.begin(), row.end(), 0.0);
    for (double& p : row) p /= total;
  }
  return with_rows(std::move(reward), std::move(probability));
}

double Belief::draw_reward(std::int32_t pair, base::Stream& stream) const {
  if (options_.rewards == RewardModel::known_variance || prior_.reward_sd[pair] == 0) {
    return reward_mean(pair) + std::sqrt(reward_variance(pair)) * base::normal(stream);
  }
  return belief::sample(reward_posterior(pair), stream).mean;
}

void Belief::draw_pairs(std::int32_t begin, std::int32_t end, std::uint64_t seed, std::uint64_t draw,
                        std::span<double> reward, std::span<double> probability) const {
  std::vector<double> alpha;
  const auto states = static_cast<std::size_t>(simulator_.states());
  for (std::int32_t k = begin; k < end; ++k) {
    base::Stream stream({seed, base::Purpose::belief, draw, static_cast<std::uint64_t>(k)});
    reward[k] = draw_reward(k, stream);
    const std::size_t size = row_size(k);
    const std::size_t at = options_.unseen_strength > 0 ? static_cast<std::size_t>(k) * states
                                                        : static_cast<std::size_t>(simulator_.row_begin()[k]);
    const std::span<double> row = probability.subspan(at, size);
    if (size == 1) {
      row[0] = 1;
      continue;
    }
    alpha.resize(size);
    row_parameters(k, alpha);
    base::dirichlet(stream, alpha, row);
    for (double& p : row) p = std::max(p, std::numeric_limits<double>::min());
  }
}

Mdp Belief::sample(std::uint64_t seed, std::uint64_t draw) const {
  const base::Threads one(1);
  return sample(seed, draw, one);
}

Mdp Belief::sample(std::uint64_t seed, std::uint64_t draw, const base::Threads& threads) const {
  constexpr std::int64_t kGrain = 4096;
  std::vector<double> reward(rewards_.size());
  std::vector<double> probability(options_.unseen_strength > 0
                                      ? rewards_.size() * static_cast<std::size_t>(simulator_.states())
                                      : transitions_.size());
  base::parallel_for(threads, simulator_.pairs(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    draw_pairs(static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end), seed, draw, reward,
               probability);
  });
  return with_rows(std::move(reward), std::move(probability));
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
