#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/belief/ensemble.h"
#include "mindgap/gap/pvv.h"

namespace mindgap::gap {

/// What a target's value owes to the question which member of an ensemble is true. With w_i the weights now
/// and z ~ N(0, I), one factor per member, a number that is x_i in member i is to second moments
///   sum_i w_i x_i + l'z,  l_i = sqrt(w_i) (x_i - sum_j w_j x_j):
/// numbers x and y have the covariance sum_i w_i (x_i - xbar) (y_i - ybar) = l(x)'l(y).
class MemberModels {
 public:
  explicit MemberModels(const belief::Ensemble& ensemble);

  std::int32_t size() const { return static_cast<std::int32_t>(models_.size()); }
  std::span<const double> weights() const { return weights_; }
  /// The members' models of posterior means, all with the same rows. Memory: 8 bytes per member and pair, and
  /// per member and move.
  const mdp::Mdp& model(std::int32_t member) const { return models_[static_cast<std::size_t>(member)]; }

  /// l of numbers x_i, one per member. Exactly 0 where all are equal.
  std::vector<double> load(std::span<const double> x) const;
  /// l of each pair's mean reward.
  std::vector<std::vector<double>> reward_loads() const;
  /// V_i per member and state: the policy's value in each member. One linear solve per member.
  std::vector<std::vector<double>> values(const mdp::Policy& policy, int threads = 0) const;

 private:
  std::vector<double> weights_;
  std::vector<mdp::Mdp> models_;
};

/// Gives weights = pvv_weights(mdp, target), with loads, their loads on the members. Each load stands for
/// some b_t'V, and is c_tk = (b_t'R)(s) pi(a|s) with R of the mean model `mdp`; so l_t is that of
///   b_t'V_i = b_t'R (V_i - g P_pi V_i) = sum_k c_tk (V_i(s) - g sum_j p(j|k) V_i(j)),
/// exact whatever the b_t are, also random signs. pvv_weights() calls this where
/// WeightsOptions::member_models says so.
void add_member_loads(PvvWeights& weights, const MemberModels& members, const mdp::Mdp& mdp,
                      const mdp::Policy& target, int threads = 0);
void add_member_loads(PvvWeights& weights, const belief::Ensemble& ensemble, const mdp::Policy& target,
                      int threads = 0);

/// Means, precisions and member_pairs() of an ensemble.
Precision precision_of(const belief::Ensemble& ensemble);

}  // namespace mindgap::gap
