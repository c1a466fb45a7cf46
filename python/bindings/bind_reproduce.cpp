#include <fmt/format.h>
#include <nanobind/stl/pair.h>

#include "bindings/commands.h"
#include "paper/reproduce/page.h"
#include "paper/reproduce/view.h"

namespace mindgap::python {
namespace {

using reproduce::Reproduction;

// A reproduction and what was asked for.
struct Reproduced {
  Reproduction result;
  std::optional<std::int64_t> trials;
  std::uint64_t seed;
};

Reproduced run(const std::string& name, std::optional<std::int64_t> trials, std::uint64_t seed, int threads,
               nb::object progress) {
  const reproduce::Artefact& artefact = reproduce::find_artefact(name);
  LongCall call(std::move(progress));
  reproduce::Options options{trials.value_or(0), seed, threads, {}};
  options.on_progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
    call.report(what, done, total);
  };
  return call.run([&] { return Reproduced{artefact.run(options), trials, seed}; });
}

Table lines_table(const Reproduced& made) {
  const Reproduction& result = made.result;
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
  table.add("tolerance", [&](std::int64_t i) { return line(i).tolerance; });
  table.add("agrees", [&](std::int64_t i) {
    return line(i).published ? std::optional<bool>(line(i).agrees()) : std::nullopt;
  });
  table.add("why", [&](std::int64_t i) { return line(i).why; });
  return table;
}

report::Page page_of(const Reproduced& made) {
  const std::string trials = made.trials ? fmt::format("trials={}, ", *made.trials) : "";
  return reproduce::page_of({made.result},
                            fmt::format("mindgap {}, seed {}. Made by: mindgap.reproduce(\"{}\", {}seed={})",
                                        MINDGAP_VERSION, made.seed, made.result.name, trials, made.seed));
}

void write(const Reproduced& made, const std::string& folder) {
  const Freed free;
  reproduce::write_data(folder, {made.result});
}

}  // namespace

void bind_reproduce(nb::module_& module) {
  nb::class_<Reproduced> type(module, "Reproduction");
  type.def("__str__", [](const Reproduced& r) { return view::text_of(r.result); });
  type.def("_json", [](const Reproduced& r) { return view::dumped(view::json_of(r.result)); });
  type.def("_html", [](const Reproduced& r) { return report::to_html(page_of(r)); });
  type.def("_lines", &lines_table);
  type.def("_write", &write, nb::arg("folder"));
  bind_page<Reproduced>(type, &page_of);
  type.def_prop_ro("name", [](const Reproduced& r) { return r.result.name; });
  type.def_prop_ro("title", [](const Reproduced& r) { return r.result.title; });
  module.def("artefacts", [] {
    std::vector<std::pair<std::string, std::string>> all;
    for (const reproduce::Artefact& artefact : reproduce::artefacts())
      all.emplace_back(artefact.name, artefact.title);
    return all;
  });
  module.def("reproduce", &run, nb::arg("name"), nb::arg("trials").none(), nb::arg("seed"),
             nb::arg("threads"), nb::arg("progress").none());
}

}  // namespace mindgap::python
