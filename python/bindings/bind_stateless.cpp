#include "bindings/commands.h"
#include "mindgap/command/stateless.h"

namespace mindgap::python {
namespace {

using Answered = command::StatelessAnswer;

Answered stateless_now(std::int64_t units, double variance, double discount, std::optional<double> lead,
                       std::optional<double> sd, const std::vector<double>& means,
                       const std::vector<double>& sds, const std::vector<std::string>& actions) {
  LongCall call{nb::none()};
  const command::StatelessRequest request{units, discount, variance, lead, sd, means, sds, actions};
  return call.run([&] { return command::stateless(request); });
}

// One row per action; for two actions in closed form one row in all.
Table stateless_actions_of(const Answered& answer) {
  if (!answer.many) {
    Table table(1);
    const view::TwoActions& two = *answer.two;
    table.add("kappa", [&](std::int64_t) { return two.problem.kappa(); });
    table.add("threshold", [&](std::int64_t) { return two.threshold; });
    table.add("best_units", [&](std::int64_t) { return two.best_whole.units; });
    table.add("value", [&](std::int64_t) { return two.best_whole.value; });
    return table;
  }
  const view::ManyActions& many = *answer.many;
  Table table(static_cast<std::int64_t>(many.names.size()));
  const auto at = [&](std::int64_t a) -> const gap::ActionIndex& {
    return many.allocation.actions[static_cast<std::size_t>(a)];
  };
  table.add("action", [&](std::int64_t a) { return many.names[static_cast<std::size_t>(a)]; });
  table.add("mean", [&](std::int64_t a) { return many.problem.mean[static_cast<std::size_t>(a)]; });
  table.add("sd", [&](std::int64_t a) { return many.problem.sd[static_cast<std::size_t>(a)]; });
  table.add("units", [&](std::int64_t a) { return at(a).units; });
  table.add("learn", [&](std::int64_t a) { return at(a).learn; });
  table.add("learn_more", [&](std::int64_t a) { return at(a).learn_more; });
  table.add("index", [&](std::int64_t a) { return at(a).index(); });
  return table;
}

}  // namespace

void bind_stateless(nb::module_& module) {
  nb::class_<Answered> type(module, "Stateless");
  type.def("__str__", &Answered::text);
  type.def("_json", [](const Answered& a) { return view::dumped(a.json()); });
  type.def("_actions", &stateless_actions_of);
  bind_page(type);
  module.def("stateless", &stateless_now, nb::arg("units"), nb::arg("variance"), nb::arg("discount"),
             nb::arg("lead").none(), nb::arg("sd").none(), nb::arg("means"), nb::arg("sds"),
             nb::arg("actions"));
}

}  // namespace mindgap::python
