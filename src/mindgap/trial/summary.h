#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/stats/interval.h"
#include "mindgap/trial/sweep.h"

namespace mindgap::trial {

/// One planner at one horizon, and against a reference planner on the same trials.
struct SummaryRow {
  std::string planner;
  std::int64_t horizon = 0;
  std::int64_t trials = 0;
  double mean = 0;
  double percent_of_oracle = 0;  // 100 times the ratio of the means; NaN without an oracle that gains
  std::optional<stats::Interval> interval = {};             // 95 %, on the percentage; none for one trial
  double difference = 0;                                    // to the reference, percentage points of oracle
  std::optional<stats::Interval> difference_interval = {};  // paired
  double mean_difference = 0;                               // to the reference, as values are
  std::optional<stats::Interval> mean_difference_interval = {};  // 95 %, paired, Student's t
  std::optional<double> t_p_value = {};  // of the mean difference, Student's t, two-sided; none for one trial
  double p_value = 1;                    // of the typical difference, Wilcoxon signed rank, two-sided
  std::string p_method = {};             // "exact" or "normal approximation"
};

/// Rows by horizon, then in the order of `planners`, which must be among the results' as must be the
/// reference. Without "oracle" among them, or where it gains nothing, shares of it are NaN.
std::vector<SummaryRow> summarise(const Results& results, const std::vector<std::string>& planners,
                                  std::string_view reference);

}  // namespace mindgap::trial
