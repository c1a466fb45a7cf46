#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "mindgap/base/random.h"
#include "mindgap/decide/situation.h"
#include "mindgap/world/world.h"

// Bayes-optimal values by dynamic programming over beliefs, written for the tests alone: nothing here uses
// the library's belief, solvers or planners.
namespace mindgap::decide {

/// One action of a state of a model whose rewards are known and whose rows are Dirichlet: it pays `reward`
/// and leads to next[i] with a probability of which alpha[i] are the Dirichlet's parameters.
struct TreeAction {
  double reward = 0;
  std::vector<std::int32_t> next;
  std::vector<double> alpha;
};

/// actions[s] are the actions of state s, numbered from 0. One unit starts at state 0.
struct TreeModel {
  std::vector<std::vector<TreeAction>> actions;
  std::int64_t horizon = 0;
};

/// Every arm is a Bernoulli arm with a Beta(a, b) prior: from state 0 arm i leads to "won" (1) or "lost" (2),
/// which pay 1 and 0 on the way back to 0. `pulls` pulls take 2 `pulls` steps.
struct BetaArm {
  double a = 1, b = 1;
};
TreeModel bandit_tree(const std::vector<BetaArm>& arms, std::int64_t pulls);

/// What has been seen of every row: one counter per (state, action, successor), all rows one after another.
using TreeCounts = std::vector<std::int32_t>;

/// The Bayes-optimal value of the total reward, exact:
///   V_0 = 0,  V_h(s, n) = max_a Q_h(s, n, a),
///   Q_h(s, n, a) = r(s,a) + sum_i p_i V_{h-1}(s_i, n + e_i),  p_i = (alpha_i + n_i) / sum_j (alpha_j + n_j)
/// (Martin 1967, "Bayesian Decision Problems and Markov Chains"; Duff 2002). Values are kept, so that every
/// belief is worked out once; a state that offers no choice and no chance is walked through.
class BeliefTree {
 public:
  explicit BeliefTree(TreeModel model);

  const TreeModel& model() const { return model_; }
  TreeCounts no_counts() const { return TreeCounts(entries_, 0); }
  double value() { return value(0, no_counts(), model_.horizon); }
  double value(std::int32_t state, const TreeCounts& counts, std::int64_t left);
  double action_value(std::int32_t state, const TreeCounts& counts, std::int64_t left, std::size_t action);

  /// Place of an action's first counter.
  std::size_t first_entry(std::int32_t state, std::size_t action) const;
  /// Predictive probabilities of the action's successors.
  std::vector<double> predictive(std::int32_t state, const TreeCounts& counts, std::size_t action) const;

 private:
  __extension__ using Key = unsigned __int128;
  struct Hash {
    std::size_t operator()(Key key) const;
  };
  Key key_of(std::int32_t state, const TreeCounts& counts, std::int64_t left) const;

  TreeModel model_;
  std::vector<std::vector<std::size_t>> first_;  // [state][action]
  std::size_t entries_ = 0;
  int bits_ = 0;  // of one counter
  std::unordered_map<Key, double, Hash> known_;
};

/// What a plan acts in: successors are drawn from the predictive distribution of what was seen so far, which
/// is how a world drawn from the prior looks to whoever does not know it. It adds up what each choice gives
/// up, V_h(s, n) - Q_h(s, n, a): the expected sum is exactly how far the plan is from Bayes-optimal
/// (performance difference, Kakade and Langford 2002, in the belief's own decision process), and it varies
/// far less than rewards do.
class UrnWorld final : public world::World {
 public:
  UrnWorld(BeliefTree& tree, std::uint64_t seed, std::uint64_t trial);

  std::int64_t units() const override { return 1; }
  std::int32_t states() const override { return static_cast<std::int32_t>(pair_begin_.size()) - 1; }
  std::span<const std::int32_t> pair_begin() const override { return pair_begin_; }
  std::span<const std::int32_t> pair_action() const override { return pair_action_; }
  std::int32_t reset(std::int64_t unit) override;
  std::int32_t state(std::int64_t) const override { return state_; }
  world::Observation step(std::int64_t unit, std::int32_t pair) override;

  double given_up() const { return given_up_; }

 private:
  BeliefTree& tree_;
  std::uint64_t seed_, trial_;
  std::vector<std::int32_t> pair_begin_, pair_action_;
  std::int32_t state_ = 0;
  std::int64_t steps_ = 0;
  TreeCounts counts_;
  double given_up_ = 0;
};

/// A bandit_tree() as one state whose arms pay 0 or 1 at once: pulls are steps.
class ArmsWorld final : public world::World {
 public:
  ArmsWorld(BeliefTree& tree, std::uint64_t seed, std::uint64_t trial);

  std::int64_t units() const override { return 1; }
  std::int32_t states() const override { return 1; }
  std::span<const std::int32_t> pair_begin() const override { return pair_begin_; }
  std::span<const std::int32_t> pair_action() const override { return pair_action_; }
  std::int32_t reset(std::int64_t unit) override;
  std::int32_t state(std::int64_t) const override { return 0; }
  world::Observation step(std::int64_t unit, std::int32_t pair) override;

  double given_up() const { return urn_.given_up(); }

 private:
  UrnWorld urn_;
  std::vector<std::int32_t> pair_begin_, pair_action_;
};

/// Those arms for the library: Bernoulli rewards with the same Beta priors, each of strength 2 at least.
Situation situation_of_arms(const std::vector<BetaArm>& arms, std::int64_t pulls);

/// The same problem for the library: the model of the prior's means, a Dirichlet prior of the same strength,
/// rewards known.
Situation situation_of(const TreeModel& model);

/// The number-th of a fixed list of problems, by turns: two-armed and three-armed Bernoulli bandits (a fifth
/// of `most_pulls` to `most_pulls`), models of two and of three states with two actions each (half of
/// `most_steps` to `most_steps` steps). Some rows are as good as known and others hardly at all: the strength
/// of each is between .3 and 30 pseudo-observations, uniform in its logarithm. All of it is a function of the
/// stream (seed, Purpose::test, number, 1).
struct TreeProblem {
  const char* family;
  TreeModel model;
};
TreeProblem draw_tree_problem(std::uint64_t seed, std::uint64_t number, std::int64_t most_pulls = 25,
                              std::int64_t most_steps = 8);

}  // namespace mindgap::decide
