#include <nanobind/stl/pair.h>

#include "bindings/commands.h"
#include "bindings/python_workers.h"
#include "paper/reproduce/reproduce.h"

namespace mindgap::python {
namespace {

using reproduce::Reproduction;
using Reproduced = reproduce::ReproduceAnswer;

// Of the one artefact that was asked for.
const Reproduction& result_of(const Reproduced& made) {
  return made.results.front();
}

Reproduced run(const std::string& name, std::optional<std::int64_t> trials, std::uint64_t seed, int threads,
               nb::object progress, nb::object workers) {
  reproduce::find_artefact(name);  // one of them, not all
  LongCall call(std::move(progress));
  const reproduce::ReproduceRequest request{name, trials, {seed, threads, call.listener()}};
  const std::unique_ptr<base::Workers> found = python_workers(std::move(workers), call);
  return call.run([&] {
    const base::SharedBy shared(found.get());
    return reproduce::reproduce(request);
  });
}

Table lines_table(const Reproduced& made) {
  const Reproduction& result = result_of(made);
  const auto line = [&](std::int64_t i) -> const reproduce::Line& {
    return result.lines[static_cast<std::size_t>(i)];
  };
  const auto end = [&](double stats::Interval::*side) {
    return [line, side](std::int64_t i) {
      const auto& interval = line(i).interval;
      return interval ? std::optional<double>((*interval).*side) : std::nullopt;
    };
  };
  Table table(static_cast<std::int64_t>(result.lines.size()));
  table.add("what", [&](std::int64_t i) { return line(i).what; });
  table.add("published", [&](std::int64_t i) { return line(i).published; });
  table.add("ours", [&](std::int64_t i) { return line(i).ours; });
  table.add("lower", end(&stats::Interval::lower));
  table.add("upper", end(&stats::Interval::upper));
  table.add("tolerance", [&](std::int64_t i) { return line(i).tolerance(); });
  table.add("agrees", [&](std::int64_t i) {
    return line(i).published ? std::optional<bool>(line(i).agrees()) : std::nullopt;
  });
  table.add("why", [&](std::int64_t i) { return line(i).why; });
  return table;
}

void write(const Reproduced& made, const std::string& folder) {
  const Freed free;
  made.write(folder);
}

}  // namespace

void bind_reproduce(nb::module_& module) {
  nb::class_<Reproduced> type(module, "Reproduction");
  type.def("__str__", [](const Reproduced& r) { return r.text(); });
  type.def("_json", [](const Reproduced& r) { return view::dumped(r.json().front()); });
  type.def("_lines", &lines_table);
  type.def("_write", &write, nb::arg("folder"));
  bind_page(type);
  type.def_prop_ro("name", [](const Reproduced& r) { return result_of(r).name; });
  type.def_prop_ro("title", [](const Reproduced& r) { return result_of(r).title; });
  module.def("artefacts", [] {
    std::vector<std::pair<std::string, std::string>> all;
    for (const reproduce::Artefact& artefact : reproduce::artefacts())
      all.emplace_back(artefact.name, artefact.title);
    return all;
  });
  module.def("reproduce", &run, nb::arg("name"), nb::arg("trials").none(), nb::arg("seed"),
             nb::arg("threads"), nb::arg("progress").none(), nb::arg("workers").none());
}

}  // namespace mindgap::python
