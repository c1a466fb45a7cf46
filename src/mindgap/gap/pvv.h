#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/belief/belief.h"
#include "mindgap/gap/criterion.h"
#include "mindgap/mdp/numbers.h"
#include "mindgap/mdp/policy.h"

// The posterior variance of a target policy's value (PVV; paper Definition pvv, docs/math/pvv.md), averaged
// over where the target goes. By the delta method, and where pairs are independent, it is separable in the
// numbers n(s,a) of observations:
//   PVV(n) = sum_{s,a} W_r / (1/sigma^2 + tau n) + W_p / (alpha + n),
//   d = (1-g) rho'R, R = (I - g P_pi)^-1, V = R r_pi,
//   w(s) = sum_u d(u) R[u,s]^2, W_r(s,a) = w(s) pi(a|s)^2, W_p = g^2 W_r Var_{p0(s,a)}(V),
// with sigma^2 and alpha the belief's reward variance and Dirichlet strength, tau the precision of one
// reward.
namespace mindgap::gap {

enum class WeightsMethod {
  automatic,  // exact for up to 5,000 states, or where the target visits no more states than there are probes
  exact,      // one linear solve per state the target visits
  probing,    // Hutchinson: w(s) from random signs, around the mean row of R which is found exactly
};

std::string_view to_string(WeightsMethod method);

struct WeightsOptions {
  WeightsMethod method = WeightsMethod::automatic;
  /// Random sign vectors; each weight then has a relative standard deviation of at most sqrt(2/probes), and
  /// far less where the target soon forgets its start.
  std::int32_t probes = 64;
  /// Whether loads are wanted, which shared errors need. Then `automatic` is exact for up to 256 states.
  bool loads = false;
  /// Where the belief is an ensemble of models: its members, on which loads are wanted as well
  /// (Dependence::member_models()).
  std::shared_ptr<const MemberModels> member_models = {};
  base::Run run = {};

  void validate() const;
};

/// The weights of one target in one model.
struct PvvWeights {
  WeightsMethod method = WeightsMethod::exact;
  std::vector<double> reward;      // W_r per pair
  std::vector<double> transition;  // W_p per pair
  std::vector<double> visitation;  // d per state
  std::vector<double> value;       // V per state
  /// With probing: w(s) from each of several independent groups of probes, for standard errors. Per group one
  /// factor per state on W_r and W_p: w_group(s) / w(s).
  std::vector<std::vector<double>> groups;
  /// The target as a sum of squares: loads c_t per pair with W_r(k) = sum_t c_tk^2, so that the variance of
  /// its value is sum_t Var(c_t'r) whatever rewards share. Only where they are asked for.
  std::vector<std::vector<double>> loads;
  /// Where the belief is an ensemble of models: with each load c_t, the value's loads l_t on the members
  /// (member_models.h), whose part sum_k c_tk U_k comes from rewards. As many as there are members.
  std::vector<std::vector<double>> member_loads = {};
};

/// Fewer loads with nearly the same sum of c_t c_t': at most 128, its leading eigenvectors.
void compress_loads(std::vector<std::vector<double>>& loads);
/// The same of loads c_t and l_t that belong together: of the sum of squares of (c_t, l_t), with l_t scaled
/// to the size of c_t so that neither is lost beside the other.
void compress_loads(PvvWeights& weights);

/// Throws InvalidArgument for bad options, NumericalError where a linear solve fails.
PvvWeights pvv_weights(const mdp::Mdp& mdp, const mdp::Policy& target, const WeightsOptions& options = {});

/// What is known before counting: per pair the variance of the mean reward (0: known), the precision of one
/// observed reward (may be infinite) and the Dirichlet strength (infinite: known); and how pairs hang
/// together.
struct Precision {
  std::vector<double> reward_variance;
  std::vector<double> observation_precision;
  std::vector<double> transition_strength;
  std::shared_ptr<const Dependence> dependence = independent_pairs();
};
Precision precision_of(const belief::Belief& belief);
/// The options with the loads that the belief needs, where an observation of one pair says something about
/// others.
WeightsOptions for_belief(WeightsOptions options, const belief::Belief& belief);

struct Pvv {
  double reward = 0;      // the reward block
  double transition = 0;  // the transition block
  double total = 0;
  double standard_error = 0;  // of the total, from probing; 0 for exact weights
};

/// PVV after n(s,a) >= 0 further observations per pair (empty: none).
Pvv pvv(const mdp::Mdp& mdp, const PvvWeights& weights, const Precision& precision,
        std::span<const double> counts = {});

/// What each pair contributes to PVV; sums to the total.
std::vector<double> pvv_contributions(const PvvWeights& weights, const Precision& precision,
                                      std::span<const double> counts = {});

/// The transition block of one pair where the next states come from p but the prior is Dirichlet(alpha0 p0):
///   sum_i q_i V_i^2 - (sum_i q_i V_i)^2 / sum_i q_i,  q_i = 1 / (alpha0/p0_i + n/p_i),
/// which for p = p0 is Var_{p0}(V) / (alpha0 + n). All entries of p0 and p positive, alpha0 > 0, n >= 0.
double transition_block(std::span<const double> p0, std::span<const double> p, std::span<const double> value,
                        double alpha0, double n);

/// Var_p(V) of each pair's next state; the second one into `variance`, one number per pair.
std::vector<double> next_value_variance(const mdp::Mdp& mdp, std::span<const double> value);
void next_value_variance(const mdp::Numbers& model, std::span<const double> value,
                         std::span<double> variance);

}  // namespace mindgap::gap
