#include <fmt/format.h>

#include "bindings/commands.h"
#include "mindgap/files/policy_file.h"
#include "mindgap/view/print.h"
#include "mindgap/view/solve.h"

namespace mindgap::python {
namespace {

// A solution with its model, which its words and its policy are about.
struct Solved {
  mdp::Model model;
  mdp::Solution solution;
};
struct SolvedFinite {
  mdp::Model model;
  mdp::FiniteHorizonSolution solution;
};

Solved solve(const mdp::Model& model, const std::string& method, double tolerance,
             std::int64_t max_iterations, double time_limit, int threads,
             const std::optional<InArray<double>>& initial_value, nb::object progress) {
  mdp::SolveOptions options;
  options.method = mdp::method_from_string(method);
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.time_limit = time_limit;
  options.threads = threads;
  options.initial_value = vector_of(initial_value);
  LongCall call(std::move(progress));
  view::SolveProgress share;
  options.on_iteration = [&](double width, double wanted) {
    call.report("solving", share(width, wanted), view::SolveProgress::kWhole);
  };
  return call.run([&] { return Solved{model, mdp::solve(model.mdp, options)}; });
}

SolvedFinite solve_finite_horizon(const mdp::Model& model, std::int64_t steps, int threads) {
  LongCall call{nb::none()};
  return call.run([&] {
    return SolvedFinite{model, mdp::solve_finite_horizon(model.mdp, steps, {.threads = threads})};
  });
}

// The action number of each pair that a policy takes.
std::vector<std::int32_t> actions_of(const mdp::Mdp& mdp, std::span<const std::int32_t> pairs) {
  std::vector<std::int32_t> actions;
  actions.reserve(pairs.size());
  for (const std::int32_t pair : pairs) actions.push_back(mdp.pair_action()[pair]);
  return actions;
}

// state, action, value; with a horizon at its first step.
Table states_table(const mdp::Mdp& mdp, std::span<const std::int32_t> pair, std::span<const double> value) {
  Table table(mdp.states());
  add_pairs(table, mdp, [&](std::int64_t row) { return pair[static_cast<std::size_t>(row)]; });
  table.add("value", [&](std::int64_t row) { return value[static_cast<std::size_t>(row)]; });
  return table;
}

report::Page page_of(const view::SolveView& view) {
  const auto number = [](double value) { return fmt::format("{:.6g}", value); };
  report::Answer answer{
      "",
      fmt::format("Value from the start: {}", number(view.value_at_start)),
      view::headline(view.model),
      {{"certainly between", fmt::format("{:.10g} and {:.10g}", view.bounds[0], view.bounds[1])},
       {"What it does", view.actions},
       {"States that it practically never sees",
        fmt::format("{} of {}", view.reach.unreached.size(),
                    view::count(view.model.mdp.states(), "state"))}}};
  return {"A solution", "", {{"", {answer}}}, ""};
}
report::Page discounted_page(const Solved& solved) {
  return page_of(view::view_of(solved.model, solved.solution));
}
report::Page finite_page(const SolvedFinite& solved) {
  return page_of(view::view_of(solved.model, solved.solution));
}

template <typename Result>
void bind_words(nb::class_<Result>& type) {
  type.def("__str__", [](const Result& r) { return view::text_of(view::view_of(r.model, r.solution)); });
  type.def("_json",
           [](const Result& r) { return view::dumped(view::json_of(view::view_of(r.model, r.solution))); });
  type.def_prop_ro("model", [](const Result& r) { return r.model; });
  type.def_prop_ro("value_at_start", [](const Result& r) { return r.solution.value_at_start; });
  type.def_prop_ro(
      "bounds", [](const Result& r) { return nb::make_tuple(r.solution.bounds[0], r.solution.bounds[1]); },
      nb::sig("def bounds(self) -> tuple[float, float]"));
  type.def_prop_ro("seconds", [](const Result& r) { return r.solution.seconds; });
  def_array(
      type, "value",
      [](nb::handle self) {
        return view_of(std::span<const double>(nb::cast<const Result&>(self).solution.value), self);
      },
      "The optimal value of each state.");
}

}  // namespace

void bind_solve(nb::module_& module) {
  nb::class_<Solved> discounted(module, "Solution");
  bind_words(discounted);
  discounted.def_prop_ro("status", [](const Solved& r) { return std::string(to_string(r.solution.status)); });
  discounted.def_prop_ro("method", [](const Solved& r) { return std::string(to_string(r.solution.method)); });
  discounted.def_prop_ro("half_width", [](const Solved& r) { return r.solution.half_width; });
  discounted.def_prop_ro("policy_loss_bound", [](const Solved& r) { return r.solution.policy_loss_bound; });
  discounted.def_prop_ro("iterations", [](const Solved& r) { return r.solution.iterations; });
  discounted.def_prop_ro("policy_sweeps", [](const Solved& r) { return r.solution.policy_sweeps; });
  def_array(
      discounted, "policy",
      [](const Solved& r) { return array_of(actions_of(r.model.mdp, r.solution.policy.pair_of_state())); },
      "The action of each state.");
  discounted.def("_states", [](const Solved& r) {
    return states_table(r.model.mdp, r.solution.policy.pair_of_state(), r.solution.value);
  });
  discounted.def(
      "_write_policy",
      [](const Solved& r, const std::string& path) {
        files::write_policy(path, r.model.mdp, r.solution.policy);
      },
      nb::arg("path"));
  bind_page<Solved>(discounted, &discounted_page);

  nb::class_<SolvedFinite> finite(module, "FiniteHorizonSolution");
  bind_words(finite);
  finite.def_prop_ro("steps", [](const SolvedFinite& r) { return r.solution.steps; });
  finite.def_prop_ro("half_width", [](const SolvedFinite& r) { return r.solution.error_bound; });
  def_array(
      finite, "policy",
      [](const SolvedFinite& r) {
        return array_of(actions_of(r.model.mdp, r.solution.pair),
                        static_cast<std::size_t>(r.model.mdp.states()));
      },
      "The action of each step and state.");
  finite.def("_states", [](const SolvedFinite& r) {
    return states_table(r.model.mdp, r.solution.pair, r.solution.value);
  });
  finite.def(
      "_write_policy",
      [](const SolvedFinite& r, const std::string& path) {
        files::write_time_policy(path, r.model.mdp, static_cast<std::int32_t>(r.solution.steps),
                                 r.solution.pair);
      },
      nb::arg("path"));
  bind_page<SolvedFinite>(finite, &finite_page);

  module.def("solve", &solve, nb::arg("model"), nb::arg("method"), nb::arg("tolerance"),
             nb::arg("max_iterations"), nb::arg("time_limit"), nb::arg("threads"),
             nb::arg("initial_value").none(), nb::arg("progress").none());
  module.def("solve_finite_horizon", &solve_finite_horizon, nb::arg("model"), nb::arg("steps"),
             nb::arg("threads"));
}

}  // namespace mindgap::python
