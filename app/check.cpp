#include "mindgap/command/check.h"

#include <memory>

#include "command.h"
#include "ranges.h"

namespace mindgap::app {

void add_check(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& command = add_command(app, "check", "check that a model is well formed, and show what is in it",
                                  "mindgap check examples/vans", common);
  const auto path = std::make_shared<std::string>();
  command.add_option("MODEL", *path, "a model folder or an HDF5 file")->required();
  const auto request = std::make_shared<command::CheckRequest>();
  command
      .add_option("--draws", request->draws,
                  "number of models to sample to show what the prior implies; 0 = none")
      ->capture_default_str()
      ->check(in_range(std::int64_t{0}, std::int64_t{1'000'000}));
  command.callback([&common, &chosen, path, request] {
    chosen = [&common, path, request] {
      request->model = load_model(*path, common);
      request->run = {common.seed, common.threads, {}};
      print_answer(common, command::check(*request));
      return kDone;
    };
  });
}

}  // namespace mindgap::app
