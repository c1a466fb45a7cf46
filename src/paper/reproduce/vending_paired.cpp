#include <fmt/format.h>

#include "mindgap/view/number.h"
#include "paper/reproduce/vending.h"

// tab:paired, the vending rows: differences on the same trials.
namespace mindgap::reproduce::vending {
namespace {

struct PublishedPair {
  const char *planner, *reference, *name;
  std::int64_t horizon;
  double difference, half, p_value;
};

const PublishedPair kPairs[] = {
    {"asop", "sop", "A-SOP - SOP", 100, .08, 1.01, .516},
    {"fisher", "asop", "Fisher-SEP - A-SOP", 100, -12.62, 1.42, 1},
    {"kg", "asop", "KG-SEP - A-SOP", 100, -8.64, .92, 1},
    {"asop", "sop", "A-SOP - SOP", 200, 3.41, 1.46, 0},
    {"fisher", "asop", "Fisher-SEP - A-SOP", 200, -8.42, 1.86, 1},
    {"kg", "asop", "KG-SEP - A-SOP", 200, -5.31, 1.59, 1},
    {"asop", "sop", "A-SOP - SOP", 400, 8.80, 2.53, 0},
    {"fisher", "asop", "Fisher-SEP - A-SOP", 400, -7.38, 2.64, 1},
    {"kg", "asop", "KG-SEP - A-SOP", 400, -2.86, 2.43, .976},
    {"asop", "sop", "A-SOP - SOP", 800, 18.22, 2.89, 0},
    {"fisher", "asop", "Fisher-SEP - A-SOP", 800, 1.16, 3.15, .232},
    {"kg", "asop", "KG-SEP - A-SOP", 800, .62, 2.71, .335},
    {"asop", "sop", "A-SOP - SOP", 1600, 33.00, 3.67, 0},
    {"fisher", "asop", "Fisher-SEP - A-SOP", 1600, 4.83, 3.36, .005},
    {"kg", "asop", "KG-SEP - A-SOP", 1600, 1.10, 2.51, .220},
    {"ucrl2", "sop", "UCRL2 - SOP", 1600, 32.58, 6.36, 0},
    {"ucbvi", "sop", "UCBVI - SOP", 1600, 35.40, 5.80, 0},
    {"fisher", "thompson", "Fisher-SEP-R - Thompson", 1600, 3.92, 2.85, .008},
    {"thompson", "asop", "Thompson - A-SOP", 1600, .66, 2.42, .285},
};

}  // namespace

Reproduction paired(const Options& options) {
  const std::vector<std::string> planners = {"sop", "asop", "kg", "fisher", "thompson", "ucrl2", "ucbvi"};
  const trial::Results results = run(options, "both", planners, {100, 200, 400, 800, 1600});
  Reproduction result = begin("vending-paired", "points of oracle cash", method_of(options));
  report::Table table{
      "Paired differences",
      {"comparison", "T", "published", "published p", "ours", "lower", "upper", "p one-sided", "p method"},
      {}};
  std::int64_t same_verdict = 0;
  for (const PublishedPair& published : kPairs) {
    const auto rows = trial::summarise(results, planners, published.reference);
    const trial::SummaryRow& row = row_of(rows, published.planner, published.horizon);
    const double p = one_sided(results, published.planner, published.reference, published.horizon);
    result.lines.push_back(line_of(fmt::format("{}, T = {}", published.name, published.horizon),
                                   published.difference, published.half, row.difference,
                                   row.difference_interval));
    same_verdict += (p < .05) == (published.p_value < .05);
    const stats::Interval interval = row.difference_interval.value_or(stats::Interval{});
    table.rows.push_back({published.name, std::to_string(published.horizon),
                          view::fixed(published.difference, 2), view::fixed(published.p_value, 3),
                          view::fixed(row.difference, 2), view::fixed(interval.lower, 2),
                          view::fixed(interval.upper, 2), view::number(p, 3), row.p_method});
  }
  const auto rows = trial::summarise(results, planners, "asop");
  bool never = true;
  std::string evidence = "differences";
  for (const std::int64_t horizon : results.horizons) {
    const trial::SummaryRow& row = row_of(rows, "kg", horizon);
    const double p = one_sided(results, "kg", "asop", horizon);
    never = never && p >= .05;
    evidence += fmt::format(" {} (p {})", view::signed_fixed(row.difference, 2), view::number(p, 2));
  }
  const auto count = static_cast<std::int64_t>(std::size(kPairs));
  result.claims = {
      {"KG-SEP is not significantly better than A-SOP at any horizon", never, evidence},
      {"Every comparison is significant (one-sided p < .05) where the paper's is, and only there",
       same_verdict == count, fmt::format("{} of {}", same_verdict, count)}};
  result.data.push_back({"vending-paired.csv", std::move(table)});
  return result;
}

}  // namespace mindgap::reproduce::vending
