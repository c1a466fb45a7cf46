#include "mindgap/belief/member_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/log_pmf.h"
#include "mindgap/base/number.h"

namespace mindgap::belief {

MemberLaw::MemberLaw(Members members, Prior prior, std::vector<double> observation_variance,
                     double unseen_strength)
    : members_(std::move(members)),
      prior_(std::move(prior)),
      observation_variance_(std::move(observation_variance)),
      unseen_strength_(unseen_strength) {
  const mdp::Mdp& mean = members_.mean();
  check_prior(mean, prior_);
  base::check_size("Ensemble", "observation_variance", observation_variance_.size(), prior_.reward_sd.size());
  base::check_nonnegative("Ensemble", "observation_variance", observation_variance_);
  base::check_positive("Ensemble", "unseen_strength", unseen_strength_);
  for (std::int32_t k = 0; k < mean.pairs(); ++k) {
    if (prior_.reward_sd[k] > 0 || observation_variance_[k] > 0) continue;
    for (std::int32_t i = 1; i < members_.size(); ++i) {
      if (members_.reward(i)[k] == members_.reward(0)[k]) continue;
      throw InvalidArgument(
          fmt::format("Ensemble: members '{}' and '{}' differ in the reward of state '{}', action '{}', but "
                      "reward_sd and the variance of one reward are both 0 there; one must be positive",
                      base::printable(members_.name(0)), base::printable(members_.name(i)),
                      base::printable(mean.state_name(mean.state_of_pair(k))),
                      base::printable(mean.action_name_of_pair(k))));
    }
  }
}

double MemberLaw::unseen(std::int32_t pair) const {
  if (members_.same_support(pair)) return 0;
  return unseen_strength_ / static_cast<double>(members_.mean().entries_of(pair).size());
}

double MemberLaw::strength(std::int32_t pair) const {
  return prior_.transition_strength[pair] + (members_.same_support(pair) ? 0 : unseen_strength_);
}

void MemberLaw::row(std::int32_t member, std::int32_t pair, std::span<double> alpha) const {
  const auto p = base::part_of(members_.probability(member), members_.mean().entries_of(pair));
  const double alpha0 = prior_.transition_strength[pair], extra = unseen(pair);
  for (std::size_t j = 0; j < p.size(); ++j) alpha[j] = alpha0 * p[j] + extra;
}

PairData MemberLaw::data(std::int32_t pair, const SampleSummary& rewards,
                         std::span<const double> count) const {
  PairData data{.pair = pair, .mean = rewards.mean, .count = count};
  const double sd = prior_.reward_sd[pair], v = observation_variance_[pair];
  if (rewards.count > 0 && (sd > 0 || v > 0)) data.misfit = .5 / (sd * sd + v / rewards.count);
  if (count.size() > 1)
    for (const double n : count) data.moves += n;
  return data;
}

double MemberLaw::log_density(std::int32_t member, const PairData& data) const {
  const double of_mean = log_density_of_mean(member, data);
  if (data.moves == 0) return of_mean;
  const auto p = base::part_of(members_.probability(member), members_.mean().entries_of(data.pair));
  const double alpha0 = prior_.transition_strength[data.pair], extra = unseen(data.pair);
  double of_moves = 0;
  for (std::size_t j = 0; j < p.size(); ++j)
    if (data.count[j] > 0) of_moves += base::log_rising(alpha0 * p[j] + extra, data.count[j]);
  return of_mean + of_moves;
}

double MemberLaw::common_log_density(std::int32_t pair, const SampleSummary& rewards, double moves) const {
  const double sd = prior_.reward_sd[pair];
  return log_evidence(rewards.mean, sd * sd, observation_variance_[pair], rewards) -
         base::log_rising(strength(pair), moves);
}

// The mean of n rewards is r_i + N(0, reward_sd^2) + N(0, v/n). Moves are multinomial given the row: one
// entry after the other, each binomial in what is left.
PairData MemberLaw::draw(std::int32_t member, const PairData& like, base::Stream& stream,
                         std::span<double> count) const {
  PairData data = like;
  data.count = count;
  if (like.misfit > 0)
    data.mean = members_.reward(member)[like.pair] + base::normal(stream) / std::sqrt(2 * like.misfit);
  if (like.moves == 0) return data;
  thread_local std::vector<double> alpha, p;
  alpha.resize(count.size());
  p.resize(count.size());
  row(member, like.pair, alpha);
  base::dirichlet(stream, alpha, p);
  const auto whole = static_cast<std::int64_t>(std::ceil(like.moves));
  const double each = like.moves / static_cast<double>(whole);
  std::int64_t left = whole;
  double rest = 1;
  for (std::size_t j = 0; j < count.size(); ++j) {
    const bool last = j + 1 == count.size();
    const std::int64_t n = last ? left : base::binomial(stream, left, std::clamp(p[j] / rest, 0.0, 1.0));
    count[j] = each * static_cast<double>(n);
    left -= n;
    rest = std::max(rest - p[j], std::numeric_limits<double>::min());
  }
  return data;
}

double log_evidence(double mean, double variance, double observation_variance, const SampleSummary& seen) {
  const double n = seen.count, v = observation_variance, off = seen.mean - mean;
  constexpr double kTwoPi = 2 * std::numbers::pi;
  if (n == 0 || (v == 0 && variance == 0)) return 0;
  if (v == 0) return -.5 * (std::log(kTwoPi * variance) + off * off / variance);
  return -.5 * (n * std::log(kTwoPi * v) + seen.squared_deviations / v + std::log1p(n * variance / v) +
                n * off * off / (v + n * variance));
}

double log_sum_exp(std::span<const double> x) {
  double largest = -base::kInfinity, sum = 0;
  for (const double value : x) largest = std::max(largest, value);
  if (largest == -base::kInfinity) return largest;
  for (const double value : x) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

}  // namespace mindgap::belief
