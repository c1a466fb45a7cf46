#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What a planner could do: the alternatives that a decision is between.
namespace mindgap::decide {

/// From the simplest on: where two are worth the same, the simpler one is to be preferred.
enum class Kind {
  deploy,      // follow the policy that is best in the model of today, indefinitely
  learn,       // the same, updated from whatever the deployment shows
  experiment,  // send units where today's best policy would not go
};

std::string_view name_of(Kind kind);

/// How an experiment sends its units.
enum class Exploration {
  none,        // not an experiment
  undirected,  // by a rule that each unit follows from step to step: Thompson, a bonus, an index
  designed,  // on routes that are designed together, beforehand (pilot-UxT) or again and again (adaptive-UxW)
};

std::string_view name_of(Exploration exploration);

/// Which policy a deployment follows.
enum class Deployed {
  mean,     // the best of the mean model (sop)
  average,  // the best found on average over an ensemble's members
  robust,   // the best found in the worst of them
};

struct Plan {
  std::string name;  // "sop", "average", "asop", "thompson", "beb-2", "adaptive-8x10", "pilot-8x10": 8 units,
                     // 10 steps
  Kind kind = Kind::deploy;
  std::int64_t pilot_units = 0;  // that follow routes: of pilot-UxT and adaptive-UxW
  std::int64_t pilot_steps = 0;  // of pilot-UxT
  Exploration exploration = Exploration::none;
  std::string planner = {};  // planner::find_planner() knows it; empty for sop and pilot-UxT
  double bonus = 0;          // of beb-X; 0: the planner's own
  std::int64_t window = 0;   // of adaptive-UxW: steps that a design looks ahead at least
  bool given = false;        // given-UxT: a pilot whose routes a file says (SimulationOptions::given)
  Deployed deployed = Deployed::mean;  // of plans of the kind deploy

  /// Routes that are known beforehand.
  bool is_pilot() const { return pilot_steps > 0; }
  bool is_designed() const { return exploration == Exploration::designed; }
  bool is_undirected() const { return exploration == Exploration::undirected; }
  bool wants_ensemble() const { return deployed != Deployed::mean; }
  bool operator==(const Plan&) const = default;
};

Plan pilot_plan(std::int64_t units, std::int64_t steps);
Plan given_plan(std::int64_t units, std::int64_t steps);
Plan adaptive_plan(std::int64_t units, std::int64_t window);
Plan repilot_plan(std::int64_t units, std::int64_t window);
Plan bonus_plan(double bonus);

/// Throws InvalidArgument where it is no plan's name.
Plan plan_from_string(std::string_view name);
/// Whether it is a plan's name.
bool is_plan(std::string_view name);

/// sop, asop; thompson, beb with bonuses of a half, one and two, improvement, ids; adaptive pilots of all
/// units and of a quarter of them that look a tenth of the horizon ahead; and pilots of about a tenth, a
/// fifth, a twentieth and two fifths of the horizon (at least a step, and at least one step left after it)
/// with all units, then with a quarter, a sixteenth and a sixty-fourth of them. With an ensemble of models
/// also average and robust.
std::vector<Plan> default_plans(std::int64_t units, std::int64_t horizon, bool ensemble = false);
/// Where the truth moves, beside those: asop-forgetting, thompson-forgetting, and repilot-UxW of the sizes of
/// the adaptive pilots.
std::vector<Plan> forgetting_plans(std::int64_t units, std::int64_t horizon);

}  // namespace mindgap::decide
