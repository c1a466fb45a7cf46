#pragma once

#include <cstdint>
#include <vector>

#include "mindgap/base/random.h"

// The stochastic fork: a chain whose last step may fall back.
//
// States s_0 .. s_{k-1}. Action 1 halts: it pays h once and ends the run. Action 0 advances; at the fork
// s_{k-1} it arrives at the end with probability 1/2, which pays 1 once, and else falls back to s_{k-2}. The
// simulator is right but for the fork, where it says that action 0 always falls back. (Paper,
// "Stochastic-fork variant". As written nothing but the end pays, so that all of the simulator's values are 0
// and its policy is not defined; h is the outside option that the text needs.)
namespace mindgap::cases::fork {

struct Fork {
  std::int64_t length = 0;  // k >= 2
  double halt = .1;         // h in [0, 1]
  double discount = .99;    // g in [0, 1)

  /// Throws InvalidArgument with the name and value of what is out of its domain.
  void validate() const;
};

/// Probabilities of the chain as a planner takes them: of advancing, by state, under action 0 and action 1.
/// Where it does not advance, action 0 ends the run with nothing (at the fork: falls back), action 1 halts.
struct Chain {
  std::vector<double> advance, halt_advance;  // by state; halt_advance is 0 at the fork
};

/// The truth, and what the simulator says.
Chain true_chain(const Fork& fork);
Chain simulated_chain(const Fork& fork);

/// The optimal policy of a chain: whether to take action 0, by state. Where both are worth the same: halt.
///
///   V(s_i) = max(p_i g V(s_{i+1}), h_i g V(s_{i+1}) + (1 - h_i) h),  i < k-1
///   V(s_{k-1}) = max(p + (1 - p) g V(s_{k-2}), h)
///
/// Only the last two values hang together; they are the best of the four linear pairs that the choices there
/// give (the optimal value is the largest that any policy has, in every state at once). The others follow
/// backwards. Exact, O(k).
std::vector<bool> advancing_policy(const Fork& fork, const Chain& chain);
/// The values of action 0 and of action 1 in a state, where the next steps are worth `value` (of every
/// state).
struct ActionValues {
  double advance = 0, halt = 0;
};
ActionValues action_values(const Fork& fork, const Chain& chain, const std::vector<double>& value,
                           std::size_t state);
/// V(s_0), ..., V(s_{k-1}).
std::vector<double> optimal_values(const Fork& fork, const Chain& chain);

/// Which rows are not known.
///
/// `fork`: action 0 at the fork: Beta(a, a) on arriving against falling back. `all`: besides, either action
/// of every state before may be the one that advances: Beta(a, a) on advancing against ending (action 0) or
/// halting (action 1), independently. Halting at the fork is known. Which rows `all` are is open in the text;
/// this reading was chosen among several because it gives an independent implementation's numbers. Were
/// halting at the fork unknown too, Thompson would differ by up to .04; were action 1 known everywhere, the
/// A-SOP would never go at k = 4, where .90 is wanted; an action 1 that may fall back at the fork cannot be
/// told from this one.
enum class Uncertain { fork, all };

/// What is believed of the rows.
class ForkBelief {
 public:
  /// `prior` = a > 0.
  ForkBelief(const Fork& fork, Uncertain uncertain, double prior);

  /// Whether that told anything.
  bool observe(std::int64_t state, bool action_zero, bool advanced);
  Chain mean() const;
  Chain draw(base::Stream& stream) const;
  /// Means plus `radius` / sqrt(1 + tries), at most 1.
  Chain optimistic(double radius) const;
  /// Means where one more try of that action in that state ends well, or does not; the chance of it ending
  /// well, 0 where the row is known.
  struct Look {
    Chain well, badly;
    double chance = 0;
  };
  Look look(std::int64_t state, bool action_zero) const;

 private:
  struct Row {
    double yes = 0, no = 0;
    bool known = true;
    double prior = 0;  // both pseudo-counts
    double mean() const { return yes / (yes + no); }
  };
  template <typename Value>
  Chain chain(Value value) const;

  std::vector<Row> advance_, halt_advance_;
};

/// P(the policy that is optimal for one draw from the prior leads from s_0 to the fork): Thompson's first
/// attempt, by `draws` draws from streams keyed by (seed, Purpose::planner, draw). The paper bounds it by
/// (1/2)^(k-1) (prop. ts-fork-visitation).
double first_attempt(const Fork& fork, Uncertain uncertain, double prior, std::int64_t draws,
                     std::uint64_t seed);

}  // namespace mindgap::cases::fork
