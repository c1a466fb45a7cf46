#pragma once

#include <array>
#include <string>
#include <vector>

#include "mindgap/trial/summary.h"
#include "mindgap/trial/sweep.h"
#include "paper/cases/hiv/case.h"
#include "paper/reproduce/artefact.h"

// The artefacts of the HIV case (paper, section "HIV mobile-testing program" and its appendix).
namespace mindgap::reproduce {

Reproduction hiv_table(const Options& options);
Reproduction hiv_paired(const Options& options);
Reproduction hiv_sweep(const Options& options);
Reproduction hiv_slopes(const Options& options);
Reproduction hiv_figure(const Options& options);
Reproduction hiv_contraction(const Options& options);
Reproduction hiv_bounds(const Options& options);

// What they share.

constexpr std::array<std::int64_t, 5> kHivHorizons = {50, 100, 200, 300, 400};

/// As in the paper: "A-SOP", "Fisher-SEP-T".
std::string hiv_title(std::string_view planner);

/// A sweep of the case, oracle included, with the artefact's options.
trial::Results hiv_results(const cases::hiv::HivOptions& of_case, std::vector<std::string> planners,
                           std::int64_t trials, const Options& options, const std::string& what);

/// Everything there is to see of a planner's runs, day by day, averaged over trials.
struct HivCourse {
  std::int64_t trials = 0;
  std::vector<double> cases, cases_se;            // cumulative, after each day
  std::vector<double> infections, infections_se;  // sum over zones of the effectively infectious
  std::vector<double> visits;                     // team-days per zone
  std::vector<double> positives;                  // found per zone by the last day
  double crossing = 0;                            // share of trials in which a team entered region B
  double first_crossing = 0;                      // day, averaged over those
  // By trial:
  std::vector<std::vector<double>> cases_of_trial;  // cumulative, after each day
  std::vector<double> entries;                      // how often a team went from region A into B
  std::vector<double> days_in_b;                    // team-days there
};
HivCourse hiv_course(const cases::hiv::HivCase& on, std::string_view planner, std::int64_t days,
                     std::int64_t trials, const Options& options);

}  // namespace mindgap::reproduce
