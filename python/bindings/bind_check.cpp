#include "bindings/commands.h"
#include "mindgap/command/check.h"

namespace mindgap::python {
namespace {

using Checked = command::CheckAnswer;

Checked check(const mdp::Model& model, std::int64_t draws, std::uint64_t seed, int threads) {
  LongCall call{nb::none()};
  return call.run([&] { return command::check({model, draws, {seed, threads, {}}}); });
}

Table states_table(const Checked& checked) {
  const mdp::Mdp& mdp = checked.model.mdp;
  const mdp::Findings& findings = checked.findings;
  const auto component_of = [&](std::int64_t s) {
    return findings.components.of_state[static_cast<std::size_t>(s)];
  };
  std::vector<std::uint8_t> absorbing(mdp.states(), 0);
  for (const std::int32_t s : findings.absorbing) absorbing[s] = 1;
  Table table(mdp.states());
  table.add("state", [&](std::int64_t s) { return mdp.state_name(static_cast<std::int32_t>(s)); })
      .add("reachable", [&](std::int64_t s) { return findings.reachable[static_cast<std::size_t>(s)] != 0; })
      .add("absorbing", [&](std::int64_t s) { return absorbing[static_cast<std::size_t>(s)] != 0; })
      .add("component", component_of)
      .add("closed", [&](std::int64_t s) { return findings.components.closed[component_of(s)] != 0; });
  return table;
}

}  // namespace

void bind_check(nb::module_& module) {
  nb::class_<Checked> checked(module, "Findings");
  checked.def("__str__", [](const Checked& c) { return c.text(); });
  checked.def("_json", [](const Checked& c) { return view::dumped(c.json()); });
  checked.def_prop_ro("model", [](const Checked& c) { return c.model; });
  checked.def_prop_ro("components", [](const Checked& c) { return c.findings.components.count; });
  checked.def_prop_ro("closed_components", [](const Checked& c) { return c.findings.closed_components; });
  checked.def_prop_ro("warnings", [](const Checked& c) { return c.warnings(); });
  checked.def_prop_ro("notes", [](const Checked& c) { return c.prior.notes; });
  def_array(
      checked, "unreachable",
      [](nb::handle self) {
        return view_of(std::span<const std::int32_t>(nb::cast<const Checked&>(self).findings.unreachable),
                       self);
      },
      "The states that no actions reach from the start.");
  def_array(
      checked, "absorbing",
      [](nb::handle self) {
        return view_of(std::span<const std::int32_t>(nb::cast<const Checked&>(self).findings.absorbing),
                       self);
      },
      "The states that every action leaves unchanged.");
  checked.def("_states", &states_table);
  bind_page(checked);
  module.def("check", &check, nb::arg("model"), nb::arg("draws"), nb::arg("seed"), nb::arg("threads"));
}

}  // namespace mindgap::python
