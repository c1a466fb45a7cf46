#include "mindgap/belief/belief.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"

namespace mindgap::belief {
using mdp::Mdp;

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
  if (options_.rewards == RewardModel::bernoulli || bounded(options_.bounds)) check_rewards();
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
                    base::printable(simulator_.action_name_of_pair(k)), r, bounds.lower, bounds.upper,
                    bernoulli ? "rewards = \"bernoulli\"" : "reward_min, reward_max"));
  }
}

// A reward that cannot be: no 0 or 1 where it must be one, or one without noise outside the bounds.
void Belief::check_reward(std::int32_t pair, double reward) const {
  const auto refuse = [&](const std::string& wanted) {
    throw InvalidArgument(fmt::format("the observed reward of state '{}', action '{}' is {}, but must be {}",
                                      base::printable(simulator_.state_name(simulator_.state_of_pair(pair))),
                                      base::printable(simulator_.action_name_of_pair(pair)), reward, wanted));
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
  transitions_.observe(pair, next_state);
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
    transitions_.mean_row(k, prior_.transition_strength[k], base::part_of(all, shape.entries_of(k)));
  }
  return shape.with_probability(std::move(probability)).with_reward(std::move(reward));
}

void Belief::draw_pairs(std::int32_t begin, std::int32_t end, double rho, std::uint64_t seed,
                        std::uint64_t draw, std::span<double> reward, std::span<double> probability) const {
  const Mdp& shape = transitions_.shape();
  for (std::int32_t k = begin; k < end; ++k) {
    base::Stream stream({seed, base::Purpose::belief, draw, static_cast<std::uint64_t>(k)});
    reward[k] = reward_belief(k).sample(stream);
    transitions_.draw_row(k, prior_.transition_strength[k], rho, seed, draw, stream,
                          base::part_of(probability, shape.entries_of(k)));
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
