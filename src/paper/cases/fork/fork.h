#pragma once

#include "paper/cases/registry.h"

namespace mindgap::cases::fork {

/// The stochastic fork as a case to compare planners on (model.h). A horizon is the chain length k, and each
/// is a run of its own; the value is the number of units that arrive at the end, of 50 that run one after
/// another for 6k steps each. The simulator-optimal policy halts at once.
///
/// asop plans anew on the posterior means after every step, thompson on one draw from the posterior for each
/// unit. fisher: a tenth of the units explores by the sequential directed schedule (paper, prop.
/// exp-reach-gap (ii)), which takes the action that is believed likelier to advance, the simulator's where
/// both are equally likely, towards the fork, the one row that the simulator's value hangs on; the others act
/// as asop. Explorers count. The routes of design/ need a pilot planned in advance; here each explorer knows
/// what those before it saw.
///
/// Members of the paper's regular class beside asop (def. pi-passive-reg): softmax over the posterior-mean
/// action values, and ucb, which plans on means plus radii of 1/sqrt(k (1 + tries)). kg is the listing kgsep,
/// sep the uniform explore-then-exploit protocol of the implementation note, explorers counted.
///
/// Common random numbers: the n-th try at the fork of unit i ends the same way for every planner of a trial.
CaseInfo info();

}  // namespace mindgap::cases::fork
