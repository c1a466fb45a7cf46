#include <nanobind/stl/pair.h>

#include "bindings/commands.h"
#include "bindings/program.h"
#include "mindgap/base/error.h"
#include "mindgap/command/ensemble.h"
#include "mindgap/mdp/pair_name.h"

// Ensembles of models; python/mindgap/_ensemble.py is what users see of them.
namespace mindgap::python {
namespace {

using mdp::Model;

const mdp::Members& members_of(const Model& model) {
  if (!model.members) throw InvalidArgument("the model is no ensemble");
  return *model.members;
}

Model without_members(Model model) {
  model.members.reset();
  model.parameters.clear();
  return model;
}

// One member as a model of its own, with what the ensemble states of all.
Model member_of(const Model& model, std::int32_t member) {
  Model one = without_members(model);
  one.name = members_of(model).name(member);
  one.mdp = members_of(model).model(member);
  return one;
}

}  // namespace

void bind_ensemble(nb::module_& module) {
  module.def(
      "ensemble_of",
      [](const std::vector<Model>& models, std::vector<double> weights, const std::vector<std::string>& names,
         const std::vector<std::pair<std::string, std::vector<double>>>& parameters) {
        std::vector<mdp::Parameter> named;
        for (const auto& [name, values] : parameters) named.push_back({name, values});
        return command::ensemble_of(models, std::move(weights), names, std::move(named));
      },
      nb::arg("models"), nb::arg("weights"), nb::arg("names"), nb::arg("parameters"));
  module.def(
      "is_ensemble", [](const Model& model) { return model.members.has_value(); }, nb::arg("model"));
  module.def(
      "mean_of_ensemble", [](const Model& model) { return without_members(model); }, nb::arg("model"));
  module.def(
      "members_of",
      [](const Model& model) {
        std::vector<Model> members;
        for (std::int32_t i = 0; i < members_of(model).size(); ++i) members.push_back(member_of(model, i));
        return members;
      },
      nb::arg("model"));
  module.def(
      "member_names",
      [](const Model& model) {
        std::vector<std::string> names;
        for (std::int32_t i = 0; i < members_of(model).size(); ++i)
          names.push_back(members_of(model).name(i));
        return names;
      },
      nb::arg("model"));
  module.def(
      "member_weights",
      [](const Model& model) {
        return std::vector<double>(members_of(model).weights().begin(), members_of(model).weights().end());
      },
      nb::arg("model"));
  module.def(
      "member_parameters",
      [](const Model& model) {
        std::vector<std::pair<std::string, std::vector<double>>> parameters;
        for (const mdp::Parameter& one : model.parameters) parameters.emplace_back(one.name, one.value);
        return parameters;
      },
      nb::arg("model"));
  nb::class_<command::WeighAnswer>(module, "Weighed")
      .def_ro("model", &command::WeighAnswer::model)
      .def_ro("effective_members", &command::WeighAnswer::effective_members)
      .def_ro("warnings", &command::WeighAnswer::warnings)
      .def_prop_ro("surprise", [](const command::WeighAnswer& a) { return a.surprise.share; })
      .def_prop_ro("surprise_standard_error",
                   [](const command::WeighAnswer& a) { return a.surprise.standard_error; })
      .def_prop_ro("worst_pairs", [](const command::WeighAnswer& a) {
        std::vector<std::string> names;
        for (const belief::PairSurprise& one : a.surprise.worst)
          names.push_back(mdp::pair_name(a.model.mdp, one.pair));
        return names;
      });
  nb::class_<command::MembersPolicyAnswer>(module, "MembersPolicy")
      .def_ro("model", &command::MembersPolicyAnswer::model)
      .def_prop_ro("value_at_start", [](const command::MembersPolicyAnswer& a) { return a.found.value; })
      .def_prop_ro("error_bound", [](const command::MembersPolicyAnswer& a) { return a.found.error_bound; })
      .def_prop_ro("upper_bound", [](const command::MembersPolicyAnswer& a) { return a.found.upper_bound; })
      .def_prop_ro("member_values", [](const command::MembersPolicyAnswer& a) { return a.found.model_value; })
      .def_prop_ro("policy",
                   [](const command::MembersPolicyAnswer& a) {
                     std::vector<std::int32_t> actions;
                     for (const std::int32_t pair : a.found.policy.pair_of_state())
                       actions.push_back(a.model.mdp.pair_action()[pair]);
                     return actions;
                   })
      .def("text", &command::MembersPolicyAnswer::text)
      .def("write_policy", &command::MembersPolicyAnswer::write_policy, nb::arg("path"));
  module.def(
      "members_policy",
      [](const Model& model, bool robust, int threads) {
        base::Run run;
        run.threads = threads;
        const nb::gil_scoped_release unlocked;
        return command::members_policy(
            model, robust ? command::MembersObjective::robust : command::MembersObjective::average, run);
      },
      nb::arg("model"), nb::arg("robust"), nb::arg("threads"));
  module.def(
      "weigh",
      [](const Model& model, const command::Source& log, std::optional<std::uint64_t> seed) {
        command::Evidence evidence;
        evidence.log = log;
        return command::weigh(model, evidence, seed);
      },
      nb::arg("model"), nb::arg("log"), nb::arg("seed").none());
  module.def(
      "weigh_steps",
      [](const Model& model, const program::Grid& grid, const InArray<double>& state,
         const InArray<std::int32_t>& action, const InArray<double>& reward,
         const InArray<double>& next_state, const InArray<std::uint8_t>& terminated,
         std::optional<std::uint64_t> seed) {
        std::int64_t outside = 0;
        const std::vector<mdp::Observation> seen =
            spread_steps(model, grid, {state, action, reward, next_state, terminated}, outside);
        return LongCall(nb::none()).run([&] { return command::weigh(model, seen, seed); });
      },
      nb::arg("model"), nb::arg("grid"), nb::arg("state"), nb::arg("action"), nb::arg("reward"),
      nb::arg("next_state"), nb::arg("terminated"), nb::arg("seed").none());
}

}  // namespace mindgap::python
