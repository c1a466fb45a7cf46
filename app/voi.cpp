#include "mindgap/command/voi.h"

#include <memory>
#include <sstream>

#include "bars.h"
#include "command.h"
#include "mindgap/base/error.h"
#include "shards.h"

namespace mindgap::app {
namespace {

struct VoiCommand {
  std::string draws, out;
  ShardOptions shard;
  std::vector<std::string> about, data;  // columns between commas, each a group
  command::VoiRequest request;
};

std::vector<voi::Columns> groups_of(const std::vector<std::string>& texts) {
  std::vector<voi::Columns> groups;
  for (const std::string& text : texts) {
    groups.emplace_back();
    std::istringstream names(text);
    for (std::string name; std::getline(names, name, ',');) groups.back().push_back(name);
  }
  return groups;
}

int run(const VoiCommand& command, const CommonOptions& common) {
  command::VoiRequest request = command.request;
  request.about = groups_of(command.about);
  request.data = groups_of(command.data);
  static_cast<void>(request.options());  // before the file is read
  const std::shared_ptr<command::ShardFolder> workers = command.shard.workers(common, command.out);
  if (!command.out.empty() && !command.shard.is_shard())
    throw InvalidArgument("--out is the folder of shards: it needs --shard");
  request.draws = command::open_source(command.draws);
  const command::VoiAnswer answer = [&] {
    Bars bars(common.quiet);
    request.run = {common.seed, common.threads, bars.listener()};
    const base::SharedBy shared(workers.get());
    return command::value_of_information(request);
  }();
  if (command.shard.is_shard()) return command.shard.finish(common, *workers, command.out);
  print_answer(common, answer);
  return kDone;
}

}  // namespace

void add_voi(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = add_command(
      app, "voi", "value of information from a table of sampled models: EVPI, EVPPI, EVSI, net benefit",
      "mindgap voi draws.csv --plans wait,treat --about effect,cost --data trial --scale 1000 --cost 50",
      common);
  const auto command = std::make_shared<VoiCommand>();
  cli.add_option("DRAWS", command->draws,
                 "a CSV file, one line per sampled model: parameters, and the worth of each plan")
      ->required();
  cli.add_option("--plans", command->request.plans,
                 "columns with the worth of each plan, separated by commas; at least two")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->required();
  cli.add_option("--about", command->about,
                 "columns of parameters, separated by commas: what would it be worth to know them (EVPPI)? "
                 "May be given several times")
      ->allow_extra_args(false);
  cli.add_option("--data", command->data,
                 "columns with what an experiment would have shown, separated by commas: what is the "
                 "experiment worth (EVSI)? May be given several times")
      ->allow_extra_args(false);
  cli.add_option(
         "--scale", command->request.scale,
         "number of units, steps or years that the decision covers: the net benefit is scale x EVSI - cost")
      ->capture_default_str();
  cli.add_option("--cost", command->request.cost,
                 "cost of the experiment, in the unit of worth: one number, or one for each --data, "
                 "separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->shard.add_to(cli);
  cli.add_option("--out", command->out, "with --shard: the folder that the shards share")
      ->type_name("FOLDER");
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run(*command, common); }; });
}

}  // namespace mindgap::app
