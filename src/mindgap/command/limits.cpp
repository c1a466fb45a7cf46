#include "mindgap/command/limits.h"

#include <array>

#include "mindgap/files/pilot_tables.h"

namespace mindgap::command {

std::span<const Option<LimitsRequest>> limit_options() {
  using Request = LimitsRequest;
  static const auto kOptions = std::to_array<Option<Request>>({
      {"min_share", "at least this share of the pilot's steps in that group", &Request::minimum_shares},
      {"max_share", "at most this share of the pilot's steps in that group", &Request::maximum_shares},
      {"forbid",
       "pairs that the pilot must not use: state,action. It also avoids states in which it would have to use "
       "them",
       &Request::forbid},
      {"capacity", "number of units that may be in a state at one step: state,per_step", &Request::capacity},
      {"costs", "cost of one use of a pair: state,action,cost", &Request::costs, "cost_budget"},
      {"cost_budget", "largest expected cost of the pilot", &Request::cost_budget, "costs", true},
      {"max_loss", "largest expected reward that the pilot may give up", &Request::max_loss},
      {"keep_rates",
       "share of its usual visits that every group keeps during the pilot, from all units together; 1 = no "
       "group gets fewer",
       &Request::keep_rates,
       {},
       true},
  });
  return kOptions;
}

design::Limits LimitsRequest::read(const mdp::Mdp& mdp) const {
  design::Limits limits{minimum_shares, maximum_shares};
  if (forbid) limits.forbidden = files::parse_forbidden(forbid->file, mdp);
  if (capacity) limits.capacity = files::parse_capacities(capacity->file, mdp);
  if (costs) limits.cost = files::parse_costs(costs->file, mdp);
  limits.cost_budget = cost_budget;
  limits.max_loss = max_loss;
  limits.keep_rates = keep_rates;
  return limits;
}

}  // namespace mindgap::command
