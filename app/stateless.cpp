#include "mindgap/command/stateless.h"

#include <memory>

#include "command.h"

namespace mindgap::app {
namespace {

struct StatelessCommand {
  std::string report;
  command::StatelessRequest request;
};

int run(const StatelessCommand& command, const CommonOptions& common) {
  check_report(command.report);
  const command::StatelessAnswer answer = command::stateless(command.request);
  write_report(command.report, answer.page());
  print_answer(common, answer);
  return kDone;
}

}  // namespace

void add_stateless(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = add_command(app, "stateless",
                              "decide whether to experiment if there is no state: the threshold, the best "
                              "number of units, the split over several actions",
                              "mindgap stateless --units 100 --lead 0.5 --sd 1 --variance 1", common);
  const auto command = std::make_shared<StatelessCommand>();
  command::StatelessRequest& request = command->request;
  cli.add_option("--units", request.units, "number of units in each of the two periods")
      ->required()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10'000'000}));
  cli.add_option("--variance", request.variance, "variance of one unit's outcome")->required();
  cli.add_option("--discount", request.discount, "discount of the second period")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  cli.add_option("--lead", request.lead,
                 "for two actions: how much better, per unit, the favoured one is believed to be");
  cli.add_option("--sd", request.sd, "standard deviation of --lead");
  cli.add_option("--means", request.means,
                 "for several actions: the believed mean outcome of each, separated by commas, e.g. --means "
                 "1,0.8,0.5")
      ->delimiter(',')
      ->allow_extra_args(false);
  cli.add_option("--sds", request.sds, "standard deviations of --means, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  cli.add_option("--actions", request.actions, "names of the actions, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  cli.add_option("--report", command->report, kReportHelp)->type_name("FILE");
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run(*command, common); }; });
}

}  // namespace mindgap::app
