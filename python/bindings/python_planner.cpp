#include "bindings/python_planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"

namespace mindgap::python {
namespace {

template <typename T>
OutArray<T> copied(std::span<const T> values) {
  return array_of(std::vector<T>(values.begin(), values.end()));
}

// What the user's code raises ends the call and goes out as it is, with a note of where (from Python 3.11
// on).
auto noted(LongCall& call, const std::string& name, std::uint64_t trial, std::int64_t step,
           const auto& deed) {
  try {
    return deed();
  } catch (nb::python_error& error) {
    const std::string when = step < 0 ? "at its beginning" : fmt::format("at step {}", step);
    if (nb::hasattr(error.value(), "add_note"))
      error.value().attr("add_note")(fmt::format("in planner '{}', trial {}, {}", name, trial, when));
    call.stop();
    throw;
  } catch (...) {
    call.stop();
    throw;
  }
}

// Every call comes from a thread of its own choice, without the interpreter.
class PythonPlanner final : public planner::Planner {
 public:
  // With the interpreter held.
  PythonPlanner(std::string name, const planner::Setting& setting, const nb::object& made, LongCall& call)
      : name_(std::move(name)), mdp_(setting.belief.simulator()), trial_(setting.trial), call_(call) {
    if (!nb::hasattr(made, "choose")) {
      throw InvalidArgument(fmt::format("planner '{}': what it makes of a Setting, {}, has no choose()",
                                        name_, base::printable(text_of(made, &PyObject_Repr))));
    }
    choose_ = made.attr("choose");
    if (nb::hasattr(made, "observe")) observe_ = made.attr("observe");
    as_actions_ = nb::module_::import_("mindgap.planners").attr("_as_actions");
  }
  ~PythonPlanner() override {
    nb::gil_scoped_acquire held;
    choose_.reset();
    observe_.reset();
    as_actions_.reset();
  }

  void choose(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    nb::gil_scoped_acquire held;
    noted(call_, name_, trial_, step, [&] {
      const nb::object chosen = as_actions_(choose_(step, copied(state)), state.size(), name_);
      const auto actions = nb::cast<InArray<std::int64_t>>(chosen);
      for (std::size_t u = 0; u < state.size(); ++u) pair[u] = pair_of(step, u, state[u], actions.data()[u]);
    });
  }

  void observe(std::int64_t step, const planner::StepSeen& seen) override {
    if (!observe_.is_valid()) return;
    nb::gil_scoped_acquire held;
    std::vector<std::int32_t> actions;
    for (const std::int32_t pair : seen.pair) actions.push_back(mdp_.pair_action()[pair]);
    noted(call_, name_, trial_, step, [&] {
      observe_(step, copied(seen.state), array_of(std::move(actions)), copied(seen.reward),
               copied(seen.next_state));
    });
  }

 private:
  std::int32_t pair_of(std::int64_t step, std::size_t unit, std::int32_t state, std::int64_t action) const {
    const bool known = action >= 0 && action < mdp_.actions();
    const std::int32_t pair = known ? mdp_.find_pair(state, static_cast<std::int32_t>(action)) : -1;
    if (pair >= 0) return pair;
    throw InvalidArgument(fmt::format(
        "planner '{}' chose action {} in state {} at step {} for unit {} of trial {}, but there is no such "
        "action{}",
        name_,
        known ? "'" + mdp_.action_name(static_cast<std::int32_t>(action)) + "'" : fmt::to_string(action),
        "'" + mdp_.state_name(state) + "'", step, unit, trial_,
        known ? " in that state" : fmt::format("; there are 0 to {}", mdp_.actions() - 1)));
  }

  std::string name_;
  mdp::Mdp mdp_;
  std::uint64_t trial_;
  LongCall& call_;
  nb::object choose_, observe_, as_actions_;
};

}  // namespace

trial::MakePlanner python_planner(std::string name, nb::object make, LongCall& call) {
  // Copies may be made, and the last one dropped, without the interpreter held.
  const std::shared_ptr<nb::object> kept(new nb::object(std::move(make)), [](nb::object* given) {
    nb::gil_scoped_acquire held;
    delete given;
  });
  return [name = std::move(name), kept, &call](const planner::Setting& setting) {
    nb::gil_scoped_acquire held;
    return noted(call, name, setting.trial, -1,
                 [&] { return std::make_unique<PythonPlanner>(name, setting, (*kept)(setting), call); });
  };
}

std::string text_of(nb::handle thing, PyObject* (*how)(PyObject*)) {
  const nb::object text = nb::steal(how(thing.ptr()));
  const nb::object bytes = text.is_valid()
                               ? nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"))
                               : nb::object();
  if (bytes.is_valid())
    return {PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr()))};
  PyErr_Clear();
  return fmt::format("<{} that cannot be printed>", Py_TYPE(thing.ptr())->tp_name);
}

std::vector<std::int32_t> pairs_of(const mdp::Mdp& mdp, std::span<const std::int32_t> states,
                                   std::span<const std::int32_t> actions, const std::string& who) {
  std::vector<std::int32_t> pairs;
  for (std::size_t i = 0; i < std::min(states.size(), actions.size()); ++i) {
    const std::int32_t s = states[i], a = actions[i];
    const bool known = s >= 0 && s < mdp.states() && a >= 0 && a < mdp.actions();
    pairs.push_back(known ? mdp.find_pair(s, a) : -1);
    if (pairs.back() < 0)
      throw InvalidArgument(fmt::format("{}: action {} in state {} is not one of the model's", who, a, s));
  }
  return pairs;
}

}  // namespace mindgap::python
