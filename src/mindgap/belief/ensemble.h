#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mindgap/base/lazy.h"
#include "mindgap/base/parallel.h"
#include "mindgap/belief/member_law.h"
#include "mindgap/belief/prior.h"
#include "mindgap/belief/reward_belief.h"
#include "mindgap/belief/transition_belief.h"
#include "mindgap/mdp/observation_log.h"

namespace mindgap::belief {

struct EnsembleOptions {
  /// Pseudo-observations, > 0, spread evenly over a row where members do not agree on what is possible there:
  /// no member is ruled out by a single move.
  double unseen_strength = .01;
};

/// With fewer effective members than this the ensemble is too coarse for the data.
constexpr double kFewMembers = 5;

/// A belief in which one observation says something about every pair: the truth is near one of several
/// members, and what is seen tells which. Given a member it is the independent Belief around that member
/// (member_law.h). Members are Kennedy and O'Hagan's simulator at several parameters, the belief around each
/// is their discrepancy (J. R. Stat. Soc. B 63:425, 2001). The weight of a member is its prior weight times
/// its evidence, normalised.
///
/// The evidence is a function of the summaries that are kept (counts, means, sums of squares), not a running
/// product: it does not depend on the order of observations beyond the rounding of a mean, and a belief costs
/// nothing until it is asked. Rewards of which only a bound was seen have no such summary. From the first one
/// on, the pair is followed in sequence, in every member on its own: a bound adds the log of its predictive
/// probability and then counts as RewardBelief::after_at_least() says, so its place in the order matters a
/// little, as in Belief.
///
/// A next state that no member calls possible is counted apart and changes nothing. With one member all
/// means, variances and draws are those of Belief, as long as there was no such move.
class Ensemble {
 public:
  /// `prior` and `observation_variance` (of one reward, >= 0) are per pair and common to all members. Throws
  /// InvalidArgument, as MemberLaw does.
  Ensemble(Members members, Prior prior, std::vector<double> observation_variance,
           const EnsembleOptions& options = {});

  /// As Belief::observe(). A weight other than 1 takes the likelihood to that power.
  void observe(const mdp::Observation& seen);
  void observe(const mdp::ObservationLog& log);

  /// The same observations, judged from another prior of the discrepancy. Rewards of which only a bound was
  /// seen keep what they were worth. Throws InvalidArgument.
  Ensemble with_prior(Prior prior) const;
  /// As it would be after n(k) >= 0 further observations of each pair in a world drawn from it (with the rows
  /// of members().mean()): rewards and moves are drawn. Moves must be whole: else ceil(n) are drawn that
  /// count n / ceil(n) each.
  Ensemble after(const mdp::Mdp& world, std::span<const double> n, base::Stream& stream) const;

  const Members& members() const { return law_.members(); }
  const Prior& prior() const { return law_.prior(); }
  std::span<const double> observation_variance() const { return law_.observation_variance(); }
  /// Rewards and moves given a member, before any data.
  const MemberLaw& law() const { return law_; }
  /// Rewards that were seen in full, per pair, and moves per nonzero of members().mean().
  std::span<const SampleSummary> rewards_seen() const { return rewards_; }
  std::span<const double> transitions_seen() const { return moves_; }
  /// What was seen of each pair that was tried, as far as a member's law has it: without rewards of pairs
  /// with bounds, and without moves that no member calls possible. Valid until the next observation.
  std::vector<PairData> data() const;
  /// Moves that no member calls possible.
  std::vector<OffSupport> off_support() const;
  std::int64_t censored_rewards() const { return censored_; }

  // The next three are computed at the first call after an observation, O(members x pairs seen), and stay
  // valid until the next.
  /// Log density of everything seen given each member: Gaussian predictive densities of the rewards in
  /// sequence, times Gamma(a)/Gamma(a+n) prod_j Gamma(a_j+n_j)/Gamma(a_j) for the moves of every row.
  std::span<const double> log_evidence() const { return posterior().log_evidence; }
  /// The same of the ensemble: log sum_i w_i evidence_i with prior weights.
  double total_log_evidence() const { return posterior().total; }
  /// Posterior probability of each member.
  std::span<const double> weights() const { return posterior().weights; }
  /// 1 / sum_i weight_i^2: about so many members are still in play (kFewMembers).
  double effective_members() const;

  /// Posterior mean and variance of a pair's mean reward; the variance is that within members plus that
  /// between them.
  double reward_mean(std::int32_t pair) const;
  double reward_variance(std::int32_t pair) const;
  std::vector<double> reward_variances() const;
  /// The strength of the Dirichlet with the row's mean and total variance.
  double transition_strength(std::int32_t pair) const;
  std::vector<double> transition_strengths() const;
  /// The model of posterior means, with the rows of members().mean(), which it is before any data where all
  /// members agree on what is possible.
  mdp::Mdp mean() const;
  /// The same of one member, on the same rows.
  mdp::Mdp member_mean(std::int32_t member) const;
  /// The part of a reward's variance that is within members, and the strength of a row given a member.
  double reward_variance_within(std::int32_t pair) const;
  double transition_strength_within(std::int32_t pair) const;

  /// The member that the draw-th model is drawn around: the one whose share of [0, 1), by weight, holds
  /// frac(u + draw x golden ratio), with u from the seed. Each draw has the posterior's law; draws 0, 1, ...
  /// of one seed are spread over members more evenly than independent ones.
  std::int32_t member_of_draw(std::uint64_t seed, std::uint64_t draw) const;
  /// The draw-th model: a draw of that member's belief. The same for any number of threads.
  mdp::Mdp sample(std::uint64_t seed, std::uint64_t draw) const;
  mdp::Mdp sample(std::uint64_t seed, std::uint64_t draw, const base::Threads& threads) const;

 private:
  struct Posterior {
    std::vector<double> log_evidence, weights;
    double total = 0;
  };
  // One member's belief about a reward of which bounds were seen.
  struct FollowedReward {
    SampleSummary seen;
    double log_evidence = 0;
  };

  void check_observation(const mdp::Observation& seen) const;
  void check_pair(const char* function, std::int32_t pair) const;
  void observe_reward(const mdp::Observation& seen);
  void begin_to_follow(std::int32_t pair);
  void follow(std::int32_t member, const mdp::Observation& seen, FollowedReward& followed) const;
  void observe_move(std::int32_t pair, std::int32_t next_state, double weight);
  PairReward reward_of(std::int32_t member, std::int32_t pair) const;
  // Dirichlet parameters of the row given the member, with the moves seen.
  void row_parameters(std::int32_t member, std::int32_t pair, std::span<double> alpha) const;
  void draw_pairs(std::int32_t member, base::Range pairs, std::uint64_t seed, std::uint64_t draw,
                  std::span<double> reward, std::span<double> probability) const;
  const Posterior& posterior() const;
  Posterior make_posterior() const;

  MemberLaw law_;
  EnsembleOptions options_;
  std::shared_ptr<const RewardBelief> kind_;
  std::vector<SampleSummary> rewards_;                                   // seen in full
  std::vector<double> moves_;                                            // per nonzero
  std::vector<double> row_moves_;                                        // per pair
  std::map<std::int32_t, std::vector<FollowedReward>> followed_;         // per member, of pairs with bounds
  std::map<std::pair<std::int32_t, std::int32_t>, double> off_support_;  // (pair, next state)
  std::int64_t censored_ = 0;
  base::Lazy<Posterior> posterior_;
};

}  // namespace mindgap::belief
