#include "mindgap/command/diagnose.h"

#include <memory>

#include "bars.h"
#include "mindgap/base/error.h"
#include "options.h"
#include "ranges.h"
#include "shards.h"

namespace mindgap::app {
namespace {

struct DiagnoseCommand {
  std::string model, history, jacobian, calibration, report, out;
  ShardOptions shard;
  KnowledgeOptions knowledge;
  command::DiagnoseRequest request;
};

int run(const DiagnoseCommand& command, const CommonOptions& common) {
  command::DiagnoseRequest request = command.request;
  const std::shared_ptr<command::ShardFolder> workers = command.shard.workers(common, command.out);
  if (!command.out.empty() && !command.shard.is_shard())
    throw InvalidArgument("--out is the folder of shards: it needs --shard");
  check_report(command.report);
  request.model = load_model(command.model, common);
  request.evidence = command.knowledge.evidence();
  request.history = command::source_of(command.history);
  request.jacobian = command::source_of(command.jacobian);
  request.calibration = command::source_of(command.calibration);
  const command::DiagnoseAnswer answer = [&] {
    Bars bars(common.quiet);
    request.run = {common.seed, common.threads, bars.listener()};
    const base::SharedBy shared(workers.get());
    return command::diagnose(request);
  }();
  if (command.shard.is_shard()) return command.shard.finish(common, *workers, command.out);
  for (const std::string& warning : answer.warnings) warn(common, warning);
  write_report(command.report, answer.page());
  print_result(common, answer.text(), answer.json());
  return answer.diagnosis.sop.status == mdp::SolveStatus::converged ? kDone : kNotConverged;
}

}  // namespace

void add_diagnose(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = add_command(
      app, "diagnose",
      "show where the simulator could be wrong, whether it matters there, and whether waiting can fix it",
      "mindgap diagnose examples/vans --coverage examples/vans/coverage.csv --odds 2", common);
  const auto command = std::make_shared<DiagnoseCommand>();
  cli.add_option("MODEL", command->model, "a model folder or an HDF5 file")->required();
  command->knowledge.add_to(cli);
  cli.add_option("--truth", command->request.truth, "a world folder: the truth to compare the simulator with")
      ->type_name("FOLDER");
  cli.add_option("--history", command->history,
                 "the historical record, in the format of --log. One part of it is compared with the other: "
                 "by time, by behaviour and, if it has a column probability, by how likely its actions were. "
                 "With a column instrument, confounding is estimated from it")
      ->type_name("FILE");
  cli.add_option("--top", command->request.top, "number of pairs and states to list; 0 = all")
      ->check(in_range(0, 1'000'000'000))
      ->capture_default_str();
  cli.add_option("--support-threshold", command->request.support_threshold,
                 "share of discounted time below which a state counts as practically unreached")
      ->check(in_range(0.0, 1.0))
      ->capture_default_str();
  cli.add_option("--level", command->request.level, "significance level of the tests after a pilot")
      ->check(in_range(1e-9, .5))
      ->capture_default_str();
  cli.add_option("--draws", command->request.draws,
                 "number of sampled models for the value of information; 0 = none; default 1,000, fewer for "
                 "large models")
      ->check(in_range(std::int64_t{0}, std::int64_t{10'000'000}));
  cli.add_option("--device", command->request.device,
                 "where the value of information is computed: cpu, or gpu, an NVIDIA GPU (needs "
                 "libmindgap_cuda.so)")
      ->check(CLI::IsMember({"cpu", "gpu"}))
      ->capture_default_str();
  cli.add_option("--jacobian", command->jacobian,
                 "one-step Jacobian of the hidden dynamics, a square matrix as CSV without a header; shows "
                 "whether the past fades")
      ->type_name("FILE");
  cli.add_option("--calibration", command->calibration,
                 "a log of the data that the simulator was fitted to, in the format of --log; shows how "
                 "strong a prior they support (kappa_0)")
      ->type_name("FILE");
  cli.add_option("--precision-factor", command->request.precision_factor,
                 "how many times too large or too small the stated variances of rewards may be; shows "
                 "whether the ranking of pairs is stable")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  cli.add_option("--report", command->report, kReportHelp)->type_name("FILE");
  command->shard.add_to(cli);
  cli.add_option("--out", command->out, "with --shard: the folder that the shards share")
      ->type_name("FOLDER");
  cli.add_flag("--strict", command->request.strict,
               "treat rewards far beyond reward_max in the log as an error");
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run(*command, common); }; });
}

}  // namespace mindgap::app
