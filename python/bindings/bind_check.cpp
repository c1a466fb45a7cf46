#include <fmt/format.h>

#include "bindings/commands.h"
#include "mindgap/view/check.h"
#include "mindgap/view/print.h"

namespace mindgap::python {
namespace {

// What was found, with the model that it is about.
struct Checked {
  mdp::Model model;
  mdp::Findings findings;
  view::CheckedPrior prior;
};

Checked check(const mdp::Model& model, std::int64_t draws, std::uint64_t seed, int threads) {
  LongCall call{nb::none()};
  return call.run([&] {
    return Checked{model, mdp::look_at(model.mdp),
                   view::check_prior(model, draws == 0 ? -1 : draws, seed, threads)};
  });
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

report::Page page_of(const Checked& checked) {
  const mdp::Mdp& mdp = checked.model.mdp;
  const mdp::Findings& findings = checked.findings;
  report::Answer answer{
      "",
      "The model is well formed.",
      view::headline(checked.model),
      {{"States reachable from the start",
        fmt::format("{} of {}", mdp.states() - static_cast<std::int64_t>(findings.unreachable.size()),
                    mdp.states())},
       {"Strongly connected components",
        fmt::format("{}, {} closed", findings.components.count, findings.closed_components)},
       {"Absorbing states", fmt::format("{}", findings.absorbing.size())}}};
  if (checked.prior.implied) {
    const gap::PriorImplies& implied = *checked.prior.implied;
    answer.facts.emplace_back(
        "Best policy in models that the prior allows",
        fmt::format("{:.4g} on average ({:.4g} to {:.4g}); {:.4g} in the simulator", implied.mean,
                    implied.lower, implied.upper, implied.simulator_best));
  }
  for (const std::string& note : checked.prior.notes) answer.facts.emplace_back("Note", note);
  for (const std::string& warning : view::warnings_of(checked.model, findings, checked.prior))
    answer.facts.emplace_back("Warning", warning);
  return {"A model", "", {{"", {answer}}}, ""};
}

}  // namespace

void bind_check(nb::module_& module) {
  nb::class_<Checked> checked(module, "Findings");
  checked.def("__str__", [](const Checked& c) { return view::text_of(c.model, c.findings, c.prior); });
  checked.def("_json",
              [](const Checked& c) { return view::dumped(view::json_of(c.model, c.findings, c.prior)); });
  checked.def_prop_ro("model", [](const Checked& c) { return c.model; });
  checked.def_prop_ro("components", [](const Checked& c) { return c.findings.components.count; });
  checked.def_prop_ro("closed_components", [](const Checked& c) { return c.findings.closed_components; });
  checked.def_prop_ro("warnings",
                      [](const Checked& c) { return view::warnings_of(c.model, c.findings, c.prior); });
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
  bind_page<Checked>(checked, &page_of);
  module.def("check", &check, nb::arg("model"), nb::arg("draws"), nb::arg("seed"), nb::arg("threads"));
}

}  // namespace mindgap::python
