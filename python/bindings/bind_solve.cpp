#include "bindings/commands.h"
#include "mindgap/command/files.h"
#include "mindgap/command/solve.h"
#include "mindgap/command/solve_distributed.h"

namespace mindgap::python {
namespace {

// An answer that is known to be of one kind, so that either has the properties that it can have.
template <typename Solution>
struct Answer {
  command::SolveAnswer answer;
  const mdp::Model& model() const { return answer.model; }
  report::Page page() const { return answer.page(); }
  const Solution& solution() const { return std::get<Solution>(answer.solution); }
};
using Solved = Answer<mdp::Solution>;
using SolvedFinite = Answer<mdp::FiniteHorizonSolution>;

Solved solve(const mdp::Model& model, const std::string& method, double tolerance,
             std::int64_t max_iterations, double time_limit, int threads,
             const std::optional<InArray<double>>& initial_value, bool lump, nb::object progress) {
  command::SolveRequest request{model};
  request.lump = lump;
  request.method = method;
  request.tolerance = tolerance;
  request.max_iterations = max_iterations;
  request.time_limit = time_limit;
  request.initial_value = vector_of(initial_value);
  LongCall call(std::move(progress));
  request.run = {.threads = threads, .listener = call.listener()};
  return call.run([&] { return Solved{command::solve(request)}; });
}

SolvedFinite solve_finite_horizon(const mdp::Model& model, std::int64_t steps, int threads) {
  LongCall call{nb::none()};
  command::SolveRequest request{.model = model, .horizon = steps, .run = {.threads = threads}};
  return call.run([&] { return SolvedFinite{command::solve(request)}; });
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

// Of a solve on several processes, what this one has.
using SolvedPart = command::DistributedSolveAnswer;

SolvedPart solve_on_ranks(const std::string& model, std::optional<double> discount, double tolerance,
                          std::int64_t max_iterations, double time_limit, nb::object progress) {
  command::DistributedSolveRequest request{.model = model, .discount = discount};
  request.tolerance = tolerance;
  request.max_iterations = max_iterations;
  request.time_limit = time_limit;
  LongCall call(std::move(progress));
  request.run = {.listener = call.listener()};
  return call.run([&] { return command::solve_distributed(request); });
}

void bind_ranks(nb::module_& module) {
  nb::class_<SolvedPart> part(module, "RanksSolution");
  part.def("__str__", [](const SolvedPart& r) { return r.text(); });
  part.def("_json", [](const SolvedPart& r) { return view::dumped(r.json()); });
  part.def_ro("rank", &SolvedPart::rank);
  part.def_ro("failed_elsewhere", &SolvedPart::failed_elsewhere);
  part.def_ro("first_state", &SolvedPart::first_state);
  part.def_prop_ro("ranks", [](const SolvedPart& r) { return r.view.ranks; });
  part.def_prop_ro("states", [](const SolvedPart& r) { return r.view.states; });
  part.def_prop_ro("status", [](const SolvedPart& r) { return r.view.status; });
  part.def_prop_ro("value_at_start", [](const SolvedPart& r) { return r.view.value_at_start; });
  part.def_prop_ro(
      "bounds", [](const SolvedPart& r) { return nb::make_tuple(r.view.bounds[0], r.view.bounds[1]); },
      nb::sig("def bounds(self) -> tuple[float, float]"));
  part.def_prop_ro("half_width", [](const SolvedPart& r) { return r.view.half_width; });
  part.def_prop_ro("policy_loss_bound", [](const SolvedPart& r) { return r.view.policy_loss_bound; });
  part.def_prop_ro("iterations", [](const SolvedPart& r) { return r.view.iterations; });
  part.def_prop_ro("seconds", [](const SolvedPart& r) { return r.view.seconds; });
  def_array(
      part, "value",
      [](nb::handle self) {
        return view_of(std::span<const double>(nb::cast<const SolvedPart&>(self).solution.value), self);
      },
      "The optimal value of each state of this process.");
  def_array(
      part, "policy",
      [](nb::handle self) {
        return view_of(std::span<const std::int32_t>(nb::cast<const SolvedPart&>(self).solution.action),
                       self);
      },
      "The action of each state of this process.");
  part.def("_states", [](const SolvedPart& r) {
    Table table(static_cast<std::int64_t>(r.solution.value.size()));
    table.add("state", [&](std::int64_t row) { return r.first_state + row; });
    table.add("action", [&](std::int64_t row) {
      return static_cast<std::int64_t>(r.solution.action[static_cast<std::size_t>(row)]);
    });
    table.add("value", [&](std::int64_t row) { return r.solution.value[static_cast<std::size_t>(row)]; });
    return table;
  });
  part.def(
      "_write_policy",
      [](const SolvedPart& r, const std::string& path) {
        LongCall call{nb::none()};
        return call.run([&] { return r.write_policy(path); });
      },
      nb::arg("path"));
  module.def("solve_on_ranks", &solve_on_ranks, nb::arg("model"), nb::arg("discount").none(),
             nb::arg("tolerance"), nb::arg("max_iterations"), nb::arg("time_limit"),
             nb::arg("progress").none());
  module.def("give_up_ranks", &command::give_up_distributed);
}

template <typename Result>
void bind_words(nb::class_<Result>& type) {
  type.def("__str__", [](const Result& r) { return r.answer.text(); });
  type.def("_json", [](const Result& r) { return view::dumped(r.answer.json()); });
  type.def_prop_ro("model", [](const Result& r) { return r.model(); });
  type.def_prop_ro("value_at_start", [](const Result& r) { return r.solution().value_at_start; });
  type.def_prop_ro(
      "bounds",
      [](const Result& r) { return nb::make_tuple(r.solution().bounds[0], r.solution().bounds[1]); },
      nb::sig("def bounds(self) -> tuple[float, float]"));
  type.def(
      "_write_policy", [](const Result& r, const std::string& path) { r.answer.write_policy(path); },
      nb::arg("path"));
  type.def_prop_ro("seconds", [](const Result& r) { return r.solution().seconds; });
  def_array(
      type, "value",
      [](nb::handle self) {
        return view_of(std::span<const double>(nb::cast<const Result&>(self).solution().value), self);
      },
      "The optimal value of each state.");
  bind_page(type);
}

}  // namespace

void bind_solve(nb::module_& module) {
  nb::class_<Solved> discounted(module, "Solution");
  bind_words(discounted);
  discounted.def_prop_ro("status",
                         [](const Solved& r) { return std::string(to_string(r.solution().status)); });
  discounted.def_prop_ro("method",
                         [](const Solved& r) { return std::string(to_string(r.solution().method)); });
  discounted.def_prop_ro("half_width", [](const Solved& r) { return r.solution().half_width; });
  discounted.def_prop_ro("policy_loss_bound", [](const Solved& r) { return r.solution().policy_loss_bound; });
  discounted.def_prop_ro("iterations", [](const Solved& r) { return r.solution().iterations; });
  discounted.def_prop_ro("policy_sweeps", [](const Solved& r) { return r.solution().policy_sweeps; });
  def_array(
      discounted, "policy",
      [](const Solved& r) {
        return array_of(actions_of(r.model().mdp, r.solution().policy.pair_of_state()));
      },
      "The action of each state.");
  discounted.def("_states", [](const Solved& r) {
    return states_table(r.model().mdp, r.solution().policy.pair_of_state(), r.solution().value);
  });

  discounted.def_prop_ro("classes", [](const Solved& r) -> std::optional<std::int32_t> {
    if (!r.answer.lumped) return std::nullopt;
    return r.answer.lumped->classes;
  });
  def_array(
      discounted, "class_of_state",
      [](nb::handle self) {
        return view_of(std::span<const std::int32_t>(nb::cast<const Solved&>(self).answer.class_of_state),
                       self);
      },
      "The class of each state; empty where states were not lumped.");
  discounted.def(
      "_write_classes", [](const Solved& r, const std::string& path) { r.answer.write_classes(path); },
      nb::arg("path"));

  nb::class_<SolvedFinite> finite(module, "FiniteHorizonSolution");
  bind_words(finite);
  finite.def_prop_ro("steps", [](const SolvedFinite& r) { return r.solution().steps; });
  finite.def_prop_ro("half_width", [](const SolvedFinite& r) { return r.solution().error_bound; });
  def_array(
      finite, "policy",
      [](const SolvedFinite& r) {
        return array_of(actions_of(r.model().mdp, r.solution().pair),
                        static_cast<std::size_t>(r.model().mdp.states()));
      },
      "The action of each step and state.");
  finite.def("_states", [](const SolvedFinite& r) {
    return states_table(r.model().mdp, r.solution().pair, r.solution().value);
  });

  module.def("solve", &solve, nb::arg("model"), nb::arg("method"), nb::arg("tolerance"),
             nb::arg("max_iterations"), nb::arg("time_limit"), nb::arg("threads"),
             nb::arg("initial_value").none(), nb::arg("lump"), nb::arg("progress").none());
  module.def(
      "map_model",
      [](const std::string& path) {
        const Freed free;
        return command::map_model_hdf5(path);
      },
      nb::arg("path"));
  bind_ranks(module);
  module.def("solve_finite_horizon", &solve_finite_horizon, nb::arg("model"), nb::arg("steps"),
             nb::arg("threads"));
}

}  // namespace mindgap::python
