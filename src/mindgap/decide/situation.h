#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/belief/knowledge.h"
#include "mindgap/decide/plan.h"
#include "mindgap/decide/terms.h"
#include "mindgap/design/limits.h"
#include "mindgap/design/pilot.h"
#include "mindgap/design/target.h"

namespace mindgap::decide {

/// What a decision is about.
struct Situation {
  belief::Knowledge knowledge;
  std::vector<std::int32_t> unit_state;  // where each unit is now
  std::int64_t horizon = 0;              // number of steps to plan for

  std::int64_t units() const { return static_cast<std::int64_t>(unit_state.size()); }
  const belief::Belief& belief() const { return knowledge.now; }

  /// Throws InvalidArgument where there are no units or steps, a unit is nowhere, or no variance of one
  /// observed reward is known.
  void validate() const;
};

/// A pilot that is there already, as from a file.
struct GivenPilot {
  design::Pilot pilot;
  std::vector<std::int32_t> members;  // which of the situation's units is each of the pilot's
};

/// Those of plan.h for its units and horizon, with average and robust where the belief is an ensemble.
std::vector<Plan> default_plans(const Situation& situation);

/// What a plan is judged by, over worlds.
struct Objective {
  enum Sum {
    total,       // the sum of all units' rewards over the horizon
    discounted,  // the same with the model's discount, seen from now
  };
  Sum sum = total;
  double tail = 1;  // its mean over this share of worlds, the worst ones (voi/tail.h); 1: over all

  constexpr Objective(Sum of = total, double worst = 1) : sum(of), tail(worst) {}  // NOLINT: a sum is one
  bool operator==(const Objective&) const = default;
};

/// How plans are compared, whatever comes of it.
struct SimulationOptions {
  std::int64_t replan_every = 0;  // steps between two looks at the belief; 0: default_replanning()
  /// Of policies that are found again at a look: a share of the largest value (planner::Replanner), which
  /// they lose at most, but for what lies beyond very unlikely paths (docs/math/solvers.md). DecideOptions
  /// makes it smaller where less than 1 % counts as a tie.
  double tolerance = 3e-4;
  /// Nanoseconds (work.h) above which a plan looks more rarely in one world, and is no default plan.
  double most_work = 3e7;
  design::Target target = {};                    // of pilots
  design::Limits limits = {};                    // that pilots keep to
  Terms terms = {};                              // costs of experiments, delay, uptake
  std::shared_ptr<const GivenPilot> given = {};  // is compared, too, as given-UxT
  /// A pilot that cannot keep to them is left out (Simulation::infeasible) instead of being an error.
  bool leave_out_infeasible = false;
  /// Where models of the value of information are solved side by side, e.g. mdp::gpu_engine(); null: here.
  const MindgapEngine* engine = nullptr;
  /// Of the models that pilots are designed for, whatever run.seed is: a seed stands for a sample of worlds,
  /// and the routes of a pilot should not depend on that sample. A decision made again compares the same
  /// pilots.
  std::uint64_t design_seed = base::Run().seed;
  /// Seconds after which no further pilot is designed; the first one always is.
  double design_time = std::numeric_limits<double>::infinity();
  /// Who listens is asked now and then, from the calling thread, whether to end with what is known by then.
  base::Run run = {};
};

/// Steps between two looks at the belief: as asked for, or planner::default_replanning().
std::int64_t replanning_of(const Situation& situation, const SimulationOptions& options);

}  // namespace mindgap::decide
