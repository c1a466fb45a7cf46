#include "mindgap/design/constraints.h"

#include <fmt/format.h>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/readable.h"
#include "mindgap/mdp/evaluate.h"

namespace mindgap::design {
namespace {

std::int32_t find_group(const mdp::Mdp& mdp, std::string_view group) {
  const mdp::NameTable& groups = mdp.labels().groups;
  const std::int32_t number = groups.find(group);
  if (number >= 0) return number;
  std::string known;
  for (std::int32_t g = 0; g < groups.size(); ++g) {
    known += fmt::format("{}'{}'", g == 0 ? "" : ", ", base::printable(groups[g]));
  }
  throw InvalidArgument(fmt::format("there is no group '{}'; {}", base::printable(group),
                                    known.empty() ? "the model has no groups" : "the groups are " + known));
}

LinearConstraint share_of(const Occupancy& pilot, std::string_view group, double share, double sign) {
  base::check_probability(sign < 0 ? "minimum_share" : "maximum_share", "share", share);
  const mdp::Mdp& mdp = pilot.mdp();
  const std::int32_t wanted = find_group(mdp, group);
  LinearConstraint row;
  row.name = group;
  row.kind = sign < 0 ? ConstraintKind::minimum_share : ConstraintKind::maximum_share;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    if (mdp.labels().group_of_state[static_cast<std::size_t>(s)] != wanted) continue;
    for (const std::int32_t k : mdp.pairs_of(s)) {
      row.pair.push_back(k);
      row.coefficient.push_back(sign);
    }
  }
  row.bound = sign * share * pilot.budget();
  row.stated_per_row = sign / pilot.budget();
  return row;
}

// Visits per state of the pilot's units where they follow the policy, in the units of the pilot's counts.
std::vector<double> usual_visits(const Occupancy& pilot, const mdp::Policy& deployed) {
  std::vector<double> visits = pilot.is_finite() ? mdp::finite_occupancy(pilot.mdp(), deployed, pilot.steps())
                                                 : mdp::discounted_visitation(pilot.mdp(), deployed).share;
  for (double& n : visits) n *= pilot.budget() / static_cast<double>(pilot.steps());
  return visits;
}

std::string per_cent(double share) {
  return fmt::format("{} %", base::number(100 * share, 4));
}

}  // namespace

double LinearConstraint::left(std::span<const double> counts) const {
  double sum = 0;
  for (std::size_t i = 0; i < pair.size(); ++i) sum += coefficient[i] * counts[pair[i]];
  return sum;
}

LinearConstraint minimum_share(const Occupancy& pilot, std::string_view group, double share) {
  return share_of(pilot, group, share, -1);
}

LinearConstraint maximum_share(const Occupancy& pilot, std::string_view group, double share) {
  return share_of(pilot, group, share, 1);
}

LinearConstraint cost_budget(const Occupancy& pilot, std::span<const double> cost, double budget) {
  base::check_size("cost_budget", "cost", cost.size(), static_cast<std::size_t>(pilot.mdp().pairs()));
  base::check_finite("cost_budget", "cost", cost);
  base::check_finite("cost_budget", "budget", budget);
  LinearConstraint row;
  row.name = "cost";
  row.kind = ConstraintKind::cost;
  row.bound = budget;
  for (std::int32_t k = 0; k < pilot.mdp().pairs(); ++k) {
    if (cost[k] == 0) continue;
    row.pair.push_back(k);
    row.coefficient.push_back(cost[k]);
  }
  return row;
}

LinearConstraint loss_limit(const Occupancy& pilot, const mdp::Policy& deployed, double limit) {
  base::check_finite("loss_limit", "limit", limit);
  const mdp::Mdp& mdp = pilot.mdp();
  const std::vector<double> pi = deployed.probability_of_pair(mdp);
  const std::vector<double> visits = usual_visits(pilot, deployed);
  double per_step = 0;
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    per_step += visits[mdp.state_of_pair(k)] * pi[k] * mdp.reward()[k] / pilot.budget();
  }
  LinearConstraint row;
  row.name = "expected reward lost";
  row.kind = ConstraintKind::loss;
  row.bound = limit;
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    row.pair.push_back(k);
    row.coefficient.push_back(per_step - mdp.reward()[k]);
  }
  return row;
}

std::vector<LinearConstraint> kept_rates(const Occupancy& pilot, const mdp::Policy& deployed,
                                         std::span<const double> others, double share) {
  base::check_probability("kept_rates", "share", share);
  const mdp::Mdp& mdp = pilot.mdp();
  if (!others.empty())
    base::check_size("kept_rates", "others", others.size(), static_cast<std::size_t>(mdp.pairs()));
  const mdp::NameTable& groups = mdp.labels().groups;
  if (groups.size() == 0)
    throw InvalidArgument("rates of visits can be kept for groups only, and the model has no groups");
  const std::vector<double> visits = usual_visits(pilot, deployed);
  std::vector<LinearConstraint> rows;
  for (std::int32_t g = 0; g < groups.size(); ++g) {
    LinearConstraint row;
    row.name = groups[g];
    row.kind = ConstraintKind::rate;
    double usual = 0, elsewhere = 0;
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      if (mdp.labels().group_of_state[static_cast<std::size_t>(s)] != g) continue;
      usual += visits[s];
      for (const std::int32_t k : mdp.pairs_of(s)) {
        row.pair.push_back(k);
        row.coefficient.push_back(-1);
        if (!others.empty()) elsewhere += others[k];
      }
    }
    const double all = usual + elsewhere;
    if (!(all > 0)) continue;
    row.bound = elsewhere - share * all;
    row.stated_per_row = -1 / all;
    row.stated_at_zero = elsewhere / all;
    rows.push_back(std::move(row));
  }
  return rows;
}

Capacity step_capacity(const Occupancy& pilot, std::string_view state, double units) {
  const std::int32_t s = pilot.mdp().find_state(state);
  if (s < 0) throw InvalidArgument(fmt::format("there is no state '{}'", base::printable(state)));
  const Capacity capacity{s, units};
  check_constraints(pilot, {.linear = {}, .capacity = {capacity}});
  return capacity;
}

void check_constraints(const Occupancy& pilot, const Constraints& constraints) {
  for (const LinearConstraint& row : constraints.linear) {
    base::check_size("constraints", row.name, row.coefficient.size(), row.pair.size());
    base::check_finite("constraints", row.name, row.coefficient);
    base::check_finite("constraints", row.name, row.bound);
    for (const std::int32_t k : row.pair)
      base::check_range("constraints", "pair", k, 0, pilot.mdp().pairs() - 1);
  }
  for (const Capacity& capacity : constraints.capacity) {
    if (!pilot.is_finite()) {
      throw InvalidArgument("constraints: a capacity per step needs a finite pilot (occupancy finite)");
    }
    base::check_range("constraints", "state of a capacity", capacity.state, 0, pilot.mdp().states() - 1);
    base::check_nonnegative("constraints", "capacity", capacity.units);
  }
}

std::string refusal(const LinearConstraint& row, double smallest, bool others) {
  const double asked = row.stated(row.bound), nearest = row.stated(smallest);
  const char* with = others ? " with the other constraints" : "";
  const std::string name = base::printable(row.name);
  switch (row.kind) {
    case ConstraintKind::minimum_share:
      return fmt::format("group '{}' cannot have {} of the steps; at most {} are possible{}", name,
                         per_cent(asked), per_cent(nearest), with);
    case ConstraintKind::maximum_share:
      return fmt::format("group '{}' cannot be kept to {} of the steps; it has at least {}{}", name,
                         per_cent(asked), per_cent(nearest), with);
    case ConstraintKind::rate:
      return fmt::format("group '{}' cannot keep {} of its usual visits; at most {} are possible{}", name,
                         per_cent(asked), per_cent(nearest), with);
    default:
      return fmt::format("the {} cannot be kept to {}; at least {} is needed{}", name, base::number(asked, 6),
                         base::number(nearest, 6), with);
  }
}

std::string refusal(const Occupancy& pilot, const Capacity& capacity, double smallest, bool others) {
  return fmt::format("state '{}' cannot be kept to {} units at every step; at least {} are needed{}",
                     base::printable(pilot.mdp().state_name(capacity.state)), base::number(capacity.units, 6),
                     base::number(smallest, 6), others ? " with the other constraints" : "");
}

}  // namespace mindgap::design
