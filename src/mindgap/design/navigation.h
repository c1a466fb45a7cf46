#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/design/objective.h"
#include "mindgap/mdp/mdp.h"

// The paper's navigation-restricted design (conj. fisher-sep-t-nav): rank pairs by what they contribute to
// the criterion, and send each unit to one of the best along a shortest path. No certificate: its worth is
// that it needs no optimiser, and that people understand it.
namespace mindgap::design {

/// A pilot: `steps` steps of units that begin at `positions` (expected number per state), in the model `mdp`
/// (the belief's mean), for the criterion of Objective(weights, prior, block, credit).
struct NavigationProblem {
  mdp::Mdp mdp;
  std::vector<double> positions;
  std::int64_t steps = 0;
  gap::PvvWeights weights;
  gap::Precision prior;
  Block block = Block::both;
  std::vector<double> credit = {};         // per pair; empty: none
  std::vector<std::uint8_t> allowed = {};  // per pair; empty: all. Every state needs a pair that is allowed

  /// Throws InvalidArgument; the number of units must be whole.
  void validate() const;
};

/// The way to one pair. A unit goes to the pair's state in the fewest expected steps of the pilot, plays the
/// pair there, and whenever that led away comes back the same way:
///   h_t(s) = min over allowed a of 1 + sum p(s'|s,a) h_{t+1}(s'), h_t(goal) = 0, h_T = 0,
/// h_t(s) = E min(steps until the goal, T - t). Cut off at the pilot's end it is finite in every model,
/// traps included, and for T -> infinity it is the shortest expected hitting time. A unit that can no longer
/// arrive in time has nothing to gain by going on: all its ways are equally short. Of ways equally short the
/// one that sees more of `worth` (per pair, summed over the rest of the pilot), then the lowest action.
struct Way {
  std::int32_t goal = 0;            // a pair
  std::vector<std::int32_t> pair;   // [step * states + state]
  std::vector<double> steps_to_go;  // h_0 per state
};

/// `worth` and `allowed` may be empty. O(steps x nonzeros). Throws InvalidArgument.
Way shortest_way(const mdp::Mdp& mdp, std::int32_t goal, std::int64_t steps,
                 std::span<const double> worth = {}, std::span<const std::uint8_t> allowed = {});

struct NavigationOptions {
  /// Pairs tried as a unit's goal: the highest contributions among those it can reach.
  std::int32_t candidates = 16;
  /// 0: all cores. The result does not depend on it.
  int threads = 0;
};

/// What one unit does.
struct UnitWay {
  Way way;
  std::vector<double> start;   // distribution over states
  std::vector<double> counts;  // n per pair
  double arrival = 0;          // probability to see the goal's state within the pilot
};

struct Navigation {
  std::vector<UnitWay> units;
  std::vector<double> counts;  // n per pair, all units
  double pvv_before = 0;
  double pvv_after = 0;
};

/// Unit after unit. Pairs are ranked by their contribution given what the units before are expected to see
/// (W_r / (1/sigma^2 + tau n) + W_p / (alpha + n), only what observing can reduce); each of the best
/// `candidates` that the unit can reach is tried as its goal, and the one with the lowest criterion
/// afterwards wins, the higher ranked of equals. A unit that can learn nothing gets the first allowed pair
/// where it stands. Where all positions are whole numbers the units are those, by state number; otherwise
/// each is distributed as the positions are.
Navigation navigate(const NavigationProblem& problem, const NavigationOptions& options = {});

struct NavigationBoundOptions {
  /// The corridor's states; empty: none is claimed, and q_nav counts as 0.
  std::vector<std::int32_t> bottleneck;
  /// n up to this counts as not observed. 0 as in the paper: but where moves may slip all supports are equal
  /// and kappa is next to 0.
  double threshold = 0;
};

/// Both sides of the paper's bound (thm. conj2-strong) on f(n_nav) - f(n*), n* the counts of the unrestricted
/// optimum, f_k(n) the contribution of pair k (with the credit):
///   (1 - q_nav) C_tail + (1/kappa - 1) C_overlap,
///   C_tail    = sum of f_k(0) over pairs that n* observes and navigation does not,
///   C_overlap = sum of f_k(n*) over pairs that both observe,
///   kappa     = the smallest n_nav / n* over these, at most 1.
/// What the paper leaves open: q_nav for several units; here the expected share of units that enter the
/// bottleneck within the pilot. What is wrong there: the factor (1 - q_nav). A tail pair has n_nav = 0 by its
/// definition, whether or not the unit crossed, so it costs f_k(0) - f_k(n*) for certain; navigation that
/// surely crosses but leaves a pair out breaks the bound (NavigationBound.PaperBoundCanFail). Also f is at
/// expected counts, for which there is no event of crossing to condition on. `bound` below is what the proof
/// does give, pair by pair, for any model, with no bottleneck needed:
///   sum over the tail of f_k(0) - f_k(n*) + sum over the overlap of (1/kappa_k - 1) f_k(n*),
/// kappa_k = min(1, n_nav / n*), plus, where the threshold is above 0, f_k(0) - f_k(n*) of pairs with
/// 0 < n* <= threshold that navigation sees less often.
struct NavigationBound {
  double excess = 0;           // f(n_nav) - f(n*)
  double crossing = 0;         // q_nav
  double kappa = 1;            // 1 where nothing overlaps
  double tail = 0;             // C_tail
  double overlap = 0;          // C_overlap
  double paper_bound = 0;      // as printed
  bool paper_holds = false;    // excess <= paper_bound, up to rounding
  bool is_bottleneck = false;  // every tail pair lies behind the bottleneck: the theorem's condition (i)
  double tail_excess = 0;      // the first sum of `bound`
  double overlap_excess = 0;   // the second
  double bound = 0;            // >= excess
};

/// `optimum` is n*, per pair. Throws InvalidArgument where sizes or states do not fit.
NavigationBound navigation_bound(const NavigationProblem& problem, const Navigation& navigation,
                                 std::span<const double> optimum, const NavigationBoundOptions& options = {});

}  // namespace mindgap::design
