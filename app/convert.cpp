#include <memory>

#include "command.h"
#include "mindgap/command/convert.h"

namespace mindgap::app {

void add_convert(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& command = add_command(app, "convert", "convert a model folder to HDF5, or back",
                                  "mindgap convert examples/vans vans.h5", common);
  const auto from = std::make_shared<std::string>();
  const auto to = std::make_shared<std::string>();
  command.add_option("IN", *from, "a model folder or an HDF5 file")->required();
  command.add_option("OUT", *to, "what to write: a folder, or an HDF5 file if the name ends in .h5 or .hdf5")
      ->required();
  command.callback([&common, &chosen, from, to] {
    chosen = [&common, from, to] {
      const command::ConvertRequest request{load_model(*from, common), *to};
      const command::ConvertAnswer answer = [&] {
        const UninterruptedWrite guard;
        return command::convert(request);
      }();
      print_answer(common, answer);
      return kDone;
    };
  });
}

}  // namespace mindgap::app
