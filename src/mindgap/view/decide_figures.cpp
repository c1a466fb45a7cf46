#include "mindgap/view/decide_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/error.h"
#include "mindgap/mdp/pair_name.h"
#include "mindgap/report/charts.h"
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

Table routes_over(const DecideView& view) {
  const mdp::Mdp& mdp = view.model.mdp;
  Table table{"", {"route", "x", "y"}, {}};
  const std::size_t members = std::min<std::size_t>(view.decision.pilot_members.size(), 8);
  for (std::size_t i = 0; i < members; ++i) {
    const std::string unit = "unit " + base::printable(view.unit_names[view.decision.pilot_members[i]], 40);
    std::int32_t before = -1;
    for (const design::Leg& leg : way_of(view, i)) {
      if (leg.state != before)
        table.rows.push_back(
            {unit, number(mdp.labels().x[leg.state], 6), number(mdp.labels().y[leg.state], 6)});
      before = leg.state;
    }
  }
  return table;
}

}  // namespace

Figure value_over_time(const DecideView& view) {
  Table table{"", {"step", "plan", "gathered", "lower", "upper"}, {}};
  std::string said;
  for (const PlanResult& result : view.decision.plans) {
    if (result.screened) continue;
    for (std::size_t i = 0; i < view.decision.steps.size(); ++i) {
      table.rows.push_back({fmt::format("{}", view.decision.steps[i]), result.plan.name,
                            number(result.mean[i], 6), number(result.lower[i], 6),
                            number(result.upper[i], 6)});
    }
    said += fmt::format("{}{} {}", said.empty() ? "" : ", ", result.plan.name, number(result.total));
  }
  report::LinesChart chart;
  chart.words = {"value-over-time", "What each plan has gathered by each step",
                 "Lines are means over drawn models, bands hold 80 % of them.",
                 fmt::format("Sum of rewards of all units at the end of the horizon: {}.", said)};
  chart.table = std::move(table);
  chart.x = {"step", "step"};
  chart.y = {"gathered", "reward gathered by all units"};
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
  Table table{"", {"horizon", map.axis, "verdict", "leaning", "gain", "lower", "upper"}, {}};
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
  std::string id = "tipping-" + map.axis;
  std::replace(id.begin(), id.end(), ' ', '-');
  chart.words = {id, fmt::format("The verdict over {} and horizon", map.axis),
                 fmt::format("Up: {}. The row of this decision is marked \"here\".", map.meaning),
                 fmt::format("Of {} cells, {} say deploy, {} learn, {} experiment, and {} are undecided.",
                             map.cells.size(), count[0], count[1], count[2], count[3])};
  chart.table = std::move(table);
  chart.x = {"horizon", "horizon, steps"};
  chart.y = {map.axis};
  chart.value = "verdict";
  chart.first_below = true;
  return report::heat(chart);
}

std::vector<Figure> pilot_maps(const DecideView& view) {
  const mdp::Mdp& mdp = view.model.mdp;
  if (!has_places(mdp)) return {};
  std::vector<Figure> figures;
  const std::vector<double> visits = per_state(mdp, view.decision.pilot->counts);
  report::MapChart chart;
  chart.words = {"pilot-map", "Where the pilot goes",
                 "The darker, the more visits are expected. Arrows: the likeliest ways of up to eight units.",
                 fmt::format("Most visits: {}.", largest_place(mdp, visits))};
  chart.states = places_table(mdp, "visits", visits);
  chart.name = "state";
  chart.x = "x";
  chart.y = "y";
  chart.value = "visits";
  chart.value_title = "expected visits";
  chart.routes = routes_over(view);
  figures.push_back(report::map(chart));
  if (view.decision.priority.empty()) return figures;
  const std::vector<double>& priority = view.decision.priority;
  chart.words = {
      "priority-map", "Where an error of the simulator would touch the deployed policy",
      "The exploration priority index: how often the deployed policy is there times how unsure the "
      "model is there. Where it is 0 the policy never goes: what lies there can only be found by "
      "going.",
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
      "uncertainty", "What is uncertain and matters",
      fmt::format("What single pairs of state and action add to the variance of a policy's value, the "
                  "largest {} of them. All together: {} before, {} after the pilot.",
                  order.size(), number(pilot.before), number(pilot.after_rounding)),
      fmt::format("The variance falls from {} to {}; the largest single part is {}.", number(pilot.before),
                  number(pilot.after_rounding), order.empty() ? "none" : mdp::pair_name(mdp, order[0]))};
  chart.table = std::move(table);
  chart.category = "pair";
  chart.value = {"variance", "part of the variance of a policy's value"};
  chart.series = "when";
  return report::bars(chart);
}

}  // namespace mindgap::view
