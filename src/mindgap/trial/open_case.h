#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mindgap/trial/case.h"
#include "mindgap/trial/loop.h"

namespace mindgap::trial {

inline constexpr const char* kOracle = "oracle";  // who knows what is best

/// A planner that somebody brings to a case.
struct OtherPlanner {
  std::string name;
  MakePlanner make;
  bool uses_horizon = false;  // its choices depend on the horizon
  std::string description = "the user's own";
};

/// A case with planners that are brought to it beside its own; one called "oracle" is its first. Throws
/// InvalidArgument where the case takes none, or has one of that name.
class OpenCase final : public Case {
 public:
  /// `on` must outlive it.
  OpenCase(const Case& on, std::vector<OtherPlanner> others);

  std::string name() const override { return on_.name(); }
  std::string unit() const override { return on_.unit(); }
  std::string horizon_unit() const override { return on_.horizon_unit(); }
  std::vector<PlannerName> planners() const override;
  std::vector<std::string> default_planners() const override;
  std::vector<std::int64_t> default_horizons() const override { return on_.default_horizons(); }
  std::int64_t default_trials() const override { return on_.default_trials(); }
  std::vector<std::pair<std::string, std::string>> settings() const override { return on_.settings(); }
  std::vector<CaseWarning> warnings() const override { return on_.warnings(); }
  std::vector<CaseWarning> findings() const override { return on_.findings(); }
  std::vector<std::uint64_t> failed_trials() const override { return on_.failed_trials(); }
  std::vector<double> run(std::string_view planner, std::uint64_t trial,
                          std::span<const std::int64_t> horizons) const override;

 private:
  const Case& on_;
  std::vector<OtherPlanner> others_;
};

}  // namespace mindgap::trial
