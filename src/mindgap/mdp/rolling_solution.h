#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mindgap/mdp/ahead.h"
#include "mindgap/mdp/cycle_order.h"
#include "mindgap/mdp/elimination.h"
#include "mindgap/mdp/graph.h"
#include "mindgap/mdp/mdp.h"

namespace mindgap::mdp {

struct RollingOptions {
  double threshold = 1e-9;      // h below; > 0
  double direct_work = 20'000;  // of an EliminationPlan, up to which policies are evaluated directly
};

/// The optimal policy of a model a few of whose rows change between one look and the next: work in proportion
/// to what changed, and to how far that is felt.
///
/// Values are backed up in place (Gauss-Seidel), only in states with a successor whose value moved by more
/// than a threshold h since they were told (asynchronous value iteration, Bertsekas 1982; as prioritised
/// sweeping, Moore and Atkeson 1993, with an order in place of a queue). Five things save work:
///  - the order (CycleOrder). States are backed up from the cycles outwards, so that one sweep carries a
///    change from a cycle to all who go there.
///  - the cycles. What changed on a cycle of length m comes back after m steps, and would take some
///    1/(1 - g) rounds to settle, g the discount: the steps of the values along the cycle are solved for
///    instead.
///  - anticipation. States further out follow a step, and by the moves that lead there some of it comes back.
///    A step is made larger by that share at once (over-relaxation), in the first sweeps.
///  - basins. What is common to the states of a basin is extrapolated, where it takes many sweeps.
///  - leads. An action that led by more than values have moved since is still the best: it alone is backed
///    up.
/// When nothing is left to do no value has moved by more than h since its predecessors were told. A state's
/// own backup was made with values that are off by up to 2 h now, and with rewards by up to h / 2, so
///   |TV - V| <= (2 g + 1/2) h and T_pi V >= V - (2 g + 1/2) h for the policy pi of the last backups:
///   V* - V^pi <= (4 g + 1) h / (1 - g)
/// (rows that sum to 1; rounding apart).
///
/// Who acts from a few states need not know all values. Values that are too high do no harm where nobody
/// goes: if V >= TV - e everywhere, then V >= V* - e / (1 - g), and what pi loses in a state s is
///   V*(s) - V^pi(s) <= e / (1 - g) + sum over s' of d(s') (V - T_pi V)(s'),
/// with d(s') the discounted visits to s' of who follows pi from s. So update(from) backs up the states that
/// pi leads to from there (Ahead) as above; elsewhere values only rise, when they must, and then by a little
/// more than they must, so that they need not soon again (as upper bounds do in real-time dynamic
/// programming; Barto, Bradtke and Singh 1995). States to which only unlikely paths lead, below a product in
/// proportion to h, count as elsewhere: what they add to the loss is not bounded beforehand, but weighed by
/// those d.
///
/// Where a policy is evaluated by few multiplications (a few dozen states, or some hundreds in a row), by
/// policy iteration (Howard 1960) up to rounding instead.
///
/// One thread; a function of the numbers it was shown, in their order. Copies share what only depends on the
/// transitions.
class RollingSolution {
 public:
  /// `value` is a guess (any finite one, one number per state). Throws InvalidArgument for a discount of 1.
  RollingSolution(const Mdp& model, std::vector<double> value, const RollingOptions& options);

  /// Other numbers, for the next update(); `model` fits(). A reward that is off by no more than h / 2 may
  /// stay.
  void set(const Numbers& model);
  /// The same where only the rows of these pairs (in any order, some perhaps several times) and their rewards
  /// are other ones than at the last call (or the constructor's); with `all_rewards` any reward may be.
  void set(const Numbers& model, std::span<const std::int32_t> changed, bool all_rewards);
  /// Finds the solution for the numbers as they are now. Says whether it got there; if not (a limit on
  /// sweeps, which slow models may meet; numbers near the ends of double precision), it is to be had
  /// elsewhere: see restart().
  bool update() { return update({}); }
  /// The same for whoever acts from these states (some perhaps several times; none: from any). In these
  /// states, and those that the solution leads to from there, picks and values are up to date; elsewhere they
  /// may be older ones, until a later call asks for them.
  bool update(std::span<const std::int32_t> from);

  /// Whether a model has the same discount and transitions.
  bool fits(const Mdp& model) const;
  /// Goes on from this value, with another threshold if one is given.
  void restart(std::span<const double> value, std::optional<double> threshold = {});

  std::span<const double> value() const { return value_; }
  /// The greedy pair of each state, the first of equals.
  std::span<const std::int32_t> pair_of_state() const { return pick_; }
  /// Of the policy in any state, after update().
  double loss_bound() const;
  /// Whether policies are evaluated directly.
  bool is_direct() const { return elimination_.has_value(); }
  /// How, where they are.
  const std::shared_ptr<const EliminationPlan>& elimination_plan() const { return elimination_->plan(); }
  /// A model with its transitions, whatever their numbers.
  const Mdp& shape() const { return shape_; }
  /// As they were set last, for who goes on from here (direct_lanes.h).
  Numbers numbers() const { return {shape_, reward_, probability_}; }
  /// Backups of single states so far, a measure of the work.
  std::int64_t backups() const { return backups_; }

 private:
  struct View;
  bool is_tame() const;
  void set_probabilities(const Numbers& model, std::int32_t state, base::IndexRange<std::int64_t> entries);
  void set_rewards(const Numbers& model, std::int32_t state);
  void copy_reward(const Numbers& model, std::int32_t pair);
  bool iterate_policies();
  bool improve(const View& view, double margin);
  double least_path() const;
  bool roll(std::span<const std::int32_t> from);
  void find_order(std::span<const std::int32_t> from);
  void lift_others();
  void solve_cycles();
  void solve_cycle(std::span<const std::int32_t> cycle, std::int32_t basin);
  void extrapolate(std::span<const double> two, std::span<const double> one);
  bool sweep(const View& view, bool hurry);
  bool raise_others(const View& view);
  double backup(const View& view, std::int32_t state);
  void set_value(std::int32_t state, double value);
  void mark(std::int32_t state);
  double bounded(double value) const;

  Mdp shape_;  // whose numbers count no more
  RollingOptions options_;
  std::vector<double> reward_, probability_;
  double least_reward_, most_reward_;  // that there were so far
  std::vector<double> value_;
  std::vector<std::int32_t> pick_;
  std::int64_t backups_ = 0;

  std::optional<Elimination> elimination_;  // where policies are evaluated directly; else:
  std::shared_ptr<const Predecessors> predecessors_;
  std::vector<double> told_;       // values as the predecessors know them
  std::vector<double> lead_;       // by which the pick led, less what values may have changed of that since
  std::vector<std::int32_t> all_;  // states

  bool restarted_ = true;  // and nobody has picked since

  // The states that count: all, or those ahead.
  Ahead ahead_;
  CycleOrder order_;
  std::vector<std::uint8_t> open_;                // by place in the order: must be backed up
  std::int64_t changed_picks_ = 0;                // since the order was found
  std::vector<std::int32_t> jumped_;              // states of cycles that were solved for in this sweep
  std::vector<std::pair<double, double>> steps_;  // room of solve_cycle()

  // The others.
  std::vector<std::uint8_t> high_, rises_;    // per state: V may be above TV; it is in rising_
  std::vector<std::int32_t> rising_, risen_;  // V may be below TV; and room
};

}  // namespace mindgap::mdp
