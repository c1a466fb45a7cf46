#include "mindgap/view/pilot_length.h"

#include <fmt/format.h>

#include <cmath>

#include "mindgap/view/number.h"

namespace mindgap::view {
namespace {

Json json_of_bound(const gap::RegretBound& bound) {
  return {{"steps", finite_or_null(bound.steps)},
          {"exploration", finite_or_null(bound.exploration)},
          {"misranking", finite_or_null(bound.misranking)},
          {"residual", finite_or_null(bound.residual)},
          {"total", finite_or_null(bound.total)}};
}

// The pilot that did best by simulation: that of the recommended plan, or the best one.
std::string simulated(const DecideView& view) {
  if (!view.decision.pilot_plan) return "";
  return fmt::format("; by simulation {}",
                     count(view.decision.plans[*view.decision.pilot_plan].plan.pilot_steps, "step"));
}

}  // namespace

std::string pilot_length_fact(const DecideView& view) {
  const gap::PilotLength& length = *view.decision.pilot_length;
  if (length.says_nothing) return "it says nothing here" + simulated(view);
  return fmt::format("{}, at most {} lost a unit{}", count(std::llround(length.steps), "step"),
                     number(length.bound.total), simulated(view));
}

std::string pilot_length_text(const DecideView& view) {
  if (!view.decision.pilot_length || view.decision.pilot_length->says_nothing) return "";
  return fmt::format("  length of a pilot by a bound on regret: {}\n", pilot_length_fact(view));
}

Json json_of_pilot_length(const DecideView& view) {
  if (!view.decision.pilot_length) return nullptr;
  const gap::PilotLength& length = *view.decision.pilot_length;
  Json json{{"steps", length.steps},
            {"bound", json_of_bound(length.bound)},
            {"without", length.without},
            {"says_nothing", length.says_nothing},
            {"paper_steps", finite_or_null(length.paper_steps)},
            {"paper_bound", json_of_bound(length.paper)},
            {"simulated_steps", nullptr}};
  if (view.decision.pilot_plan)
    json["simulated_steps"] = view.decision.plans[*view.decision.pilot_plan].plan.pilot_steps;
  return json;
}

}  // namespace mindgap::view
