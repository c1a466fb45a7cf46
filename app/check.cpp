#include "mindgap/view/check.h"

#include <memory>

#include "command.h"

namespace mindgap::app {

void add_check(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& command = add_command(app, "check", "is this model well formed, and what is in it",
                                  "mindgap check examples/vans", common);
  const auto path = std::make_shared<std::string>();
  command.add_option("MODEL", *path, "a model folder or an HDF5 file")->required();
  command.callback([&common, &chosen, path] {
    chosen = [&common, path] {
      const mdp::Model model = load_model(*path, common);
      const mdp::Findings findings = mdp::look_at(model.mdp);
      print_result(common, view::text_of(model, findings), view::json_of(model, findings));
      return kDone;
    };
  });
}

}  // namespace mindgap::app
