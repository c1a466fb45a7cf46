#include "mindgap/command/solve.h"

#include <memory>

#include "bars.h"
#include "command.h"
#include "mindgap/command/ensemble.h"
#include "mindgap/command/solve_distributed.h"
#include "ranges.h"

namespace mindgap::app {
namespace {

struct SolveCommand {
  std::string model, out, classes, policy = "mean";
  double time_limit = 0;  // 0: none
  bool mapped = false;
  std::string engine = "threads";
  command::SolveRequest request;
};

// One policy for all members of an ensemble.
int run_for_members(const SolveCommand& command, const CommonOptions& common) {
  mdp::Model model = load_model(command.model, common);
  const auto objective =
      command.policy == "average" ? command::MembersObjective::average : command::MembersObjective::robust;
  command::MembersPolicyAnswer answer =
      command::members_policy(model, objective, {common.seed, common.threads, {}});
  if (!command.out.empty()) {
    const UninterruptedWrite guard;
    answer.write_policy(command.out);
    answer.policy_file = command.out;
  }
  print_answer(common, answer);
  return kDone;
}

// On all processes that mpiexec started; the first of them speaks.
int run_distributed(const SolveCommand& command, const CommonOptions& common) {
  command::DistributedSolveRequest request{.model = command.model, .discount = command.request.discount};
  request.tolerance = command.request.tolerance;
  if (command.time_limit > 0) request.time_limit = command.time_limit;
  request.policy_file = command.out;
  const command::DistributedSolveAnswer answer = [&] {
    Bars bars(common.quiet);
    request.run = {common.seed, common.threads, bars.listener()};
    return command::solve_distributed(request);
  }();
  if (answer.failed_elsewhere) return kBadInput;
  if (answer.speaks()) print_answer(common, answer);
  return answer.converged() ? kDone : kNotConverged;
}

int run(const SolveCommand& command, const CommonOptions& common) {
  if (command.engine == "petsc") return run_distributed(command, common);
  if (command.policy != "mean") return run_for_members(command, common);
  command::SolveRequest request = command.request;
  request.model =
      command.mapped ? load_mapped_model(command.model, common) : load_model(command.model, common);
  if (command.time_limit > 0) request.time_limit = command.time_limit;
  command::SolveAnswer answer = [&] {
    Bars bars(common.quiet);
    request.run = {common.seed, common.threads, bars.listener()};
    return command::solve(request);
  }();
  if (!command.out.empty()) {
    const UninterruptedWrite guard;
    answer.write_policy(command.out);
    answer.policy_file = command.out;
  }
  if (!command.classes.empty()) {
    const UninterruptedWrite guard;
    answer.write_classes(command.classes);
    answer.classes_file = command.classes;
  }
  print_answer(common, answer);
  return answer.converged() ? kDone : kNotConverged;
}

}  // namespace

void add_solve(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = add_command(
      app, "solve", "find the policy that is optimal in the simulator, and its value with certified bounds",
      "mindgap solve examples/vans --out policy.csv", common);
  const auto command = std::make_shared<SolveCommand>();
  cli.add_option("MODEL", command->model, "a model folder or an HDF5 file")->required();
  CLI::Option* discount = cli.add_option(
      "--discount", command->request.discount,
      "discount to use instead of the model's; from 0 to below 1 (1 is allowed with --horizon)");
  CLI::Option* horizon = cli.add_option("--horizon", command->request.horizon,
                                        "solve for this many steps instead of an infinite horizon")
                             ->check(in_range(std::int64_t{1}, std::int64_t{2'000'000'000}));
  CLI::Option* method =
      cli.add_option("--method", command->request.method,
                     "auto, value-iteration (vi), modified-policy-iteration (mpi), gauss-seidel (gs), "
                     "policy-iteration (pi)")
          ->excludes(horizon)
          ->capture_default_str();
  CLI::Option* tolerance =
      cli.add_option("--tolerance", command->request.tolerance,
                     "largest width of the bounds on the value, relative to reward_max/(1-discount)")
          ->excludes(horizon)
          ->capture_default_str();
  CLI::Option* time_limit = cli.add_option("--time-limit", command->time_limit,
                                           "stop after this many seconds (exit status 3); 0 = no limit")
                                ->check(finite_number(true))
                                ->excludes(horizon)
                                ->capture_default_str();
  CLI::Option* lump =
      cli.add_flag("--lump", command->request.lump,
                   "first merge states that behave alike (same actions, rewards and probabilities of "
                   "going to each class), then solve the smaller model")
          ->excludes(horizon);
  cli.add_option("--classes", command->classes,
                 "with --lump: write to this file which states were merged: state,class")
      ->type_name("FILE")
      ->needs(lump);
  CLI::Option* mapped = cli.add_flag("--mapped", command->mapped,
                                     "leave the transitions in the HDF5 file instead of reading them into "
                                     "memory, for models larger than memory");
  CLI::Option* engine =
      cli.add_option("--engine", command->engine,
                     "threads: on this machine; petsc: on all processes of mpiexec, each with its part of an "
                     "HDF5 file, by policy iteration with GMRES (see docs/howto/how-far-does-it-go.md)")
          ->check(CLI::IsMember({"threads", "petsc"}))
          ->capture_default_str();
  for (CLI::Option* other : {horizon, method, lump, mapped}) engine->excludes(other);
  CLI::Option* policy =
      cli.add_option("--policy", command->policy,
                     "for an ensemble: the policy that is optimal in the mean model (mean), best on average "
                     "over the members (average), or best in the worst member (robust)")
          ->check(CLI::IsMember({"mean", "average", "robust"}))
          ->capture_default_str();
  for (CLI::Option* other : {discount, horizon, method, tolerance, time_limit, lump, mapped, engine})
    policy->excludes(other);
  cli.add_option("--out", command->out,
                 "write the policy to this file: state,action,probability (with --horizon also step)")
      ->type_name("FILE");
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run(*command, common); }; });
}

}  // namespace mindgap::app
