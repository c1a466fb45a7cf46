#include "bindings/commands.h"
#include "mindgap/base/option_name.h"

NB_MODULE(_core, module) {
  module.doc() = "The C++ library of mindgap; use it through the package mindgap.";
  mindgap::base::speak_to(mindgap::base::Speech::python);
  module.def("speak_like_the_command_line", [](bool does) {
    mindgap::base::speak_to(does ? mindgap::base::Speech::command_line : mindgap::base::Speech::python);
  });
  module.attr("VERSION") = MINDGAP_VERSION;
  mindgap::python::bind_base(module);
  mindgap::python::bind_mdp(module);
  mindgap::python::bind_table(module);
  mindgap::python::bind_report(module);
  mindgap::python::bind_check(module);
  mindgap::python::bind_solve(module);
  mindgap::python::bind_program(module);
  mindgap::python::bind_planner(module);
  mindgap::python::bind_trial(module);
  mindgap::python::bind_reproduce(module);
  mindgap::python::bind_ensemble(module);
  mindgap::python::bind_gap(module);
  mindgap::python::bind_design(module);
  mindgap::python::bind_decide(module);
  mindgap::python::bind_study(module);
}
