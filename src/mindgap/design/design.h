#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/belief/knowledge.h"
#include "mindgap/design/column_generation.h"
#include "mindgap/design/limits.h"
#include "mindgap/design/routes.h"
#include "mindgap/design/target.h"
#include "mindgap/mdp/units.h"

// Where to send a pilot: one call that puts the pieces of this folder together.
namespace mindgap::design {

/// Who finds the minimum. Only columns give routes and take constraints; the others are for the discounted
/// form.
enum class Minimiser {
  automatic,           // columns; mirror descent for the discounted form of more than 5,000 states
  columns,             // column generation
  mirror_descent,      // a stochastic policy, for large models
  interior_point,      // exact reference for small models
  coordinate_descent,  // the paper's listing, for comparison
};

struct DesignOptions {
  std::int64_t units = 0;   // in the pilot
  std::int64_t steps = 0;   // of the pilot
  std::int64_t others = 0;  // units outside it, which go on as before; what they observe meanwhile counts
  /// Where the pilot's units begin, one state each; empty: spread over the start distribution by the largest
  /// remainders. And the others: expected number per state; empty: the start distribution times `others`.
  std::vector<std::int32_t> unit_state;
  std::vector<std::string> unit_names;  // for the plan; empty: numbers from 1
  std::vector<double> other_positions;
  std::vector<double> start;  // that the target's value counts from, a share per state; empty: the model's
  Target target;
  /// The target's weights, where they were found already for the same belief, start, block, probes and seed:
  /// they do not depend on the pilot. Not for TargetKind::explorer.
  std::shared_ptr<const TargetWeights> weights = {};
  Block block = Block::both;
  bool finite = true;      // counts of `steps` steps from the positions; false: the paper's discounted form
  bool use_credit = true;  // what the others observe enters the prior terms

  Limits limits;  // what the pilot must keep to

  Minimiser method = Minimiser::automatic;
  double relative_gap = 1e-3;
  double time_limit = std::numeric_limits<double>::infinity();  // seconds
  std::int32_t probes = 64;
  base::Run run = {};

  void validate(const mdp::Mdp& mdp) const;
};

/// A pilot and what it does to the variance. Its routes are one per policy in use, heaviest first; for the
/// discounted form their `units` are 0 and their tables have one step.
struct Design : Pilot {
  TargetWeights target;
  double before = 0;          // variance the target has now
  double with_credit = 0;     // after what the others observe, without a pilot
  double after = 0;           // after the pilot as designed, in expectation
  double after_rounding = 0;  // with whole units on whole routes; as `after` for the discounted form
  MinimumStatus status = MinimumStatus::converged;
  double gap = 0, relative_gap = 0;  // no design makes it smaller than after - gap
  std::int64_t iterations = 0;
  double seconds = 0;
  std::vector<std::int32_t> unit_state;
  std::vector<double>
      policy;  // per pair, of a stationary explorer, where the minimiser gives no routes; else empty
  std::vector<double> counts;          // expected observations per pair: as assigned, or the optimum's
  std::vector<double> share_by_group;  // of the counts
  std::vector<double> contributions_before, contributions_after;  // of each pair to the variance
  double expected_loss = 0;        // reward the pilot gives up against the current policy, in the mean model
  std::vector<double> violations;  // of the constraints after rounding, in the units of their bounds
  bool constraints_kept = true;    // by the whole units; in expectation over the routes they always are
  bool routes_searched = true;     // false: time or size allowed no search for better routes of whole units
};

/// auto, columns, mirror-descent, interior-point or coordinate-descent. Throws InvalidArgument.
Minimiser minimiser_from_string(std::string_view name);
/// rewards, transitions or both. Throws InvalidArgument.
Block block_from_string(std::string_view name);

/// Says where units begin: the first options.units of `all` are the pilot's, the rest the others. What the
/// pilot is to find out counts from where they all are. Throws InvalidArgument where they are too few, or the
/// rest (if there is any) are not as many as `others` says; `file` is what the units are called there.
void place_units(const mdp::Units& all, const std::string& file, std::optional<std::int64_t> others,
                 const mdp::Mdp& mdp, DesignOptions& options);

/// Designs a pilot for what is known now. Throws InvalidArgument for a bad budget, an unreachable share (with
/// the largest that is feasible), all pairs forbidden, a group that does not exist, or where no variance of a
/// reward is known.
Design design_pilot(const belief::Knowledge& knowledge, const DesignOptions& options);

/// The weights of the target that design_pilot() would find for these options.
TargetWeights weights_of_target(const belief::Knowledge& knowledge, const DesignOptions& options);

/// What a pilot that is there already does: its expected observations, the variance after them and how it
/// keeps to the limits; the other numbers of a Design, the gap first of all, say nothing about it. `options`
/// say who is where. Units do what the current policy says wherever their route says nothing. Throws
/// InvalidArgument where the pilot has other units, steps or states than they, or uses a forbidden pair.
Design judge_pilot(const belief::Knowledge& knowledge, const DesignOptions& options, const Pilot& pilot);

}  // namespace mindgap::design
