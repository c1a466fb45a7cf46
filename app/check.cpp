#include "mindgap/view/check.h"

#include <memory>

#include "command.h"

namespace mindgap::app {

void add_check(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& command = add_command(app, "check", "is this model well formed, and what is in it",
                                  "mindgap check examples/vans", common);
  const auto path = std::make_shared<std::string>();
  command.add_option("MODEL", *path, "a model folder or an HDF5 file")->required();
  const auto draws = std::make_shared<std::int64_t>(gap::kImpliedDraws);
  command.add_option("--draws", *draws, "models sampled to show what the prior implies; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}));
  command.callback([&common, &chosen, path, draws] {
    chosen = [&common, path, draws] {
      const mdp::Model model = load_model(*path, common);
      const mdp::Findings findings = mdp::look_at(model.mdp);
      const view::CheckedPrior prior =
          view::check_prior(model, *draws == 0 ? -1 : *draws, common.seed, common.threads);
      print_result(common, view::text_of(model, findings, prior), view::json_of(model, findings, prior));
      return kDone;
    };
  });
}

}  // namespace mindgap::app
