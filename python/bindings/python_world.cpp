#include "bindings/python_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"
#include "mindgap/base/readable.h"
#include "mindgap/trial/tabular_case.h"

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

const OwnPlanner* find_own(const std::vector<OwnPlanner>& own, std::string_view name) {
  const auto it = std::find_if(own.begin(), own.end(), [&](const OwnPlanner& p) { return p.name == name; });
  return it == own.end() ? nullptr : &*it;
}

void check_names(const std::vector<trial::PlannerName>& known, const std::vector<OwnPlanner>& own) {
  for (const OwnPlanner& mine : own) {
    for (const trial::PlannerName& other : known) {
      if (other.name == mine.name)
        throw InvalidArgument(
            fmt::format("a planner of ours is called '{}': give yours another name", mine.name));
    }
  }
}

}  // namespace

// Runs a piece of the user's code with the interpreter held. What it raises breaks the trial off, unless it
// is meant to end the program.
template <typename Call>
auto PythonWorld::tried(std::int64_t unit, std::int64_t step, Call call) {
  nb::gil_scoped_acquire held;
  Failure failure{trial_, "", unit, step, seed_of(unit), "", ""};
  try {
    return call();
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
    failure.message = last_line(error);
    failure.traceback = traceback_of(error);
  } catch (const nb::cast_error&) {
    failure.message = "step: a pair (reward, next state) is wanted";
  } catch (const InvalidArgument& error) {
    failure.message = error.what();
  }
  throw WorldFailed(std::move(failure));
}

PythonWorld::PythonWorld(const mdp::Mdp& simulator, const nb::object& truth, std::uint64_t seed,
                         std::uint64_t trial, std::int64_t units)
    : mdp_(simulator), truth_(truth), seed_(seed), trial_(trial) {
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
      throw InvalidArgument(fmt::format("step: {} came back, but a pair (reward, next state) is wanted",
                                        base::printable(text_of(answer, &PyObject_Repr))));
    }
    const nb::object number = answer[0];
    const double reward = PyFloat_AsDouble(number.ptr());
    if (reward == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    base::check_finite("step", "reward", reward);
    place.state = state_from(nb::object(answer[1]), "step");
    ++moves_;
    if (!mdp_.row(pair).find(place.state)) ++impossible_moves_;
    return world::Observation{reward, place.state};
  });
}

PythonCase::PythonCase(PythonCaseOptions options)
    : options_(std::move(options)), belief_(believed(options_.simulator)) {
  base::check_range("compare", "units", static_cast<double>(options_.units), 1, 1e6);
  options_.planner.validate();
  std::vector<trial::PlannerName> known;
  for (const planner::PlannerInfo& info : planner::planners()) known.push_back({info.name, info.description});
  check_names(known, options_.own);
}

std::vector<trial::PlannerName> PythonCase::planners() const {
  std::vector<trial::PlannerName> names;
  if (find_own(options_.own, "oracle")) names.push_back({"oracle", "what is known to be best"});
  for (const planner::PlannerInfo& info : planner::planners()) names.push_back({info.name, info.description});
  for (const OwnPlanner& own : options_.own) {
    if (own.name != "oracle") names.push_back({own.name, "the user's own"});
  }
  return names;
}

std::vector<std::pair<std::string, std::string>> PythonCase::settings() const {
  return {{"simulator", options_.simulator.name}, {"units", fmt::to_string(options_.units)}};
}

std::vector<double> PythonCase::run(std::string_view name, std::uint64_t trial,
                                    std::span<const std::int64_t> horizons) const {
  const std::vector<double> none(horizons.size(), std::numeric_limits<double>::quiet_NaN());
  {
    const std::lock_guard lock(mutex_);
    if (failures_.contains(trial)) return none;
  }
  try {
    const OwnPlanner* own = find_own(options_.own, name);
    const planner::PlannerInfo* info = own ? nullptr : &planner::find_planner(name);
    PythonWorld world(options_.simulator.mdp, options_.truth, options_.seed, trial, options_.units);
    const planner::Setting setting{belief_, options_.units, 0, options_.seed, trial, options_.planner};
    std::vector<double> gathered =
        own ? trial::run_planner(world, own->make, own->uses_horizon, setting, horizons)
            : trial::run_planner(world, info->make, info->uses_horizon, setting, horizons);
    const std::lock_guard lock(mutex_);
    moves_ += world.moves();
    impossible_moves_ += world.impossible_moves();
    return gathered;
  } catch (const WorldFailed& broken) {
    Failure failure = broken.failure();
    failure.planner = name;
    const std::lock_guard lock(mutex_);
    failures_.emplace(trial, std::move(failure));
    return none;
  } catch (...) {
    options_.call->stop();
    throw;
  }
}

std::vector<Failure> PythonCase::failures() const {
  const std::lock_guard lock(mutex_);
  std::vector<Failure> all;
  for (const auto& [trial, failure] : failures_) all.push_back(failure);
  return all;
}

std::vector<std::uint64_t> PythonCase::failed_trials() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> all;
  for (const auto& [trial, failure] : failures_) all.push_back(trial);
  return all;
}

std::vector<std::string> PythonCase::findings() const {
  const std::lock_guard lock(mutex_);
  if (impossible_moves_ == 0) return {};
  return {fmt::format(
      "{} of {} moves in this world ({} %) were to states that the simulator calls impossible from where "
      "the unit was; planners that learn doubt the simulator from the first such move on",
      impossible_moves_, moves_,
      base::number(100 * static_cast<double>(impossible_moves_) / static_cast<double>(moves_), 2))};
}

OpenCase::OpenCase(const trial::Case& on, std::vector<OwnPlanner> own, LongCall& call)
    : on_(on), own_(std::move(own)), call_(call) {
  if (!own_.empty() && dynamic_cast<const trial::TabularCase*>(&on_) == nullptr) {
    throw InvalidArgument(fmt::format(
        "{}: this case has planners of a kind of its own and takes no others; treasure, riverswim, deepsea, "
        "confounded, world folders and worlds written in Python do",
        on_.name()));
  }
  check_names(on_.planners(), own_);
}

std::vector<trial::PlannerName> OpenCase::planners() const {
  std::vector<trial::PlannerName> names = on_.planners();
  for (const OwnPlanner& own : own_) names.push_back({own.name, "the user's own"});
  return names;
}

std::vector<std::string> OpenCase::default_planners() const {
  std::vector<std::string> names = on_.default_planners();
  for (const OwnPlanner& own : own_) names.push_back(own.name);
  return names;
}

std::vector<double> OpenCase::run(std::string_view name, std::uint64_t trial,
                                  std::span<const std::int64_t> horizons) const {
  const OwnPlanner* own = find_own(own_, name);
  if (!own) return on_.run(name, trial, horizons);
  try {
    return dynamic_cast<const trial::TabularCase&>(on_).run_other(own->make, own->uses_horizon, trial,
                                                                  horizons);
  } catch (...) {
    call_.stop();
    throw;
  }
}

}  // namespace mindgap::python
