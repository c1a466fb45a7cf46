#pragma once

#include <string>

#include "mindgap/design/design.h"
#include "mindgap/view/decide.h"

// Plans as files (format mindgap-plan/1) that a program can follow and a study can begin with; study/plan.h
// reads them.
namespace mindgap::view {

/// A pilot: `routes`, each with `weight`, `units` and `actions`, a list over steps of lists over states (in
/// the model's order) of action names, null where the route cannot be.
std::string plan_json(const mdp::Mdp& mdp, const design::Design& design,
                      const design::DesignOptions& options);

/// The best pilot of a decision, with an object `study`: the units, the horizon, how often to look, prior,
/// coverage and log. "" where there is no pilot among the plans.
std::string pilot_plan(const DecideView& view);

/// The same of what was recommended. A study can run a pilot (routes, then the policy that is best by what
/// was learnt), asop (nobody explores, the policy is found again as results come) and sop (the policy of
/// today, never changed). Throws InvalidArgument for any other plan, and says so.
std::string recommended_plan(const DecideView& view);

}  // namespace mindgap::view
