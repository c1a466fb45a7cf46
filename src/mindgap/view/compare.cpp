#include "mindgap/view/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mindgap/base/error.h"
#include "mindgap/report/table.h"

namespace mindgap::view {
namespace {

std::string bracketed(const std::optional<stats::Interval>& interval, int digits) {
  if (!interval) return "";
  return fmt::format("[{:.{}f}, {:.{}f}]", interval->lower, digits, interval->upper, digits);
}

std::string p_text(double p) {
  return p < 1e-4 ? fmt::format("{:.1e}", p) : fmt::format("{:.4f}", p);
}

std::string percent_text(const char* format, double value) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

std::string difference_text(const trial::SummaryRow& row, bool shares) {
  return shares ? percent_text("{:+.2f}", row.difference) : fmt::format("{:+.6g}", row.mean_difference);
}

}  // namespace

std::string text_of(const trial::RunDescription& run, const std::vector<trial::SummaryRow>& rows) {
  std::string text = fmt::format("{}: {} trials from {}, seed {}", base::printable(run.case_name, 200),
                                 rows.front().trials, run.first_trial, run.seed);
  if (run.shards > 1) text += fmt::format(", shard {} of {}", run.shard, run.shards);
  for (const auto& [name, value] : run.settings) {
    if (!value.empty()) text += fmt::format(", {} {}", name, base::printable(value, 200));
  }
  // Without an oracle, or with one that gains nothing, differences are as they are.
  const bool shares = std::any_of(rows.begin(), rows.end(),
                                  [](const auto& row) { return !std::isnan(row.percent_of_oracle); });
  text += fmt::format(
      "\nMean {} by then; {} {} {}on the same trials; brackets are 95 % intervals. "
      "p, two-sided: of the mean difference\n"
      "(Student's t, approximate) and of the typical one (Wilcoxon's signed ranks).\n",
      run.unit, shares ? "% of oracle is the ratio of the means; differences to" : "differences to",
      run.reference, shares ? "in percentage points of\noracle, " : "are in the same unit,\n");
  for (const std::int64_t horizon : run.horizons) {
    report::Table table;
    table.title = fmt::format("\n{} {}", horizon, run.horizon_unit);
    table.columns = {"planner", "mean", "% of oracle", "", "vs " + run.reference, "", "p mean", "p ranks"};
    for (const trial::SummaryRow& row : rows) {
      if (row.horizon != horizon) continue;
      const bool same = row.planner == run.reference;
      table.rows.push_back(
          {row.planner, fmt::format("{:.6g}", row.mean), percent_text("{:.2f}", row.percent_of_oracle),
           bracketed(row.interval, 2), same ? "" : difference_text(row, shares),
           same ? "" : bracketed(shares ? row.difference_interval : row.mean_difference_interval, 2),
           same || !row.t_p_value ? "" : p_text(*row.t_p_value),
           same ? "" : p_text(row.p_value) + " " + row.p_method});
    }
    text += report::to_text(table);
  }
  return text;
}

}  // namespace mindgap::view
