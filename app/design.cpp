#include "mindgap/command/design.h"

#include <memory>

#include "bars.h"
#include "mindgap/files/output.h"
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
    files::write_file(command.out, answer.plan());
    answer.plan_file = command.out;
  }
  write_report(command.report, answer.page());
  print_result(common, answer.text(), answer.json());
  return answer.design.status == design::MinimumStatus::converged ? kDone : kNotConverged;
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
  cli.add_option("--units", command->request.units, "units in the pilot")->required();
  cli.add_option("--steps", command->request.steps, "steps of the pilot")->required();
  cli.add_option("--others", command->request.others,
                 "units outside the pilot, whose observations count as credit")
      ->check(in_range(std::int64_t{0}, std::int64_t{1'000'000'000}));
  cli.add_option("--positions", command->positions,
                 "where units are: unit,state; the first --units of them are the pilot, the rest the others");
  cli.add_option("--target", command->request.target,
                 "whose value to make sure of: ensemble[:M], difference[:M], sop, posterior, softmax:T, "
                 "explorer, uniform "
                 "or a policy file")
      ->capture_default_str();
  cli.add_option("--occupancy", command->request.occupancy,
                 "finite: the pilot's own steps; discounted: the paper's form")
      ->check(CLI::IsMember({"finite", "discounted"}))
      ->capture_default_str();
  cli.add_option("--method", command->request.method,
                 "who minimises: columns gives routes and takes constraints; the others are for --occupancy "
                 "discounted")
      ->check(CLI::IsMember({"auto", "columns", "mirror-descent", "interior-point", "coordinate-descent"}))
      ->capture_default_str();
  cli.add_flag("--navigation", command->request.navigation,
               "every unit goes to one of the pairs that matter most by a shortest way and stays with it "
               "(navigation-restricted Fisher-SEP-T with --block transitions); says what that costs");
  cli.add_option("--bottleneck", command->request.bottleneck,
                 "with --navigation: states of a corridor, between commas, for the paper's bound")
      ->delimiter(',')
      ->allow_extra_args(false);
  cli.add_flag("--sizes", command->request.sizes, "what pilots of other sizes would leave of the variance");
  cli.add_option("--size-units", command->request.size_table.units,
                 "with --sizes: numbers of units, ascending, between commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  cli.add_option("--size-steps", command->request.size_table.steps,
                 "with --sizes: numbers of steps, ascending, between commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  cli.add_option("--remove", command->request.size_table.remove,
                 "with --sizes: the smallest pilot that removes this share of the variance")
      ->check(CLI::Range(1e-6, 1 - 1e-6));
  cli.add_flag("--no-credit", command->no_credit, "what the others observe does not count");
  cli.add_option("--block", command->request.block, "which uncertainty counts")
      ->check(CLI::IsMember({"rewards", "transitions", "both"}))
      ->capture_default_str();
  command->knowledge.add_to(cli);
  command->limits.add_to(cli);
  cli.add_option("--gap", command->request.relative_gap, "stop at this certified relative gap")
      ->check(in_range(1e-9, 1.0))
      ->capture_default_str();
  cli.add_option("--time-limit", command->time_limit, "stop after so many seconds (exit status 3); 0 = never")
      ->check(finite_number(true));
  cli.add_option("--top", command->request.top, "how many pairs and routes to list; 0 = all")
      ->check(in_range(0, 1'000'000'000))
      ->capture_default_str();
  cli.add_option("--report", command->report, kReportHelp);
  cli.add_option("--out", command->out, "write the complete plan here, as JSON that a program can follow");
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run(*command, common); }; });
}

}  // namespace mindgap::app
