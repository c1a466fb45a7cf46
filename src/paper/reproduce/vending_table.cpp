#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mindgap/report/charts.h"
#include "mindgap/view/number.h"
#include "paper/reproduce/vending.h"

// tab:horizon and tab:sim-results: percentage of the oracle's cash by horizon.
namespace mindgap::reproduce::vending {
namespace {

constexpr std::array<std::int64_t, 5> kHorizons = {100, 200, 400, 800, 1600};

struct PublishedShares {
  const char *planner, *name;
  std::array<double, 5> percent, half;
};

const PublishedShares kShares[] = {
    {"sop", "SOP", {89.0, 78.8, 66.8, 48.6, 37.7}, {.9, 1.2, 1.6, 2.1, 1.9}},
    {"epsilon", "epsilon-greedy", {75.8, 65.0, 48.2, 39.2, 32.8}, {1.5, 1.6, 2.1, 2.7, 2.8}},
    {"asop", "A-SOP", {89.0, 82.2, 75.6, 66.8, 70.7}, {.9, 1.3, 2.0, 3.3, 4.1}},
    {"asop-pilot", "A-SOP + pilot", {80.3, 76.2, 71.7, 66.6, 71.5}, {1.3, 1.5, 1.8, 3.5, 4.8}},
    {"learning-epsilon",
     "learning epsilon, fixed",
     {76.5, 68.6, 56.6, 55.3, 62.8},
     {1.8, 1.9, 2.3, 4.3, 5.6}},
    {"adaptive-epsilon",
     "learning epsilon, adaptive",
     {75.5, 69.6, 62.7, 61.3, 67.2},
     {1.7, 1.6, 2.0, 3.3, 4.7}},
    {"kg", "KG-SEP", {80.4, 76.9, 72.7, 67.5, 71.8}, {.9, 1.1, 1.5, 3.0, 4.4}},
    {"sep", "SEP", {77.2, 73.3, 66.6, 66.1, 73.8}, {1.8, 1.7, 2.2, 4.2, 5.8}},
    {"fisher", "Fisher-SEP-R", {76.6, 73.2, 68.5, 68.8, 75.3}, {1.7, 2.5, 3.7, 4.8, 6.5}},
    {"thompson", "Thompson", {88.5, 82.6, 76.6, 68.6, 71.2}, {1.3, 1.8, 2.8, 2.7, 3.4}},
    {"ucrl2", "UCRL2", {88.7, 77.5, 63.0, 62.5, 70.3}, {1.1, 1.4, 2.2, 5.6, 7.1}},
    {"ucbvi", "UCBVI", {84.0, 75.1, 64.0, 65.2, 73.1}, {1.3, 2.1, 2.8, 5.3, 6.5}},
};

// Half of the 95 % interval of the oracle's own cash over 30 trials, % of its mean.
constexpr std::array<double, 5> kOracleHalf = {1.2, 1.8, 2.5, 4.1, 3.7};

// The paper has no numbers for these: our own learners, and what it leaves to later (UCRL2 and UCBVI on the
// representation of the other planners, adaptive Fisher-SEP, value-IDS).
constexpr const char* kBeside[] = {"asop-all",    "asop-censored",   "ucrl2-slots",
                                   "ucbvi-slots", "adaptive-fisher", "ids"};

using Rows = std::vector<trial::SummaryRow>;

double percent(const Rows& rows, std::string_view planner, std::int64_t horizon) {
  return row_of(rows, planner, horizon).percent_of_oracle;
}

/// "88.3 78.9 ..." at the five horizons.
std::string series(const Rows& rows, std::string_view planner) {
  std::string text = std::string(planner);
  for (const std::int64_t horizon : kHorizons)
    text += fmt::format(" {}", view::fixed(percent(rows, planner, horizon), 1));
  return text;
}

// Half-widths go with 1/sqrt(trials), so ours is brought to 30; that of n trials has a relative error of
// 1.96 / sqrt(2 (n - 1)), where cash is normal.
Line oracle_spread(const trial::Results& results, std::size_t h) {
  const std::vector<double> cash = results.column(results.place_of("oracle"), h);
  const stats::PairedT found = stats::paired_t(cash);
  const auto relative_error = [](double trials) { return 1.96 / std::sqrt(2 * (trials - 1)); };
  const auto trials = static_cast<double>(cash.size());
  Line line = line_of(fmt::format("half-width of the oracle's own interval, T = {}", kHorizons[h]),
                      kOracleHalf[h], kOracleHalf[h] * relative_error(kTrials) + .05, 0, {});
  if (cash.size() < 2) {
    line.not_reproduced = true;
    line.why = "one trial has no interval; see docs/math/departures.md";
    return line;
  }
  line.ours = 100 * half_width(found.interval) / found.mean * std::sqrt(trials / kTrials);
  line.interval =
      stats::Interval{line.ours * (1 - relative_error(trials)), line.ours * (1 + relative_error(trials))};
  return line;
}

Claim sop_degrades(const Rows& rows) {
  bool falls = true;
  for (std::size_t h = 1; h < kHorizons.size(); ++h) {
    falls = falls && percent(rows, "sop", kHorizons[h]) < percent(rows, "sop", kHorizons[h - 1]);
  }
  return {"SOP degrades monotonically with the horizon", falls, series(rows, "sop")};
}

Claim passive_leads_early(const Rows& rows) {
  const double passive = std::min(percent(rows, "sop", 100), percent(rows, "asop", 100));
  double best = 0;
  std::string who;
  for (const char* planner :
       {"epsilon", "asop-pilot", "learning-epsilon", "adaptive-epsilon", "kg", "sep", "fisher"}) {
    if (percent(rows, planner, 100) <= best) continue;
    best = percent(rows, planner, 100);
    who = planner;
  }
  return {"The planners that do not explore (SOP, A-SOP) lead those with a pilot or random play at T = 100",
          passive > best,
          fmt::format("the lower of the two {}, {} {}", view::fixed(passive, 1), who, view::fixed(best, 1))};
}

Claim fisher_against_asop(const trial::Results& results, const Rows& rows, std::int64_t horizon, bool wins,
                          double level, const std::string& text) {
  const trial::SummaryRow& row = row_of(rows, "fisher", horizon);
  const double p = one_sided(results, "fisher", "asop", horizon);
  const bool holds = wins ? row.difference > 0 && p < level : row.difference < 0;
  return {text, holds,
          fmt::format("difference to A-SOP {} points, one-sided Wilcoxon p = {}",
                      view::signed_fixed(row.difference, 1), view::number(p, 2))};
}

Claim epsilon_is_last(const Rows& rows) {
  bool last = true;
  for (const std::int64_t horizon : {100, 200, 400, 800}) {
    for (const PublishedShares& row : kShares) {
      if (row.planner == std::string_view("epsilon")) continue;
      last = last && percent(rows, "epsilon", horizon) < percent(rows, row.planner, horizon);
    }
  }
  return {"Epsilon-greedy is last up to T = 800", last, series(rows, "epsilon")};
}

Claim fisher_is_best(const Rows& rows) {
  const PublishedShares* best = kShares;
  for (const PublishedShares& row : kShares) {
    if (percent(rows, row.planner, 1600) > percent(rows, best->planner, 1600)) best = &row;
  }
  return {"Fisher-SEP-R is the best of the paper's planners at T = 1600",
          best->planner == std::string_view("fisher"),
          fmt::format("{} {}, Fisher-SEP-R {}; see docs/math/departures.md", best->name,
                      view::fixed(percent(rows, best->planner, 1600), 1),
                      view::fixed(percent(rows, "fisher", 1600), 1))};
}

Claim exploring_does_not_pay(const Rows& rows) {
  bool wins = true;
  for (const std::int64_t horizon : kHorizons) {
    for (const PublishedShares& row : kShares) {
      wins = wins && percent(rows, "asop-all", horizon) > percent(rows, row.planner, horizon);
    }
  }
  return {"Ours: A-SOP that keeps the days that sold out beats every planner of the paper at every horizon",
          wins, series(rows, "asop-all") + "; " + series(rows, "asop-censored")};
}

report::Figure horizon_figure(const Rows& rows) {
  report::Table made{"", {"planner", "T", "% of oracle", "lower", "upper", "published"}, {}};
  const auto add = [&](const std::string& name, std::string_view planner, const PublishedShares* published) {
    for (std::size_t h = 0; h < kHorizons.size(); ++h) {
      const trial::SummaryRow& row = row_of(rows, planner, kHorizons[h]);
      const stats::Interval interval =
          row.interval.value_or(stats::Interval{row.percent_of_oracle, row.percent_of_oracle});
      made.rows.push_back({name, std::to_string(kHorizons[h]), view::fixed(row.percent_of_oracle, 2),
                           view::fixed(interval.lower, 2), view::fixed(interval.upper, 2),
                           published ? view::fixed(published->percent[h], 1) : ""});
    }
  };
  for (const PublishedShares& row : kShares) add(row.name, row.planner, &row);
  add("A-SOP, every day (ours)", "asop-all", nullptr);
  add("A-SOP, censored (ours)", "asop-censored", nullptr);
  return report::lines(
      {.words = {"vending-table", "Cash as a share of the oracle's, by horizon",
                 "Lines with 95 % bands are ours, open diamonds are published.",
                 fmt::format("A panel per planner. At T = 1600: SOP {} %, A-SOP {} %, Fisher-SEP-R {} %, "
                             "A-SOP that keeps the days that sold out {} %.",
                             view::fixed(percent(rows, "sop", 1600), 0),
                             view::fixed(percent(rows, "asop", 1600), 0),
                             view::fixed(percent(rows, "fisher", 1600), 0),
                             view::fixed(percent(rows, "asop-all", 1600), 0))},
       .table = made,
       .x = {"T", "T, days", true},
       .y = {"% of oracle"},
       .lower = "lower",
       .upper = "upper",
       .published = "published",
       .panel = "planner",
       .height = 130});
}

}  // namespace

Reproduction table(const Options& options) {
  std::vector<std::string> planners;
  for (const PublishedShares& row : kShares) planners.emplace_back(row.planner);
  planners.insert(planners.end(), std::begin(kBeside), std::end(kBeside));
  const trial::Results results = run(options, "both", planners, {kHorizons.begin(), kHorizons.end()});
  const Rows rows = trial::summarise(results, planners, "asop");
  Reproduction result = begin("vending-table", "% of oracle cash", method_of(options));
  for (const PublishedShares& published : kShares) {
    for (std::size_t h = 0; h < kHorizons.size(); ++h) {
      const trial::SummaryRow& row = row_of(rows, published.planner, kHorizons[h]);
      result.lines.push_back(line_of(fmt::format("{}, T = {}", published.name, kHorizons[h]),
                                     published.percent[h], published.half[h], row.percent_of_oracle,
                                     row.interval));
    }
  }
  for (std::size_t h = 0; h < kHorizons.size(); ++h) result.lines.push_back(oracle_spread(results, h));
  for (const char* planner : kBeside) {
    for (const std::int64_t horizon : kHorizons) {
      const trial::SummaryRow& row = row_of(rows, planner, horizon);
      result.lines.push_back({.what = fmt::format("{}, T = {}", planner, horizon),
                              .ours = row.percent_of_oracle,
                              .interval = row.interval});
    }
  }
  result.claims = {
      sop_degrades(rows),
      passive_leads_early(rows),
      fisher_against_asop(results, rows, 100, false, 1, "Fisher-SEP-R loses to A-SOP at T = 100"),
      fisher_against_asop(results, rows, 800, true, 1, "Fisher-SEP-R has overtaken A-SOP by T = 800"),
      fisher_against_asop(results, rows, 1600, true, .01,
                          "Fisher-SEP-R beats A-SOP at T = 1600, paired p < .01"),
      epsilon_is_last(rows),
      fisher_is_best(rows),
      exploring_does_not_pay(rows),
  };
  result.figures.push_back(horizon_figure(rows));
  return result;
}

}  // namespace mindgap::reproduce::vending
