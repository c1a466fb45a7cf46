#include "mindgap/mdp/solve.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "bars.h"
#include "command.h"
#include "mindgap/base/error.h"
#include "mindgap/files/policy_file.h"
#include "mindgap/mdp/finite_horizon.h"
#include "mindgap/view/solve.h"

namespace mindgap::app {
namespace {

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

view::SolveView solve_discounted(const Model& model, const SolveCommand& command,
                                 const CommonOptions& common) {
  mdp::SolveOptions options;
  options.method = mdp::method_from_string(command.method);
  options.tolerance = command.tolerance;
  options.threads = common.threads;
  if (command.time_limit > 0) options.time_limit = command.time_limit;
  std::optional<mdp::Solution> solution;
  {
    Bars bars(common.quiet);
    view::SolveProgress progress;
    options.on_iteration = [&](double width, double wanted) {
      bars.show("solving", progress(width, wanted), view::SolveProgress::kWhole);
    };
    solution = mdp::solve(model.mdp, options);
  }
  if (!command.out.empty()) {
    const UninterruptedWrite guard;
    files::write_policy(command.out, model.mdp, solution->policy);
  }
  return view::view_of(model, *solution);
}

view::SolveView solve_finite(const Model& model, const SolveCommand& command, const CommonOptions& common) {
  const mdp::FiniteHorizonSolution solution =
      mdp::solve_finite_horizon(model.mdp, *command.horizon, {.threads = common.threads});
  if (!command.out.empty()) {
    const UninterruptedWrite guard;
    files::write_time_policy(command.out, model.mdp, static_cast<std::int32_t>(solution.steps),
                             solution.pair);
  }
  return view::view_of(model, solution);
}

int run(const SolveCommand& command, const CommonOptions& common) {
  Model model = load_model(command.model, common);
  if (command.discount) model.mdp = model.mdp.with_discount(*command.discount);
  if (!command.horizon && !(model.mdp.discount() < 1)) {
    throw InvalidArgument(
        fmt::format("{}: the discount is {}: without --horizon it must be at least 0 and below 1",
                    command.model, model.mdp.discount()));
  }
  view::SolveView view =
      command.horizon ? solve_finite(model, command, common) : solve_discounted(model, command, common);
  view.out = command.out;
  print_result(common, text_of(view), json_of(view));
  return view.status == "converged" ? kDone : kNotConverged;
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
