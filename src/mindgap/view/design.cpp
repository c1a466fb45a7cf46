#include "mindgap/view/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mindgap/base/error.h"
#include "mindgap/mdp/pair_name.h"
#include "mindgap/view/design_extras.h"
#include "mindgap/view/places.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

using design::Design;
using mdp::Mdp;

std::vector<std::int32_t> largest_first(std::span<const double> values, std::size_t top) {
  std::vector<std::int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::int32_t k) { return !(values[k] > 0); });
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] > values[b]; });
  if (top > 0 && order.size() > top) order.resize(top);
  return order;
}

// "1-3, 7"
std::string unit_list(const std::vector<std::size_t>& units) {
  std::string text;
  for (std::size_t i = 0; i < units.size();) {
    std::size_t end = i;
    while (end + 1 < units.size() && units[end + 1] == units[end] + 1) ++end;
    text += fmt::format("{}{}", i == 0 ? "" : ", ", units[i] + 1);
    if (end > i) text += fmt::format("-{}", units[end] + 1);
    i = end + 1;
  }
  return text;
}

std::vector<std::size_t> units_on(const Design& design, std::size_t route) {
  std::vector<std::size_t> units;
  for (std::size_t u = 0; u < design.route_of_unit.size(); ++u) {
    if (static_cast<std::size_t>(design.route_of_unit[u]) == route) units.push_back(u);
  }
  return units;
}

std::string text_of_routes(const DesignView& view) {
  const Mdp& mdp = view.model.mdp;
  const Design& design = view.design;
  std::string text;
  if (!design.policy.empty())
    return fmt::format("As one policy that draws its actions; its table: see {}\n", whole_plan());
  if (!view.options.finite) {
    text = fmt::format("As a mixture of {} indefinitely (no routes: the discounted form has no steps)\n",
                       count(static_cast<std::int64_t>(design.routes.size()), "stationary policy"));
    return text;
  }
  text = "Routes (each unit keeps to one; where moves are uncertain, the likeliest way)\n";
  std::size_t shown = 0;
  for (std::size_t r = 0; r < design.routes.size(); ++r) {
    const std::vector<std::size_t> units = units_on(design, r);
    if (units.empty()) continue;
    if (view.top > 0 && ++shown > view.top) return text + fmt::format("  and more: see {}\n", whole_plan());
    const std::int32_t from = design.unit_state[units.front()];
    text += fmt::format("  unit{} {}: from {}: {}\n", units.size() == 1 ? "" : "s", unit_list(units),
                        base::printable(mdp.state_name(from)),
                        in_words(mdp, design::likely_way(mdp, design.routes[r], from)));
  }
  return text;
}

std::string text_of_where(const DesignView& view) {
  const Mdp& mdp = view.model.mdp;
  const Design& design = view.design;
  std::string text = "Where to look, and why\n   visits   uncertainty it removes  state / action\n";
  std::vector<double> removed(design.counts.size());
  for (std::size_t k = 0; k < removed.size(); ++k) {
    removed[k] = design.counts[k] > 0 ? design.contributions_before[k] - design.contributions_after[k] : 0;
  }
  const double total = std::accumulate(removed.begin(), removed.end(), 0.0);
  for (const std::int32_t k : largest_first(removed, view.top)) {
    text += fmt::format(" {:>8}   {:>21}  {}\n", number(design.counts[k]),
                        percent(total > 0 ? removed[k] / total : 0), mdp::pair_name(mdp, k));
  }
  for (std::size_t g = 0; g < design.share_by_group.size(); ++g) {
    text += fmt::format("  {:>7} of the steps in group {}\n", percent(design.share_by_group[g]),
                        base::printable(mdp.labels().groups[static_cast<std::int32_t>(g)]));
  }
  return text;
}

}  // namespace

std::string text_of(const DesignView& view) {
  const Design& design = view.design;
  std::string text = headline(view.model);
  text += fmt::format("A pilot of {} x {}, target: {}", count(view.options.units, "unit"),
                      count(view.options.steps, "step"), design::to_string(view.options.target));
  if (design.target.members > 1) {
    text += design.target.distinct == 1
                ? fmt::format(" ({} sampled models, all with the same optimal policy)", design.target.members)
                : fmt::format(" ({} sampled models, {} different optimal policies)", design.target.members,
                              design.target.distinct);
  }
  text += "\n";
  for (const std::string& note : view.notes) text += wrapped("  note: ", note);
  const double before = design.before;
  text += fmt::format("Variance of the target's value: {} now", number(before, 5));
  if (design.with_credit != before)
    text += fmt::format(", {} after what the others observe", number(design.with_credit, 5));
  text += fmt::format(", {} after the pilot", number(design.after, 5));
  if (view.options.finite) text += fmt::format(", {} with whole units", number(design.after_rounding, 5));
  text += fmt::format("\n  {} of it goes away; weights {}\n",
                      percent(before > 0 ? 1 - design.after_rounding / before : 0),
                      gap::to_string(design.target.weights.method));
  text += fmt::format(
      "  certificate: no pilot of this size brings it below {} (relative gap {}; {}, {}, {} s)\n",
      number(design.after - design.gap, 5), number(design.relative_gap, 2), design::to_string(design.status),
      count(design.iterations, "iteration"), number(design.seconds, 3));
  if (view.options.finite && design.after > 0) {
    text += fmt::format("  whole units cost a factor {}\n", number(design.after_rounding / design.after, 5));
  }
  text +=
      fmt::format("  reward given up meanwhile, by the belief's mean: {}\n", number(design.expected_loss));
  if (!design.constraints_kept) {
    text +=
        "  NOTE: with whole units not every constraint is kept exactly; in expectation over the routes all "
        "are\n";
  }
  if (!design.routes_searched) {
    text += "  NOTE: too large a pilot to search for better routes of whole units within the limits\n";
  }
  if (view.navigation != nullptr) text += text_of_navigation(view);
  if (view.sizes != nullptr) text += text_of_sizes(view);
  text += text_of_where(view);
  text += text_of_routes(view);
  if (!view.out.empty()) text += fmt::format("Plan written to {}\n", view.out);
  return text;
}

Json json_of(const DesignView& view) {
  const Mdp& mdp = view.model.mdp;
  const Design& design = view.design;
  Json json = json_of_model(view.model);
  json["units"] = view.options.units;
  json["steps"] = view.options.steps;
  json["others"] = view.options.others;
  json["target"] = design::to_string(view.options.target);
  if (!view.notes.empty()) json["notes"] = view.notes;
  json["occupancy"] = view.options.finite ? "finite" : "discounted";
  json["pvv_before"] = design.before;
  json["pvv_with_credit"] = design.with_credit;
  json["pvv_after"] = design.after;
  json["pvv_after_rounding"] = design.after_rounding;
  json["gap"] = design.gap;
  json["relative_gap"] = design.relative_gap;
  json["status"] = std::string(design::to_string(design.status));
  json["iterations"] = design.iterations;
  json["seconds"] = design.seconds;
  json["weights_method"] = std::string(gap::to_string(design.target.weights.method));
  json["target_members"] = design.target.members;
  json["target_distinct"] = design.target.distinct;
  json["expected_loss"] = design.expected_loss;
  json["constraints_kept"] = design.constraints_kept;
  json["routes_searched"] = design.routes_searched;
  json["routes"] = Json::array();
  for (std::size_t r = 0; r < design.routes.size(); ++r) {
    Json route{{"weight", design.routes[r].weight}, {"units", design.routes[r].units}};
    const std::vector<std::size_t> units = units_on(design, r);
    const std::int32_t from = units.empty() ? design.unit_state.front() : design.unit_state[units.front()];
    Json way = Json::array();
    for (const design::Leg& leg : design::likely_way(mdp, design.routes[r], from)) {
      way.push_back({{"state", mdp.state_name(leg.state)}, {"action", mdp.action_name(leg.action)}});
    }
    route["likely_way"] = way;
    json["routes"].push_back(route);
  }
  json["counts"] = Json::array();
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    if (!(design.counts[k] > 0)) continue;
    json["counts"].push_back(json_of_pair(mdp, k));
    json["counts"].back()["expected"] = design.counts[k];
  }
  json["share_by_group"] = Json::object();
  for (std::size_t g = 0; g < design.share_by_group.size(); ++g) {
    json["share_by_group"][std::string(mdp.labels().groups[static_cast<std::int32_t>(g)])] =
        design.share_by_group[g];
  }
  json["navigation"] = view.navigation != nullptr ? json_of_navigation(view) : Json(nullptr);
  json["sizes"] = view.sizes != nullptr ? json_of_sizes(view) : Json(nullptr);
  return json;
}

}  // namespace mindgap::view
