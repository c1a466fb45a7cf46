#include "mindgap/command/decide.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "bars.h"
#include "command.h"
#include "mindgap/base/error.h"
#include "mindgap/base/number.h"
#include "mindgap/base/readable.h"
#include "mindgap/command/files.h"
#include "options.h"
#include "ranges.h"
#include "shards.h"

namespace mindgap::app {
namespace {

struct DecideCommand {
  std::string model, positions, plan, worlds = "auto", report, out, draws;
  KnowledgeOptions knowledge;
  LimitOptions limits;
  TableOptions<command::TermsRequest> terms;
  ShardOptions shard;
  command::DecideRequest request;
};

// "auto" leaves all numbers at 0; "auto:N" and "auto:N:D" say at most how many models, and draws of
// information.
void set_worlds(const std::string& given, command::DecideRequest& request) {
  constexpr std::string_view kAtMost = "auto:";
  if (given == "auto") return;
  const auto number_in = [&](std::string_view text, double least) {
    double value = 0;
    if (base::parse_number(text, value) != base::NumberStatus::ok || value != std::floor(value) ||
        value < least || value > 1e7) {
      throw InvalidArgument(fmt::format("--worlds is '{}': expected auto, auto:N or a whole number from 2",
                                        base::printable(given)));
    }
    return static_cast<std::int64_t>(value);
  };
  std::string_view text = given;
  if (!text.starts_with(kAtMost)) {
    request.worlds = number_in(text, 2);
    return;
  }
  text.remove_prefix(kAtMost.size());
  const std::size_t colon = text.find(':');
  request.most_worlds = number_in(text.substr(0, colon), 2);
  if (colon != std::string_view::npos) request.most_draws = number_in(text.substr(colon + 1), 1);
}

command::DecideRequest request_of(const DecideCommand& command, const CommonOptions& common) {
  command::DecideRequest request = command.request;
  set_worlds(command.worlds, request);
  static_cast<void>(request.options());  // before files are read
  const std::pair<const char*, std::string> written[] = {
      {"--report", command.report}, {"--out", command.out}, {"--draws", command.draws}};
  for (const auto& [option, path] : written) {
    if (path.empty() || command.shard.is_shard()) continue;  // a shard writes none of them
    for (const auto& [other, same] : written) {
      if (std::string_view(other) == option) break;
      if (same == path)
        throw InvalidArgument(fmt::format("{} and {} name the same file: {}", other, option, path));
    }
    command::check_writable(path);  // not after a minute of computing
  }
  request.model = load_model(command.model, common);
  request.model_path = command::absolute_path(command.model).string();
  request.evidence = command.knowledge.evidence();
  request.positions = command::source_of(command.positions);
  request.plan = command::source_of(command.plan);
  request.limits = command.limits.read();
  request.terms = command.terms.read();
  request.command_line = common.command_line;
  request.date = today();
  return request;
}

void say_how_long(double seconds, const command::DecideRequest& request, const CommonOptions& common) {
  constexpr double kLong = 10;
  if (seconds < kLong || common.quiet) return;
  fmt::print(stderr, "mindgap: this will take about {:.0f} s{}\n", seconds,
             request.worlds == 0
                 ? fmt::format(" (at most {}: --time-limit)", base::number(request.time_limit, 6))
                 : std::string());
}

void write_files(const DecideCommand& command, const CommonOptions& common, command::DecideAnswer& answer) {
  const UninterruptedWrite whole;
  if (!command.out.empty() && answer.decision.pilot) {
    command::write_file(command.out, answer.pilot_plan());
    answer.plan_file = command.out;
  } else if (!command.out.empty()) {
    warn(common, fmt::format("{} is not written: there is no pilot among the plans", command.out));
  }
  if (!command.draws.empty()) command::write_file(command.draws, answer.draws());
  if (!command.report.empty()) {
    command::write_file(command.report, command::to_html(answer.page()));
    answer.report_file = command.report;
  }
}

int run(const DecideCommand& command, const CommonOptions& common) {
  const std::shared_ptr<command::ShardFolder> workers = command.shard.workers(common, command.out);
  command::DecideRequest request = request_of(command, common);
  std::optional<GentleInterruption> interruption;
  if (!workers) interruption.emplace();  // what shards have computed is kept anyway
  command::DecideAnswer answer = [&] {
    Bars bars(common.quiet);
    request.run = {common.seed, common.threads, bars.listener()};
    const base::SharedBy shared(workers.get());
    request.run.listener.stop = [&] { return interruption && interruption->asked(); };
    request.run.listener.estimate = [&](double seconds) { say_how_long(seconds, request, common); };
    return command::decide(request);
  }();
  if (command.shard.is_shard()) return command.shard.finish(common, *workers, command.out);
  for (const std::string& note : answer.notes()) warn(common, note);
  if (!answer.decision.interrupted) {
    write_files(command, common, answer);
  } else if (!command.report.empty() || !command.out.empty() || !command.draws.empty()) {
    warn(common, "interrupted: no file was written");
  }
  print_result(common, answer.text(), answer.json());
  if (answer.decision.interrupted) return kInterrupted;
  return answer.decision.verdict && answer.decision.cut.empty() && answer.complete() ? kDone : kNotConverged;
}

}  // namespace

void add_decide(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = add_command(
      app, "decide",
      "deploy, learn as you go, or experiment: which, where, for how long, and what it is worth",
      "mindgap decide examples/vans --units 8 --horizon 100 --coverage examples/vans/coverage.csv --report "
      "report.html",
      common);
  const auto command = std::make_shared<DecideCommand>();
  cli.add_option("MODEL", command->model, "a model folder or an HDF5 file")->required();
  cli.add_option("--units", command->request.units, "number of units that act: vans, machines, clinics")
      ->required();
  cli.add_option("--horizon", command->request.horizon, "number of steps to plan for")->required();
  command->knowledge.add_to(cli);
  command->limits.add_to(cli);
  command->terms.add_to(cli, command::terms_options());
  cli.add_option("--positions", command->positions,
                 "a CSV file with the current state of each unit: unit,state; default: the end of the log, "
                 "or the model's start")
      ->type_name("FILE");
  cli.add_option(
         "--plans", command->request.plans,
         "plans to compare, separated by commas: sop, average and robust (of an ensemble), asop, thompson, "
         "thompson-shared, beb-X (a bonus of X), improvement, ids, adaptive-UxW (U units, designs that look "
         "W steps ahead), pilot-UxT (U units for T steps); with --drift-rate also asop-forgetting, "
         "thompson-forgetting, "
         "repilot-UxW; "
         "default: all that fit, of several sizes, screened on a few sampled models")
      ->delimiter(',')
      ->allow_extra_args(false);
  cli.add_option("--plan", command->plan,
                 "a pilot that you have, as written by mindgap design --out or decide --out: compared with "
                 "the other plans as given-UxT")
      ->type_name("FILE");
  cli.add_option("--worlds", command->worlds,
                 "number of sampled models (models drawn from the belief). auto: until the verdict is "
                 "settled, within --time-limit; auto:N: at most N, whatever the time")
      ->capture_default_str();
  cli.add_option(
         "--objective", command->request.objective,
         "what counts over the horizon: total, discounted, or cvar:SHARE, the mean total of the worst share "
         "of sampled models (cvar:0.1)")
      ->capture_default_str();
  cli.add_option("--indifference", command->request.indifference,
                 "kinds of plan whose values differ by less than this share of the best value are tied, and "
                 "the simplest wins")
      ->check(in_range(0.0, 1.0))
      ->capture_default_str();
  cli.add_option("--time-limit", command->request.time_limit,
                 "seconds after which --worlds auto stops (exit status 3 if the verdict is undecided or the "
                 "limit changed the answer). --tipping gets as many sampled models as a nominal machine "
                 "simulates in that time, so its maps do not depend on the machine")
      ->check(finite_number(false))
      ->capture_default_str();
  cli.add_option("--replan-every", command->request.replan_every,
                 "steps between two updates of the policy from what was learnt; 0 = every step if that is "
                 "cheap, otherwise up to 5")
      ->check(in_range(std::int64_t{0}, std::int64_t{1'000'000}));
  cli.add_option("--target", command->request.target,
                 "the policy, or set of policies, whose value the pilot should estimate precisely (see "
                 "mindgap design)")
      ->capture_default_str();
  cli.add_flag("--tipping", command->request.tipping,
               "also show how wrong the simulator must be before the verdict changes: maps over prior width, "
               "odds and horizon");
  cli.add_flag("--tornado", command->request.tornado,
               "also show how much the gain changes with each stated number, one at a time");
  cli.add_option(
         "--draws", command->draws,
         "write to this file what each plan earned in each sampled model, as a table that mindgap voi reads")
      ->type_name("FILE");
  cli.add_option("--device", command->request.device,
                 "where the value of information is computed: cpu, or gpu, an NVIDIA GPU (needs "
                 "libmindgap_cuda.so)")
      ->check(CLI::IsMember({"cpu", "gpu"}))
      ->capture_default_str();
  cli.add_option("--report", command->report, kReportHelp)->type_name("FILE");
  cli.add_option("--out", command->out,
                 "write the pilot's complete plan to this file, as mindgap design does; with --shard: the "
                 "folder that the shards share")
      ->type_name("FILE");
  command->shard.add_to(cli);
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run(*command, common); }; });
}

}  // namespace mindgap::app
