#include "mindgap/view/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "mindgap/base/error.h"
#include "mindgap/report/charts.h"
#include "mindgap/report/table.h"
#include "mindgap/view/number.h"

namespace mindgap::view {
namespace {

std::string fixed_interval(const std::optional<stats::Interval>& interval) {
  return interval ? fmt::format("[{}, {}]", fixed(interval->lower, 2), fixed(interval->upper, 2)) : "";
}

std::string p_text(double p) {
  return p < 1e-4 ? fmt::format("{:.1e}", p) : fixed(p, 4);
}

std::string difference_text(const trial::SummaryRow& row, bool shares) {
  return shares ? signed_fixed(row.difference, 2) : signed_number(row.mean_difference, 6);
}

// Without an oracle, or with one that gains nothing, differences are as they are.
bool has_shares(const std::vector<trial::SummaryRow>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const auto& row) { return !std::isnan(row.percent_of_oracle); });
}

report::Table table_of(const trial::RunDescription& run, const std::vector<trial::SummaryRow>& rows,
                       std::int64_t horizon) {
  const bool shares = has_shares(rows);
  report::Table table;
  table.title = fmt::format("{} {}", horizon, run.horizon_unit);
  table.columns = {"planner", "mean", "% of oracle", "", "vs " + run.reference, "", "p mean", "p ranks"};
  for (const trial::SummaryRow& row : rows) {
    if (row.horizon != horizon) continue;
    const bool same = row.planner == run.reference;
    table.rows.push_back(
        {row.planner, number(row.mean, 6), fixed(row.percent_of_oracle, 2), fixed_interval(row.interval),
         same ? "" : difference_text(row, shares),
         same ? "" : fixed_interval(shares ? row.difference_interval : row.mean_difference_interval),
         same || !row.t_p_value ? "" : p_text(*row.t_p_value),
         same ? "" : p_text(row.p_value) + " " + row.p_method});
  }
  return table;
}

// Differences to the reference with their intervals, horizon by horizon.
report::Figure figure_of(const trial::RunDescription& run, const std::vector<trial::SummaryRow>& rows) {
  const bool shares = has_shares(rows);
  report::IntervalsChart chart;
  const std::string unit = shares ? "percentage points of oracle" : run.unit;
  chart.words = {"differences", "Differences to " + run.reference, "Paired by trial, with 95 % intervals.",
                 fmt::format("Mean difference of each planner to {}, in {}.", run.reference, unit)};
  chart.table.columns = {"planner", "difference", "lower", "upper", run.horizon_unit};
  for (const trial::SummaryRow& row : rows) {
    const auto& interval = shares ? row.difference_interval : row.mean_difference_interval;
    const double difference = shares ? row.difference : row.mean_difference;
    if (row.planner == run.reference || !interval || std::isnan(difference)) continue;
    chart.table.rows.push_back({row.planner, number(difference, 6), number(interval->lower, 6),
                                number(interval->upper, 6), fmt::to_string(row.horizon)});
  }
  chart.row = "planner";
  chart.value = {"difference", unit};
  chart.lower = "lower";
  chart.upper = "upper";
  chart.dots = "mean difference";
  if (run.horizons.size() > 1) chart.panel = run.horizon_unit;
  chart.upright = {{0, run.reference}};
  return report::intervals(chart);
}

std::string trials_text(const trial::RunDescription& run, std::int64_t trials, std::size_t left_out) {
  const std::int64_t all = trials + static_cast<std::int64_t>(left_out);
  return left_out == 0
             ? fmt::format("{} trials from {}", trials, run.first_trial)
             : fmt::format("{} of {} trials from {} ({} failed)", trials, all, run.first_trial, left_out);
}

std::string words(const trial::ImpossibleRows& found) {
  return fmt::format(
      "in {} of {} rows the truth makes moves that the simulator calls impossible (with a probability of up "
      "to {}): planners that learn will find the simulator refuted",
      found.rows, found.of, number(found.most, 2));
}

std::string words(const trial::ImpossibleMoves& found) {
  return fmt::format(
      "{} of {} moves in this world ({} %) were to states that the simulator calls impossible from where "
      "the unit was; planners that learn doubt the simulator from the first such move on",
      found.moves, found.of,
      number(100 * static_cast<double>(found.moves) / static_cast<double>(found.of), 2));
}

std::string words(const trial::UnreachableStates& found) {
  return fmt::format("no unit can reach {} of {} states: {}", found.names.size(), found.of,
                     fmt::join(found.names, " "));
}

Json interval_json(const std::optional<stats::Interval>& interval) {
  if (!interval) return nullptr;
  return {interval->lower, interval->upper};
}

}  // namespace

Json json_of(const trial::RunDescription& run, const std::vector<trial::SummaryRow>& rows) {
  Json json = Json::parse(trial::description_json(run));
  json.erase("shown");
  json["planners"] = run.shown;
  json["rows"] = Json::array();
  for (const trial::SummaryRow& row : rows) {
    json["rows"].push_back({{"planner", row.planner},
                            {"horizon", row.horizon},
                            {"trials", row.trials},
                            {"mean", row.mean},
                            {"percent_of_oracle", row.percent_of_oracle},
                            {"interval", interval_json(row.interval)},
                            {"difference", row.difference},
                            {"difference_interval", interval_json(row.difference_interval)},
                            {"mean_difference", row.mean_difference},
                            {"mean_difference_interval", interval_json(row.mean_difference_interval)},
                            {"t_p_value", row.t_p_value ? Json(*row.t_p_value) : Json()},
                            {"p_value", row.p_value},
                            {"p_method", row.p_method}});
  }
  return json;
}

std::string text_of(const trial::RunDescription& run, const std::vector<trial::SummaryRow>& rows,
                    std::size_t left_out) {
  std::string text = fmt::format("{}: {}, seed {}", base::printable(run.case_name, 200),
                                 trials_text(run, rows.front().trials, left_out), run.seed);
  if (run.shards > 1) text += fmt::format(", shard {} of {}", run.shard, run.shards);
  for (const auto& [name, value] : run.settings) {
    if (!value.empty()) text += fmt::format(", {} {}", name, base::printable(value, 200));
  }
  const bool shares = has_shares(rows);
  text += fmt::format(
      "\nMean {} by then; {} {} {}on the same trials; brackets are 95 % intervals. "
      "p, two-sided: of the mean difference\n"
      "(Student's t, approximate) and of the typical one (Wilcoxon's signed ranks).\n",
      run.unit, shares ? "% of oracle is the ratio of the means; differences to" : "differences to",
      run.reference, shares ? "in percentage points of\noracle, " : "are in the same unit,\n");
  for (const std::int64_t horizon : run.horizons)
    text += "\n" + report::to_text(table_of(run, rows, horizon));
  return text;
}

report::Page page_of(const trial::RunDescription& run, const std::vector<trial::SummaryRow>& rows,
                     std::size_t left_out) {
  const auto best =
      std::max_element(rows.begin(), rows.end(), [&](const trial::SummaryRow& a, const trial::SummaryRow& b) {
        const auto rank = [&](const trial::SummaryRow& row) {  // the last horizon; the oracle is no planner
          return std::tuple(row.planner != "oracle", row.horizon, row.mean);
        };
        return rank(a) < rank(b);
      });
  report::Section section;
  section.blocks.emplace_back(report::Answer{
      "comparison",
      fmt::format("{}: {} gathers most by {} {}, {}{}", base::printable(run.case_name, 200), best->planner,
                  best->horizon, run.horizon_unit, number(best->mean, 6),
                  std::isnan(best->percent_of_oracle)
                      ? ""
                      : fmt::format(" ({} % of oracle)", fixed(best->percent_of_oracle, 1))),
      fmt::format("Mean {} over {}, seed {}.", run.unit, trials_text(run, best->trials, left_out), run.seed),
      {}});
  for (const std::int64_t horizon : run.horizons) section.blocks.emplace_back(table_of(run, rows, horizon));
  const bool others = std::any_of(rows.begin(), rows.end(), [&](const trial::SummaryRow& row) {
    return row.planner != run.reference && row.mean_difference_interval;
  });
  if (others) section.blocks.emplace_back(figure_of(run, rows));
  return {"Comparison on " + base::printable(run.case_name, 200), "", {section}, run.program};
}

std::string text_of(const trial::CaseWarning& warning) {
  return std::visit([](const auto& found) { return words(found); }, warning);
}

std::string list_of(const std::vector<trial::PlannerName>& names, const std::string& name,
                    const std::string& description) {
  report::Table table{"", {name, description}, {}};
  for (const trial::PlannerName& one : names) table.rows.push_back({one.name, one.description});
  return report::to_text(table);
}

}  // namespace mindgap::view
