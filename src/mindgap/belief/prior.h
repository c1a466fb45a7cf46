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

/// The prior a model states, with drift_sd as a floor on reward_sd. Where it states no reward_sd the wide one
/// of reward_max stands in, and 1 for transition_strength. Throws as check_stated does.
Prior stated_prior(const mdp::Model& model);

/// The variance of one observed reward, per pair, as the model states it; empty where it states none.
std::vector<double> observation_variance(const mdp::Model& model);

/// What no amount of history of the same kind reveals: the historical actions followed a hidden state h, with
/// w(h) = P(a|s,h) / P(a|s) anywhere in [1/M, M] (the odds constant M >= 1).
///  - The historical mean reward of a pair is off by at most B = (M-1)/sqrt(M) sqrt(v), v the variance of one
///    reward.
///  - The historical next-state law is off by at most D = 2 (M-1)/(M+1) in the 1-norm.
/// Both are attained, by a hidden state with two values (docs/math/priors.md has the proof).
double reward_bias_bound(double odds, double variance);
double transition_bias_bound(double odds);

/// What a user says about history beside its counts.
struct CoverageOptions {
  double odds = 1;      // M; 1 says that history was not confounded
  double drift_sd = 0;  // floor on reward_sd: what the world may have moved since
};

/// A prior from how often history saw each pair. The bounds B and D are read as two standard deviations:
///   reward_sd^2 = min(v/n + (B/2)^2, wide^2), then at least drift_sd^2;
///   transition_strength = max(1 / (1/n + 1/alpha_M), weak), alpha_M + 1 = 8 (1 - sum_i p_i^2) / D^2:
/// a Dirichlet of strength alpha_M has the expected squared error (1 - sum p^2)/(alpha_M + 1), which is set
/// to that of a bound D on the 1-norm. A pair with n = 0 gets what `wide` says: its reward_sd is the cap
/// above, its transition_strength the floor.
/// `variance` is of one observed reward and `count` (>= 0) the historical observations, both per pair.
Prior prior_from_coverage(const mdp::Mdp& mdp, std::span<const double> variance,
                          std::span<const double> count, const Prior& wide,
                          const CoverageOptions& options = {});

}  // namespace mindgap::belief
