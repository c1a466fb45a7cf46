#pragma once

#include <span>
#include <vector>

#include "mindgap/mdp/model.h"

// How far the truth may be from the simulator, per pair, before any deployment data.
namespace mindgap::belief {

struct Prior {
  std::vector<double> reward_sd;            // sd of the true mean reward around the simulator's, >= 0
  std::vector<double> transition_strength;  // pseudo-observations behind the simulated row, > 0
};

/// Throws InvalidArgument unless there is one number per pair and each is in its domain.
void check_prior(const mdp::Mdp& mdp, const Prior& prior);

/// Throws InvalidArgument, with name and value, unless each number that is stated is in its domain.
void check_stated(const mdp::PriorSpec& spec);

/// The prior a model states, with drift_sd as a floor on reward_sd. Where it states no reward_sd, rewards
/// that are constants by construction are known (0), else the wide sd of reward_max stands in (.5 for
/// Bernoulli rewards). Without transition_strength: 1. Throws as check_stated does.
Prior stated_prior(const mdp::Model& model);

/// How many values the simulator's mean rewards take, where they are taken for constants by construction (a
/// step costs 1, the end pays 20), else 0: from kFewestValues to kMostValues values in a model of several
/// states with at least kPairsPerValue pairs for each, and at least kFewestPairs in all, of which no
/// reward_sd and no Bernoulli rewards are stated. docs/math/priors.md says why.
std::int64_t constant_rewards(const mdp::Model& model);
constexpr std::int64_t kFewestValues = 2, kMostValues = 4, kPairsPerValue = 10, kFewestPairs = 20;

/// The variance of one observed reward, per pair, as the model states it; empty where it states none.
std::vector<double> observation_variance(const mdp::Model& model);

/// What no amount of history of the same kind reveals: the historical actions followed a hidden state h, with
/// w(h) = P(a|s,h) / P(a|s) anywhere in [1/M, M] (the odds constant M >= 1).
///  - The historical mean reward of a pair is off by at most B = (M-1)/sqrt(M) sqrt(v), v the variance of one
///    reward.
///  - The historical transition distribution is off by at most D = 2 (M-1)/(M+1) in the 1-norm.
/// Both are attained, by a hidden state with two values (docs/math/priors.md has the proof).
double reward_bias_bound(double odds, double variance);
double transition_bias_bound(double odds);

/// What a user says about history beside its counts.
struct CoverageOptions {
  double odds = 1;      // M; 1 says that history was not confounded
  double drift_sd = 0;  // floor on reward_sd: what the world may have moved since
};

/// A prior from how often history saw each pair. The bounds B and D are read as two standard deviations:
///   reward_sd^2 = min(v/n, wide^2) + (B/2)^2, then at least drift_sd^2;
///   transition_strength = 1 / (1/max(n, weak) + 1/alpha_M), alpha_M + 1 = 8 (1 - sum_i p_i^2) / D^2:
/// a Dirichlet of strength alpha_M has the expected squared error (1 - sum p^2)/(alpha_M + 1), which is set
/// to that of a bound D on the 1-norm. A pair with n = 0 gets what `wide` says. For one that history saw,
/// `wide` caps the sampling error alone: what confounding adds is no matter of how much was seen, and a
/// larger odds constant always widens the prior (docs/math/priors.md). A wide reward_sd of 0 says that the
/// reward is known; it stays 0. The strength does not fall below min(weak, 1), nor that of a row with one
/// successor, where there is nothing to confound, below weak. `variance` is of one observed reward and
/// `count` (>= 0) the historical observations, both per pair.
Prior prior_from_coverage(const mdp::Mdp& mdp, std::span<const double> variance,
                          std::span<const double> count, const Prior& wide,
                          const CoverageOptions& options = {});

/// A prior about the real system, around a simulator whose table is only known from samples. `stated` is
/// about the real system around the simulator itself; `count` (>= 0) says from how many samples each row of
/// the table was estimated, and `variance` is of one reward, both per pair. With n = max(count, 1) samples
///   reward_sd^2 = stated^2 + v/n,
///   1 + 1/transition_strength = (1 + 1/alpha) (1 + 1/n),  alpha the stated strength:
/// the sampling error is added to the stated doubt. The second is exact in means, variances and covariances
/// for a Dirichlet of strength alpha around a row that is itself Dirichlet of strength n around the table's
/// (docs/math/priors.md). Less than one sample is a share of one, whose error is that of a whole one. As
/// stated stay pairs with count 0, of which the table says nothing that was seen, and the strength of rows
/// with one successor, which n samples did not show to be otherwise.
Prior prior_around_samples(const mdp::Mdp& mdp, std::span<const double> variance,
                           std::span<const double> count, const Prior& stated);

}  // namespace mindgap::belief
