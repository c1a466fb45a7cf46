#include "mindgap/view/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/error.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

using mdp::Mdp;

// "stay in 20 states, right in 12": the actions a policy takes (at its first step), the most frequent first.
std::string action_summary(const Mdp& mdp, std::span<const std::int32_t> pair_of_state) {
  std::vector<std::pair<std::int64_t, std::int32_t>> uses(mdp.actions());
  for (std::int32_t a = 0; a < mdp.actions(); ++a) uses[a] = {0, a};
  for (std::int32_t s = 0; s < mdp.states(); ++s) --uses[mdp.pair_action()[pair_of_state[s]]].first;
  std::sort(uses.begin(), uses.end());
  std::string text;
  for (std::size_t i = 0; i < uses.size() && i < 8 && uses[i].first < 0; ++i) {
    text += fmt::format("{}{} in {}", i == 0 ? "" : ", ", base::printable(mdp.action_name(uses[i].second)),
                        count(-uses[i].first, "state"));
  }
  return text;
}

std::string text_of_reach(const Mdp& mdp, const mdp::Reach& reach, bool finite) {
  const auto unreached = static_cast<std::int64_t>(reach.unreached.size());
  std::string text =
      finite ? "Where this policy spends its steps\n" : "Where this policy spends its discounted time\n";
  for (std::size_t g = 0; g < reach.share_by_group.size(); ++g) {
    text += fmt::format("  {:>7}  group {}\n", percent(reach.share_by_group[g]),
                        base::printable(mdp.labels().groups[static_cast<std::int32_t>(g)]));
  }
  std::vector<std::int32_t> states(mdp.states());
  std::iota(states.begin(), states.end(), 0);
  const auto shown = std::min<std::ptrdiff_t>(5, mdp.states());
  std::partial_sort(states.begin(), states.begin() + shown, states.end(), [&](auto a, auto b) {
    return std::pair(-reach.share[a], a) < std::pair(-reach.share[b], b);
  });
  for (std::ptrdiff_t i = 0; i < shown; ++i) {
    if (reach.share[states[i]] < reach.threshold) break;
    text += fmt::format("  {:>7}  {}\n", percent(reach.share[states[i]]),
                        base::printable(mdp.state_name(states[i])));
  }
  if (unreached == 0)
    return text + "It visits every state: its own data can correct the simulator everywhere.\n";
  const auto impossible = std::count(reach.possible.begin(), reach.possible.end(), 0);
  text += fmt::format(
      "It practically never sees {} of {} (each under {} of its time; {} impossible under it):\n  {}\n",
      unreached, count(mdp.states(), "state"), number(100 * reach.threshold) + " %", impossible,
      state_list(mdp, reach.unreached));
  text +=
      "If the simulator is wrong there, waiting will not show it: only an experiment that goes there will.\n";
  return text;
}

}  // namespace

std::int64_t SolveProgress::operator()(double width, double wanted) {
  if (!(width > 0 && wanted > 0 && std::isfinite(width))) return 0;
  if (first_ == 0) first_ = width;
  const double whole = std::log(first_ / wanted);
  const double done = whole > 0 ? std::clamp(std::log(first_ / width) / whole, 0.0, 1.0) : 1;
  return static_cast<std::int64_t>(static_cast<double>(kWhole) * done);
}

SolveView view_of(const mdp::Model& model, const mdp::Solution& solution) {
  SolveView view{model};
  view.value_at_start = solution.value_at_start;
  view.bounds = solution.bounds;
  view.half_width = solution.half_width;
  view.policy_loss_bound = solution.policy_loss_bound;
  view.status = mdp::to_string(solution.status);
  view.method = mdp::to_string(solution.method);
  view.iterations = solution.iterations;
  view.policy_sweeps = solution.policy_sweeps;
  view.seconds = solution.seconds;
  view.tied_states = mdp::tied_states(model.mdp, solution);
  view.actions = action_summary(model.mdp, solution.policy.pair_of_state());
  view.reach = mdp::policy_reach(model.mdp, solution.policy);
  return view;
}

SolveView view_of(const mdp::Model& model, const mdp::FiniteHorizonSolution& solution) {
  SolveView view{model};
  view.horizon = solution.steps;
  view.value_at_start = solution.value_at_start;
  view.half_width = solution.error_bound;
  view.bounds = solution.bounds;
  view.policy_loss_bound = 2 * solution.error_bound;
  view.method = "backward-induction";
  view.iterations = solution.steps;
  view.seconds = solution.seconds;
  view.actions =
      action_summary(model.mdp, std::span(solution.pair).first(model.mdp.states())) + " at its first step";
  view.reach = mdp::policy_reach(model.mdp, solution.pair, solution.steps);
  return view;
}

std::string text_of(const SolveView& view) {
  const Mdp& mdp = view.model.mdp;
  std::string text = headline(view.model);
  text += fmt::format("Value of the simulator-optimal policy from the start{}: {}\n",
                      view.horizon ? fmt::format(" over {}", count(*view.horizon, "step")) : "",
                      number(view.value_at_start, 10));
  text += fmt::format("  certified to within {} either way; following the policy loses at most {}\n",
                      number(view.half_width, 2), number(view.policy_loss_bound, 2));
  if (!view.horizon && mdp.discount() > 0) {
    text += fmt::format("  the same as earning {} at every step\n",
                        number((1 - mdp.discount()) * view.value_at_start, 6));
  }
  if (view.status != "converged") {
    text += fmt::format("  NOT CONVERGED ({}): the bounds hold, but are wider than asked\n", view.status);
  }
  text += fmt::format("  {}, {}, {} s\n", view.method, count(view.iterations, "full sweep"),
                      number(view.seconds, 3));
  if (view.lumped) {
    text += fmt::format(
        "  {} lumped to {} in {} s; the bounds are those of the whole model\n", count(mdp.states(), "state"),
        view.lumped->classes == 1 ? "1 class" : fmt::format("{} classes", view.lumped->classes),
        number(view.lumped->seconds, 3));
  }
  if (view.tied_states > 0) {
    text += fmt::format("  in {} of {} another action is as good within these bounds\n", view.tied_states,
                        count(mdp.states(), "state"));
  }
  text += "What it does: " + view.actions + "\n";
  text += text_of_reach(mdp, view.reach, view.horizon.has_value());
  if (!view.out.empty()) text += fmt::format("Policy written to {}\n", view.out);
  if (!view.classes_out.empty()) text += fmt::format("Classes written to {}\n", view.classes_out);
  return text;
}

Json json_of(const SolveView& view) {
  const Mdp& mdp = view.model.mdp;
  Json json = json_of_model(view.model);
  json["horizon"] = view.horizon ? Json(*view.horizon) : Json(nullptr);
  json["value_at_start"] = view.value_at_start;
  json["bounds"] = view.bounds;
  json["policy_loss_bound"] = view.policy_loss_bound;
  json["status"] = view.status;
  json["method"] = view.method;
  json["iterations"] = view.iterations;
  json["policy_sweeps"] = view.policy_sweeps;
  json["seconds"] = view.seconds;
  if (!view.horizon) json["tied_states"] = view.tied_states;
  if (view.lumped) {
    json["lumped"] = {{"classes", view.lumped->classes},
                      {"seconds", view.lumped->seconds},
                      {"reward_error", view.lumped->reward_error},
                      {"probability_error", view.lumped->probability_error}};
  }
  json["support_threshold"] = view.reach.threshold;
  Json shares = Json::object();
  for (std::size_t g = 0; g < view.reach.share_by_group.size(); ++g) {
    shares[std::string(mdp.labels().groups[static_cast<std::int32_t>(g)])] = view.reach.share_by_group[g];
  }
  json["share_by_group"] = shares;
  json["impossible_states"] = std::count(view.reach.possible.begin(), view.reach.possible.end(), 0);
  Json names = Json::array();
  for (const std::int32_t s : view.reach.unreached) names.push_back(mdp.state_name(s));
  json["unreached_states"] = names;
  return json;
}

std::string text_of(const DistributedView& view) {
  std::string text =
      fmt::format("{}: {}, {} pairs, {} transitions, discount {}; {}\n",
                  view.name.empty() ? "Model" : base::printable(view.name), count(view.states, "state"),
                  view.pairs, view.nonzeros, number(view.discount, 6),
                  view.ranks == 1 ? "1 process" : fmt::format("{} processes", view.ranks));
  text += fmt::format("Value of the simulator-optimal policy from the start: {}\n",
                      number(view.value_at_start, 10));
  text += fmt::format("  certified to within {} either way; following the policy loses at most {}\n",
                      number(view.half_width, 2), number(view.policy_loss_bound, 2));
  if (view.status != "converged")
    text += fmt::format("  NOT CONVERGED ({}): the bounds hold, but are wider than asked\n", view.status);
  text += fmt::format("  policy-iteration with GMRES, {}, {} of a policy's matrix, {} s (reading: {} s)\n",
                      count(view.iterations, "full sweep"), count(view.products, "product"),
                      number(view.seconds, 3), number(view.read_seconds, 3));
  if (!view.out.empty()) text += fmt::format("Policy written to {}\n", view.out);
  return text;
}

Json json_of(const DistributedView& view) {
  Json json = Json::object();
  json["name"] = view.name;
  json["states"] = view.states;
  json["actions"] = view.actions;
  json["pairs"] = view.pairs;
  json["nonzeros"] = view.nonzeros;
  json["discount"] = view.discount;
  json["horizon"] = nullptr;
  json["value_at_start"] = view.value_at_start;
  json["bounds"] = view.bounds;
  json["policy_loss_bound"] = view.policy_loss_bound;
  json["status"] = view.status;
  json["method"] = "policy-iteration";
  json["engine"] = "petsc";
  json["ranks"] = view.ranks;
  json["iterations"] = view.iterations;
  json["policy_sweeps"] = view.products;
  json["seconds"] = view.seconds;
  json["read_seconds"] = view.read_seconds;
  return json;
}

report::Page page_of(const SolveView& view) {
  report::Answer answer{
      "",
      "Value from the start: " + number(view.value_at_start, 6),
      headline(view.model),
      {{"certified to within", number(view.half_width, 2)},
       {"What it does", view.actions},
       {"States that it practically never sees",
        fmt::format("{} of {}", view.reach.unreached.size(), count(view.model.mdp.states(), "state"))}}};
  return {"A solution", "", {{"", {answer}}}, ""};
}

}  // namespace mindgap::view
