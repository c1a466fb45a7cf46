#include "mindgap/mdp/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "command.h"
#include "mindgap/base/error.h"
#include "mindgap/base/progress.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/finite_horizon.h"
#include "mindgap/mdp/policy_file.h"
#include "mindgap/mdp/reach.h"
#include "print.h"

namespace mindgap::app {
namespace {

using mdp::Mdp;
using mdp::Model;

struct SolveCommand {
  std::string model;
  std::optional<double> discount;
  std::optional<std::int64_t> horizon;
  std::string method = "auto";
  double tolerance = 1e-10;
  double time_limit = 0;  // 0: none
  std::string out;
};

// What either kind of solve has to say.
struct Outcome {
  double value_at_start = 0;
  std::array<double, 2> bounds{0, 0};
  double half_width = 0;
  double policy_loss_bound = 0;
  std::string status = "converged";
  std::string method;
  std::int64_t iterations = 0;
  std::int64_t policy_sweeps = 0;
  double seconds = 0;
  std::int64_t tied_states = 0;  // where a second action is as good within the bounds
  std::string actions;           // what the policy does, in how many states
  mdp::Reach reach;
};

// A bar that fills as the width of the bounds falls from its first value to the wanted one, on a log scale.
class SolveProgress {
 public:
  explicit SolveProgress(const CommonOptions& common)
      : progress_({.label = "solving", .total = 1000, .quiet = common.quiet}) {}

  void operator()(double width, double wanted) {
    if (!(width > 0 && wanted > 0 && std::isfinite(width))) return;
    if (first_ == 0) first_ = width;
    const double whole = std::log(first_ / wanted);
    const double done = whole > 0 ? std::clamp(std::log(first_ / width) / whole, 0.0, 1.0) : 1;
    const auto wanted_steps = static_cast<std::int64_t>(1000 * done);
    if (wanted_steps > progress_.done()) progress_.advance(wanted_steps - progress_.done());
  }

 private:
  base::Progress progress_;
  double first_ = 0;
};

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

Outcome solve_discounted(const Mdp& mdp, const SolveCommand& command, const CommonOptions& common) {
  mdp::SolveOptions options;
  options.method = mdp::method_from_string(command.method);
  options.tolerance = command.tolerance;
  options.threads = common.threads;
  if (command.time_limit > 0) options.time_limit = command.time_limit;
  std::optional<mdp::Solution> solution;
  {
    SolveProgress progress(common);
    options.on_iteration = std::ref(progress);
    solution = mdp::solve(mdp, options);
  }
  if (!command.out.empty()) {
    const UninterruptedWrite guard;
    mdp::write_policy(command.out, mdp, solution->policy);
  }
  Outcome outcome;
  outcome.value_at_start = solution->value_at_start;
  outcome.bounds = solution->bounds;
  outcome.half_width = solution->half_width;
  outcome.policy_loss_bound = solution->policy_loss_bound;
  outcome.status = mdp::to_string(solution->status);
  outcome.method = mdp::to_string(solution->method);
  outcome.iterations = solution->iterations;
  outcome.policy_sweeps = solution->policy_sweeps;
  outcome.seconds = solution->seconds;
  outcome.tied_states = mdp::tied_states(mdp, *solution);
  outcome.actions = action_summary(mdp, solution->policy.pair_of_state());
  outcome.reach = mdp::policy_reach(mdp, solution->policy);
  return outcome;
}

Outcome solve_finite(const Mdp& mdp, const SolveCommand& command, const CommonOptions& common) {
  const mdp::FiniteHorizonSolution solution =
      mdp::solve_finite_horizon(mdp, *command.horizon, {.threads = common.threads});
  if (!command.out.empty()) {
    const UninterruptedWrite guard;
    mdp::write_time_policy(command.out, mdp, static_cast<std::int32_t>(solution.steps), solution.pair);
  }
  Outcome outcome;
  outcome.value_at_start = solution.value_at_start;
  outcome.half_width = solution.error_bound;
  outcome.bounds = solution.bounds;
  outcome.policy_loss_bound = 2 * solution.error_bound;
  outcome.method = "backward-induction";
  outcome.iterations = solution.steps;
  outcome.seconds = solution.seconds;
  outcome.actions = action_summary(mdp, std::span(solution.pair).first(mdp.states())) + " at its first step";
  outcome.reach = mdp::policy_reach(mdp, solution.pair, solution.steps);
  return outcome;
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
      unreached, count(mdp.states(), "state"), fmt::format("{:g} %", 100 * reach.threshold), impossible,
      state_list(mdp, reach.unreached));
  text +=
      "If the simulator is wrong there, waiting will not show it: only an experiment that goes there will.\n";
  return text;
}

std::string text_of(const Model& model, const SolveCommand& command, const Outcome& outcome) {
  const Mdp& mdp = model.mdp;
  std::string text = headline(model);
  text += fmt::format("Value of the simulator-optimal policy from the start{}: {:.10g}\n",
                      command.horizon ? fmt::format(" over {}", count(*command.horizon, "step")) : "",
                      outcome.value_at_start);
  text += fmt::format("  certified to within {:.2g} either way; following the policy loses at most {:.2g}\n",
                      outcome.half_width, outcome.policy_loss_bound);
  if (!command.horizon && mdp.discount() > 0) {
    text += fmt::format("  the same as earning {:.6g} at every step\n",
                        (1 - mdp.discount()) * outcome.value_at_start);
  }
  if (outcome.status != "converged") {
    text += fmt::format("  NOT CONVERGED ({}): the bounds hold, but are wider than asked\n", outcome.status);
  }
  text += fmt::format("  {}, {}, {:.3g} s\n", outcome.method, count(outcome.iterations, "full sweep"),
                      outcome.seconds);
  if (outcome.tied_states > 0) {
    text += fmt::format("  in {} of {} another action is as good within these bounds\n", outcome.tied_states,
                        count(mdp.states(), "state"));
  }
  text += "What it does: " + outcome.actions + "\n";
  text += text_of_reach(mdp, outcome.reach, command.horizon.has_value());
  if (!command.out.empty()) text += fmt::format("Policy written to {}\n", command.out);
  return text;
}

Json json_of(const Model& model, const SolveCommand& command, const Outcome& outcome) {
  const Mdp& mdp = model.mdp;
  Json json = json_of_model(model);
  json["horizon"] = command.horizon ? Json(*command.horizon) : Json(nullptr);
  json["value_at_start"] = outcome.value_at_start;
  json["bounds"] = outcome.bounds;
  json["policy_loss_bound"] = outcome.policy_loss_bound;
  json["status"] = outcome.status;
  json["method"] = outcome.method;
  json["iterations"] = outcome.iterations;
  json["policy_sweeps"] = outcome.policy_sweeps;
  json["seconds"] = outcome.seconds;
  if (!command.horizon) json["tied_states"] = outcome.tied_states;
  json["support_threshold"] = outcome.reach.threshold;
  Json shares = Json::object();
  for (std::size_t g = 0; g < outcome.reach.share_by_group.size(); ++g) {
    shares[std::string(mdp.labels().groups[static_cast<std::int32_t>(g)])] = outcome.reach.share_by_group[g];
  }
  json["share_by_group"] = shares;
  json["impossible_states"] = std::count(outcome.reach.possible.begin(), outcome.reach.possible.end(), 0);
  Json names = Json::array();
  for (const std::int32_t s : outcome.reach.unreached) names.push_back(mdp.state_name(s));
  json["unreached_states"] = names;
  return json;
}

int run(const SolveCommand& command, const CommonOptions& common) {
  Model model = load_model(command.model, common);
  if (command.discount) model.mdp = model.mdp.with_discount(*command.discount);
  if (!command.horizon && !(model.mdp.discount() < 1)) {
    throw InvalidArgument(
        fmt::format("{}: the discount is {}: without --horizon it must be at least 0 and below 1",
                    command.model, model.mdp.discount()));
  }
  const Outcome outcome = command.horizon ? solve_finite(model.mdp, command, common)
                                          : solve_discounted(model.mdp, command, common);
  print_result(common, text_of(model, command, outcome), json_of(model, command, outcome));
  return outcome.status == "converged" ? kDone : kNotConverged;
}

}  // namespace

void add_solve(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = add_command(app, "solve", "the simulator-optimal policy, its value with certified bounds",
                              "mindgap solve examples/vans --out policy.csv", common);
  const auto command = std::make_shared<SolveCommand>();
  cli.add_option("MODEL", command->model, "a model folder or an HDF5 file")->required();
  cli.add_option("--discount", command->discount,
                 "instead of the model's; from 0 to below 1 (to 1 with --horizon)");
  CLI::Option* horizon =
      cli.add_option("--horizon", command->horizon, "solve for this many steps instead of forever")
          ->check(CLI::Range(std::int64_t{1}, std::int64_t{2'000'000'000}));
  cli.add_option("--method", command->method,
                 "auto, value-iteration (vi), modified-policy-iteration (mpi), gauss-seidel (gs), "
                 "policy-iteration (pi)")
      ->excludes(horizon)
      ->capture_default_str();
  cli.add_option("--tolerance", command->tolerance,
                 "wanted width of the bounds on the value, relative to reward_max/(1-discount)")
      ->excludes(horizon)
      ->capture_default_str();
  cli.add_option("--time-limit", command->time_limit, "stop after so many seconds (exit status 3); 0 = never")
      ->check(CLI::NonNegativeNumber)
      ->excludes(horizon)
      ->capture_default_str();
  cli.add_option("--out", command->out,
                 "write the policy here: state,action,probability (with --horizon also step)");
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run(*command, common); }; });
}

}  // namespace mindgap::app
