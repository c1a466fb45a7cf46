#include "mindgap/view/design_extras.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/mdp/pair_name.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

report::Table goals_table(const DesignView& view) {
  const mdp::Mdp& mdp = view.model.mdp;
  report::Table table{"", {"unit", "from", "goes to", "expected steps", "arrives"}, {}};
  for (std::size_t u = 0; u < view.navigation->goals.size(); ++u) {
    const design::UnitGoal& goal = view.navigation->goals[u];
    table.rows.push_back(
        {fmt::format("{}", u + 1), base::printable(mdp.state_name(view.design.unit_state[u]), 40),
         mdp::pair_name(mdp, goal.pair, 40), number(goal.expected_steps, 3), percent(goal.arrival)});
  }
  return table;
}

std::vector<std::string> navigation_in_words(const DesignView& view) {
  const design::NavigationFindings& found = *view.navigation;
  const design::NavigationBound& bound = found.bound;
  std::vector<std::string> said;
  if (std::abs(bound.excess) <= 1e-9 * std::abs(found.optimum)) {
    said.push_back(fmt::format("It leaves {}, as the best pilot of this size does.",
                               number(view.design.after_rounding)));
  } else {
    said.push_back(fmt::format(
        "It leaves {}, the best pilot of this size at least {}: {} more, and by the corrected bound "
        "at most {} more (pairs that it leaves out {}, pairs that it sees less often {}).",
        number(view.design.after_rounding), number(found.optimum - found.optimum_gap), number(bound.excess),
        number(bound.bound), number(bound.tail_excess), number(bound.overlap_excess)));
  }
  said.push_back(fmt::format(
      "The paper's bound, (1 - q_nav) C_tail + (1/kappa - 1) C_overlap: {} with q_nav {}, C_tail {}, kappa "
      "{}, C_overlap {}; it {}.",
      number(std::abs(bound.paper_bound) <= 1e-9 * std::abs(found.optimum) ? 0 : bound.paper_bound),
      number(bound.crossing, 3), number(bound.tail), number(bound.kappa, 3), number(bound.overlap),
      bound.paper_holds ? "holds here" : "DOES NOT HOLD here"));
  if (found.bottleneck.empty()) {
    said.emplace_back("No corridor was named (bottleneck), so q_nav counts as 0.");
  } else if (!bound.is_bottleneck) {
    said.emplace_back(
        "Some pairs that navigation leaves out can be had without the corridor: the theorem's "
        "condition does not hold.");
  }
  return said;
}

report::Table sizes_grid(const DesignView& view) {
  const design::PilotSizes& sizes = view.sizes->sizes;
  report::Table table{"", {"steps", "no pilot"}, {}};
  for (const std::int64_t units : sizes.units) table.columns.push_back(count(units, "unit"));
  for (std::size_t t = 0; t < sizes.steps.size(); ++t) {
    std::vector<std::string> row{fmt::format("{}", sizes.steps[t]), number(sizes.without[t])};
    for (std::size_t u = 0; u < sizes.units.size(); ++u) row.push_back(number(sizes.at(t, u)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> sizes_in_words(const DesignView& view) {
  const design::SizeTable& table = *view.sizes;
  std::vector<std::string> said{fmt::format("One more unit would take off {}, one more step {} (of {}).",
                                            number(table.margins.one_more_unit),
                                            number(table.margins.one_more_step), number(table.margins.pvv))};
  if (!table.smallest) return said;
  const design::SmallestPilot& smallest = *table.smallest;
  said.push_back(
      smallest.found
          ? fmt::format("The smallest pilot that removes {} of the variance: {} x {} (it removes {}).",
                        percent(*table.remove), count(smallest.units, "unit"), count(smallest.steps, "step"),
                        percent(smallest.removed))
          : fmt::format("No pilot of these lengths removes {} of the variance; at most {}.",
                        percent(*table.remove), percent(smallest.removed)));
  return said;
}

constexpr const char* kSizesTitle = "What the best pilot of each size leaves (fractions of units, no limits)";

}  // namespace

std::string text_of_navigation(const DesignView& view) {
  std::string text = "Navigation: every unit goes to one pair by a shortest way and stays with it\n";
  for (const std::string& one : navigation_in_words(view)) text += wrapped("  ", one);
  report::Table table = goals_table(view);
  const std::size_t all = table.rows.size();
  if (view.top > 0 && all > view.top) table.rows.resize(view.top);
  text += report::to_text(table);
  if (table.rows.size() < all) text += fmt::format("  and {} more\n", all - table.rows.size());
  return text;
}

std::string text_of_sizes(const DesignView& view) {
  std::string text = std::string(kSizesTitle) + "\n" + report::to_text(sizes_grid(view));
  for (const std::string& one : sizes_in_words(view)) text += wrapped("  ", one);
  return text;
}

void add_extras(const DesignView& view, report::Page& page) {
  if (view.navigation != nullptr)
    page.sections.push_back(
        {"Navigation by shortest ways", {report::Bullets{navigation_in_words(view)}, goals_table(view)}});
  if (view.sizes != nullptr)
    page.sections.push_back({kSizesTitle, {sizes_grid(view), report::Bullets{sizes_in_words(view)}}});
}

Json json_of_navigation(const DesignView& view) {
  const mdp::Mdp& mdp = view.model.mdp;
  const design::NavigationFindings& found = *view.navigation;
  const design::NavigationBound& bound = found.bound;
  Json goals = Json::array(), corridor = Json::array();
  for (const design::UnitGoal& goal : found.goals) {
    Json entry = json_of_pair(mdp, goal.pair);
    entry["arrival"] = goal.arrival;
    entry["expected_steps"] = goal.expected_steps;
    goals.push_back(entry);
  }
  for (const std::int32_t s : found.bottleneck) corridor.push_back(mdp.state_name(s));
  return {{"pvv", view.design.after_rounding},
          {"optimum", found.optimum},
          {"excess", bound.excess},
          {"bound", bound.bound},
          {"tail_excess", bound.tail_excess},
          {"overlap_excess", bound.overlap_excess},
          {"paper_bound", bound.paper_bound},
          {"paper_holds", bound.paper_holds},
          {"q_nav", bound.crossing},
          {"kappa", bound.kappa},
          {"c_tail", bound.tail},
          {"c_overlap", bound.overlap},
          {"threshold", found.threshold},
          {"bottleneck", corridor},
          {"is_bottleneck", bound.is_bottleneck},
          {"goals", goals}};
}

Json json_of_sizes(const DesignView& view) {
  const design::SizeTable& table = *view.sizes;
  Json grid = Json::array();
  for (std::size_t t = 0; t < table.sizes.steps.size(); ++t) {
    for (std::size_t u = 0; u < table.sizes.units.size(); ++u) {
      grid.push_back({{"units", table.sizes.units[u]},
                      {"steps", table.sizes.steps[t]},
                      {"pvv", table.sizes.at(t, u)},
                      {"without", table.sizes.without[t]},
                      {"fall_per_unit", table.sizes.fall_per_unit(t, u)},
                      {"fall_per_step", table.sizes.fall_per_step(t, u)}});
    }
  }
  Json json{{"grid", grid},
            {"one_more_unit", table.margins.one_more_unit},
            {"one_more_step", table.margins.one_more_step},
            {"remove", table.remove ? Json(*table.remove) : Json(nullptr)},
            {"smallest", nullptr}};
  if (table.smallest) {
    json["smallest"] = {{"found", table.smallest->found},
                        {"units", table.smallest->units},
                        {"steps", table.smallest->steps},
                        {"removed", table.smallest->removed}};
  }
  return json;
}

}  // namespace mindgap::view
