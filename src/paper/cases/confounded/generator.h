#pragma once

#include <cstdint>
#include <vector>

#include "mindgap/world/hidden_model.h"

// Random worlds whose history was confounded, has drifted since, and never went to a part of the world: the
// three ways in which a simulator fitted to history can be wrong, each on a dial of its own.
namespace mindgap::cases::confounded {

/// The dials, with the defaults that comparisons use. They were set before any planner was run on them:
/// confounding and drift in the middle of their range, and reach so that there is about half as much to
/// discover (6 states) as there is to know (11), behind 3 states that have to be crossed.
struct Dials {
  std::int32_t states = 20;     // 10 or more
  std::int32_t hidden = 2;      // 1 or more; 1 leaves nothing to be confounded by
  std::int32_t actions = 3;     // 2 or more, all available everywhere
  double confounding = .5;      // in [0, 1]: how far behaviour, rewards and transitions follow h
  double drift = .5;            // in [0, 1]: how far P_t(h|s) has moved from P_calib(h|s)
  double reach = .3;            // in [0, 1]: share of the states in the far region
  std::int64_t history = 2000;  // steps of the historical record
  double odds = 3;              // what the planner believes of the confounding: belief::CoverageOptions
  double discount = .99;        // looks 100 steps ahead, as trials of some hundreds of steps ask for

  /// Throws InvalidArgument where a dial is out of its domain.
  void validate() const;
};

/// States are numbered home first, then the links, then far. There are round(reach states) far states (at
/// least 4 states stay at home), and 3 links (2 where there are fewer than 15 states); without far states no
/// links.
struct Regions {
  std::int32_t home = 0, links = 0, far = 0;
};
Regions regions(const Dials& dials);

/// A world. U[a,b] is uniform, law(n) is a distribution over n things: .8 of a flat Dirichlet and .2 uniform,
/// so that nothing is rarer than .2/n.
///  - Hidden state: P_calib(.|s) = law(hidden); P_t(.|s) = (1 - drift) P_calib + drift law(hidden).
///    The kernel redraws h at every step, K(s',h'|s,a,h) = p(s'|s,a,h) P_t(h'|s'): given s the hidden state
///    follows P_t(.|s) whatever came before, so the deployment projection is exactly what a planner meets
///    (world::history_error() is 0), and there is a best stationary policy for a planner to find.
///  - Rows: p(.|s,a,h) = (1 - confounding) law + confounding law_h over the same 3 or 4 next states, one of
///    them the next of the region in turn, so that everything can be reached from everywhere.
///  - Rewards: r(s,a,h) = base(s,a) + .3 confounding U_h[-1,1], cut off at 0 and 1; the variance of one
///    reward is U[.01,.05]. At home base = U[.3,.7]; far away U[.3,.7] + lift, where lift = U[-.3,.3] is one
///    number for the whole world: far is better than home about as often as it is worse, and nobody can know
///    without having been there. On the links U[0,.2]: to cross costs.
///  - Entrance: one action of one home state, the gate, leads to the first link with probability .9 (else it
///    stays), one action of each link leads on with .9 (else back to the gate), its others back to the gate
///    with .9 (else they stay). Every row of the far region returns to the gate with .02. None of this
///    depends on h. To cross takes about 5 steps and lasts for about 50: that pays in 39 of world_seeds() at
///    the default dials, and in none of them does the simulator's optimal policy go there. (These numbers
///    were chosen by the truths' own optimal policies, so that neither answer is the rule.)
///  - Behaviour: (1 - confounding) law(actions) + confounding (the action that history prefers at this h, a
///    different one for each h as far as there are enough; drawn without a look at rewards, so that the
///    historical means err in either direction). The action towards the far region is taken with
///    probability .01, at the gate and on the links: history hardly ever enters them, and 1e-8 of the visits
///    to the gate end up far away.
///  - Start: uniform at home.
/// Every piece is drawn from a stream of its own, key (seed, Purpose::world, piece, 2^64 - 1, place): turning
/// confounding or drift leaves everything else as it was. No unit of a TabularWorld draws from these.
world::HiddenModel truth(const Dials& dials, std::uint64_t seed);

/// The worlds of comparisons: 1, 2, ..., 100.
const std::vector<std::uint64_t>& world_seeds();

}  // namespace mindgap::cases::confounded
