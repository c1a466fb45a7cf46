#include "mindgap/design/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "bars.h"
#include "command.h"
#include "knowledge.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/number.h"
#include "mindgap/mdp/output.h"
#include "mindgap/mdp/pilot_tables.h"
#include "print.h"

namespace mindgap::app {
namespace {

using design::Design;
using mdp::Mdp;

struct DesignCommand {
  std::string model, positions, target = "ensemble", occupancy = "finite", method = "auto", block = "both",
                                forbid, capacity, costs, out;
  std::vector<std::string> minimum_shares, maximum_shares;
  std::optional<std::int64_t> others;
  bool no_credit = false;
  double time_limit = 0;
  std::size_t top = 10;
  KnowledgeOptions knowledge;
  design::DesignOptions options;
};

// What there is to say about a design.
struct DesignView {
  const mdp::Model& model;
  const Design& design;
  const DesignCommand& command;
  const design::DesignOptions& options;
};

// "B=0.3"
std::pair<std::string, double> share_from(const std::string& text) {
  const std::size_t at = text.rfind('=');
  double value = 0;
  if (at == std::string::npos || at == 0 ||
      mdp::parse_number(std::string_view(text).substr(at + 1), value) != mdp::NumberStatus::ok ||
      !(value >= 0) || !(value <= 1)) {
    throw InvalidArgument(
        fmt::format("'{}' is no share of a group: GROUP=SHARE is wanted, with a share from 0 to 1",
                    base::printable(text)));
  }
  return {text.substr(0, at), value};
}

design::Minimiser method_from(const std::string& name) {
  if (name == "columns") return design::Minimiser::columns;
  if (name == "mirror-descent") return design::Minimiser::mirror_descent;
  if (name == "interior-point") return design::Minimiser::interior_point;
  if (name == "coordinate-descent") return design::Minimiser::coordinate_descent;
  return design::Minimiser::automatic;
}

// The first units of the file are the pilot's, the rest the others.
void read_positions(const DesignCommand& command, const Mdp& mdp, design::DesignOptions& options) {
  if (command.positions.empty()) return;
  const mdp::Positions positions = mdp::read_positions(command.positions, mdp);
  const auto units = static_cast<std::size_t>(std::max<std::int64_t>(0, options.units));
  if (positions.state.size() < units) {
    throw InvalidArgument(fmt::format("{}: {} units have a position, but --units is {}", command.positions,
                                      positions.state.size(), units));
  }
  options.unit_state.assign(positions.state.begin(),
                            positions.state.begin() + static_cast<std::ptrdiff_t>(units));
  for (std::size_t i = 0; i < units; ++i) {
    options.unit_names.emplace_back(positions.units[static_cast<std::int32_t>(i)]);
  }
  if (command.others) return;
  options.others = static_cast<std::int64_t>(positions.state.size() - units);
  options.other_positions.assign(static_cast<std::size_t>(mdp.states()), 0.0);
  for (std::size_t i = units; i < positions.state.size(); ++i) ++options.other_positions[positions.state[i]];
}

design::DesignOptions options_of(const DesignCommand& command, const CommonOptions& common, const Mdp& mdp) {
  design::DesignOptions options = command.options;
  options.target = design::target_from_string(command.target);
  options.finite = command.occupancy == "finite";
  options.block = command.block == "rewards"       ? design::Block::rewards
                  : command.block == "transitions" ? design::Block::transitions
                                                   : design::Block::both;
  options.method = method_from(command.method);
  options.use_credit = !command.no_credit;
  options.others = command.others.value_or(0);
  for (const std::string& text : command.minimum_shares) options.minimum_shares.push_back(share_from(text));
  for (const std::string& text : command.maximum_shares) options.maximum_shares.push_back(share_from(text));
  if (!command.forbid.empty()) options.forbidden = mdp::read_forbidden(command.forbid, mdp);
  if (!command.capacity.empty()) options.capacity = mdp::read_capacities(command.capacity, mdp);
  if (!command.costs.empty()) options.cost = mdp::read_costs(command.costs, mdp);
  if (command.time_limit > 0) options.time_limit = command.time_limit;
  options.seed = common.seed;
  options.threads = common.threads;
  read_positions(command, mdp, options);
  return options;
}

std::vector<std::int32_t> largest_first(std::span<const double> values, std::size_t top) {
  std::vector<std::int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::int32_t k) { return !(values[k] > 0); });
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] > values[b]; });
  if (top > 0 && order.size() > top) order.resize(top);
  return order;
}

struct Leg {
  std::int32_t state, action;
};

// Where a unit on the route most likely goes: at each step the likeliest next state.
std::vector<Leg> likely_way(const Mdp& mdp, const design::Route& route, std::int32_t state) {
  std::vector<Leg> way;
  const auto states = static_cast<std::size_t>(mdp.states());
  for (std::size_t at = 0; at < route.pair.size(); at += states) {
    const std::int32_t pair = route.pair[at + static_cast<std::size_t>(state)];
    if (pair < 0) break;
    way.push_back({state, mdp.pair_action()[pair]});
    const auto row =
        mdp.probability().subspan(mdp.row_begin()[pair], mdp.row_begin()[pair + 1] - mdp.row_begin()[pair]);
    state =
        mdp.next_state()[mdp.row_begin()[pair] + (std::max_element(row.begin(), row.end()) - row.begin())];
  }
  return way;
}

// "down x2, right x3, stay x20"
std::string words_of(const Mdp& mdp, const std::vector<Leg>& way) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < way.size();) {
    std::size_t end = i;
    while (end < way.size() && way[end].action == way[i].action) ++end;
    if (++runs > 12) return text + ", ...";
    text += fmt::format("{}{}", i == 0 ? "" : ", ", base::printable(mdp.action_name(way[i].action)));
    if (end - i > 1) text += fmt::format(" x{}", end - i);
    i = end;
  }
  return text;
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
    return "As one policy that draws its actions; its table is in the plan (--out)\n";
  if (!view.options.finite) {
    text = fmt::format("As a mixture of {} for ever (no routes: the discounted form has no steps)\n",
                       count(static_cast<std::int64_t>(design.routes.size()), "stationary policy"));
    return text;
  }
  text = "Routes (each unit keeps to one; where moves are uncertain, the likeliest way)\n";
  std::size_t shown = 0;
  for (std::size_t r = 0; r < design.routes.size(); ++r) {
    const std::vector<std::size_t> units = units_on(design, r);
    if (units.empty()) continue;
    if (view.command.top > 0 && ++shown > view.command.top) return text + "  and more: see --out\n";
    const std::int32_t from = design.unit_state[units.front()];
    text += fmt::format("  unit{} {}: from {}: {}\n", units.size() == 1 ? "" : "s", unit_list(units),
                        base::printable(mdp.state_name(from)),
                        words_of(mdp, likely_way(mdp, design.routes[r], from)));
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
  for (const std::int32_t k : largest_first(removed, view.command.top)) {
    text += fmt::format(" {:>8.4g}   {:>21}  {} / {}\n", design.counts[k],
                        percent(total > 0 ? removed[k] / total : 0),
                        base::printable(mdp.state_name(mdp.state_of_pair(k))),
                        base::printable(mdp.action_name(mdp.pair_action()[k])));
  }
  for (std::size_t g = 0; g < design.share_by_group.size(); ++g) {
    text += fmt::format("  {:>7} of the steps in group {}\n", percent(design.share_by_group[g]),
                        base::printable(mdp.labels().groups[static_cast<std::int32_t>(g)]));
  }
  return text;
}

std::string text_of(const DesignView& view) {
  const Design& design = view.design;
  std::string text = headline(view.model);
  text += fmt::format("A pilot of {} x {}, target: {}", count(view.options.units, "unit"),
                      count(view.options.steps, "step"), design::to_string(view.options.target));
  if (design.target.members > 1) {
    text += fmt::format(" ({} drawn models, {} different optimal policies)", design.target.members,
                        design.target.distinct);
  }
  text += "\n";
  const double before = design.before.total;
  text += fmt::format("Variance of the target's value: {:.5g} now", before);
  if (design.with_credit != before)
    text += fmt::format(", {:.5g} after what the others observe", design.with_credit);
  text += fmt::format(", {:.5g} after the pilot", design.after);
  if (view.options.finite) text += fmt::format(", {:.5g} with whole units", design.after_rounding);
  text += fmt::format("\n  {} of it goes away; weights {}\n",
                      percent(before > 0 ? 1 - design.after_rounding / before : 0),
                      gap::to_string(design.target.weights.method));
  text += fmt::format(
      "  certificate: no pilot of this size brings it below {:.5g} (relative gap {:.2g}; {}, {}, {:.3g} s)\n",
      design.after - design.gap, design.relative_gap, design::to_string(design.status),
      count(design.iterations, "iteration"), design.seconds);
  if (view.options.finite && design.after > 0) {
    text += fmt::format("  whole units cost a factor {:.5g}\n", design.after_rounding / design.after);
  }
  text += fmt::format("  reward given up meanwhile, by the belief's mean: {:.4g}\n", design.expected_loss);
  const bool broken =
      std::any_of(design.violations.begin(), design.violations.end(), [](double v) { return v > 1e-6; });
  if (broken)
    text +=
        "  NOTE: with whole units not every constraint is kept exactly; in expectation over the routes all "
        "are\n";
  text += text_of_where(view);
  text += text_of_routes(view);
  if (!view.command.out.empty()) text += fmt::format("Plan written to {}\n", view.command.out);
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
  json["occupancy"] = view.options.finite ? "finite" : "discounted";
  json["pvv_before"] = design.before.total;
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
  json["routes"] = Json::array();
  for (std::size_t r = 0; r < design.routes.size(); ++r) {
    Json route{{"weight", design.routes[r].weight}, {"units", design.routes[r].units}};
    const std::vector<std::size_t> units = units_on(design, r);
    const std::int32_t from = units.empty() ? design.unit_state.front() : design.unit_state[units.front()];
    Json way = Json::array();
    for (const Leg& leg : likely_way(mdp, design.routes[r], from)) {
      way.push_back({{"state", mdp.state_name(leg.state)}, {"action", mdp.action_name(leg.action)}});
    }
    route["likely_way"] = way;
    json["routes"].push_back(route);
  }
  json["counts"] = Json::array();
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    if (!(design.counts[k] > 0)) continue;
    json["counts"].push_back({{"state", mdp.state_name(mdp.state_of_pair(k))},
                              {"action", mdp.action_name(mdp.pair_action()[k])},
                              {"expected", design.counts[k]}});
  }
  json["share_by_group"] = Json::object();
  for (std::size_t g = 0; g < design.share_by_group.size(); ++g) {
    json["share_by_group"][std::string(mdp.labels().groups[static_cast<std::int32_t>(g)])] =
        design.share_by_group[g];
  }
  return json;
}

void write_plan(const std::string& path, const std::string& text) {
  const UninterruptedWrite guard;
  mdp::StagedFile staged(path);
  mdp::TextWriter out(staged.temporary(), path);
  out.text(text);
  out.close();
  staged.commit();
}

int run(const DesignCommand& command, const CommonOptions& common) {
  const mdp::Model model = load_model(command.model, common);
  const belief::Knowledge knowledge =
      belief::gather_knowledge(model, read_coverage(command.knowledge, model),
                               read_log(command.knowledge, model), command.knowledge.prior);
  design::DesignOptions options = options_of(command, common, model.mdp);
  Design design;
  {
    Bars bars(common.quiet);
    options.on_progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
      bars.show(what, done, total);
    };
    design = design::design_pilot(knowledge, options);
  }
  if (!command.out.empty()) write_plan(command.out, design::plan_json(model.mdp, design, options));
  const DesignView view{model, design, command, options};
  print_result(common, text_of(view), json_of(view));
  return design.status == design::MinimumStatus::converged ? kDone : kNotConverged;
}

void add_constraint_options(CLI::App& cli, DesignCommand& command) {
  cli.add_option("--min-share", command.minimum_shares,
                 "GROUP=SHARE: at least this share of the pilot's steps there")
      ->allow_extra_args(false);
  cli.add_option("--max-share", command.maximum_shares,
                 "GROUP=SHARE: at most this share of the pilot's steps there")
      ->allow_extra_args(false);
  cli.add_option("--forbid", command.forbid, "pairs the pilot must not use: state,action");
  cli.add_option("--capacity", command.capacity, "units that may be in a state at one step: state,per_step");
  CLI::Option* costs =
      cli.add_option("--costs", command.costs, "what one use of a pair costs: state,action,cost");
  CLI::Option* budget =
      cli.add_option("--cost-budget", command.options.cost_budget, "what the pilot may cost in expectation")
          ->check(CLI::NonNegativeNumber);
  costs->needs(budget);
  budget->needs(costs);
  cli.add_option("--max-loss", command.options.max_loss, "expected reward the pilot may give up");
}

}  // namespace

void add_design(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = add_command(
      app, "design", "where to send the pilot, with a certificate of optimality, handed out as routes",
      "mindgap design examples/vans --units 4 --steps 25 --coverage examples/vans/coverage.csv --out "
      "plan.json",
      common);
  const auto command = std::make_shared<DesignCommand>();
  cli.add_option("MODEL", command->model, "a model folder or an HDF5 file")->required();
  cli.add_option("--units", command->options.units, "units in the pilot")->required();
  cli.add_option("--steps", command->options.steps, "steps of the pilot")->required();
  cli.add_option("--others", command->others, "units outside the pilot, whose observations count as credit")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
  cli.add_option("--positions", command->positions,
                 "where units are: unit,state; the first --units of them are the pilot, the rest the others");
  cli.add_option("--target", command->target,
                 "whose value to make sure of: ensemble[:M], difference[:M], sop, posterior, softmax:T, "
                 "explorer, uniform "
                 "or a policy file")
      ->capture_default_str();
  cli.add_option("--occupancy", command->occupancy,
                 "finite: the pilot's own steps; discounted: the paper's form")
      ->check(CLI::IsMember({"finite", "discounted"}))
      ->capture_default_str();
  cli.add_option("--method", command->method,
                 "who minimises: columns gives routes and takes constraints; the others are for --occupancy "
                 "discounted")
      ->check(CLI::IsMember({"auto", "columns", "mirror-descent", "interior-point", "coordinate-descent"}))
      ->capture_default_str();
  cli.add_flag("--no-credit", command->no_credit, "what the others observe does not count");
  cli.add_option("--block", command->block, "which uncertainty counts")
      ->check(CLI::IsMember({"rewards", "transitions", "both"}))
      ->capture_default_str();
  add_knowledge_options(cli, command->knowledge);
  add_constraint_options(cli, *command);
  cli.add_option("--gap", command->options.relative_gap, "stop at this certified relative gap")
      ->check(CLI::Range(1e-9, 1.0))
      ->capture_default_str();
  cli.add_option("--time-limit", command->time_limit, "stop after so many seconds (exit status 3); 0 = never")
      ->check(CLI::NonNegativeNumber);
  cli.add_option("--top", command->top, "how many pairs and routes to list; 0 = all")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  cli.add_option("--out", command->out, "write the complete plan here, as JSON that a program can follow");
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run(*command, common); }; });
}

}  // namespace mindgap::app
