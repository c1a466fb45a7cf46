#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <cmath>

#include "bindings/program.h"
#include "mindgap/base/error.h"
#include "mindgap/program/lookahead.h"
#include "mindgap/program/parameters.h"
#include "mindgap/program/sampled.h"
#include "mindgap/program/tabulate.h"

// Simulators that are programs; python/mindgap/programs is what users see of them.
namespace mindgap::python {
namespace {

using program::Grid;

std::span<const double> span_of_numbers(const InArray<double>& values) {
  return {values.data(), values.size()};
}
std::span<const std::uint8_t> flags_of(const std::optional<InArray<std::uint8_t>>& values) {
  return values ? std::span<const std::uint8_t>(values->data(), values->size())
                : std::span<const std::uint8_t>();
}

void bind_grid(nb::module_& module) {
  using GivenAxis = std::tuple<std::string, std::vector<double>, double>;
  nb::class_<Grid> type(module, "Grid");
  type.def(
      "__init__",
      [](Grid* self, const std::vector<GivenAxis>& given) {
        std::vector<program::Axis> axes;
        for (const auto& [name, points, period] : given) axes.push_back({name, points, period});
        new (self) Grid(std::move(axes));
      },
      nb::arg("axes"));
  type.def_prop_ro("dimension", &Grid::dimension);
  type.def_prop_ro("corners", &Grid::corners);
  type.def_prop_ro("axes", [](const Grid& grid) {
    std::vector<GivenAxis> axes;
    for (const program::Axis& axis : grid.axes()) axes.emplace_back(axis.name, axis.points, axis.period);
    return axes;
  });
  type.def("names", &Grid::names);
  type.def("name_of", &Grid::name_of, nb::arg("corner"));
  type.def("coarser", &Grid::coarser, nb::arg("axis"));
  type.def("states", [](const Grid& grid) {
    const auto d = static_cast<std::size_t>(grid.dimension());
    std::vector<double> states(static_cast<std::size_t>(grid.corners()) * d);
    for (std::int32_t c = 0; c < grid.corners(); ++c)
      grid.state_of(c, std::span(states).subspan(static_cast<std::size_t>(c) * d, d));
    return array_of(std::move(states), d);
  });
  type.def(
      "weights",
      [](const Grid& grid, const InArray<double>& state) {
        program::Corners found;
        grid.spread(span_of_numbers(state), found);
        found.corner.resize(found.size);
        found.weight.resize(found.size);
        return nb::make_tuple(array_of(std::move(found.corner)), array_of(std::move(found.weight)));
      },
      nb::arg("state"),
      nb::sig("def weights(self, state: numpy.typing.NDArray[numpy.float64]) -> "
              "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]"));
  module.def(
      "even_axis",
      [](std::string name, double low, double high, std::int32_t count, bool periodic) {
        program::Axis axis = program::even_axis(std::move(name), low, high, count, periodic);
        return GivenAxis(axis.name, axis.points, axis.period);
      },
      nb::arg("name"), nb::arg("low"), nb::arg("high"), nb::arg("count"), nb::arg("periodic"));
}

mdp::Model model_of_table(program::Tabulated table, const std::string& name) {
  return {.name = name, .mdp = std::move(table.mdp)};
}

void bind_tables(nb::module_& module) {
  nb::class_<program::Tabulated> type(module, "Tabulated", "The table of a program.");
  type.def(
      "model", [](const program::Tabulated& t, const std::string& name) { return model_of_table(t, name); },
      nb::arg("name"));
  type.def_ro("has_end", &program::Tabulated::has_end);
  type.def("with_end", &program::with_end);
  type.def_prop_ro("below", [](const program::Tabulated& t) { return t.left.below; });
  type.def_prop_ro("above", [](const program::Tabulated& t) { return t.left.above; });
  type.def_prop_ro("left", [](const program::Tabulated& t) { return t.left.any; });
  module.def(
      "tabulate",
      [](const Grid& grid, const InArray<double>& next_state, const InArray<double>& reward,
         const std::optional<InArray<std::uint8_t>>& terminated, double discount,
         const std::vector<std::string>& actions, std::int32_t samples,
         const std::optional<InArray<double>>& starts, const std::vector<std::int32_t>& places,
         bool always_end, int threads) {
        const program::Steps steps{span_of_numbers(next_state), span_of_numbers(reward),
                                   flags_of(terminated)};
        const program::TabulateOptions options{.discount = discount,
                                               .actions = actions,
                                               .samples = samples,
                                               .starts = vector_of(starts),
                                               .places = places,
                                               .always_end = always_end,
                                               .run = {.threads = threads}};
        return LongCall(nb::none()).run([&] { return program::tabulate(grid, steps, options); });
      },
      nb::arg("grid"), nb::arg("next_state"), nb::arg("reward"), nb::arg("terminated").none(),
      nb::arg("discount"), nb::arg("actions"), nb::arg("samples"), nb::arg("starts").none(),
      nb::arg("places"), nb::arg("always_end"), nb::arg("threads"));
}

void bind_samples(nb::module_& module) {
  nb::class_<program::Sampled> type(module, "Sampled", "The table of steps that were seen.");
  type.def(
      "model",
      [](const program::Sampled& sampled, const std::string& name) {
        mdp::Model model = model_of_table(sampled.table, name);
        model.coverage = sampled.coverage;
        model.coverage_is_sampled = true;
        model.variance = sampled.variance;
        mdp::check_model(model);
        return model;
      },
      nb::arg("name"));
  type.def_prop_ro("has_end", [](const program::Sampled& s) { return s.table.has_end; });
  type.def_prop_ro("below", [](const program::Sampled& s) { return s.table.left.below; });
  type.def_prop_ro("above", [](const program::Sampled& s) { return s.table.left.above; });
  type.def_ro("untried", &program::Sampled::untried);
  type.def_ro("lowest", &program::Sampled::lowest);
  module.def(
      "sampled",
      [](const Grid& grid, const InArray<double>& state, const InArray<std::int32_t>& action,
         const InArray<double>& reward, const InArray<double>& next_state,
         const InArray<std::uint8_t>& terminated, double discount, const std::vector<std::string>& actions,
         const std::optional<InArray<double>>& starts, int threads) {
        const program::SeenSteps steps{span_of_numbers(state),
                                       {action.data(), action.size()},
                                       span_of_numbers(reward),
                                       span_of_numbers(next_state),
                                       {terminated.data(), terminated.size()}};
        const program::TabulateOptions options{.discount = discount,
                                               .actions = actions,
                                               .starts = vector_of(starts),
                                               .run = {.threads = threads}};
        return LongCall(nb::none()).run([&] { return program::sampled(grid, steps, options); });
      },
      nb::arg("grid"), nb::arg("state"), nb::arg("action"), nb::arg("reward"), nb::arg("next_state"),
      nb::arg("terminated"), nb::arg("discount"), nb::arg("actions"), nb::arg("starts").none(),
      nb::arg("threads"));
}

void bind_values(nb::module_& module) {
  module.def(
      "values_at",
      [](const Grid& grid, const InArray<double>& value, const InArray<double>& states) {
        return array_of(program::values_at(grid, span_of_numbers(value), span_of_numbers(states)));
      },
      nb::arg("grid"), nb::arg("value"), nb::arg("states"));
  module.def(
      "action_values_at",
      [](const Grid& grid, const mdp::Model& model, const InArray<double>& value,
         const InArray<double>& state) {
        return array_of(
            program::action_values_at(grid, model.mdp, span_of_numbers(value), span_of_numbers(state)));
      },
      nb::arg("grid"), nb::arg("model"), nb::arg("value"), nb::arg("state"));
  module.def(
      "lookahead",
      [](const Grid& grid, const InArray<double>& value, double discount, const InArray<double>& next_state,
         const InArray<double>& reward, const std::optional<InArray<std::uint8_t>>& terminated,
         const InArray<double>& weight) {
        return array_of(program::lookahead(grid, span_of_numbers(value), discount,
                                           {span_of_numbers(next_state), span_of_numbers(reward),
                                            flags_of(terminated), span_of_numbers(weight)}));
      },
      nb::arg("grid"), nb::arg("value"), nb::arg("discount"), nb::arg("next_state"), nb::arg("reward"),
      nb::arg("terminated").none(), nb::arg("weight"));
}

void bind_parameters(nb::module_& module) {
  nb::enum_<program::Law>(module, "Law")
      .value("uniform", program::Law::uniform)
      .value("normal", program::Law::normal)
      .value("lognormal", program::Law::lognormal)
      .value("beta", program::Law::beta)
      .value("gamma", program::Law::gamma)
      .value("choice", program::Law::choice);
  nb::class_<program::Distribution> type(module, "Distribution");
  type.def(
      "__init__",
      [](program::Distribution* self, const std::string& name, program::Law law, double a, double b,
         double low, double high, std::vector<double> values, std::vector<double> weights) {
        program::Distribution made{law, a, b, low, high, std::move(values), std::move(weights)};
        program::check_distribution(name, made);
        new (self) program::Distribution(std::move(made));
      },
      nb::arg("name"), nb::arg("law"), nb::arg("a"), nb::arg("b"), nb::arg("low"), nb::arg("high"),
      nb::arg("values"), nb::arg("weights"));
  type.def_prop_ro("lowest", &program::lowest);
  type.def_prop_ro("highest", &program::highest);
  type.def("quantile", &program::quantile, nb::arg("u"));
  module.def(
      "latin_hypercube",
      [](const std::vector<program::Distribution>& parameters, std::int32_t draws, std::uint64_t seed) {
        return array_of(program::latin_hypercube(parameters, draws, seed), parameters.size());
      },
      nb::arg("parameters"), nb::arg("draws"), nb::arg("seed"));
}

// What plain Python steps gave, one after the other, into arrays from `at` on. Says which of them is not
// (next state, reward) or (next state, reward, terminated) of the wanted dimension, or -1.
std::int64_t unpack_steps(const nb::list& results, std::int64_t at, std::int32_t dimension,
                          nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> next_state,
                          nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu> reward,
                          nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> terminated) {
  const auto size = static_cast<std::int64_t>(results.size());
  if (at < 0 || at + size > static_cast<std::int64_t>(reward.size()) ||
      next_state.shape(1) != static_cast<std::size_t>(dimension) || next_state.shape(0) != reward.size() ||
      terminated.size() != reward.size())
    throw InvalidArgument("unpack_steps: the arrays are too small");
  const auto number = [](PyObject* object, double& to) {
    to = PyFloat_CheckExact(object) ? PyFloat_AS_DOUBLE(object) : PyFloat_AsDouble(object);
    if (to != -1.0 || !PyErr_Occurred()) return true;
    PyErr_Clear();
    return false;
  };
  const auto state = [&](PyObject* object, double* to) {
    if (PyFloat_CheckExact(object)) {
      if (dimension != 1) return false;
      to[0] = PyFloat_AS_DOUBLE(object);
      return true;
    }
    if (!PyTuple_CheckExact(object) && !PyList_CheckExact(object)) {
      nb::ndarray<const double, nb::ndim<1>, nb::device::cpu> array;
      if (nb::try_cast(nb::handle(object), array, false)) {
        if (array.shape(0) != static_cast<std::size_t>(dimension)) return false;
        for (std::int32_t a = 0; a < dimension; ++a) to[a] = array(static_cast<std::size_t>(a));
        return true;
      }
      if (dimension == 1 && number(object, to[0])) return true;
    }
    const nb::object list = nb::steal(PySequence_Fast(object, ""));
    if (!list.is_valid()) {
      PyErr_Clear();
      return false;
    }
    if (PySequence_Fast_GET_SIZE(list.ptr()) != dimension) return false;
    for (std::int32_t a = 0; a < dimension; ++a)
      if (!number(PySequence_Fast_GET_ITEM(list.ptr(), a), to[a])) return false;
    return true;
  };
  for (std::int64_t i = 0; i < size; ++i) {
    PyObject* const result = PyList_GET_ITEM(results.ptr(), i);
    if (!PyTuple_Check(result)) return i;
    const Py_ssize_t parts = PyTuple_GET_SIZE(result);
    if (parts != 2 && parts != 3) return i;
    const std::int64_t row = at + i;
    if (!number(PyTuple_GET_ITEM(result, 1), reward.data()[row])) return i;
    const int over = parts == 3 ? PyObject_IsTrue(PyTuple_GET_ITEM(result, 2)) : 0;
    if (over < 0) {
      PyErr_Clear();
      return i;
    }
    terminated.data()[row] = static_cast<std::uint8_t>(over);
    if (!state(PyTuple_GET_ITEM(result, 0), next_state.data() + row * dimension)) return i;
  }
  return -1;
}

}  // namespace

std::vector<mdp::Observation> spread_steps(const mdp::Model& model, const Grid& grid, const SeenSteps& seen,
                                           std::int64_t& outside) {
  const auto d = static_cast<std::size_t>(grid.dimension());
  const std::size_t size = seen.action.size();
  if (seen.state.size() != size * d || seen.next_state.size() != size * d || seen.reward.size() != size ||
      seen.terminated.size() != size)
    throw InvalidArgument("the numbers of states, actions, rewards, next states and ends do not agree");
  std::vector<mdp::Observation> observations;
  outside = 0;
  for (std::size_t i = 0; i < size; ++i) {
    std::span<const double> next(seen.next_state.data() + i * d, d);
    if (std::isnan(next.front())) next = {};  // missing
    outside += program::spread(grid, model.mdp,
                               {.state = {seen.state.data() + i * d, d},
                                .action = seen.action.data()[i],
                                .reward = seen.reward.data()[i],
                                .next_state = next,
                                .terminated = seen.terminated.data()[i] != 0,
                                .step = static_cast<std::int64_t>(i)},
                               observations)
                   ? 1
                   : 0;
  }
  return observations;
}

void bind_program(nb::module_& module) {
  bind_grid(module);
  bind_tables(module);
  bind_samples(module);
  bind_values(module);
  bind_parameters(module);
  module.def(
      "unpack_steps", &unpack_steps, nb::arg("results"), nb::arg("at"), nb::arg("dimension"),
      nb::arg("next_state").noconvert(), nb::arg("reward").noconvert(), nb::arg("terminated").noconvert(),
      nb::sig("def unpack_steps(results: list[typing.Any], at: int, dimension: int, "
              "next_state: numpy.typing.NDArray[numpy.float64], reward: numpy.typing.NDArray[numpy.float64], "
              "terminated: numpy.typing.NDArray[numpy.uint8]) -> int"));
  module.def(
      "spread_steps",
      [](const mdp::Model& model, const Grid& grid, const InArray<double>& state,
         const InArray<std::int32_t>& action, const InArray<double>& reward,
         const InArray<double>& next_state, const InArray<std::uint8_t>& terminated) {
        std::int64_t outside = 0;
        std::vector<std::int64_t> row;
        std::vector<std::int32_t> from, done, to;
        std::vector<double> weight;
        for (const mdp::Observation& one :
             spread_steps(model, grid, {state, action, reward, next_state, terminated}, outside)) {
          row.push_back(one.step);
          from.push_back(model.mdp.state_of_pair(one.pair));
          done.push_back(model.mdp.pair_action()[one.pair]);
          to.push_back(one.next_state.value_or(-1));
          weight.push_back(one.weight);
        }
        return nb::make_tuple(array_of(std::move(row)), array_of(std::move(from)), array_of(std::move(done)),
                              array_of(std::move(to)), array_of(std::move(weight)), outside);
      },
      nb::arg("model"), nb::arg("grid"), nb::arg("state"), nb::arg("action"), nb::arg("reward"),
      nb::arg("next_state"), nb::arg("terminated"),
      nb::sig("def spread_steps(model: Mdp, grid: Grid, state: numpy.typing.NDArray[numpy.float64], "
              "action: numpy.typing.NDArray[numpy.int32], reward: numpy.typing.NDArray[numpy.float64], "
              "next_state: numpy.typing.NDArray[numpy.float64], terminated: "
              "numpy.typing.NDArray[numpy.uint8]) -> "
              "tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int32], "
              "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], "
              "numpy.typing.NDArray[numpy.float64], int]"));
}

}  // namespace mindgap::python
