#include "mindgap/view/decide_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/error.h"
#include "mindgap/mdp/pair_name.h"
#include "mindgap/report/charts.h"
#include "mindgap/report/colours.h"
#include "mindgap/view/decide_value.h"
#include "mindgap/view/nouns.h"
#include "mindgap/view/number.h"
#include "mindgap/view/places.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

using decide::PlanResult;
using decide::TippingCell;
using decide::TippingMap;
using report::Figure;
using report::Table;

constexpr std::size_t kMostBars = 12;
constexpr std::size_t kMostRoutes = 60;

std::string name_of_state(const mdp::Mdp& mdp, std::int32_t state) {
  return base::printable(mdp.state_name(state), 80);
}

std::vector<double> per_state(const mdp::Mdp& mdp, std::span<const double> per_pair) {
  std::vector<double> sum(static_cast<std::size_t>(mdp.states()), 0.0);
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) sum[mdp.state_of_pair(k)] += per_pair[k];
  return sum;
}

std::vector<design::Leg> way_of(const DecideView& view, std::size_t member) {
  const design::Design& pilot = *view.decision.pilot;
  return design::likely_way(view.model.mdp, pilot.routes[pilot.route_of_unit[member]],
                            pilot.unit_state[member]);
}

/// A way over the map and the units that take it.
struct SharedWay {
  std::vector<std::int32_t> states;
  std::vector<std::string> units;
};

std::vector<SharedWay> shared_ways(const DecideView& view) {
  std::vector<SharedWay> ways;
  for (std::size_t i = 0; i < view.decision.pilot_members.size(); ++i) {
    std::vector<std::int32_t> states;
    for (const design::Leg& leg : way_of(view, i)) {
      if (states.empty() || states.back() != leg.state) states.push_back(leg.state);
    }
    const auto same =
        std::find_if(ways.begin(), ways.end(), [&](const SharedWay& way) { return way.states == states; });
    SharedWay& way = same == ways.end() ? ways.emplace_back(SharedWay{std::move(states), {}}) : *same;
    way.units.push_back(base::printable(view.unit_names[view.decision.pilot_members[i]], 40));
  }
  return ways;
}

/// "van 3", "vans 1, 4 and 7", "vans 1, 4, 7 and 9 more".
std::string units_in_words(const std::vector<std::string>& units, const Nouns& nouns) {
  constexpr std::size_t kMost = 4;
  if (units.size() == 1) return nouns.unit() + " " + units[0];
  std::string text =
      nouns.units(static_cast<std::int64_t>(units.size())).substr(std::to_string(units.size()).size() + 1);
  const std::size_t named = units.size() <= kMost ? units.size() : kMost - 1;
  for (std::size_t i = 0; i < named; ++i)
    text += (i == 0 ? " " : i + 1 == units.size() ? " and " : ", ") + units[i];
  return units.size() > named ? text + fmt::format(" and {} more", units.size() - named) : text;
}

/// As many ways as can be told apart; all are in the table of routes.
Table routes_over(const DecideView& view, const std::vector<SharedWay>& ways) {
  const mdp::Mdp& mdp = view.model.mdp;
  const Nouns nouns(view.model.about);
  Table table{"", {"route", "x", "y"}, {}};
  for (std::size_t i = 0; i < std::min(ways.size(), report::kRouteColours); ++i) {
    for (const std::int32_t state : ways[i].states)
      table.rows.push_back({units_in_words(ways[i].units, nouns), number(mdp.labels().x[state], 6),
                            number(mdp.labels().y[state], 6)});
  }
  return table;
}

std::string ways_in_words(const std::vector<SharedWay>& ways) {
  const std::string numbers = "The darker, the more visits are expected. Numbered lines: most likely routes";
  if (ways.size() <= report::kRouteColours) return numbers + "; units with the same route share a line.";
  return fmt::format("{}, {} of {}; the table of routes has all.", numbers, report::kRouteColours,
                     ways.size());
}

}  // namespace

Figure value_over_time(const DecideView& view) {
  const Nouns nouns(view.model.about);
  Table table{"", {"step", "plan", "gathered", "lower", "upper"}, {}};
  std::string said;
  for (const PlanResult& result : view.decision.plans) {
    if (result.screened) continue;
    for (std::size_t i = 0; i < view.decision.steps.size(); ++i) {
      table.rows.push_back({fmt::format("{}", view.decision.steps[i]), in_words(result.plan, nouns),
                            number(result.mean[i], 6), number(result.lower[i], 6),
                            number(result.upper[i], 6)});
    }
    said +=
        fmt::format("{}{} {}", said.empty() ? "" : ", ", in_words(result.plan, nouns), number(result.total));
  }
  report::LinesChart chart;
  chart.words = {"value-over-time", fmt::format("What each plan has gathered by each {}", nouns.step()),
                 "Lines are means over sampled models, bands hold 80 % of them.",
                 fmt::format("Gathered by all at the end of the horizon ({}): {}.", nouns.reward(), said)};
  chart.table = std::move(table);
  chart.x = {"step", nouns.step()};
  chart.y = {"gathered", nouns.reward() + (view.model.about.reward_unit.empty() ? " gathered by all units"
                                                                                : ", all together")};
  chart.series = "plan";
  chart.lower = "lower";
  chart.upper = "upper";
  if (view.decision.against && view.decision.against->break_even_step &&
      view.decision.plans[view.decision.recommended].plan.is_pilot()) {
    chart.upright = {{static_cast<double>(*view.decision.against->break_even_step), "breaks even"}};
  }
  return report::lines(chart);
}

Figure tipping_figure(const TippingMap& map) {
  const std::string axis(name_of(map.axis));
  Table table{"", {"horizon", axis, "verdict", "leaning", "gain", "lower", "upper"}, {}};
  std::array<std::size_t, 4> count{};
  for (const TippingCell& cell : map.cells) {
    table.rows.push_back(
        {fmt::format("{}", cell.horizon),
         fmt::format("{}{}", number(cell.setting, 3), cell.setting == map.here ? " (here)" : ""),
         cell.verdict ? std::string(decide::name_of(*cell.verdict)) : "undecided",
         std::string(decide::name_of(cell.leaning)), number(cell.gain, 6),
         number(cell.gain_interval.lower, 6), number(cell.gain_interval.upper, 6)});
    ++count[cell.verdict ? static_cast<std::size_t>(*cell.verdict) : 3];
  }
  report::HeatChart chart;
  std::string id = "tipping-" + axis;
  std::replace(id.begin(), id.end(), ' ', '-');
  chart.words = {
      id, fmt::format("The verdict over {} and horizon", axis),
      fmt::format("Vertical axis: {}. The row of this decision is marked \"here\".", meaning_of(map.axis)),
      fmt::format("Of {} cells, {} say deploy, {} learn, {} experiment, and {} are undecided.",
                  map.cells.size(), count[0], count[1], count[2], count[3])};
  chart.table = std::move(table);
  chart.x = {"horizon", "horizon, steps"};
  chart.y = {axis};
  chart.value = "verdict";
  chart.first_below = true;
  return report::heat(chart);
}

std::vector<Figure> pilot_maps(const DecideView& view) {
  const mdp::Mdp& mdp = view.model.mdp;
  if (!has_places(mdp)) return {};
  std::vector<Figure> figures;
  const std::vector<SharedWay> ways = shared_ways(view);
  const std::vector<double> visits = per_state(mdp, view.decision.pilot->counts);
  report::MapChart chart;
  chart.words = {"pilot-map", "Where the pilot goes", ways_in_words(ways),
                 fmt::format("Most visits: {}.", largest_place(mdp, visits))};
  chart.states = places_table(mdp, "visits", visits);
  chart.name = "state";
  chart.x = "x";
  chart.y = "y";
  chart.value = "visits";
  chart.value_title = "expected visits";
  chart.routes = routes_over(view, ways);
  figures.push_back(report::map(chart));
  if (view.decision.priority.empty()) return figures;
  const std::vector<double>& priority = view.decision.priority;
  chart.words = {
      "priority-map", "Where an error of the simulator would affect the deployed policy",
      "The exploration priority index: how often the deployed policy visits a state times how uncertain "
      "the model is there. It is 0 where the policy never goes; only an experiment can reveal what is "
      "there.",
      fmt::format("Highest: {}.", largest_place(mdp, priority))};
  chart.states = places_table(mdp, "priority", priority);
  chart.value = "priority";
  chart.value_title = "exploration priority";
  chart.routes = {};
  figures.push_back(report::map(chart));
  return figures;
}

Table routes_table(const DecideView& view) {
  const mdp::Mdp& mdp = view.model.mdp;
  Table table{"Routes", {"unit", "from", "most likely way"}, {}};
  const std::vector<std::int32_t>& members = view.decision.pilot_members;
  for (std::size_t i = 0; i < std::min(members.size(), kMostRoutes); ++i) {
    table.rows.push_back({base::printable(view.unit_names[members[i]], 60),
                          name_of_state(mdp, view.decision.pilot->unit_state[i]),
                          in_words(mdp, way_of(view, i))});
  }
  if (members.size() > kMostRoutes)
    table.rows.push_back({fmt::format("and {} more", members.size() - kMostRoutes), "", ""});
  return table;
}

Figure uncertainty_bars(const DecideView& view) {
  const design::Design& pilot = *view.decision.pilot;
  const mdp::Mdp& mdp = view.model.mdp;
  std::vector<std::int32_t> order(pilot.contributions_before.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return pilot.contributions_before[a] > pilot.contributions_before[b];
  });
  order.resize(std::min(order.size(), kMostBars));
  Table table{"", {"pair", "when", "variance"}, {}};
  for (const std::int32_t k : order) {
    table.rows.push_back(
        {mdp::pair_name(mdp, k), "before the pilot", number(pilot.contributions_before[k], 6)});
    table.rows.push_back({mdp::pair_name(mdp, k), "after it", number(pilot.contributions_after[k], 6)});
  }
  report::BarsChart chart;
  chart.words = {
      "uncertainty", "What the pilot makes surer",
      fmt::format(
          "Parts of the variance of the values that the pilot is designed for (of policies that may turn out "
          "best), by state and action, the largest {}. All together: {} before, {} after the pilot.",
          order.size(), number(pilot.before), number(pilot.after_rounding)),
      fmt::format("The variance falls from {} to {}; the largest single part is {}.", number(pilot.before),
                  number(pilot.after_rounding), order.empty() ? "none" : mdp::pair_name(mdp, order[0]))};
  chart.table = std::move(table);
  chart.category = "pair";
  chart.value = {"variance", "part of that variance"};
  chart.series = "when";
  return report::bars(chart);
}

}  // namespace mindgap::view
