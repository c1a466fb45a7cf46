#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/policy.h"

// One policy for several models of the same states and actions (mean_model.h).
namespace mindgap::mdp {

struct SeveralModelsOptions {
  /// Searches begin at the optima of so many models, those with the largest weights, at most; >= 0.
  std::int32_t first_policies = 20;
  /// Policies that are evaluated, at most, in the search from one first policy; > 0.
  std::int64_t max_evaluations = 1000;
  /// Up to so many states a search ends only where no change in a single state helps; in larger models where
  /// no change that promises to help, to first order, does.
  std::int32_t single_changes_up_to = 50;
  /// A policy is better where its value is higher by more than this share of max|r| / (1 - discount); > 0.
  double tolerance = 1e-9;
  /// 0: all cores. The result does not depend on it.
  int threads = 0;

  void validate() const;
};

/// One policy for several models. What is exact: its values, up to `error_bound`, and that no policy
/// whatsoever exceeds `upper_bound`. What is not: the policy is the best that was found, and a better one may
/// exist. (To find the best one on average is NP-hard: Steimle, Kaufman and Denton 2021.) The distance to the
/// bound overstates what is missing, since one policy cannot in general be optimal in every model.
struct SeveralModelsPolicy {
  Policy policy;                    // deterministic
  std::vector<double> model_value;  // from the start, per model
  double value = 0;              // their weighted mean (average_policy) or the least of them (robust_policy)
  double error_bound = 0;        // of every value
  double upper_bound = 0;        // of the value of any policy, also one that remembers or randomises
  std::vector<double> weights;   // per model: those given, or (robust_policy) those it is an answer to
  std::int64_t evaluations = 0;  // policies that were evaluated
};

/// A deterministic stationary policy with a high weighted mean value sum_i w_i V_i(start): what one policy
/// earns on average if model i is true with probability w_i. That is not the
/// optimum of mean_model(), which may behave like none of the models.
///
/// Weight-select-update (Steimle, Kaufman and Denton 2021, "Multi-model Markov decision processes", IISE
/// Transactions 53:1124) for an infinite horizon. Every model is evaluated under the current policy, and the
/// candidates are the changes with the largest
///   G(s,a) = sum_i w_i d_i(s) (Q_i(s,a) - V_i(s)) > 0,   d_i(s) the discounted visits of s in model i,
/// which is the derivative of the mean value. (Their backward induction has no d_i, for earlier decisions are
/// open there. Here they are not, and a model that hardly visits s should hardly count in s.) Models
/// disagree, so changing all these states at once may lower the mean, unlike in policy iteration: then the
/// half with the largest G is tried, a quarter, and so on. A change is kept only where the mean value rises,
/// so it never falls. Searches begin at the optimum of the mean model and at those of the models with the
/// largest weights (`first_policies` at most), and the best end counts.
///
/// The bound is sum_i w_i V*_i(start). Weights are nonnegative and sum to 1. Throws InvalidArgument (also for
/// a discount of 1), and as check_same_pairs() does.
SeveralModelsPolicy average_policy(std::span<const Mdp> models, std::span<const double> weights,
                                   const SeveralModelsOptions& options = {});

/// The models that are still possible: those with at least a hundredth of an even share of the weight. A
/// worst case among others would be about models that data have ruled out.
std::vector<std::size_t> possible_models(std::span<const double> weights);

struct RobustOptions {
  SeveralModelsOptions search = {};
  std::int64_t rounds = 30;  // of weights; > 0

  void validate() const;
};

/// A deterministic stationary policy with a high value in its worst model, min_i V_i(start). Models are
/// played against the policy: weights move to the models where the last policy earned little (multiplicative
/// weights: Freund and Schapire 1999, "Adaptive game playing using multiplicative weights", Games and
/// Economic Behavior 29:79), the policy answers as average_policy() does, and of all policies met on the way
/// the one with the best worst model counts; up to `single_changes_up_to` states it is then improved state by
/// state. Answers are not certain to be best ones, and a deterministic policy can be beaten by a randomised
/// one, so this proves nothing about the policy. The bound does not depend on any of it: in model i a policy
/// earns at most V*_i(start), so in its worst at most min_i V*_i(start). (That is also the least of sum_i w_i
/// V*_i(start) over all weights, which is linear in them.) Throws as average_policy() does.
SeveralModelsPolicy robust_policy(std::span<const Mdp> models, const RobustOptions& options = {});

}  // namespace mindgap::mdp
