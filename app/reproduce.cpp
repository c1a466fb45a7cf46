#include <fmt/format.h>

#include <filesystem>

#include "bars.h"
#include "command.h"
#include "mindgap/base/error.h"
#include "mindgap/command/files.h"
#include "paper/reproduce/reproduce.h"
#include "shards.h"

namespace mindgap::app {
namespace {

struct ReproduceCommand {
  std::string out, report;
  bool list = false;
  ShardOptions shard;
  reproduce::ReproduceRequest request;
};

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw StoreError(fmt::format("{}: {}", folder.string(), error.message()));
}

int run(const ReproduceCommand& command, const CommonOptions& common) {
  if (command.list) {
    print_result({.json = false}, reproduce::list_of_artefacts(), {});
    return kDone;
  }
  reproduce::ReproduceRequest request = command.request;
  reproduce::validate(request);
  const std::shared_ptr<command::ShardFolder> workers = command.shard.workers(common, command.out);
  if (!command.report.empty() && !command.shard.is_shard()) check_report(command.report);
  if (!command.out.empty() && !command.shard.is_shard()) make_folder(command.out);
  reproduce::ReproduceAnswer answer = [&] {
    Bars bars(common.quiet);
    request.run = {common.seed, common.threads, bars.listener()};
    const base::SharedBy shared(workers.get());
    return reproduce::reproduce(request);
  }();
  if (command.shard.is_shard()) return command.shard.finish(common, *workers, command.out);
  answer.report_file = command.report;
  if (!command.out.empty()) {
    const UninterruptedWrite whole;
    answer.write(command.out);
  }
  if (!command.report.empty()) write_report(command.report, answer.page());
  print_answer(common, answer);
  return kDone;
}

}  // namespace

void add_reproduce(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = add_command(app, "reproduce",
                              "compare each published number of the paper with ours: agrees, differs (and "
                              "why), or not reproduced",
                              "mindgap reproduce lock", common);
  const auto command = std::make_shared<ReproduceCommand>();
  cli.add_option("ARTEFACT", command->request.name,
                 "a name from --list, a group (small, hiv, vending), or all");
  cli.add_flag("--list", command->list, "list every artefact");
  cli.add_option("--trials", command->request.trials, "number of trials; default: as many as the paper");
  cli.add_option("--out", command->out,
                 "write the data behind figures to this folder, as CSV, and the tables as Markdown; with "
                 "--shard: the folder that the shards share")
      ->type_name("FOLDER");
  command->shard.add_to(cli);
  cli.add_option("--report", command->report, "write a page with pictures to this file, as HTML")
      ->type_name("FILE");
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run(*command, common); }; });
}

}  // namespace mindgap::app
