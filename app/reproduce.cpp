#include <fmt/format.h>

#include <filesystem>

#include "bars.h"
#include "command.h"
#include "mindgap/base/error.h"
#include "mindgap/files/output.h"
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

/// Throws StoreError where a file could not be written there: before the long computation, not after it.
void check_writable(const std::filesystem::path& path) {
  const files::StagedFile staged(path);
  files::TextWriter(staged.temporary(), path.string()).close();
}

int run(const ReproduceCommand& command, const CommonOptions& common) {
  if (command.list) {
    print_result({.json = false}, reproduce::list_of_artefacts(), {});
    return kDone;
  }
  reproduce::ReproduceRequest request = command.request;
  reproduce::validate(request);
  const std::shared_ptr<files::ShardFolder> workers = command.shard.workers(common, command.out);
  if (!command.report.empty() && !command.shard.is_shard()) check_writable(command.report);
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
  if (!command.report.empty()) {
    const std::string html = report::to_html(answer.page());
    const UninterruptedWrite whole;
    files::write_file(command.report, html);
  }
  print_answer(common, answer);
  return kDone;
}

}  // namespace

void add_reproduce(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = add_command(app, "reproduce", "the paper's tables and figures, published value beside ours",
                              "mindgap reproduce lock", common);
  const auto command = std::make_shared<ReproduceCommand>();
  cli.add_option("ARTEFACT", command->request.name, "one of --list, a group (small, hiv, vending), or all");
  cli.add_flag("--list", command->list, "every artefact there is");
  cli.add_option("--trials", command->request.trials, "how many; default: as many as the paper");
  cli.add_option(
      "--out", command->out,
      "write the data behind figures here, as CSV, and the tables as Markdown; with --shard: the folder "
      "of shards");
  command->shard.add_to(cli);
  cli.add_option("--report", command->report, "write a page with pictures here, as HTML");
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run(*command, common); }; });
}

}  // namespace mindgap::app
