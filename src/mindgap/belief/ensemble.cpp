#include "mindgap/belief/ensemble.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/belief/at_least.h"

namespace mindgap::belief {
namespace {

using mdp::Censoring;
using mdp::Mdp;

// log P(Z >= a) of a standard normal Z. Far out, where erfc underflows, by the hazard phi(a) / P(Z >= a).
double log_upper_tail(double a) {
  if (a < 5) return std::log(.5 * std::erfc(a / std::numbers::sqrt2));
  return -.5 * (a * a + std::log(2 * std::numbers::pi)) - std::log(normal_hazard(a).rate);
}

// The log of the predictive probability that a reward x ~ N(theta, v), theta ~ N(mean, variance), keeps to
// the bound. Without noise a bound says nothing (RewardBelief::after_at_least).
double log_probability_of_bound(double mean, double variance, double v, Censoring kind, double bound) {
  if (v == 0) return 0;
  const double a = (bound - mean) / std::sqrt(variance + v);
  return log_upper_tail(kind == Censoring::at_least ? a : -a);
}

}  // namespace

Ensemble::Ensemble(Members members, Prior prior, std::vector<double> observation_variance,
                   const EnsembleOptions& options)
    : law_(std::move(members), std::move(prior), std::move(observation_variance), options.unseen_strength),
      options_(options),
      kind_(reward_belief(RewardModel::known_variance)),
      rewards_(static_cast<std::size_t>(law_.members().mean().pairs())),
      moves_(static_cast<std::size_t>(law_.members().mean().nonzeros())),
      row_moves_(rewards_.size()) {}

Ensemble Ensemble::with_prior(Prior prior) const {
  Ensemble other = *this;
  const std::span<const double> variance = observation_variance();
  other.law_ =
      MemberLaw(members(), std::move(prior), {variance.begin(), variance.end()}, options_.unseen_strength);
  other.posterior_.reset();
  return other;
}

Ensemble Ensemble::after(const Mdp& world, std::span<const double> n, base::Stream& stream) const {
  Ensemble later = *this;
  for (std::int32_t k = 0; k < world.pairs(); ++k) {
    if (n[k] <= 0) continue;
    const double noise = std::sqrt(observation_variance()[k] / n[k]) * base::normal(stream);
    later.observe({.pair = k, .reward = world.reward()[k] + noise, .weight = n[k]});
    const mdp::Row row = world.row(k);
    const double whole = std::ceil(n[k]);
    for (double i = 0; i < whole && row.size() > 1; ++i)
      later.observe_move(k,
                         row.next_state[static_cast<std::size_t>(base::categorical(stream, row.probability))],
                         n[k] / whole);
  }
  return later;
}

void Ensemble::check_pair(const char* function, std::int32_t pair) const {
  base::check_range(function, "pair", pair, 0, members().mean().pairs() - 1);
}

void Ensemble::check_observation(const mdp::Observation& seen) const {
  check_pair("Ensemble::observe", seen.pair);
  base::check_positive("Ensemble::observe", "weight", seen.weight);
  if (seen.reward) base::check_finite("Ensemble::observe", "reward", *seen.reward);
  if (seen.next_state)
    base::check_range("Ensemble::observe", "next_state", *seen.next_state, 0, members().mean().states() - 1);
}

void Ensemble::observe(const mdp::Observation& seen) {
  check_observation(seen);
  if (seen.reward) observe_reward(seen);
  if (seen.next_state) observe_move(seen.pair, *seen.next_state, seen.weight);
  posterior_.reset();
}

void Ensemble::observe(const mdp::ObservationLog& log) {
  for (std::size_t i = 0; i < log.size(); ++i) observe(log.row(i));
}

void Ensemble::observe_reward(const mdp::Observation& seen) {
  const bool bound = seen.censored != Censoring::none;
  if (bound) begin_to_follow(seen.pair);
  const auto found = followed_.find(seen.pair);
  if (found != followed_.end()) {
    for (std::int32_t i = 0; i < members().size(); ++i)
      follow(i, seen, found->second[static_cast<std::size_t>(i)]);
  }
  if (bound) {
    ++censored_;
  } else {
    add(rewards_[seen.pair], *seen.reward, seen.weight);
  }
}

void Ensemble::begin_to_follow(std::int32_t pair) {
  const auto [found, first] = followed_.try_emplace(pair);
  if (!first) return;
  const SampleSummary& seen = rewards_[pair];
  for (std::int32_t i = 0; i < members().size(); ++i) {
    const PairReward prior = law_.reward(i, pair);
    const double variance = prior.prior_sd * prior.prior_sd;
    found->second.push_back(
        {seen, belief::log_evidence(prior.prior_mean, variance, prior.observation_variance, seen)});
  }
}

void Ensemble::follow(std::int32_t member, const mdp::Observation& seen, FollowedReward& followed) const {
  const PairReward now = law_.reward(member, seen.pair, followed.seen);
  const double mean = kind_->mean(now), variance = kind_->variance(now), v = now.observation_variance;
  const double reward = *seen.reward;
  if (seen.censored == Censoring::none) {
    followed.log_evidence += belief::log_evidence(mean, variance, v, {seen.weight, reward, 0});
    add(followed.seen, reward, seen.weight);
    return;
  }
  followed.log_evidence += seen.weight * log_probability_of_bound(mean, variance, v, seen.censored, reward);
  followed.seen = seen.censored == Censoring::at_least ? kind_->after_at_least(now, reward, seen.weight)
                                                       : kind_->after_at_most(now, reward, seen.weight);
}

void Ensemble::observe_move(std::int32_t pair, std::int32_t next_state, double weight) {
  const Mdp& mean = members().mean();
  const std::optional<std::size_t> place = mean.row(pair).find(next_state);
  if (!place) {
    off_support_[{pair, next_state}] += weight;
    return;
  }
  moves_[static_cast<std::size_t>(mean.row_begin()[pair]) + *place] += weight;
  row_moves_[pair] += weight;
}

std::vector<OffSupport> Ensemble::off_support() const {
  std::vector<OffSupport> found;
  for (const auto& [where, count] : off_support_) found.push_back({where.first, where.second, count});
  return found;
}

std::vector<PairData> Ensemble::data() const {
  std::vector<PairData> tried;
  const std::span<const double> moves(moves_);
  for (std::int32_t k = 0; k < members().mean().pairs(); ++k) {
    if (rewards_[k].count == 0 && row_moves_[k] == 0) continue;
    const bool followed = followed_.contains(k);
    const PairData data = law_.data(k, followed ? SampleSummary() : rewards_[k],
                                    base::part_of(moves, members().mean().entries_of(k)));
    if (data.misfit > 0 || data.moves > 0) tried.push_back(data);
  }
  return tried;
}

const Ensemble::Posterior& Ensemble::posterior() const {
  return posterior_.get([&] { return make_posterior(); });
}

Ensemble::Posterior Ensemble::make_posterior() const {
  const std::vector<PairData> tried = data();
  double common = 0;
  for (const PairData& pair : tried) {
    const bool seen = pair.misfit > 0;
    common += law_.common_log_density(pair.pair, seen ? rewards_[pair.pair] : SampleSummary(), pair.moves);
  }
  Posterior result;
  std::vector<double> log_weight;
  for (std::int32_t i = 0; i < members().size(); ++i) {
    double sum = common;
    for (const PairData& pair : tried) sum += law_.log_density(i, pair);
    for (const auto& [pair, followed] : followed_) sum += followed[static_cast<std::size_t>(i)].log_evidence;
    result.log_evidence.push_back(sum);
    log_weight.push_back(std::log(members().weights()[i]) + sum);
  }
  result.total = log_sum_exp(log_weight);
  for (const double x : log_weight) result.weights.push_back(std::exp(x - result.total));
  return result;
}

double Ensemble::effective_members() const {
  double squares = 0;
  for (const double w : weights()) squares += w * w;
  return 1 / squares;
}

PairReward Ensemble::reward_of(std::int32_t member, std::int32_t pair) const {
  const auto found = followed_.find(pair);
  return law_.reward(
      member, pair,
      found == followed_.end() ? rewards_[pair] : found->second[static_cast<std::size_t>(member)].seen);
}

double Ensemble::reward_mean(std::int32_t pair) const {
  check_pair("Ensemble::reward_mean", pair);
  const auto w = weights();
  double mean = 0;
  for (std::int32_t i = 0; i < members().size(); ++i) mean += w[i] * kind_->mean(reward_of(i, pair));
  return mean;
}

double Ensemble::reward_variance(std::int32_t pair) const {
  const double mean = reward_mean(pair);
  const auto w = weights();
  double variance = 0;
  for (std::int32_t i = 0; i < members().size(); ++i) {
    const PairReward reward = reward_of(i, pair);
    const double off = kind_->mean(reward) - mean;
    variance += w[i] * (kind_->variance(reward) + off * off);
  }
  return variance;
}

std::vector<double> Ensemble::reward_variances() const {
  std::vector<double> variance(static_cast<std::size_t>(members().mean().pairs()));
  for (std::int32_t k = 0; k < members().mean().pairs(); ++k) variance[k] = reward_variance(k);
  return variance;
}

void Ensemble::row_parameters(std::int32_t member, std::int32_t pair, std::span<double> alpha) const {
  law_.row(member, pair, alpha);
  const std::int64_t begin = members().mean().row_begin()[pair];
  for (std::size_t j = 0; j < alpha.size(); ++j) alpha[j] += moves_[static_cast<std::size_t>(begin) + j];
}

// Law of total variance: rows are Dirichlet of mean q_i and the same strength a in every member, so
//   sum_j Var = sum_i w_i [(1-|q_i|^2)/(a+1) + |q_i - q|^2],   q = sum_i w_i q_i,
// and a Dirichlet of mean q and strength x has (1-|q|^2)/(x+1).
double Ensemble::transition_strength(std::int32_t pair) const {
  check_pair("Ensemble::transition_strength", pair);
  const double a = law_.strength(pair) + row_moves_[pair];
  const std::size_t size = members().mean().entries_of(pair).size();
  const auto w = weights();
  std::vector<double> q(size), mean(size);
  double squares = 0;  // sum_i w_i |q_i|^2
  for (std::int32_t i = 0; i < members().size(); ++i) {
    row_parameters(i, pair, q);
    for (std::size_t j = 0; j < size; ++j) {
      mean[j] += w[i] * q[j] / a;
      squares += w[i] * (q[j] / a) * (q[j] / a);
    }
  }
  const double within = (1 - squares) / (a + 1);
  const double of_mean = std::inner_product(mean.begin(), mean.end(), mean.begin(), 0.0);
  const double between = std::max(0.0, squares - of_mean);
  if (members().size() == 1 || !(within + between > 0)) return a;
  return std::max((1 - of_mean) / (within + between) - 1, std::numeric_limits<double>::min());
}

std::vector<double> Ensemble::transition_strengths() const {
  std::vector<double> strength(static_cast<std::size_t>(members().mean().pairs()));
  for (std::int32_t k = 0; k < members().mean().pairs(); ++k) strength[k] = transition_strength(k);
  return strength;
}

// Rows have the same strength in every member, so the mean over members is that of the parameters.
Mdp Ensemble::mean() const {
  const Mdp& shape = members().mean();
  std::vector<double> reward, probability = members().mean_probability(weights());
  for (std::int32_t k = 0; k < shape.pairs(); ++k) {
    reward.push_back(reward_mean(k));
    const double alpha0 = prior().transition_strength[k], extra = law_.unseen(k);
    const auto row = base::part_of(std::span(probability), shape.entries_of(k));
    if (row_moves_[k] > 0 || extra > 0) {  // no rounding where nothing was seen
      const auto first = static_cast<std::size_t>(shape.row_begin()[k]);
      for (std::size_t j = 0; j < row.size(); ++j) row[j] = alpha0 * row[j] + extra + moves_[first + j];
      const double total = std::accumulate(row.begin(), row.end(), 0.0);
      for (double& p : row) p /= total;
    }
    for (double& p : row) p = std::max(p, std::numeric_limits<double>::min());
  }
  return shape.with_probability(std::move(probability)).with_reward(std::move(reward));
}

Mdp Ensemble::member_mean(std::int32_t member) const {
  base::check_range("Ensemble::member_mean", "member", member, 0, members().size() - 1);
  const Mdp& shape = members().mean();
  std::vector<double> reward, probability(moves_.size());
  for (std::int32_t k = 0; k < shape.pairs(); ++k) {
    reward.push_back(kind_->mean(reward_of(member, k)));
    const auto row = base::part_of(std::span(probability), shape.entries_of(k));
    row_parameters(member, k, row);
    const double total = std::accumulate(row.begin(), row.end(), 0.0);
    for (double& p : row) p = std::max(p / total, std::numeric_limits<double>::min());
  }
  return shape.with_probability(std::move(probability)).with_reward(std::move(reward));
}

double Ensemble::reward_variance_within(std::int32_t pair) const {
  check_pair("Ensemble::reward_variance_within", pair);
  double variance = 0;
  for (std::int32_t i = 0; i < members().size(); ++i)
    variance += weights()[i] * kind_->variance(reward_of(i, pair));
  return variance;
}

double Ensemble::transition_strength_within(std::int32_t pair) const {
  check_pair("Ensemble::transition_strength_within", pair);
  return law_.strength(pair) + row_moves_[pair];
}

// The multiples of the golden ratio are the most evenly spread of all sequences u, u + x, u + 2 x, ... modulo
// 1 (Niederreiter 1992, "Random number generation and quasi-Monte Carlo methods", section 3.1). In units of
// 2^-64, where the product wraps around by itself.
std::int32_t Ensemble::member_of_draw(std::uint64_t seed, std::uint64_t draw) const {
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
  // Rows have the units 0 .. pairs-1 of their draw (Belief::sample).
  base::Stream stream({seed, base::Purpose::belief, 0, static_cast<std::uint64_t>(members().mean().pairs())});
  const double u = base::to_unit_interval(stream.next() + draw * kGoldenRatio);
  double sum = 0;
  std::int32_t last = 0;
  for (std::int32_t i = 0; i < members().size(); ++i) {
    if (weights()[i] == 0) continue;
    sum += weights()[i];
    last = i;
    if (u < sum) break;
  }
  return last;
}

void Ensemble::draw_pairs(std::int32_t member, base::Range pairs, std::uint64_t seed, std::uint64_t draw,
                          std::span<double> reward, std::span<double> probability) const {
  std::vector<double> alpha;
  for (auto k = static_cast<std::int32_t>(pairs.begin); k < pairs.end; ++k) {
    base::Stream stream({seed, base::Purpose::belief, draw, static_cast<std::uint64_t>(k)});
    reward[k] = kind_->sample(reward_of(member, k), stream);
    const auto row = base::part_of(probability, members().mean().entries_of(k));
    if (row.size() == 1) {
      row[0] = 1;
      continue;
    }
    alpha.resize(row.size());
    row_parameters(member, k, alpha);
    base::dirichlet(stream, alpha, row);
    for (double& p : row) p = std::max(p, std::numeric_limits<double>::min());
  }
}

Mdp Ensemble::sample(std::uint64_t seed, std::uint64_t draw) const {
  const base::Threads one(1);
  return sample(seed, draw, one);
}

Mdp Ensemble::sample(std::uint64_t seed, std::uint64_t draw, const base::Threads& threads) const {
  constexpr std::int64_t kGrain = 4096;
  const Mdp& shape = members().mean();
  const std::int32_t member = member_of_draw(seed, draw);
  std::vector<double> reward(rewards_.size()), probability(moves_.size());
  base::parallel_for(threads, shape.pairs(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    draw_pairs(member, {begin, end}, seed, draw, reward, probability);
  });
  return shape.with_probability(std::move(probability)).with_reward(std::move(reward));
}

}  // namespace mindgap::belief
