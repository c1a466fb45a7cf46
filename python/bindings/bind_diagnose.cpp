#include <fmt/format.h>

#include <cmath>

#include "bindings/commands.h"
#include "bindings/python_workers.h"
#include "mindgap/base/check.h"
#include "mindgap/command/diagnose.h"

namespace mindgap::python {
namespace {

using Diagnosed = command::DiagnoseAnswer;

Diagnosed diagnose(const mdp::Model& model, const Source* coverage, const Source* log,
                   const std::optional<std::string>& truth, const Source* history, const Source* jacobian,
                   const Source* calibration, double precision_factor, const belief::PriorOverrides& prior,
                   std::size_t top, double support_threshold, double level, std::optional<std::int64_t> draws,
                   bool strict, const std::string& device, std::uint64_t seed, int threads,
                   nb::object progress, nb::object workers) {
  command::DiagnoseRequest request{model};
  request.evidence = evidence_of(coverage, log, prior);
  request.truth = truth.value_or("");
  request.history = given(history);
  request.jacobian = given(jacobian);
  request.calibration = given(calibration);
  request.precision_factor = precision_factor;
  request.top = top;
  request.support_threshold = support_threshold;
  request.level = level;
  if (draws) base::check_range("diagnose", "draws", static_cast<double>(*draws), 0, 1e7);
  request.draws = draws.value_or(-1);
  request.strict = strict;
  request.device = device;
  LongCall call(std::move(progress));
  request.run = {seed, threads, call.listener()};
  const std::unique_ptr<base::Workers> found = python_workers(std::move(workers), call);
  return call.run([&] {
    const base::SharedBy shared(found.get());
    return command::diagnose(request);
  });
}

// Every pair: what is uncertain about it, and what pilot and truth say where there are such.
Table diagnosed_pairs(const Diagnosed& found) {
  const gap::Diagnosis& d = found.diagnosis;
  const mdp::Mdp& mdp = found.model.mdp;
  Table table(mdp.pairs());
  const auto at = [](std::int64_t row) { return static_cast<std::int32_t>(row); };
  add_pairs(table, mdp, at);
  table.add("epi", [&](std::int64_t k) { return d.epi[k]; });
  table.add("pvv", [&](std::int64_t k) { return d.contributions[k]; });
  table.add("reward_mean", [&](std::int64_t k) { return d.knowledge->now.reward_mean(at(k)); });
  table.add("reward_sd", [&](std::int64_t k) { return std::sqrt(d.knowledge->now.reward_variance(at(k))); });
  table.add("transition_strength",
            [&](std::int64_t k) { return d.knowledge->now.transition_strength(at(k)); });
  if (!d.knowledge->coverage.empty())
    table.add("coverage", [&](std::int64_t k) { return d.knowledge->coverage[k]; });
  if (d.pilot) {
    std::vector<const gap::PairResidual*> residual(static_cast<std::size_t>(mdp.pairs()));
    for (const gap::PairResidual& one : d.pilot->residuals.pairs) residual[one.pair] = &one;
    const auto put = [&](const char* name, auto get) {
      table.add(name, [&](std::int64_t k) {
        return residual[k] ? std::optional(get(*residual[k])) : std::nullopt;
      });
    };
    table.add("count", [&](std::int64_t k) { return residual[k] ? residual[k]->count : std::int64_t{0}; });
    put("reward_residual", [](const gap::PairResidual& r) { return r.reward; });
    put("reward_p_value", [](const gap::PairResidual& r) { return r.reward_test.p_value; });
    put("transition_residual", [](const gap::PairResidual& r) { return r.transition; });
    put("transition_p_value", [](const gap::PairResidual& r) { return r.transition_test.p_value; });
    put("flagged",
        [](const gap::PairResidual& r) { return r.reward_test.flagged || r.transition_test.flagged; });
  }
  if (d.truth) {
    const auto put = [&](const std::string& name, const gap::PairErrors& error) {
      table.add(name + "_reward", [&](std::int64_t k) { return error.reward[k]; });
      table.add(name + "_transition", [&](std::int64_t k) { return error.transition[k]; });
    };
    put("total_error", d.truth->errors.total);
    put("shift_error", d.truth->errors.shift_error);
    put("confounding", d.truth->errors.confounding);
    put("drift", d.truth->errors.drift);
    put("residual_error", d.truth->errors.residual_error);
    table.add("do_variance", [&](std::int64_t k) { return d.truth->do_variance[k]; });
  }
  return table;
}

// The states that the policy practically never sees, the most relevant first.
Table unreached_table(const Diagnosed& found) {
  const gap::Diagnosis& d = found.diagnosis;
  const mdp::Mdp& mdp = found.model.mdp;
  const std::vector<gap::Route> wanted = found.unreached();
  const auto at = [&](std::int64_t row) -> const gap::Route& { return wanted[row]; };
  const auto where_found = [&](std::int64_t row, double value) {
    return at(row).found ? std::optional(value) : std::nullopt;
  };
  Table table(static_cast<std::int64_t>(wanted.size()));
  table.add("state", [&](std::int64_t i) { return mdp.state_name(at(i).state); });
  table.add("possible", [&](std::int64_t i) { return at(i).possible; });
  table.add("possible_under_policy", [&](std::int64_t i) { return at(i).possible_under_policy; });
  if (d.evpi)
    table.add("optimal_visitation", [&](std::int64_t i) { return d.evpi->optimal_visitation[at(i).state]; });
  table.add("loss", [&](std::int64_t i) { return where_found(i, at(i).loss); });
  table.add("expected_steps", [&](std::int64_t i) { return where_found(i, at(i).expected_steps); });
  table.add("route", [&](std::int64_t i) {
    std::string text;
    for (const gap::RouteStep& step : found.way_to(at(i)))
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", mdp.state_name(step.state),
                          mdp.action_name(step.action));
    return text;
  });
  return table;
}

nb::object estimate_of(const Diagnosed& found, gap::Estimate gap::Evpi::*which) {
  if (!found.diagnosis.evpi) return nb::none();
  const gap::Estimate& one = (*found.diagnosis.evpi).*which;
  return nb::make_tuple(one.mean, one.standard_error);
}

}  // namespace

void bind_diagnose(nb::module_& module) {
  nb::class_<Diagnosed> type(module, "Diagnosis");
  type.def("__str__", &Diagnosed::text);
  type.def("_json", [](const Diagnosed& r) { return view::dumped(r.json()); });
  type.def("_pairs", &diagnosed_pairs);
  type.def("_unreached", &unreached_table);
  bind_page(type);
  type.def_prop_ro("model", [](const Diagnosed& r) { return r.model; });
  type.def_prop_ro("warnings", [](const Diagnosed& r) { return r.warnings; });
  type.def_prop_ro("sop_value", [](const Diagnosed& r) { return r.diagnosis.sop.value_at_start; });
  type.def_prop_ro("status",
                   [](const Diagnosed& r) { return std::string(to_string(r.diagnosis.sop.status)); });
  type.def_prop_ro("pvv_prior", [](const Diagnosed& r) { return r.diagnosis.pvv_prior.total; });
  type.def_prop_ro("pvv_posterior", [](const Diagnosed& r) {
    return r.diagnosis.pilot ? std::optional(r.diagnosis.pilot->pvv.total) : std::nullopt;
  });
  type.def_prop_ro("unmeasured_share", [](const Diagnosed& r) { return r.diagnosis.unmeasured_share; });
  const auto estimate = [&](const char* name, const char* signature, gap::Estimate gap::Evpi::*which) {
    type.def_prop_ro(
        name, [which](const Diagnosed& r) { return estimate_of(r, which); }, nb::sig(signature));
  };
  estimate("evpi", "def evpi(self) -> tuple[float, float] | None", &gap::Evpi::total);
  estimate("evpi_local", "def evpi_local(self) -> tuple[float, float] | None", &gap::Evpi::local);
  estimate("evpi_reach", "def evpi_reach(self) -> tuple[float, float] | None", &gap::Evpi::reach);
  def_array(
      type, "epi",
      [](nb::handle self) {
        return view_of(std::span<const double>(nb::cast<const Diagnosed&>(self).diagnosis.epi), self);
      },
      "Exploration priority index, per pair.");
  module.def("diagnose", &diagnose, nb::arg("model"), nb::arg("coverage").none(), nb::arg("log").none(),
             nb::arg("truth").none(), nb::arg("history").none(), nb::arg("jacobian").none(),
             nb::arg("calibration").none(), nb::arg("precision_factor"), nb::arg("prior"), nb::arg("top"),
             nb::arg("support_threshold"), nb::arg("level"), nb::arg("draws").none(), nb::arg("strict"),
             nb::arg("device"), nb::arg("seed"), nb::arg("threads"), nb::arg("progress").none(),
             nb::arg("workers").none());
  module.attr("SUPPORT_THRESHOLD") = mdp::kSupportThreshold;
}

}  // namespace mindgap::python
