#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mindgap/gap/criterion.h"

// The variance of a target's value where pairs have factors in common. Shared errors of rewards
// (shared_pairs.cpp) and ensembles of models (member_pairs.cpp) are both of this form.
namespace mindgap::gap {

/// What is not known now, as independent factors z ~ N(0, I_q) and errors of each pair's own:
///   reward of k    n observations of U_k'z + delta_k with noise of precision tau_k, delta_k ~ N(0, s_k^2);
///   moves from k   one observation of each P_kj'z, with precision q_k(n) = (a_k + 1) n / (a_k + n): that of
///                  n moves whose row is drawn anew around its mean, with strength a_k.
/// Pairs and rows that no factor moves are left out of the matrices and cost nothing.
struct FactorModel {
  std::int32_t factors = 0;
  std::vector<double> own_variance;        // s^2 per pair
  std::vector<std::int32_t> reward_pairs;  // pairs with U_k other than 0, ascending
  Eigen::MatrixXd reward_loading;          // U_k of these: factors x their number
  std::vector<std::int32_t> move_pairs;    // pairs with P_k other than 0, ascending
  std::vector<std::int64_t> move_begin;    // where the columns of each of these begin, and the end
  Eigen::MatrixXd move_loading;            // P_kj, column by column
  std::vector<double> strength;            // a per pair; empty: as the precision says, and no moves
  /// Whether the target's loads on the factors are PvvWeights::member_loads. Otherwise the factors are about
  /// rewards alone and a target has the loads sum_k c_k U_k on them.
  bool member_loads = false;
};

/// As Dependence::criterion() and terms().
std::shared_ptr<const Criterion> factor_criterion(std::shared_ptr<const FactorModel> model,
                                                  const PvvWeights& weights, const Precision& precision,
                                                  Block block, std::span<const double> credit);
Dependence::Terms factor_terms(std::shared_ptr<const FactorModel> model, const PvvWeights& weights,
                               const Precision& precision, std::span<const double> counts);

/// Pairs whose errors have these factors; `members` where targets need loads on an ensemble's members.
std::shared_ptr<const Dependence> factor_pairs(FactorModel model,
                                               std::shared_ptr<const MemberModels> members = nullptr);

}  // namespace mindgap::gap
