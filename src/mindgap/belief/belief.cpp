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

namespace mindgap::belief {
namespace {

using mdp::Mdp;

constexpr std::int32_t kDenseLimit = 2000;  // states; full rows above are refused

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
  if (options_.rewards == RewardModel::bernoulli || bounded(options_.bounds)) check_rewards();
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

// Bounds and 0/1 rewards must be possible for the simulator itself.
void Belief::check_rewards() const {
  const bool bernoulli = options_.rewards == RewardModel::bernoulli;
  if (bounded(options_.bounds) && options_.rewards != RewardModel::known_variance) {
    throw InvalidArgument(bernoulli
                              ? "Belief: Bernoulli rewards lie from 0 to 1, no other bounds can be stated"
                              : "Belief: bounds on mean rewards need a variance that is not estimated");
  }
  const RewardBounds bounds = bernoulli ? RewardBounds{0, 1} : options_.bounds;
  if (!(bounds.lower < bounds.upper)) {
    throw InvalidArgument(fmt::format("Belief: reward_min is {}, but must be below reward_max, {}",
                                      bounds.lower, bounds.upper));
  }
  for (std::int32_t k = 0; k < simulator_.pairs(); ++k) {
    const double r = simulator_.reward()[k];
    if (r >= bounds.lower && r <= bounds.upper) continue;
    throw InvalidArgument(
        fmt::format("the simulated mean reward of state '{}', action '{}' is {}, but true mean rewards are "
                    "said to lie from "
                    "{} to {} ({})",
                    base::printable(simulator_.state_name(simulator_.state_of_pair(k))),
                    base::printable(simulator_.action_name(simulator_.pair_action()[k])), r, bounds.lower,
                    bounds.upper, bernoulli ? "rewards = \"bernoulli\"" : "reward_min, reward_max"));
  }
}

// A reward that cannot be: no 0 or 1 where it must be one, or one without noise outside the bounds.
void Belief::check_reward(std::int32_t pair, double reward) const {
  const auto refuse = [&](const std::string& wanted) {
    throw InvalidArgument(fmt::format("the observed reward of state '{}', action '{}' is {}, but must be {}",
                                      base::printable(simulator_.state_name(simulator_.state_of_pair(pair))),
                                      base::printable(simulator_.action_name(simulator_.pair_action()[pair])),
                                      reward, wanted));
  };
  if (options_.rewards == RewardModel::bernoulli) {
    if (reward != 0 && reward != 1) refuse("0 or 1 (rewards = \"bernoulli\")");
  } else if (observation_variance_[pair] == 0 &&
             (reward < options_.bounds.lower || reward > options_.bounds.upper)) {
    refuse(fmt::format("from {} to {} (reward_min, reward_max), as rewards have no noise here",
                       options_.bounds.lower, options_.bounds.upper));
  }
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
  if (options_.rewards == RewardModel::bernoulli || bounded(options_.bounds)) check_reward(pair, reward);
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

void Belief::observe_at_most(std::int32_t pair, double bound, std::int32_t next_state) {
  observe_reward_at_most(pair, bound);
  observe_transition(pair, next_state);
}

void Belief::observe_reward_at_least(std::int32_t pair, double bound) {
  check_pair("Belief::observe", pair);
  rewards_[pair] = reward_belief(pair).after_at_least(bound);
  ++censored_;
}

void Belief::observe_reward_at_most(std::int32_t pair, double bound) {
  check_pair("Belief::observe", pair);
  rewards_[pair] = reward_belief(pair).after_at_most(bound);
  ++censored_;
}

void Belief::observe(const mdp::ObservationLog& log) {
  const auto censoring = [&](std::size_t i) {
    return log.censored.empty() ? mdp::Censoring::none : log.censored[i];
  };
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (censoring(i) == mdp::Censoring::none) observe(log.pair[i], log.reward[i], log.next_state[i]);
  }
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (censoring(i) == mdp::Censoring::at_least)
      observe_at_least(log.pair[i], log.reward[i], log.next_state[i]);
    if (censoring(i) == mdp::Censoring::at_most)
      observe_at_most(log.pair[i], log.reward[i], log.next_state[i]);
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

RewardBelief Belief::reward_belief(std::int32_t pair) const {
  check_pair("Belief::reward_belief", pair);
  return {options_.rewards,       simulator_.reward()[pair],
          prior_.reward_sd[pair], observation_variance_[pair],
          options_.bounds,        rewards_[pair]};
}

double Belief::reward_mean(std::int32_t pair) const {
  return reward_belief(pair).mean();
}

double Belief::reward_variance(std::int32_t pair) const {
  return reward_belief(pair).variance();
}

std::vector<double> Belief::reward_variances() const {
  std::vector<double> variance(rewards_.size());
  for (std::int32_t k = 0; k < simulator_.pairs(); ++k) variance[k] = reward_variance(k);
  return variance;
}

double Belief::observation_precision(std::int32_t pair) const {
  return reward_belief(pair).observation_precision();
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

void Belief::draw_pairs(std::int32_t begin, std::int32_t end, std::uint64_t seed, std::uint64_t draw,
                        std::span<double> reward, std::span<double> probability) const {
  std::vector<double> alpha;
  const auto states = static_cast<std::size_t>(simulator_.states());
  for (std::int32_t k = begin; k < end; ++k) {
    base::Stream stream({seed, base::Purpose::belief, draw, static_cast<std::uint64_t>(k)});
    reward[k] = reward_belief(k).sample(stream);
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
    if (log.censored.empty() || log.censored[i] == mdp::Censoring::none)
      add(seen[log.pair[i]], log.reward[i]);
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
