#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/base/random.h"
#include "mindgap/belief/prior.h"
#include "mindgap/belief/reward_belief.h"
#include "mindgap/mdp/members.h"

namespace mindgap::belief {

using mdp::Members;

/// What was seen of one pair, as far as it tells members apart: the mean of its rewards (their spread has the
/// same law in every member) and its moves per entry of the row.
struct PairData {
  std::int32_t pair = 0;
  double misfit = 0;  // 1 / (2 variance of the mean before any data); 0: no reward, or one that tells nothing
  double mean = 0;    // of the rewards
  double moves = 0;   // 0: none, or none that tells anything
  std::span<const double> count = {};
};

/// The law of rewards and moves given a member of an ensemble, before any data:
///   rewards  theta_k ~ N(r_i(k), reward_sd_k^2), observed with a known variance v_k;
///   rows     Dirichlet(alpha_k p_i + e_k), e_k = unseen_strength / (size of the row) for each entry where
///            members disagree on the support of row k, else 0.
class MemberLaw {
 public:
  /// `prior` and `observation_variance` (of one reward, >= 0) are per pair. Throws InvalidArgument; also
  /// where members differ in a reward that can only be observed as it is (reward_sd and observation_variance
  /// 0), so that an observation could rule out all of them.
  MemberLaw(Members members, Prior prior, std::vector<double> observation_variance, double unseen_strength);

  const Members& members() const { return members_; }
  const Prior& prior() const { return prior_; }
  std::span<const double> observation_variance() const { return observation_variance_; }

  PairReward reward(std::int32_t member, std::int32_t pair, const SampleSummary& seen = {}) const {
    return {members_.reward(member)[pair], prior_.reward_sd[pair], observation_variance_[pair], seen};
  }
  /// The sum of the row's Dirichlet parameters: the same for all members.
  double strength(std::int32_t pair) const;
  /// e_k.
  double unseen(std::int32_t pair) const;
  /// The row's Dirichlet parameters.
  void row(std::int32_t member, std::int32_t pair, std::span<double> alpha) const;

  /// The data of a pair, of which `count` gives the moves per entry of its row.
  PairData data(std::int32_t pair, const SampleSummary& rewards, std::span<const double> count) const;
  /// What depends on the member in the log density of a pair's data:
  ///   -(mean - r_i)^2 misfit + sum_j log Gamma(a_j + n_j) / Gamma(a_j).
  double log_density(std::int32_t member, const PairData& data) const;
  /// The first of these terms.
  double log_density_of_mean(std::int32_t member, const PairData& data) const {
    const double off = data.mean - members_.reward(member)[data.pair];
    return -data.misfit * off * off;
  }
  /// What does not: log_density() and this are the log of the product of predictive densities in sequence.
  double common_log_density(std::int32_t pair, const SampleSummary& rewards, double moves) const;
  /// Draws mean and moves of a pair (as many as `like` has) into `count`, which the result refers to. Moves
  /// must be whole: else ceil(n) are drawn that count n / ceil(n) each.
  PairData draw(std::int32_t member, const PairData& like, base::Stream& stream,
                std::span<double> count) const;

 private:
  Members members_;
  Prior prior_;
  std::vector<double> observation_variance_;
  double unseen_strength_;
};

/// The log density of rewards (count, mean, squared deviations) seen with variance v, where their mean theta
/// is believed to be N(mean, variance): of n rewards the product of predictive densities in any order,
///   -(1/2) [n log(2 pi v) + S/v + log(1 + n variance/v) + n (xbar - mean)^2 / (v + n variance)].
/// Without noise (v = 0) the density of xbar; 0 where that has no variance either, and for n = 0. A count
/// need not be whole: the likelihood of an observation of weight w is taken to the power w.
double log_evidence(double mean, double variance, double observation_variance, const SampleSummary& seen);

/// log sum_i exp(x_i), of x_i that may be -infinity.
double log_sum_exp(std::span<const double> x);

}  // namespace mindgap::belief
