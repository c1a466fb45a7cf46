#include "mindgap/base/error.h"
#include "mindgap/base/suggest.h"
#include "mindgap/planner/fisher.h"
#include "mindgap/planner/planner.h"
#include "mindgap/planner/sop.h"

namespace mindgap::planner {

const std::vector<PlannerInfo>& planners() {
  static const std::vector<PlannerInfo> all = {
      {"sop", "the simulator-optimal policy, for ever", false, make_sop},
      {"fisher", "Fisher-SEP: a designed pilot by routes, then the posterior-optimal policy", false,
       make_fisher},
      {"adaptive-fisher", "Fisher-SEP that redesigns as it learns and stops when it no longer pays", true,
       make_adaptive_fisher},
  };
  return all;
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
