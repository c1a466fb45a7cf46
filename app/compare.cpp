#include "mindgap/command/compare.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "bars.h"
#include "case_options.h"
#include "command.h"
#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "paper/cases/registry.h"
#include "ranges.h"
#include "shards.h"

namespace mindgap::app {
namespace {

struct CompareCommand {
  std::string name, shard, report;
  std::optional<std::int64_t> trials, units;
  bool list = false;
  CaseOptions case_options;
  command::CompareRequest request;
};

struct MergeCommand {
  std::vector<std::string> folders;
  std::string out, report;
};

std::unique_ptr<trial::Case> make_case(const CompareCommand& command, const CommonOptions& common) {
  return cases::make_case(command.name, {common.seed, command.units, command.case_options.given()});
}

void read_shard(const std::string& text, command::CompareRequest& request) {
  if (text.empty()) return;
  const command::Shard shard = shard_from(text);
  request.shard = shard.shard;
  request.shards = shard.shards;
}

std::string list_of(const CompareCommand& command, const CommonOptions& common) {
  if (!command.name.empty()) return command::list_of_planners(*make_case(command, common), command.request);
  std::vector<trial::PlannerName> all;
  for (const cases::CaseInfo& info : cases::all_cases()) all.push_back({info.name, info.description});
  return command::list_of_cases(all) + "\nmindgap compare CASE --list shows its planners.\n";
}

int print(const command::CompareAnswer& answer, const std::string& report, const CommonOptions& common) {
  {
    const UninterruptedWrite whole;
    answer.write();
  }
  if (!answer.rows.empty()) write_report(report, answer.page());
  print_result(common, answer.text(), answer.json());
  return kDone;
}

int run_compare(const CompareCommand& command, const CommonOptions& common) {
  if (command.list) {
    const std::string text = list_of(command, common);
    print_result({.json = false}, text, {});
    return kDone;
  }
  if (command.name.empty())
    throw InvalidArgument("compare: name a case or a world folder; --list shows them");
  command::CompareRequest request = command.request;
  if (command.trials) base::check_range("compare", "trials", static_cast<double>(*command.trials), 1, 1e9);
  request.trials = command.trials.value_or(0);
  read_shard(command.shard, request);
  check_report(command.report);
  const std::unique_ptr<trial::Case> on = make_case(command, common);
  keeps_on_interruption(
      request.out.empty() ? "nothing is kept (--out FOLDER keeps finished trials)"
                          : fmt::format("finished trials are kept in {}; the same command goes on from there",
                                        std::string(request.out)));
  const command::CompareAnswer answer = [&] {
    Bars bars(common.quiet);
    request.run = {common.seed, common.threads, bars.listener()};
    return command::compare(*on, request);
  }();
  return print(answer, command.report, common);
}

int run_merge(const MergeCommand& command, const CommonOptions& common) {
  if (command.folders.size() == 1 && command::is_shard_folder(command.folders.front()))
    return merge_shards(command.folders.front(), command.out, command.report, common);
  check_report(command.report);
  return print(command::merge({command.folders.begin(), command.folders.end()}, command.out), command.report,
               common);
}

void add_merge(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = add_command(
      app, "merge", "join what shards computed (--shard of compare, decide, diagnose, voi, reproduce)",
      "mindgap merge part1 part2 part3 --out all", common);
  const auto command = std::make_shared<MergeCommand>();
  cli.add_option("FOLDERS", command->folders,
                 "for compare: the --out folders of all shards; for other commands: the one folder that the "
                 "shards shared")
      ->required();
  cli.add_option("--out", command->out,
                 "for compare: write results.csv and summary.json to this folder; for other commands: as "
                 "their own --out")
      ->type_name("FOLDER");
  cli.add_option("--report", command->report, kReportHelp)->type_name("FILE");
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run_merge(*command, common); }; });
}

}  // namespace

void add_compare(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = add_command(app, "compare", "compare planners on a known truth, on the same trials",
                              "mindgap compare treasure --planners sop,asop,fisher --trials 50", common);
  const auto command = std::make_shared<CompareCommand>();
  cli.add_option("CASE", command->name, "a case (see --list) or a world folder");
  cli.add_flag("--list", command->list, "list the cases; with a case: list its planners");
  cli.add_option("--planners", command->request.planners,
                 "planners to compare, separated by commas: planners of the case (see --list), or plans as "
                 "decide names them (pilot-4x10, adaptive-8x10, beb-2), which are designed on the case's "
                 "belief; default: all planners of the case")
      ->delimiter(',')
      ->allow_extra_args(false);
  cli.add_option(
         "--horizons", command->request.horizons,
         "numbers of steps after which results are reported, separated by commas; default: the case's own")
      ->delimiter(',')
      ->allow_extra_args(false);
  cli.add_option("--trials", command->trials, "number of trials; default: the case's own");
  cli.add_option("--first-trial", command->request.first_trial, "number of the first trial")
      ->check(in_range(std::uint64_t{0}, std::uint64_t{1} << 31))
      ->capture_default_str();
  cli.add_option("--units", command->units, "number of units that act; default: the case's own");
  cli.add_option("--reference", command->request.reference, "the planner that the others are compared with")
      ->capture_default_str();
  cli.add_option(
         "--out", command->request.out,
         "keep results in this folder (results.csv, summary.json); a run that was stopped can be continued")
      ->type_name("FOLDER");
  cli.add_option("--report", command->report, kReportHelp)->type_name("FILE");
  cli.add_option("--shard", command->shard, "I/N: run only the I-th of N parts of the trials; see merge");
  command->case_options.add_to(cli);
  cli.footer(cli.get_footer() + "\n\nOptions of one case: mindgap compare CASE --help");
  common.before_help = [command] { command->case_options.show_only(command->name); };
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run_compare(*command, common); }; });
  add_merge(app, common, chosen);
}

}  // namespace mindgap::app
