#include "mindgap/view/design_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mindgap/base/error.h"
#include "mindgap/mdp/pair_name.h"
#include "mindgap/report/charts.h"
#include "mindgap/view/design_extras.h"
#include "mindgap/view/places.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

std::string unit_name(const DesignView& view, std::size_t unit) {
  return view.options.unit_names.empty() ? fmt::format("{}", unit + 1) : view.options.unit_names[unit];
}

report::Figure visits(const DesignView& view) {
  const design::Design& d = view.design;
  const mdp::Mdp& mdp = view.model.mdp;
  std::vector<std::int32_t> order(d.counts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return d.counts[a] > d.counts[b]; });
  report::BarsChart chart;
  chart.words = {"where-to-look", "Where to look", "Pairs that the pilot observes most, in expectation.", ""};
  chart.table = {"", {"state / action", "visits"}, {}};
  for (std::size_t i = 0; i < std::min<std::size_t>(10, order.size()) && d.counts[order[i]] > 0; ++i) {
    const std::int32_t k = order[i];
    chart.table.rows.push_back({mdp::pair_name(mdp, k, 40), number(d.counts[k])});
  }
  chart.category = "state / action";
  chart.value = {"visits", "expected observations"};
  return report::bars(chart);
}

report::Figure visits_map(const DesignView& view) {
  const mdp::Mdp& mdp = view.model.mdp;
  std::vector<double> visits(static_cast<std::size_t>(mdp.states()), 0.0);
  for (std::int32_t k = 0; k < mdp.pairs(); ++k)
    visits[static_cast<std::size_t>(mdp.state_of_pair(k))] += view.design.counts[static_cast<std::size_t>(k)];
  report::MapChart chart;
  chart.words = {"pilot-map", "Where the pilot goes", "The darker, the more visits are expected.",
                 fmt::format("Most visits: {}.", largest_place(mdp, visits))};
  chart.states = places_table(mdp, "visits", visits);
  chart.name = "state";
  chart.x = "x";
  chart.y = "y";
  chart.value = "visits";
  chart.value_title = "expected visits";
  return report::map(chart);
}

}  // namespace

report::Page page_of(const DesignView& view) {
  const design::Design& d = view.design;
  report::Answer answer{"",
                        fmt::format("A pilot of {} over {}", count(view.options.units, "unit"),
                                    count(view.options.steps, "step")),
                        headline(view.model),
                        {{"Variance of the target's value now", number(d.before)},
                         {"after the pilot, with whole units", number(d.after_rounding)},
                         {"no pilot of this size brings it below", number(d.after - d.gap)},
                         {"Reward given up meanwhile", number(d.expected_loss)}}};
  report::Table routes{"Routes", {"unit", "from", "most likely"}, {}};
  for (std::size_t u = 0; u < d.route_of_unit.size(); ++u) {
    const auto way = design::likely_way(view.model.mdp, d.routes[d.route_of_unit[u]], d.unit_state[u]);
    routes.rows.push_back({base::printable(unit_name(view, u)),
                           base::printable(view.model.mdp.state_name(d.unit_state[u])),
                           in_words(view.model.mdp, way)});
  }
  report::Section section{"", {answer, visits(view)}};
  if (has_places(view.model.mdp)) section.blocks.emplace_back(visits_map(view));
  if (!routes.rows.empty()) section.blocks.emplace_back(std::move(routes));
  report::Page page{title_of(view.model, "a pilot"), "", {section}, "mindgap design"};
  add_extras(view, page);
  return page;
}

}  // namespace mindgap::view
