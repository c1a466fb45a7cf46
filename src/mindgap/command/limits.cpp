#include "mindgap/command/limits.h"

#include "mindgap/files/pilot_tables.h"

namespace mindgap::command {

design::Limits LimitsRequest::read(const mdp::Mdp& mdp) const {
  design::Limits limits{minimum_shares, maximum_shares};
  if (forbid) limits.forbidden = files::parse_forbidden(forbid->file, mdp);
  if (capacity) limits.capacity = files::parse_capacities(capacity->file, mdp);
  if (costs) limits.cost = files::parse_costs(costs->file, mdp);
  limits.cost_budget = cost_budget;
  limits.max_loss = max_loss;
  return limits;
}

}  // namespace mindgap::command
