#include "bindings/commands.h"
#include "mindgap/base/option_name.h"

// What the file of each command gives: bind_check ...
namespace mindgap::python {
#define MINDGAP_LISTED(name) void bind_##name(nb::module_& module);
#include "generated/commands.h"
#undef MINDGAP_LISTED
}  // namespace mindgap::python

NB_MODULE(_core, module) {
  module.doc() = "The C++ library of mindgap; use it through the package mindgap.";
  mindgap::base::speak_to(mindgap::base::Speech::python);
  module.def("speak_like_the_command_line", [](bool does) {
    mindgap::base::speak_to(does ? mindgap::base::Speech::command_line : mindgap::base::Speech::python);
  });
  module.attr("VERSION") = MINDGAP_VERSION;
  using namespace mindgap::python;
  bind_base(module);
  bind_mdp(module);
  bind_table(module);
  bind_program(module);
  bind_planner(module);
  bind_trial(module);
  bind_reproduce(module);
  bind_ensemble(module);
  bind_command_line(module);
#define MINDGAP_LISTED(name) bind_##name(module);
#include "generated/commands.h"
#undef MINDGAP_LISTED
}
