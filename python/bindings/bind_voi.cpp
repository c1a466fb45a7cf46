#include "bindings/commands.h"
#include "bindings/python_workers.h"
#include "mindgap/command/voi.h"

namespace mindgap::python {
namespace {

using Valued = command::VoiAnswer;

Valued value_now(const Source& draws, const voi::Columns& plans, const std::vector<voi::Columns>& about,
                 const std::vector<voi::Columns>& data, double scale, const std::vector<double>& cost,
                 std::uint64_t seed, int threads, nb::object progress, nb::object workers) {
  LongCall call(std::move(progress));
  command::VoiRequest request{draws, plans, about, data, scale, cost};
  request.run = {seed, threads, call.listener()};
  const std::unique_ptr<base::Workers> found = python_workers(std::move(workers), call);
  return call.run([&] {
    const base::SharedBy shared(found.get());
    return command::value_of_information(request);
  });
}

// One row per group: EVPPI first, then EVSI.
Table parts_table(const Valued& valued) {
  const voi::SampledValue& value = valued.value;
  const std::size_t first = value.evppi.size();
  Table table(static_cast<std::int64_t>(first + value.evsi.size()));
  const auto part = [&](std::int64_t i) -> const voi::PartialValue& {
    const auto at = static_cast<std::size_t>(i);
    return at < first ? value.evppi[at] : value.evsi[at - first];
  };
  table.add("kind", [&](std::int64_t i) {
    return std::string(static_cast<std::size_t>(i) < first ? "evppi" : "evsi");
  });
  table.add("about", [&](std::int64_t i) {
    std::string names;
    for (const std::string& name : part(i).about) names += (names.empty() ? "" : ", ") + name;
    return names;
  });
  table.add("cross_fitted", [&](std::int64_t i) { return part(i).cross_fitted; });
  table.add("se", [&](std::int64_t i) { return part(i).se; });
  table.add("lower", [&](std::int64_t i) { return part(i).interval.lower; });
  table.add("upper", [&](std::int64_t i) { return part(i).interval.upper; });
  table.add("plug_in", [&](std::int64_t i) { return part(i).plug_in; });
  table.add("model", [&](std::int64_t i) { return part(i).model; });
  table.add("enbs", [&](std::int64_t i) -> std::optional<double> {
    const auto at = static_cast<std::size_t>(i);
    if (at < first || value.enbs.empty()) return std::nullopt;
    return value.enbs[at - first].value;
  });
  return table;
}

}  // namespace

void bind_voi(nb::module_& module) {
  nb::class_<Valued> type(module, "ValueOfInformation");
  type.def("__str__", &Valued::text);
  type.def("_json", [](const Valued& v) { return view::dumped(v.json()); });
  type.def("_parts", &parts_table);
  type.def_prop_ro("best", [](const Valued& v) { return v.value.plans[v.value.best]; });
  type.def_prop_ro("evpi", [](const Valued& v) { return v.value.evpi.mean; });
  type.def_prop_ro("evpi_se", [](const Valued& v) { return v.value.evpi.standard_error; });
  bind_page(type);
  module.def("voi", &value_now, nb::arg("draws"), nb::arg("plans"), nb::arg("about"), nb::arg("data"),
             nb::arg("scale"), nb::arg("cost"), nb::arg("seed"), nb::arg("threads"),
             nb::arg("progress").none(), nb::arg("workers").none());
}

}  // namespace mindgap::python
