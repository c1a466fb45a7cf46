#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "mindgap/trial/case.h"
#include "paper/cases/hiv/belief.h"
#include "paper/cases/hiv/planner.h"
#include "paper/cases/hiv/world.h"

// Who moves the teams.
namespace mindgap::cases::hiv {

/// Every planner of this case, in the order of tables.
const std::vector<trial::PlannerName>& planner_names();
/// All but the oracle; the name is one of planner_names(). `known` is copied, but for the geography.
std::unique_ptr<HivPlanner> make_planner(std::string_view name, const Known& known);
/// The only one that is shown the world: half of the teams on the highest true prevalences of B, the others
/// on those of A, by shortest path.
std::unique_ptr<HivPlanner> make_oracle(const World& world);

std::unique_ptr<HivPlanner> make_sop(const Known& known);
std::unique_ptr<HivPlanner> make_epsilon(const Known& known);
std::unique_ptr<HivPlanner> make_asop(const Known& known);
std::unique_ptr<HivPlanner> make_thompson(const Known& known);
std::unique_ptr<HivPlanner> make_sep(const Known& known);
std::unique_ptr<HivPlanner> make_fisher(const Known& known);
std::unique_ptr<HivPlanner> make_ucrl2(const Known& known);
std::unique_ptr<HivPlanner> make_ucbvi(const Known& known);
std::unique_ptr<HivPlanner> make_kg(const Known& known);
std::unique_ptr<HivPlanner> make_tai(const Known& known);
std::unique_ptr<HivPlanner> make_tai_dynamic(const Known& known);
std::unique_ptr<HivPlanner> make_routes(const Known& known);
std::unique_ptr<HivPlanner> make_adaptive_fisher(const Known& known);
std::unique_ptr<HivPlanner> make_ids(const Known& known);

/// Teams with somewhere to go.
struct Orders {
  std::vector<Zone> target;            // per team
  std::vector<Navigation> navigation;  // per team

  /// Nobody has anywhere to go yet: they stay.
  explicit Orders(std::size_t teams) : target(teams, -1), navigation(teams, Navigation::shortest) {}
  /// Teams first, first + 1, ... to these zones, one each.
  void send(std::size_t first, std::span<const Zone> zones, Navigation how);
  void step(const Geography& geography, std::span<const Zone> position, std::span<Zone> next) const;
};

/// The gradient of what eight, say, tests a day in every zone are worth over 15 days:
///   g_j = [V(m + .01 e_j) - V(m)] / .01, V(q) = sum over t = 0..15 of .95^t tests sum_j q_j(t),
/// q following the spread with nobody diagnosed.
std::vector<double> value_gradient(const Known& known, std::span<const double> mean);
/// g_j^2 times the variance of the belief: the paper's PVV of each zone.
std::vector<double> zone_pvv(const Known& known, const ZoneBelief& belief);

/// E[max over zones of the posterior mean] after `tests` tests in zone y, less its present value. The number
/// of positives is Beta-binomial.
double knowledge_gradient(const ZoneBelief& belief, std::span<const double> means, std::size_t zone,
                          std::int32_t tests);

/// Pairs teams with zones: repeatedly the pair with the highest score (> 0), then both are out; ties to the
/// lowest team, then zone. `score` is [team * zones + zone]; -1 for teams left over.
std::vector<Zone> best_pairs(std::span<double> score, std::size_t teams, std::size_t zones);

}  // namespace mindgap::cases::hiv
