#include "bindings/python_world.h"

#include <fmt/format.h>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"
#include "mindgap/base/readable.h"

namespace mindgap::python {
namespace {

// "ValueError: no such place"
std::string last_line(const nb::python_error& error) {
  return fmt::format("{}: {}", text_of(error.type().attr("__name__")), text_of(error.value()));
}

// As Python prints it, whatever the exception says of itself.
std::string traceback_of(const nb::python_error& error) {
  try {
    nb::object trace = error.traceback();
    if (!trace.is_valid()) trace = nb::none();
    const nb::object lines =
        nb::module_::import_("traceback").attr("format_exception")(error.type(), error.value(), trace);
    return text_of(nb::str("").attr("join")(lines));
  } catch (const nb::python_error&) {
    return last_line(error);
  }
}

}  // namespace

// Runs a piece of the user's code with the interpreter held. What it raises breaks the trial off, unless it
// is meant to end the program.
template <typename Call>
auto PythonWorld::tried(std::int64_t unit, std::int64_t step, Call call) {
  nb::gil_scoped_acquire held;
  trial::BrokenTrial failure{trial_, "", unit, step, seed_of(unit), "", ""};
  try {
    return call();
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) {
      call_.stop();
      throw;
    }
    failure.message = last_line(error);
    failure.traceback = traceback_of(error);
  } catch (const nb::cast_error&) {
    failure.message = "step: expected a pair (reward, next state)";
  } catch (const InvalidArgument& error) {
    failure.message = error.what();
  }
  throw trial::WorldFailed(std::move(failure));
}

PythonWorld::PythonWorld(const mdp::Mdp& simulator, const nb::object& truth, std::uint64_t seed,
                         std::uint64_t trial, std::int64_t units, LongCall& call)
    : mdp_(simulator), truth_(truth), seed_(seed), trial_(trial), call_(call) {
  tried(0, -1, [&] {  // nothing of Python may be left behind where this throws
    nb::object instances = truth_.attr("take")(units);
    std::vector<Unit> made;
    for (const nb::handle instance : instances)
      made.push_back({instance.attr("reset"), instance.attr("step")});
    instances_ = std::move(instances);
    units_ = std::move(made);
  });
}

PythonWorld::~PythonWorld() {
  nb::gil_scoped_acquire held;
  units_.clear();
  if (!instances_.is_valid()) return;
  try {
    truth_.attr("give_back")(instances_);
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("mindgap.worlds");
  }
  instances_.reset();
}

// 32 bits, which every generator takes.
std::uint64_t PythonWorld::seed_of(std::int64_t unit) const {
  return base::Stream({seed_, base::Purpose::world, trial_, static_cast<std::uint64_t>(unit)}).next() >> 32;
}

std::int32_t PythonWorld::state_from(nb::handle answer, const char* method) const {
  std::int64_t state = -1;
  if (PyIndex_Check(answer.ptr())) {
    state = PyNumber_AsSsize_t(answer.ptr(), nullptr);
    if (state == -1 && PyErr_Occurred() != nullptr) {  // an array, say
      if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
      PyErr_Clear();
    }
  } else if (nb::isinstance<nb::str>(answer)) {
    state = mdp_.find_state(text_of(answer));
  }
  if (state >= 0 && state < mdp_.states()) return static_cast<std::int32_t>(state);
  throw InvalidArgument(fmt::format(
      "{}: the state is {}, but must be a number from 0 to {} or the name of a state of the simulator",
      method, base::printable(text_of(answer, &PyObject_Repr)), mdp_.states() - 1));
}

std::int32_t PythonWorld::reset(std::int64_t unit) {
  Unit& place = units_.at(static_cast<std::size_t>(unit));
  place.steps = 0;
  return place.state = tried(unit, -1, [&] { return state_from(place.reset(seed_of(unit)), "reset"); });
}

world::Observation PythonWorld::step(std::int64_t unit, std::int32_t pair) {
  Unit& place = units_.at(static_cast<std::size_t>(unit));
  if (!mdp_.pairs_of(place.state).contains(pair)) {
    throw InvalidArgument(fmt::format("step: pair {} is not one of state '{}', where unit {} is", pair,
                                      mdp_.state_name(place.state), unit));
  }
  return tried(unit, place.steps++, [&] {
    const nb::object answer = place.step(mdp_.pair_action()[pair]);
    if (!PySequence_Check(answer.ptr()) || nb::len(answer) != 2) {
      throw InvalidArgument(fmt::format("step: {} came back, expected a pair (reward, next state)",
                                        base::printable(text_of(answer, &PyObject_Repr))));
    }
    const nb::object number = answer[0];
    const double reward = PyFloat_AsDouble(number.ptr());
    if (reward == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    base::check_finite("step", "reward", reward);
    place.state = state_from(nb::object(answer[1]), "step");
    return world::Observation{reward, place.state};
  });
}

}  // namespace mindgap::python
