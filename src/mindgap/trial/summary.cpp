#include "mindgap/trial/summary.h"

#include <algorithm>
#include <limits>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/stats/moments.h"
#include "mindgap/stats/paired.h"
#include "mindgap/stats/ratio.h"

namespace mindgap::trial {
namespace {

std::optional<stats::Interval> percent(const std::optional<stats::Interval>& interval) {
  if (!interval) return std::nullopt;
  return stats::Interval{100 * interval->lower, 100 * interval->upper};
}

// All trials of three planners at one horizon.
struct Columns {  // oracle: empty where there is none
  std::vector<double> oracle, reference, planner;
};

SummaryRow compare(const Columns& columns) {
  std::vector<double> differences(columns.planner.size());
  for (std::size_t i = 0; i < differences.size(); ++i) {
    differences[i] = columns.planner[i] - columns.reference[i];
  }
  const stats::Wilcoxon test = stats::wilcoxon_signed_rank(differences);
  SummaryRow row;
  row.trials = static_cast<std::int64_t>(columns.planner.size());
  row.mean = stats::mean(columns.planner);
  row.percent_of_oracle = row.difference = std::numeric_limits<double>::quiet_NaN();
  if (!columns.oracle.empty() && stats::mean(columns.oracle) > 0) {
    const stats::RatioOfMeans share = stats::ratio_of_means(columns.planner, columns.oracle);
    const stats::RatioOfMeans gain = stats::ratio_of_means(differences, columns.oracle);
    row.percent_of_oracle = 100 * share.ratio;
    row.interval = percent(share.interval);
    row.difference = 100 * gain.ratio;
    row.difference_interval = percent(gain.interval);
  }
  const stats::PairedT paired = stats::paired_t(differences);
  row.mean_difference = paired.mean;
  row.mean_difference_interval = paired.interval;
  row.t_p_value = paired.p_value;
  row.p_value = test.p_value;
  row.p_method = test.method;
  return row;
}

}  // namespace

// Percentages are ratios of means, not means of ratios: a trial in which the oracle gathers little weighs
// little. Their intervals are the delta method's, paired by trial (stats/ratio.h).
std::vector<SummaryRow> summarise(const Results& results, const std::vector<std::string>& planners,
                                  std::string_view reference) {
  if (results.trials.empty()) throw InvalidArgument("summarise: there are no trials");
  base::check_size("summarise", "value", results.value.size(),
                   results.trials.size() * results.planners.size() * results.horizons.size());
  base::check_finite("summarise", "value", results.value);
  const auto& all = results.planners;
  const bool has_oracle = std::find(all.begin(), all.end(), "oracle") != all.end();
  const std::size_t beside = results.place_of(reference);
  std::vector<std::size_t> places;
  places.reserve(planners.size());
  for (const std::string& planner : planners) places.push_back(results.place_of(planner));
  std::vector<SummaryRow> rows;
  for (std::size_t horizon = 0; horizon < results.horizons.size(); ++horizon) {
    Columns columns{{}, results.column(beside, horizon), {}};
    if (has_oracle) columns.oracle = results.column(results.place_of("oracle"), horizon);
    for (const std::size_t place : places) {
      columns.planner = results.column(place, horizon);
      rows.push_back(compare(columns));
      rows.back().planner = results.planners[place];
      rows.back().horizon = results.horizons[horizon];
    }
  }
  return rows;
}

}  // namespace mindgap::trial
