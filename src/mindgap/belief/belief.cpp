#include "mindgap/belief/belief.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"

namespace mindgap::belief {
namespace {

// Members say together what is possible.
constexpr UnseenOptions kNothingUnseen{.share = 0};
constexpr std::uint64_t kSharedStream = 1;  // the step of a draw's stream of factors; pairs have step 0

}  // namespace
using mdp::Mdp;

Belief::Belief(Mdp simulator, Prior prior, std::vector<double> observation_variance,
               const BeliefOptions& options)
    : simulator_(std::move(simulator)),
      prior_(std::move(prior)),
      observation_variance_(std::move(observation_variance)),
      options_(options),
      rewards_(static_cast<std::size_t>(simulator_.pairs())),
      transitions_(simulator_, options.members ? kNothingUnseen : options.unseen) {
  check_prior(simulator_, prior_);
  base::check_size("Belief", "observation_variance", observation_variance_.size(), rewards_.size());
  base::check_nonnegative("Belief", "observation_variance", observation_variance_);
  kind_ = reward_belief(options_.rewards, options_.bounds);
  kind_->check(simulator_, observation_variance_);
  if (options_.members) begin_ensemble();
  if (options_.shared.none()) return;
  base::check_size("Belief", "shared errors", options_.shared.pairs(), rewards_.size());
  if (!kind_->identity().empty())
    throw InvalidArgument(
        "shared errors need Gaussian rewards of known variance and without bounds: only then is what one "
        "pair "
        "says about others exact (an estimated variance, Bernoulli rewards and bounds have no such update)");
}

void Belief::begin_ensemble() {
  if (!kind_->identity().empty() || !options_.shared.none())
    throw InvalidArgument(
        "an ensemble needs Gaussian rewards of known variance, without bounds and without shared errors: "
        "only then "
        "are the weights of its members exact");
  if (!(simulator_ == options_.members->mean()))
    throw InvalidArgument("Belief: the simulator must be the mean of the members");
  ensemble_.emplace(*options_.members, prior_, observation_variance_);
}

void Belief::check_pair(const char* function, std::int32_t pair) const {
  if (pair >= 0 && pair < simulator_.pairs()) return;  // called for every observation of every unit
  base::check_range(function, "pair", pair, 0, simulator_.pairs() - 1);
}

void Belief::check_state(std::int32_t next_state) const {
  if (next_state >= 0 && next_state < simulator_.states()) return;
  base::check_range("Belief::observe", "next_state", next_state, 0, simulator_.states() - 1);
}

void Belief::check_reward(std::int32_t pair, double reward) const {
  if (!std::isfinite(reward)) base::check_finite("Belief::observe", "reward", reward);
  const std::string wanted = kind_->wanted_of(reward, observation_variance_[pair]);
  if (wanted.empty()) return;
  throw InvalidArgument(fmt::format("the observed reward of state '{}', action '{}' is {}, but must be {}",
                                    base::printable(simulator_.state_name(simulator_.state_of_pair(pair))),
                                    base::printable(simulator_.action_name_of_pair(pair)), reward, wanted));
}

Belief Belief::with_prior(Prior prior, double shared_scale) const {
  check_prior(simulator_, prior);
  Belief other = *this;
  other.prior_ = std::move(prior);
  other.options_.shared = options_.shared.scaled(shared_scale);
  other.factors_.reset();
  if (ensemble_) other.ensemble_ = ensemble_->with_prior(other.prior_);
  return other;
}

const FactorPosterior& Belief::factors() const {
  return factors_.get([this] { return factors_after(rewards_); });
}

FactorPosterior Belief::factors_after(std::span<const SampleSummary> rewards) const {
  std::vector<FactorEvidence> pairs;
  for (std::int32_t k = 0; k < simulator_.pairs(); ++k) {
    const PairReward pair = reward_of(k, 0);
    pairs.push_back({pair.prior_sd * pair.prior_sd, pair.observation_variance, rewards[k].count,
                     rewards[k].mean - pair.prior_mean});
  }
  return {options_.shared, pairs};
}

std::vector<double> Belief::reward_means_after(std::span<const double> truth, std::span<const double> n,
                                               base::Stream& stream) const {
  std::vector<SampleSummary> rewards = rewards_;
  for (std::size_t k = 0; k < rewards.size(); ++k) {
    const double noise = base::normal(stream);
    if (n[k] > 0) add(rewards[k], truth[k] + std::sqrt(observation_variance_[k] / n[k]) * noise, n[k]);
  }
  const FactorPosterior after = factors_after(rewards);
  std::vector<double> mean;
  for (std::int32_t k = 0; k < simulator_.pairs(); ++k) {
    PairReward pair = reward_of(k, after.shift(k));
    pair.seen = rewards[k];
    mean.push_back(kind_->mean(pair));
  }
  return mean;
}

void Belief::observe(std::int32_t pair, double reward, std::int32_t next_state) {
  check_pair("Belief::observe", pair);
  check_state(next_state);
  check_reward(pair, reward);
  add(rewards_[pair], reward);
  if (!options_.shared.none()) factors_.reset();
  if (ensemble_) ensemble_->observe({.pair = pair, .reward = reward, .next_state = next_state});
  transitions_.observe(pair, next_state);
}

// With shared errors a bound is a part of an observation of the pair's law among the others, which the joint
// law then takes in as any other.
void Belief::observe_bound(const mdp::Observation& seen) {
  base::check_finite("Belief::observe", "the bound of a reward", *seen.reward);
  SampleSummary& rewards = rewards_[seen.pair];
  PairReward before = reward_of(seen.pair);
  if (!options_.shared.none())
    before = {
        reward_mean(seen.pair), std::sqrt(reward_variance(seen.pair)), observation_variance_[seen.pair], {}};
  const SampleSummary after = seen.censored == mdp::Censoring::at_least
                                  ? kind_->after_at_least(before, *seen.reward, seen.weight)
                                  : kind_->after_at_most(before, *seen.reward, seen.weight);
  if (options_.shared.none()) {
    rewards = after;
  } else if (after.count > 0) {
    add(rewards, after.mean, after.count);
  }
  ++censored_;
}

void Belief::observe(const mdp::Observation& seen) {
  check_pair("Belief::observe", seen.pair);
  if (!(seen.weight > 0) || std::isinf(seen.weight))
    base::check_positive("Belief::observe", "weight", seen.weight);
  if (seen.next_state) check_state(*seen.next_state);
  if (seen.reward) {
    if (seen.censored == mdp::Censoring::none) {
      check_reward(seen.pair, *seen.reward);
      add(rewards_[seen.pair], *seen.reward, seen.weight);
    } else {
      observe_bound(seen);
    }
    if (!options_.shared.none()) factors_.reset();
  }
  if (ensemble_) ensemble_->observe(seen);
  if (seen.next_state) transitions_.observe(seen.pair, *seen.next_state, seen.weight);
}

void Belief::observe(const mdp::ObservationLog& log) {
  for (std::size_t i = 0; i < log.size(); ++i) observe(log.row(i));
}

PairReward Belief::reward_of(std::int32_t pair, double shift) const {
  const double sd = prior_.reward_sd[pair], more = options_.shared.own_variance(pair);
  return {simulator_.reward()[pair] + shift, more > 0 ? std::sqrt(sd * sd + more) : sd,
          observation_variance_[pair], rewards_[pair]};
}

PairReward Belief::reward_of(std::int32_t pair) const {
  return reward_of(pair, options_.shared.none() ? 0 : factors().shift(pair));
}

double Belief::reward_mean(std::int32_t pair) const {
  check_pair("Belief::reward_mean", pair);
  if (ensemble_) return ensemble_->reward_mean(pair);
  return kind_->mean(reward_of(pair));
}

double Belief::reward_variance(std::int32_t pair) const {
  check_pair("Belief::reward_variance", pair);
  if (ensemble_) return ensemble_->reward_variance(pair);
  if (options_.shared.none()) return kind_->variance(reward_of(pair));
  return factors().reward_variance(pair);
}

std::vector<double> Belief::reward_variances() const {
  if (!options_.shared.none()) return factors().reward_variances();
  if (ensemble_) return ensemble_->reward_variances();
  std::vector<double> variance(rewards_.size());
  for (std::int32_t k = 0; k < simulator_.pairs(); ++k) variance[k] = reward_variance(k);
  return variance;
}

double Belief::prior_reward_sd(std::int32_t pair) const {
  check_pair("Belief::prior_reward_sd", pair);
  const double own = reward_of(pair, 0).prior_sd;
  double shared = options_.shared.variance(pair);
  for (std::int32_t i = 0; ensemble_ && i < ensemble_->members().size(); ++i) {
    const double off = ensemble_->members().reward(i)[pair] - simulator_.reward()[pair];
    shared += ensemble_->members().weights()[i] * off * off;
  }
  return shared > 0 ? std::sqrt(own * own + shared) : own;
}

double Belief::observation_precision(std::int32_t pair) const {
  check_pair("Belief::observation_precision", pair);
  return kind_->observation_precision(reward_of(pair));
}

double Belief::transition_strength(std::int32_t pair) const {
  check_pair("Belief::transition_strength", pair);
  if (ensemble_) return ensemble_->transition_strength(pair);
  return transitions_.strength(pair, prior_.transition_strength[pair]);
}

std::vector<double> Belief::transition_strengths() const {
  std::vector<double> strength(rewards_.size());
  for (std::int32_t k = 0; k < simulator_.pairs(); ++k) strength[k] = transition_strength(k);
  return strength;
}

double Belief::mean_row(std::int32_t pair, std::span<double> probability) const {
  transitions_.mean_row(pair, prior_.transition_strength[pair], probability);
  return reward_mean(pair);
}

double Belief::sample_row(std::int32_t pair, std::uint64_t seed, std::uint64_t draw,
                          std::span<double> probability) const {
  return draw_pair(pair, transitions_.draw_share(seed, draw), seed, draw, {}, probability);
}

Mdp Belief::mean() const {
  if (ensemble_) return ensemble_->mean();
  const Mdp& shape = transitions_.shape();
  std::vector<double> reward(rewards_.size()), probability(static_cast<std::size_t>(shape.nonzeros()));
  const std::span<double> all(probability);
  for (std::int32_t k = 0; k < simulator_.pairs(); ++k) {
    reward[k] = reward_mean(k);
    transitions_.mean_row(k, prior_.transition_strength[k], base::part_of(all, shape.entries_of(k)));
  }
  return shape.with_probability(std::move(probability)).with_reward(std::move(reward));
}

double Belief::draw_pair(std::int32_t pair, double rho, std::uint64_t seed, std::uint64_t draw,
                         std::span<const double> shifts, std::span<double> probability) const {
  base::Stream stream({seed, base::Purpose::belief, draw, static_cast<std::uint64_t>(pair)});
  const double shift = shifts.empty() ? 0 : factors().drawn_shift(shifts, pair);
  const double reward = kind_->sample(reward_of(pair, shift), stream);
  transitions_.draw_row(pair, prior_.transition_strength[pair], rho, seed, draw, stream, probability);
  return reward;
}

Mdp Belief::sample(std::uint64_t seed, std::uint64_t draw) const {
  const base::Threads one(1);
  return sample(seed, draw, one);
}

Mdp Belief::sample(std::uint64_t seed, std::uint64_t draw, const base::Threads& threads) const {
  if (ensemble_) return ensemble_->sample(seed, draw, threads);
  constexpr std::int64_t kGrain = 4096;
  std::vector<double> reward(rewards_.size());
  const Mdp& shape = transitions_.shape();
  std::vector<double> probability(static_cast<std::size_t>(shape.nonzeros()));
  const double rho = transitions_.draw_share(seed, draw);
  std::vector<double> shifts;
  if (!options_.shared.none()) {
    base::Stream stream({seed, base::Purpose::belief, draw, 0, kSharedStream});
    shifts = factors().draw(stream);
  }
  base::parallel_for(threads, simulator_.pairs(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    const std::span<double> all(probability);
    for (auto k = static_cast<std::int32_t>(begin); k < static_cast<std::int32_t>(end); ++k)
      reward[k] = draw_pair(k, rho, seed, draw, shifts, base::part_of(all, shape.entries_of(k)));
  });
  return shape.with_probability(std::move(probability)).with_reward(std::move(reward));
}

std::optional<mdp::IndependentLaw> Belief::independent_law() const {
  if (!learns_row_by_row()) return std::nullopt;
  mdp::IndependentLaw law;
  law.reward_mean.resize(rewards_.size());
  law.reward_sd.resize(rewards_.size());
  law.alpha.resize(static_cast<std::size_t>(simulator_.nonzeros()));
  const std::span<double> all(law.alpha);
  for (std::int32_t k = 0; k < simulator_.pairs(); ++k) {
    const std::optional<GaussianReward> reward = kind_->gaussian(reward_of(k));
    if (!reward) return std::nullopt;
    law.reward_mean[k] = reward->mean;
    law.reward_sd[k] = reward->sd;
    transitions_.right_parameters(k, prior_.transition_strength[k],
                                  base::part_of(all, simulator_.entries_of(k)));
  }
  const bool positive = std::all_of(all.begin(), all.end(), [](double alpha) { return alpha > 0; });
  return positive ? std::optional(std::move(law)) : std::nullopt;
}

void Belief::sample_batch(mdp::ModelBatch& batch, std::uint64_t seed, std::uint64_t first,
                          const base::Threads& threads) const {
  if (const std::optional<mdp::IndependentLaw> law = independent_law()) {
    batch.draw(*law, seed, first);
    return;
  }
  for (std::int32_t i = 0; i < batch.models(); ++i)
    batch.load(i, sample(seed, first + static_cast<std::uint64_t>(i), threads));
}

std::optional<double> pooled_variance(const Mdp& mdp, const mdp::ObservationLog& log) {
  std::vector<SampleSummary> seen(static_cast<std::size_t>(mdp.pairs()));
  for (std::size_t i = 0; i < log.size(); ++i) {
    const mdp::Observation row = log.row(i);
    if (row.reward && row.censored == mdp::Censoring::none) add(seen[row.pair], *row.reward, row.weight);
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
