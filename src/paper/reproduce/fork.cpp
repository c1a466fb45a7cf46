#include "paper/reproduce/fork.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "mindgap/report/charts.h"
#include "mindgap/view/number.h"
#include "paper/cases/fork/fork.h"
#include "paper/cases/fork/model.h"
#include "paper/reproduce/estimate.h"

namespace mindgap::reproduce {
namespace {

using cases::fork::Fork;
using cases::fork::Uncertain;

constexpr std::int64_t kForkUnits = 50;
constexpr std::int64_t kFirstAttempts = 100;  // per trial
const std::array<std::int64_t, 5> kForkLengths = {4, 6, 8, 10, 12};

trial::Results run_case(const Options& options, const std::string& uncertain, const std::string& halt = ".1",
                        std::vector<std::string> planners = {}) {
  const auto on = cases::fork::info().make(
      {.seed = options.run.seed, .units = kForkUnits, .options = {{"uncertain", uncertain}, {"halt", halt}}});
  return sweep(*on, options, fmt::format("fork, uncertain: {}, halt {}", uncertain, halt),
               std::move(planners), {kForkLengths.begin(), kForkLengths.end()});
}

constexpr std::array<const char*, 4> kHalts = {".3", ".1", ".01", ".001"};

/// Both readings of what is not known.
struct Both {
  trial::Results fork_row, all_rows;
};

double mean_percent(const trial::Results& results, std::string_view planner, std::size_t horizon) {
  return percent_of(results.column(results.place_of(planner), horizon), kForkUnits).mean;
}

std::string percent_row(const trial::Results& results, std::string_view planner) {
  std::vector<std::string> cells;
  for (std::size_t h = 0; h < kForkLengths.size(); ++h)
    cells.push_back(view::fixed(mean_percent(results, planner, h), 1));
  return fmt::format("{} % at k = {}", fmt::join(cells, " "), fmt::join(kForkLengths, " "));
}

/// Share of trials in which some unit reaches the end.
double reached(const trial::Results& results, std::string_view planner, std::size_t horizon) {
  const std::vector<double> values = results.column(results.place_of(planner), horizon);
  const auto count = std::count_if(values.begin(), values.end(), [](double value) { return value > 0; });
  return static_cast<double>(count) / static_cast<double>(values.size());
}

void add_lines(Reproduction& made, const trial::Results& results, const std::string& what) {
  for (std::size_t p = 0; p < results.planners.size(); ++p) {
    for (std::size_t h = 0; h < kForkLengths.size(); ++h) {
      const Estimate ours = percent_of(results.column(p, h), kForkUnits);
      made.lines.push_back({.what = fmt::format("{}, k = {}, {}", results.planners[p], kForkLengths[h], what),
                            .ours = ours.mean,
                            .interval = ours.interval});
    }
  }
}

report::Table table_of(const Both& both) {
  report::Table table{.title = "Stochastic fork: % of the units that reach the end",
                      .columns = {"uncertain", "planner", "chain_length", "percent_of_units",
                                  "standard_error", "trials_with_any"}};
  for (const auto& [name, results] : {std::pair("fork", &both.fork_row), {"all", &both.all_rows}}) {
    for (std::size_t p = 0; p < results->planners.size(); ++p) {
      for (std::size_t h = 0; h < kForkLengths.size(); ++h) {
        const Estimate ours = percent_of(results->column(p, h), kForkUnits);
        table.rows.push_back({name, results->planners[p], fmt::format("{}", kForkLengths[h]),
                              view::fixed(ours.mean, 4), view::fixed(ours.standard_error, 4),
                              view::fixed(reached(*results, results->planners[p], h), 4)});
      }
    }
  }
  return table;
}

/// (1/2)^(k-1), as the paper takes p* for.
double attempt_bound(std::int64_t length) {
  return std::exp2(1 - static_cast<double>(length));
}

/// T attempts may be read as the 6k steps of one unit or as the 50 units; it fails in both.
Claim union_bound(const Both& both) {
  bool holds = true;
  std::vector<std::string> found, bounds;
  for (std::size_t h = 0; h < kForkLengths.size(); ++h) {
    const double bound = static_cast<double>(kForkUnits) * attempt_bound(kForkLengths[h]);
    found.push_back(view::fixed(reached(both.all_rows, "thompson", h), 2));
    bounds.push_back(view::fixed(bound, 3));
    if (reached(both.all_rows, "thompson", h) > bound) holds = false;
  }
  const double steps = 6 * static_cast<double>(kForkLengths.back()) * attempt_bound(kForkLengths.back());
  const double share = mean_percent(both.fork_row, "thompson", kForkLengths.size() - 1) / 100;
  return {
      "Thompson reaches with probability at most T p*^(k-1), p* = 1/2 (prop. ts-fork-visitation)",
      holds && share <= steps,
      fmt::format("failures teach. Only the fork's row uncertain, k = 12: {} of the units against {} "
                  "for their 72 steps. Every row uncertain: some unit of 50 reaches in {} of the trials at "
                  "k = {}, against 50 2^-(k-1) = {}; see docs/math/departures.md",
                  view::fixed(share, 2), view::fixed(steps, 3), fmt::join(found, " "),
                  fmt::join(kForkLengths, " "), fmt::join(bounds, " "))};
}

Claim first_attempt_bound(std::int64_t draws, std::uint64_t seed) {
  bool holds = true;
  std::vector<std::string> found, bounds;
  for (const std::int64_t length : kForkLengths) {
    const double bound = attempt_bound(length);
    const double share = first_attempt(Fork{.length = length}, Uncertain::all, .5, draws, seed);
    if (share > bound + 3 * std::sqrt(bound / static_cast<double>(draws))) holds = false;
    found.push_back(view::fixed(share, 5));
    bounds.push_back(view::fixed(bound, 5));
  }
  return {
      "Every row uncertain: the first attempt reaches the fork with probability at most p*^(k-1), p* = 1/2",
      holds,
      fmt::format("{} at k = {}, against {} ({} draws)", fmt::join(found, " "), fmt::join(kForkLengths, " "),
                  fmt::join(bounds, " "), draws)};
}

double least_chance(const Fork& fork) {
  return fork.halt * (1 - fork.discount) / (1 - fork.discount * fork.halt);
}

/// P(Beta(1/2, 1/2) > least): the arcsine law.
double p_star(const Fork& fork) {
  return 1 - 2 / std::numbers::pi * std::asin(std::sqrt(least_chance(fork)));
}

/// The counterexample: the smaller the outside option the nearer p* is to 1, and then Thompson goes.
Claim thompson_fails(const std::vector<trial::Results>& by_halt) {
  std::vector<std::string> found;
  const std::size_t last = kForkLengths.size() - 1;
  double most = 0;
  for (std::size_t i = 0; i < kHalts.size(); ++i) {
    const Fork fork{.length = kForkLengths.back(), .halt = std::stod(kHalts[i])};
    const double share = mean_percent(by_halt[i], "thompson", last);
    most = std::max(most, share);
    found.push_back(fmt::format("halt {}: p* = {:.4f}, {:.1f} %", kHalts[i], p_star(fork), share));
  }
  return {"Thompson fails on long chains whatever the prior (rem. ts-boundary: p* < 1 uniformly)", most < 5,
          fmt::format(
              "at k = {}, every row uncertain: {}. p* goes to 1 as the outside option goes to 0, and then "
              "Thompson reaches the end: it fails where halting pays enough that a draw must promise "
              "much before it goes on; see docs/math/departures.md",
              kForkLengths.back(), fmt::join(found, "; "))};
}

Claim regular_class(const Both& both) {
  const std::size_t last = kForkLengths.size() - 1;
  bool holds = true;
  std::vector<std::string> found;
  for (const char* planner : {"asop", "softmax", "ucb"}) {
    for (const auto& [what, results] :
         {std::pair("fork's row", &both.fork_row), std::pair("every row", &both.all_rows)}) {
      holds = holds && mean_percent(*results, planner, last) < 5;
      found.push_back(fmt::format("{}, {} uncertain: {}", planner, what, percent_row(*results, planner)));
    }
  }
  return {
      "No member of the regular class gains anything at k = 12: posterior means, softmax, UCB (theorem "
      "conj1-regular)",
      holds,
      fmt::format("{}. The proof takes the posterior probability that action 0 is optimal for 0, which a "
                  "Dirichlet prior does not give; see docs/math/departures.md",
                  fmt::join(found, "; "))};
}

/// p* by hand: action 0 beats halting at the fork where p + (1 - p) g h > h (before it, halting is worth h
/// too), that is p > h (1 - g)/(1 - g h); Beta(1/2, 1/2) has the arcsine law.
Claim half(std::int64_t draws, std::uint64_t seed) {
  const Fork fork{.length = kForkLengths.back()};
  const double least = least_chance(fork), share = p_star(fork);
  return {
      "p* = P(a draw from the prior makes action 0 optimal at the fork) = 1/2 for Dirichlet (1/2, 1/2) "
      "(text)",
      std::abs(share - .5) < .05,
      fmt::format("{} with a halt reward of .1: a chance of {} is enough to go on. With the other rows "
                  "known {} of the first draws lead from the start to the fork at k = {}; see "
                  "docs/math/departures.md",
                  view::fixed(share, 3), view::fixed(least, 4),
                  view::fixed(first_attempt(fork, Uncertain::fork, .5, draws, seed), 3), fork.length)};
}

/// As written, without a halt reward.
Claim halting_preferred() {
  const Fork fork{.length = kForkLengths.back(), .halt = 0};
  const double best = optimal_values(fork, simulated_chain(fork)).back();
  return {"The simulator prefers to halt at the fork by at least Rmax/2 (text)", best >= .5,
          fmt::format(
              "as written nothing but the end pays: all of its values are {} and tie. A halt reward (here "
              ".1) has to be added; see docs/math/departures.md",
              best)};
}

std::vector<Claim> claims(const Both& both, const std::vector<trial::Results>& by_halt, std::uint64_t seed) {
  const std::int64_t draws = kFirstAttempts * static_cast<std::int64_t>(both.all_rows.trials.size());
  const std::size_t last = kForkLengths.size() - 1;
  return {
      halting_preferred(),
      {"The SOP does not reach the end (with the halt reward)", mean_percent(both.fork_row, "sop", last) == 0,
       percent_row(both.fork_row, "sop")},
      {"Passive learning on posterior means gains nothing over the SOP (theorem conj1-regular)",
       mean_percent(both.fork_row, "asop", last) < 5,
       fmt::format(
           "only the fork's row uncertain: {}. Every row uncertain, Dirichlet (1/2, 1/2): {}, as claimed "
           "from k = 6; see docs/math/departures.md",
           percent_row(both.fork_row, "asop"), percent_row(both.all_rows, "asop"))},
      regular_class(both),
      union_bound(both),
      thompson_fails(by_halt),
      first_attempt_bound(draws, seed),
      half(draws, seed),
      {"A directed explorer closes the gap",
       mean_percent(both.fork_row, "fisher", last) > 99 && mean_percent(both.all_rows, "fisher", last) > 99,
       fmt::format("{} with the fork's row uncertain, {} with every row; explorers counted",
                   percent_row(both.fork_row, "fisher"), percent_row(both.all_rows, "fisher"))},
      {"Looking one step ahead (KG-SEP) or exploring at random (SEP) does not close it at k = 12",
       mean_percent(both.all_rows, "kg", last) < 5 && mean_percent(both.all_rows, "sep", last) < 50,
       fmt::format("every row uncertain: kg {}, sep {}; only the fork's row: kg {}, sep {}; see "
                   "docs/math/departures.md",
                   percent_row(both.all_rows, "kg"), percent_row(both.all_rows, "sep"),
                   percent_row(both.fork_row, "kg"), percent_row(both.fork_row, "sep"))},
  };
}

report::Figure figure_of(const Both& both) {
  report::Table table{"", {"uncertain", "planner", "k", "% of units", "lower", "upper"}, {}};
  for (const auto& [name, results] :
       {std::pair("only the fork's row", &both.fork_row), {"every row", &both.all_rows}}) {
    for (std::size_t p = 0; p < results->planners.size(); ++p) {
      for (std::size_t h = 0; h < kForkLengths.size(); ++h) {
        const Estimate ours = percent_of(results->column(p, h), kForkUnits);
        table.rows.push_back({name, results->planners[p], fmt::format("{}", kForkLengths[h]),
                              view::fixed(ours.mean, 3), view::fixed(ours.interval.lower, 3),
                              view::fixed(ours.interval.upper, 3)});
      }
    }
  }
  return report::lines(
      {.words = {"fork", "Units that reach the end, by length of the chain",
                 "What the planner is unsure of: the row of the fork alone, or every row. Bands are 95 %.",
                 fmt::format("With every row uncertain and k = 12 passive learning brings {} %, Thompson "
                             "{} % and the directed explorer {} % of the units to the end.",
                             view::fixed(mean_percent(both.all_rows, "asop", 4), 0),
                             view::fixed(mean_percent(both.all_rows, "thompson", 4), 0),
                             view::fixed(mean_percent(both.all_rows, "fisher", 4), 0))},
       .table = table,
       .x = {"k", "k, length of the chain"},
       .y = {.column = "% of units", .title = "% of units that reach the end", .zero = true},
       .series = "planner",
       .lower = "lower",
       .upper = "upper",
       .panel = "uncertain",
       .height = 220});
}

Reproduction run_fork(const Options& options) {
  const Both both{run_case(options, "fork"), run_case(options, "all")};
  Reproduction made{
      .name = "fork",
      .title = "Stochastic fork",
      .unit = "% of units that reach the end",
      .method = fmt::format("{} trials, seed {}, 50 units one after another, 6k steps each; halting "
                            "pays .1 once, the end 1, discount .99; the paper has no numbers",
                            both.fork_row.trials.size(), options.run.seed)};
  add_lines(made, both.fork_row, "fork's row uncertain");
  add_lines(made, both.all_rows, "every row uncertain");
  std::vector<trial::Results> by_halt;
  by_halt.reserve(kHalts.size());
  for (const char* halt : kHalts)
    by_halt.push_back(run_case(options, "all", halt, {"oracle", "asop", "thompson"}));
  for (std::size_t i = 0; i < kHalts.size(); ++i) {
    const Estimate ours =
        percent_of(by_halt[i].column(by_halt[i].place_of("thompson"), kForkLengths.size() - 1), kForkUnits);
    made.lines.push_back(
        {.what = fmt::format("thompson, k = 12, every row uncertain, halting pays {}", kHalts[i]),
         .ours = ours.mean,
         .interval = ours.interval});
  }
  made.claims = claims(both, by_halt, options.run.seed);
  made.data = {{"fork.csv", table_of(both)}};
  made.figures = {figure_of(both)};
  return made;
}

}  // namespace

Artefact fork_artefact() {
  return {"fork", "small", "Stochastic fork (appendix chain-stochastic-fork)", run_fork};
}

}  // namespace mindgap::reproduce
