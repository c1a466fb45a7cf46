#include "mindgap/belief/stated_belief.h"

namespace mindgap::belief {

Belief stated_belief(const mdp::Model& simulator, const std::string& what, const PriorOverrides& overrides) {
  const Knowledge known = gather_knowledge(simulator, std::nullopt, std::nullopt, overrides);
  if (known.variance.empty()) ask_for_variance(what);
  return known.now;
}

}  // namespace mindgap::belief
