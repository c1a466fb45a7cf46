#include <fmt/format.h>

#include "mindgap/report/charts.h"
#include "paper/reproduce/vending.h"

// Figure unnormalized-gaps, panel a: cash above the SOP's. The paper prints no numbers beside it.
namespace mindgap::reproduce::vending {

Reproduction gains(const Options& options) {
  const std::vector<std::string> planners = {"sop",        "asop",     "kg",    "sep",   "sep-fdr", "fisher",
                                             "fisher-fdr", "thompson", "ucrl2", "ucbvi", "asop-all"};
  const trial::Results results = run(options, "both", planners, {100, 200, 400, 800, 1600});
  const auto rows = trial::summarise(results, planners, "sop");
  Reproduction result = begin("vending-gains", "dollars above the SOP",
                              fmt::format("{} trials, seed {}; the paper has a picture without numbers",
                                          results.trials.size(), options.run.seed));
  report::Table table{"Cash above the SOP's, dollars", {"planner", "days", "gain", "lower", "upper"}, {}};
  for (const trial::SummaryRow& row : rows) {
    if (row.planner == "sop") continue;
    Line line{.what = fmt::format("{}, T = {}", row.planner, row.horizon),
              .ours = row.mean_difference,
              .interval = row.mean_difference_interval};
    const stats::Interval interval = line.interval.value_or(stats::Interval{line.ours, line.ours});
    table.rows.push_back({row.planner, fmt::format("{}", row.horizon), fmt::format("{:.1f}", line.ours),
                          fmt::format("{:.1f}", interval.lower), fmt::format("{:.1f}", interval.upper)});
    result.lines.push_back(std::move(line));
  }
  const auto gain = [&](const char* planner, std::int64_t horizon) {
    return row_of(rows, planner, horizon).mean_difference;
  };
  const auto growing = [&](const char* planner) {
    return gain(planner, 400) > gain(planner, 200) && gain(planner, 800) > gain(planner, 400) &&
           gain(planner, 1600) > gain(planner, 800);
  };
  result.claims = {
      {"The gains of A-SOP and KG-SEP over the SOP grow with the horizon", growing("asop") && growing("kg"),
       fmt::format("{:.0f} and {:.0f} dollars at T = 1600", gain("asop", 1600), gain("kg", 1600))},
      {"Fisher-SEP still gains at T = 1600", gain("fisher", 1600) > gain("fisher", 800),
       fmt::format("{:.0f} dollars at T = 800, {:.0f} at 1600", gain("fisher", 800), gain("fisher", 1600))},
      {"Bounding the share of false alarms in the pilot's test (Benjamini-Hochberg) helps at T = 1600",
       gain("fisher-fdr", 1600) > gain("fisher", 1600),
       fmt::format("fisher-fdr {:.0f}, fisher {:.0f}; sep-fdr {:.0f}, sep {:.0f} dollars",
                   gain("fisher-fdr", 1600), gain("fisher", 1600), gain("sep-fdr", 1600),
                   gain("sep", 1600))}};
  result.figures.push_back(report::lines(
      {.words = {"vending-gains", "Cash above the SOP's", "Dollars, with 95 % bands.",
                 fmt::format("At 1,600 days A-SOP is {:.0f} dollars above the SOP, Fisher-SEP-R {:.0f}.",
                             gain("asop", 1600), gain("fisher", 1600))},
       .table = table,
       .x = {"days", "days", true},
       .y = {.column = "gain", .title = "dollars above the SOP"},
       .series = "planner",
       .lower = "lower",
       .upper = "upper"}));
  result.data.push_back({"vending-gains.csv", std::move(table)});
  return result;
}

}  // namespace mindgap::reproduce::vending
