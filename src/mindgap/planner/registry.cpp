#include "mindgap/base/error.h"
#include "mindgap/base/suggest.h"
#include "mindgap/planner/asop.h"
#include "mindgap/planner/beb.h"
#include "mindgap/planner/epsilon.h"
#include "mindgap/planner/fisher.h"
#include "mindgap/planner/fisher_listing.h"
#include "mindgap/planner/ids.h"
#include "mindgap/planner/improvement.h"
#include "mindgap/planner/kg.h"
#include "mindgap/planner/planner.h"
#include "mindgap/planner/sep.h"
#include "mindgap/planner/sop.h"
#include "mindgap/planner/thompson.h"
#include "mindgap/planner/ucbvi.h"
#include "mindgap/planner/ucrl2.h"

namespace mindgap::planner {

const std::vector<PlannerInfo>& planners() {
  static const std::vector<PlannerInfo> kAll = {
      {"sop", "the simulator-optimal policy; A-SOP once a move is seen that the simulator calls impossible",
       false, make_sop},
      {"sop-fixed", "the simulator-optimal policy, whatever is observed", false, make_fixed_sop},
      {"epsilon", "the simulator-optimal policy with random actions, no learning", false, make_epsilon},
      {"learning-epsilon", "A-SOP with random actions", false, make_learning_epsilon},
      {"adaptive-epsilon", "A-SOP with random actions that grow rarer", false, make_adaptive_epsilon},
      {"asop", "the optimal policy of what is known so far", false, make_asop},
      {"asop-forgetting", "A-SOP whose belief forgets, where the truth is taken to drift", false,
       make_forgetting_asop},
      {"asop-pilot", "A-SOP after a random pilot", false, make_asop_pilot},
      {"thompson", "each unit the optimal policy of a model of its own, which only data change", false,
       make_thompson},
      {"thompson-forgetting", "Thompson whose belief forgets, where the truth is taken to drift", false,
       make_forgetting_thompson},
      {"thompson-shared", "all units the optimal policy of one model, drawn from the belief at each look",
       false, make_shared_thompson},
      {"beb", "the optimal policy of what is known, with a bonus on rewards for what is uncertain", false,
       make_beb},
      {"improvement",
       "units go where what they may find is worth most, less the way there; knows the horizon", true,
       make_improvement},
      {"kg", "KG-SEP: value plus what one look is worth, state by state", false, make_kg},
      {"sep", "SEP by exploration priority: random pilot, explore, exploit", false, make_sep},
      {"fisher", "Fisher-SEP: a designed pilot by routes, then the posterior-optimal policy", false,
       make_fisher},
      {"adaptive-fisher",
       "Fisher-SEP that redesigns as it learns and stops when it no longer pays; knows the horizon", true,
       make_adaptive_fisher},
      {"repilot", "adaptive-fisher with a belief that forgets: comes back to what it has not seen for long",
       true, make_repilot},
      {"fisher-listing", "Fisher-SEP as the paper lists it: random pilot, coordinate descent, per-step coins",
       false, make_fisher_listing},
      {"fisher-listing-explorers", "the same by 15 % of the units, which do nothing else for 15 steps", false,
       make_fisher_listing_explorers},
      {"fisher-trace", "the same explorers, with the trace of the Fisher information as their criterion",
       false, make_fisher_trace},
      {"ids", "information-directed sampling on the value of policies", false, make_ids},
      {"ucrl2", "UCRL2: the best model that the counts allow", false, make_ucrl2},
      {"ucbvi", "UCBVI: value iteration with a bonus for what is rare", false, make_ucbvi},
  };
  return kAll;
}

const PlannerInfo& find_planner(std::string_view name) {
  std::vector<std::string> names;
  for (const PlannerInfo& info : planners()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw InvalidArgument(base::unknown_name("planner", name, names));
}

}  // namespace mindgap::planner
