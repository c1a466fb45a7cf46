#include "bindings/bindings.h"

NB_MODULE(_core, module) {
  module.doc() = "The C++ library of mindgap; use it through the package mindgap.";
  module.attr("VERSION") = MINDGAP_VERSION;
  mindgap::python::bind_base(module);
  mindgap::python::bind_mdp(module);
  mindgap::python::bind_solve(module);
  mindgap::python::bind_planner(module);
  mindgap::python::bind_trial(module);
}
