#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What a planner could do: the alternatives that a decision is between.
namespace mindgap::decide {

/// From the simplest on: where two are worth the same, the simpler one is to be preferred.
enum class Kind {
  deploy,      // follow the policy that is best in the model of today, for ever
  learn,       // update from whatever the deployment shows
  experiment,  // send units where they would not go, then learn
};

std::string_view name_of(Kind kind);

struct Plan {
  std::string name;  // "sop", "asop", "thompson", "pilot-8x10": 8 units, 10 steps
  Kind kind = Kind::deploy;
  std::int64_t pilot_units = 0, pilot_steps = 0;

  bool is_pilot() const { return kind == Kind::experiment; }
  bool operator==(const Plan&) const = default;
};

Plan pilot_plan(std::int64_t units, std::int64_t steps);

/// Throws InvalidArgument where it is no plan's name.
Plan plan_from_string(std::string_view name);

/// sop, asop, thompson, and pilots of about a tenth, a fifth, a twentieth and two fifths of the horizon (at
/// least a step, and at least one step left after it) with all units, then with a quarter, a sixteenth and a
/// sixty-fourth of them.
std::vector<Plan> default_plans(std::int64_t units, std::int64_t horizon);

}  // namespace mindgap::decide
