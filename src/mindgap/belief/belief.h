#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mindgap/base/lazy.h"
#include "mindgap/base/parallel.h"
#include "mindgap/base/random.h"
#include "mindgap/belief/ensemble.h"
#include "mindgap/belief/prior.h"
#include "mindgap/belief/reward_belief.h"
#include "mindgap/belief/shared_errors.h"
#include "mindgap/belief/transition_belief.h"
#include "mindgap/mdp/model_batch.h"
#include "mindgap/mdp/observation_log.h"

namespace mindgap::belief {

struct BeliefOptions {
  RewardModel rewards = RewardModel::known_variance;
  /// Where true mean rewards lie; with a known variance only. The simulator's must lie there, too.
  RewardBounds bounds = {};
  UnseenOptions unseen = {};  // rows that may do what the simulator calls impossible
  /// Errors of mean rewards that pairs share; with a known variance and without bounds only.
  SharedErrors shared = {};
  /// Where the simulator is the mean of several models: the truth is near one of them (ensemble.h). With a
  /// known variance, without bounds and shared errors only.
  std::optional<mdp::Members> members = {};
};

/// What the planner believes about the true model: a Gaussian (or Student t, or Beta) mean reward of each
/// pair around the simulator's (reward_belief.h has the kinds) and a Dirichlet row alpha0 p0 on the
/// simulator's support, where alpha0 is the prior's transition_strength. (The paper's listing has 1 + alpha0
/// p0 on all states, whose mean is not the simulator: docs/math/departures.md.) Mean rewards are independent
/// over pairs, or have an error that they share beside their own (shared_errors.h). Rows are linked by one
/// thing only, the share of them that is wrong about what is possible (transition_belief.h). Static: the
/// order of observations does not matter, but for rewards of which only a bound is known.
class Belief {
 public:
  /// `observation_variance` is of one observed reward, per pair, >= 0 (with Bernoulli rewards not used: it
  /// follows from the mean). Throws InvalidArgument.
  Belief(mdp::Mdp simulator, Prior prior, std::vector<double> observation_variance,
         const BeliefOptions& options = {});

  /// The same observations, judged from another prior, with the shared errors' standard deviations times
  /// `shared_scale`. Throws InvalidArgument.
  Belief with_prior(Prior prior, double shared_scale = 1) const;

  /// One observation: what is missing of it is left out. A reward that is only a bound enters as
  /// RewardBelief::after_at_least() says: a part of an observation, so the order matters a little. O(log of
  /// the row). Throws InvalidArgument, and has then learnt nothing.
  void observe(const mdp::Observation& seen);
  /// The same of one of which everything was seen, for loops over many units.
  void observe(std::int32_t pair, double reward, std::int32_t next_state);
  /// All rows of a log, in their order.
  void observe(const mdp::ObservationLog& log);

  const mdp::Mdp& simulator() const { return simulator_; }
  const Prior& prior() const { return prior_; }
  std::span<const double> observation_variance() const { return observation_variance_; }
  const UnseenOptions& unseen() const { return options_.unseen; }

  /// Observed rewards of each pair, and observed transitions on the simulator's support, per nonzero.
  std::span<const SampleSummary> rewards_seen() const { return rewards_; }
  std::span<const double> transitions_seen() const { return transitions_.seen(); }
  std::vector<OffSupport> off_support() const { return transitions_.off_support(); }
  /// How many rows were tried and refuted, and what share of all rows is therefore taken to be wrong.
  Refutation refutation() const { return transitions_.refutation(); }
  /// Observations of which the reward was only a bound.
  std::int64_t censored_rewards() const { return censored_; }

  /// The kind of belief about mean rewards.
  const std::shared_ptr<const RewardBelief>& rewards() const { return kind_; }
  /// What pairs share of their errors, as stated; and what is known of it by now, where something is.
  const SharedErrors& shared() const { return options_.shared; }
  const FactorPosterior& factors() const;
  /// The ensemble, where the simulator is one; else null.
  const Ensemble* ensemble() const { return ensemble_ ? &*ensemble_ : nullptr; }
  /// Whether an observation of one pair says something about others.
  bool learns_jointly() const { return ensemble_.has_value() || !options_.shared.none(); }

  /// Posterior mean and variance of a pair's mean reward.
  double reward_mean(std::int32_t pair) const;
  double reward_variance(std::int32_t pair) const;
  std::vector<double> reward_variances() const;
  /// The standard deviation of a pair's mean reward before any observation: its own error and the shared one.
  double prior_reward_sd(std::int32_t pair) const;
  /// Mean rewards as they would be after n(k) >= 0 further observations of each pair, where the true means
  /// are `truth`: one draw, with one word of the stream per pair. Where errors are shared only.
  std::vector<double> reward_means_after(std::span<const double> truth, std::span<const double> n,
                                         base::Stream& stream) const;
  /// Precision of one observed reward.
  double observation_precision(std::int32_t pair) const;
  /// Dirichlet strength alpha0 + n of a row; of one that may be wrong, that of the Dirichlet with its mean
  /// and total variance.
  double transition_strength(std::int32_t pair) const;
  std::vector<double> transition_strengths() const;

  /// Whether an observation changes what is believed of its own pair alone: then only the rows of observed
  /// pairs are other ones in the mean and in a draw of the same number.
  bool learns_row_by_row() const { return !learns_jointly() && !transitions_.doubts(); }
  /// One pair of the mean: its row, on the simulator's transitions, into `probability`; returns its reward.
  /// Where rows are learnt one by one only, as the next.
  double mean_row(std::int32_t pair, std::span<double> probability) const;
  /// One pair of the draw-th model.
  double sample_row(std::int32_t pair, std::uint64_t seed, std::uint64_t draw,
                    std::span<double> probability) const;

  /// The model of posterior means. Without data and without a stated `unseen`, the simulator itself. While
  /// rows may be wrong, its rows (and those of draws, with the same successors) are longer than the
  /// simulator's.
  mdp::Mdp mean() const;

  /// The draw-th model from the belief: the same for any number of threads, independent over draws.
  /// Probabilities that underflow become the smallest positive double.
  mdp::Mdp sample(std::uint64_t seed, std::uint64_t draw) const;
  mdp::Mdp sample(std::uint64_t seed, std::uint64_t draw, const base::Threads& threads) const;

  /// What draws are draws of, where an engine can make them itself: Gaussian rewards without bounds and
  /// Dirichlet rows, all of them independent; else none.
  std::optional<mdp::IndependentLaw> independent_law() const;
  /// Model i of the batch becomes sample(seed, first + i), drawn by the engine where it can, which is the
  /// same up to the last digits; here and loaded else. The batch has the transitions of mean().
  void sample_batch(mdp::ModelBatch& batch, std::uint64_t seed, std::uint64_t first,
                    const base::Threads& threads) const;

 private:
  void begin_ensemble();
  void check_pair(const char* function, std::int32_t pair) const;
  void check_state(std::int32_t next_state) const;
  void check_reward(std::int32_t pair, double reward) const;
  void observe_bound(const mdp::Observation& seen);
  FactorPosterior factors_after(std::span<const SampleSummary> rewards) const;
  // The pair where the shared errors move its prior mean by `shift`, and as it stands among the others.
  PairReward reward_of(std::int32_t pair, double shift) const;
  PairReward reward_of(std::int32_t pair) const;
  // Its reward; its row goes into `probability`. `rho` and `shifts` are those of the draw.
  double draw_pair(std::int32_t pair, double rho, std::uint64_t seed, std::uint64_t draw,
                   std::span<const double> shifts, std::span<double> probability) const;

  mdp::Mdp simulator_;
  Prior prior_;
  std::vector<double> observation_variance_;
  BeliefOptions options_;
  std::shared_ptr<const RewardBelief> kind_;
  std::vector<SampleSummary> rewards_;
  TransitionBelief transitions_;
  std::int64_t censored_ = 0;
  base::Lazy<FactorPosterior> factors_;  // of the rewards seen so far
  std::optional<Ensemble> ensemble_;
};

/// The variance of one reward pooled within pairs, sum of squared deviations / (rows - pairs seen): what to
/// use where a model states none. None where no pair shows two different rewards.
std::optional<double> pooled_variance(const mdp::Mdp& mdp, const mdp::ObservationLog& log);

}  // namespace mindgap::belief
