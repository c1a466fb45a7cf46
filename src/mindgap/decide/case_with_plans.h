#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mindgap/decide/simulation.h"
#include "mindgap/trial/tabular_case.h"

// Plans of a decision as planners, so that a verdict can be tested on a known truth.
namespace mindgap::decide {

/// The planner that a plan's name stands for: of pilot-UxT one that designs the pilot on the setting's belief
/// at the first step, from where the units are then. Throws InvalidArgument at that step where there are
/// fewer units, or the horizon is not longer.
std::unique_ptr<planner::Planner> make_plan(const Plan& plan, const planner::Setting& setting,
                                            const design::Target& target = {});

/// Throws InvalidArgument unless both have the same states and state-action pairs; `decided` is what a
/// decision was about.
void check_same_pairs(const mdp::Mdp& decided, const mdp::Mdp& here);

/// Follows a pilot that was designed before, with its very routes. Throws InvalidArgument where the setting
/// has other units than the pilot, or another model's states and pairs than `belief`, which it begins with.
std::unique_ptr<planner::Planner> follow_pilot(const belief::Belief& belief,
                                               std::shared_ptr<const design::Pilot> pilot,
                                               planner::Setting setting);

/// A case in which the plans `asked` for by name, which it does not know itself, are planners, too. Throws
/// InvalidArgument where there are any and the case is not a tabular one.
class CaseWithPlans final : public trial::Case {
 public:
  CaseWithPlans(std::unique_ptr<trial::Case> on, const std::vector<std::string>& asked);

  std::string name() const override { return on_->name(); }
  std::string unit() const override { return on_->unit(); }
  std::string horizon_unit() const override { return on_->horizon_unit(); }
  std::vector<trial::PlannerName> planners() const override;
  std::vector<std::string> default_planners() const override { return on_->default_planners(); }
  std::vector<std::int64_t> default_horizons() const override { return on_->default_horizons(); }
  std::int64_t default_trials() const override { return on_->default_trials(); }
  std::vector<std::pair<std::string, std::string>> settings() const override { return on_->settings(); }
  std::vector<std::string> warnings() const override { return on_->warnings(); }
  std::vector<double> run(std::string_view planner, std::uint64_t trial,
                          std::span<const std::int64_t> horizons) const override;

 private:
  std::unique_ptr<trial::Case> on_;
  const trial::TabularCase* tabular_;  // on_, where it is one
  std::vector<Plan> plans_;
};

/// The names among `asked` that are plans and that no planner of a case has.
std::vector<Plan> plans_among(const std::vector<std::string>& asked,
                              const std::vector<trial::PlannerName>& known);

}  // namespace mindgap::decide
