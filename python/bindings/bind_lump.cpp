#include <fmt/format.h>

#include "bindings/bindings.h"
#include "mindgap/mdp/lump.h"
#include "mindgap/mdp/model.h"

namespace mindgap::python {
namespace {

// The model of classes, and who is in which.
struct Lumped {
  mdp::Model model;
  mdp::Lumping lumping;
};

}  // namespace

void bind_lump(nb::module_& module, nb::class_<mdp::Model>& model) {
  nb::class_<Lumped> type(module, "Lumping",
                          "A model whose states are classes of states that behave alike: see Mdp.lump().");
  type.def_prop_ro("model", [](const Lumped& l) { return l.model; });
  type.def_prop_ro("reward_error", [](const Lumped& l) { return l.lumping.reward_error; });
  type.def_prop_ro("probability_error", [](const Lumped& l) { return l.lumping.probability_error; });
  def_array(
      type, "class_of_state",
      [](nb::handle self) {
        return view_of(std::span<const std::int32_t>(nb::cast<const Lumped&>(self).lumping.class_of_state),
                       self);
      },
      "The class of each state.");
  def_array(
      type, "first_state",
      [](nb::handle self) {
        return view_of(std::span<const std::int32_t>(nb::cast<const Lumped&>(self).lumping.first_state),
                       self);
      },
      "The first state of each class, whose rows and name the class has.");
  type.def("__repr__", [](const Lumped& l) {
    return fmt::format("<mindgap.Lumping: {} states in {} classes>", l.lumping.class_of_state.size(),
                       l.lumping.classes());
  });
  model.def(
      "lump",
      [](const mdp::Model& whole) {
        LongCall call{nb::none()};
        return call.run([&] {
          mdp::Lumping lumping = mdp::lump(whole.mdp);
          return Lumped{{whole.name, lumping.mdp}, std::move(lumping)};
        });
      },
      "The model of the coarsest classes of states that behave alike: same actions and, for every action, "
      "the "
      "same reward and the same probability of going to each class. Optimal values are the same in all "
      "states "
      "of a class: ``mindgap.solve(lumping.model).value[lumping.class_of_state]``. ``solve(model, "
      "lump=True)`` "
      "does that and certifies the result in the states of the model itself.\n\n"
      "The model of classes has rewards, transitions, start and names; priors, coverage and variances are "
      "not "
      "carried over.");
}

}  // namespace mindgap::python
