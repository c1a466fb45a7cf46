#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/trial/case.h"
#include "paper/cases/hiv/options.h"
#include "paper/cases/hiv/planners.h"
#include "paper/cases/hiv/world.h"
#include "paper/cases/registry.h"

namespace mindgap::cases::hiv {

/// Mobile HIV testing as something planners are compared on. A value is the cases found, every positive
/// counted, as in the paper.
class HivCase : public trial::Case {
 public:
  /// Throws InvalidArgument where the options are not valid.
  explicit HivCase(const HivOptions& options);

  std::string name() const override { return "hiv"; }
  std::string unit() const override { return "cases found"; }
  std::string horizon_unit() const override { return "days"; }
  std::vector<trial::PlannerName> planners() const override { return planner_names(); }
  std::vector<std::string> default_planners() const override;
  std::vector<std::int64_t> default_horizons() const override { return {50, 100, 200, 300, 400}; }
  std::int64_t default_trials() const override { return 200; }
  std::vector<std::pair<std::string, std::string>> settings() const override;
  /// Zones that no team can reach.
  std::vector<trial::CaseWarning> warnings() const override;

  /// One run of the longest horizon gives all of them: no planner knows the horizon.
  std::vector<double> run(std::string_view planner, std::uint64_t trial,
                          std::span<const std::int64_t> horizons) const override;

  /// The same run, with all that can be seen of it: `after_day` is called with the world after each day.
  void run_days(std::string_view planner, std::uint64_t trial, std::int64_t days,
                const std::function<void(const World&)>& after_day) const;

  const HivOptions& options() const { return options_; }
  const Geography& geography() const { return geography_; }

 private:
  HivOptions options_;
  Geography geography_;
};

/// The options as a user names them.
std::vector<trial::CaseOption> hiv_case_options();
/// Throws InvalidArgument with the option and its value.
HivOptions hiv_options(const trial::CaseRequest& request);
std::unique_ptr<trial::Case> make_hiv_case(const trial::CaseRequest& request);
/// For the list of cases.
CaseInfo info();

}  // namespace mindgap::cases::hiv
