#include "mindgap/command/design.h"

#include <memory>

#include "bars.h"
#include "mindgap/command/files.h"
#include "options.h"
#include "ranges.h"

namespace mindgap::app {
namespace {

struct DesignCommand {
  std::string model, positions, out, report;
  bool no_credit = false;
  double time_limit = 0;
  KnowledgeOptions knowledge;
  LimitOptions limits;
  command::DesignRequest request;
};

command::DesignRequest request_of(const DesignCommand& command, const CommonOptions& common) {
  command::DesignRequest request = command.request;
  request.model = load_model(command.model, common);
  request.evidence = command.knowledge.evidence();
  request.positions = command::source_of(command.positions);
  request.use_credit = !command.no_credit;
  if (command.time_limit > 0) request.time_limit = command.time_limit;
  request.limits = command.limits.read();
  return request;
}

int run(const DesignCommand& command, const CommonOptions& common) {
  check_report(command.report);
  command::DesignRequest request = request_of(command, common);
  command::DesignAnswer answer = [&] {
    Bars bars(common.quiet);
    request.run = {common.seed, common.threads, bars.listener()};
    return command::design(request);
  }();
  if (!command.out.empty()) {
    const UninterruptedWrite whole;
    command::write_file(command.out, answer.plan());
    answer.plan_file = command.out;
  }
  write_report(command.report, answer.page());
  print_result(common, answer.text(), answer.json());
  return answer.design.status == design::MinimumStatus::converged ? kDone : kNotConverged;
}

}  // namespace

void add_design(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = add_command(
      app, "design", "where to send a pilot: routes for its units, with a certificate of optimality",
      "mindgap design examples/vans --units 4 --steps 25 --coverage examples/vans/coverage.csv --out "
      "plan.json",
      common);
  const auto command = std::make_shared<DesignCommand>();
  cli.add_option("MODEL", command->model, "a model folder or an HDF5 file")->required();
  cli.add_option("--units", command->request.units, "number of units in the pilot")->required();
  cli.add_option("--steps", command->request.steps, "number of steps of the pilot")->required();
  cli.add_option("--others", command->request.others,
                 "number of units outside the pilot; what they observe also counts")
      ->check(in_range(std::int64_t{0}, std::int64_t{1'000'000'000}));
  cli.add_option("--positions", command->positions,
                 "a CSV file with the current state of each unit: unit,state; the first --units of them are "
                 "the pilot, the rest are the others")
      ->type_name("FILE");
  cli.add_option("--target", command->request.target,
                 "the policy, or set of policies, whose value the pilot should estimate precisely: "
                 "ensemble[:M], difference[:M], sop, posterior, softmax:T, "
                 "explorer, uniform "
                 "or a policy file")
      ->capture_default_str();
  cli.add_option("--occupancy", command->request.occupancy,
                 "how visits are counted. finite: over the pilot's own steps; discounted: as in the paper")
      ->check(CLI::IsMember({"finite", "discounted"}))
      ->capture_default_str();
  cli.add_option(
         "--method", command->request.method,
         "the optimiser: columns gives routes and respects limits; the others need --occupancy discounted")
      ->check(CLI::IsMember({"auto", "columns", "mirror-descent", "interior-point", "coordinate-descent"}))
      ->capture_default_str();
  cli.add_flag(
      "--navigation", command->request.navigation,
      "send every unit on a shortest way to one of the pairs that matter most, where it stays "
      "(navigation-restricted Fisher-SEP-T with --block transitions), and show what this restriction costs");
  cli.add_option("--bottleneck", command->request.bottleneck,
                 "with --navigation: the states of a corridor, separated by commas, for the paper's bound")
      ->delimiter(',')
      ->allow_extra_args(false);
  cli.add_flag("--sizes", command->request.sizes,
               "also show how much variance pilots of other sizes would leave");
  cli.add_option("--size-units", command->request.size_table.units,
                 "with --sizes: numbers of units, ascending, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  cli.add_option("--size-steps", command->request.size_table.steps,
                 "with --sizes: numbers of steps, ascending, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  cli.add_option("--remove", command->request.size_table.remove,
                 "with --sizes: find the smallest pilot that removes this share of the variance")
      ->check(CLI::Range(1e-6, 1 - 1e-6));
  cli.add_flag("--no-credit", command->no_credit, "do not count what the other units observe");
  cli.add_option("--block", command->request.block, "which uncertainty to reduce")
      ->check(CLI::IsMember({"rewards", "transitions", "both"}))
      ->capture_default_str();
  command->knowledge.add_to(cli);
  command->limits.add_to(cli);
  cli.add_option("--gap", command->request.relative_gap,
                 "stop when the design is certified to be within this relative gap of the best")
      ->check(in_range(1e-9, 1.0))
      ->capture_default_str();
  cli.add_option("--time-limit", command->time_limit,
                 "stop after this many seconds (exit status 3); 0 = no limit")
      ->check(finite_number(true));
  cli.add_option("--top", command->request.top, "number of pairs and routes to list; 0 = all")
      ->check(in_range(0, 1'000'000'000))
      ->capture_default_str();
  cli.add_option("--report", command->report, kReportHelp)->type_name("FILE");
  cli.add_option("--out", command->out, "write the complete plan to this file, as JSON")->type_name("FILE");
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run(*command, common); }; });
}

}  // namespace mindgap::app
