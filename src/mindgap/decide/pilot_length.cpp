#include "mindgap/decide/pilot_length.h"

#include <algorithm>

namespace mindgap::decide {

std::optional<gap::PilotLength> bounded_pilot_length(const Situation& situation, const DecideOptions& options,
                                                     const Decision& decision) {
  const PlanResult* best = nullptr;
  for (const PlanResult& result : decision.plans) {
    if (!result.plan.is_pilot()) continue;
    const bool better = best == nullptr || (best->screened && !result.screened) ||
                        (best->screened == result.screened && result.value > best->value);
    if (better) best = &result;
  }
  const mdp::Mdp& mdp = situation.belief().simulator();
  const double most = std::max(mdp.reward_max(), mdp.reward_magnitude());
  if (best == nullptr || !(most > 0)) return std::nullopt;
  const bool negative = std::any_of(mdp.reward().begin(), mdp.reward().end(), [](double r) { return r < 0; });
  gap::RegretProblem problem;
  problem.pairs = mdp.pairs();
  problem.units = situation.units();
  problem.explorers = static_cast<double>(best->plan.pilot_units) / static_cast<double>(situation.units());
  problem.reward_span = (negative ? 2 : 1) * most;
  problem.discount = mdp.discount();
  if (options.objective.sum == Objective::total || mdp.discount() == 1) problem.horizon = situation.horizon;
  return gap::best_pilot_length(problem);
}

}  // namespace mindgap::decide
