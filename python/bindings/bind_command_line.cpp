#include <vector>

#include "app/command_line.h"
#include "bindings/bindings.h"
#include "mindgap/base/option_name.h"

namespace mindgap::python {

void bind_command_line(nb::module_& module) {
  module.def(
      "command_line",
      [](const std::vector<std::string>& words) {
        base::speak_to(base::Speech::command_line);
        const nb::gil_scoped_release without_python;
        return app::run_command_line(words);
      },
      nb::arg("words"),
      "Does what the program `mindgap` does with these words, and gives its exit status. It takes over the "
      "process: its signals and its standard output.");
}

}  // namespace mindgap::python
