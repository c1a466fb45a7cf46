#include <fmt/format.h>

#include "bindings/bindings.h"
#include "mindgap/base/error.h"
#include "mindgap/base/readable.h"

namespace mindgap::python {
namespace {

// Ends the library's call, in whichever thread; what Python raised is kept and comes out of LongCall::run().
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "the call was interrupted"; }
};

// What Freed knows; changed with the interpreter held only.
struct Program {
  unsigned long main_thread = 0;
  std::int64_t inside = 0;  // threads aside without the interpreter
  std::int64_t forks = 0;   // from the first process to this one
  bool will_wait = false;
  std::atomic<bool> ends = false;
};
Program program;

// Run by atexit.
void wait_for_threads() {
  program.ends = true;
  nb::set_leak_warnings(false);  // what a thread holds that Python ends is never let go of
  while (program.inside > 0) {
    {
      nb::gil_scoped_release free;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();  // somebody who does not wait that long
  }
}

// In the new process there is one thread.
void after_fork() {
  program.main_thread = PyThread_get_thread_ident();
  program.inside = 0;
  ++program.forks;
}

// The exception classes live in mindgap/errors.py, where they can inherit from Python's own.
void raise(const char* type, const std::exception& error, const ModelLocation* where = nullptr) {
  try {
    nb::object raised = nb::module_::import_("mindgap.errors").attr(type)(nb::str(error.what()));
    if (where != nullptr) {
      raised.attr("file") = where->file;
      raised.attr("line") = where->line;
      raised.attr("state") = where->state;
      raised.attr("action") = where->action;
      raised.attr("value") = where->value;
    }
    PyErr_SetObject(reinterpret_cast<PyObject*>(raised.type().ptr()), raised.ptr());
  } catch (nb::python_error& other) {
    other.restore();
  }
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InvalidModel& error) {
    raise("InvalidModel", error, &error.where());
  } catch (const InvalidArgument& error) {
    raise("InvalidArgument", error);
  } catch (const NumericalError& error) {
    raise("NumericalError", error);
  } catch (const StoreError& error) {
    raise("StoreError", error);
  } catch (const Error& error) {
    raise("Error", error);
  } catch (const Stopped&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const Ending&) {
    PyErr_SetNone(PyExc_SystemExit);
  }
}

}  // namespace

namespace {

// One after the other: what is let go of may keep a model that keeps another, and a long chain of them would
// be as many levels of the stack.
void let_go(PyObject* object) {
  thread_local std::vector<PyObject*>* waiting = nullptr;
  if (waiting != nullptr) {
    waiting->push_back(object);
    return;
  }
  std::vector<PyObject*> all{object};
  waiting = &all;
  while (!all.empty()) {
    PyObject* next = all.back();
    all.pop_back();
    Py_DECREF(next);
  }
  waiting = nullptr;
}

}  // namespace

std::shared_ptr<const void> keeper_of(nb::object kept) {
  // Not a gil_scoped_acquire where it is held already: as the interpreter ends that would give up, and what
  // is kept would count as leaked.
  return {kept.release().ptr(), [](PyObject* object) {
            if (PyGILState_Check() != 0) {
              let_go(object);
            } else if (nb::is_alive()) {
              nb::gil_scoped_acquire held;
              let_go(object);
            }
          }};
}

bool is_aside() {
  return PyThread_get_thread_ident() != program.main_thread;
}

bool program_ends() {
  return program.ends;
}

Freed::Counted::Counted() {
  if (!is_aside()) return;
  if (!program.will_wait) {
    program.will_wait = true;
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&wait_for_threads));
    nb::module_::import_("os").attr("register_at_fork")(nb::arg("after_in_child") =
                                                            nb::cpp_function(&after_fork));
  }
  if (program_ends()) throw Ending();
  forks_ = program.forks;
  ++program.inside;
}

Freed::Counted::~Counted() {
  if (forks_ == program.forks) --program.inside;
}

void LongCall::report(const std::string& what, std::int64_t done, std::int64_t total) {
  if (aside_ && program_ends()) throw Ending();
  if (stopped_) throw Stopped();
  if (std::this_thread::get_id() != home_) return;
  const Clock::time_point now = Clock::now();
  const bool last = told_ && done == total;
  const bool tell = done >= 0 && !progress_.is_none() && (now >= next_told_ || last);
  if (now < next_look_ && !tell) return;
  next_look_ = now + own_pause_;
  nb::gil_scoped_acquire held;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!tell) return;
    next_told_ = now + own_pause_;
    told_ = true;
    progress_(what, done, total);
  } catch (...) {
    stop();
    throw Stopped();
  }
}

base::Listener LongCall::listener() {
  constexpr double kLong = 10;  // seconds, that are worth a word beforehand
  base::Listener listener;
  listener.progress = [this](const auto&... told) { report(told...); };
  listener.stop = [this] {
    check();
    return false;
  };
  listener.estimate = [this](double seconds) {
    if (seconds >= kLong) report(fmt::format("this will take about {} s", base::fixed(seconds, 0)), 0, 1);
  };
  listener.look = [this, outer = base::current_listener()] {
    check();
    if (outer != nullptr && outer->look) outer->look();
  };
  return listener;
}

void LongCall::check() {
  report({}, -1, -1);
}

Turns::Turn::Turn(Turns& all) : all_(all) {
  if (all_.whose_ == std::this_thread::get_id())
    throw InvalidArgument(
        "a planner or belief was called, by a signal handler, in the midst of a call of it");
  while (!all_.mutex_.try_lock_for(std::chrono::milliseconds(50))) base::interruption_point();
  all_.whose_ = std::this_thread::get_id();
}

Turns::Turn::~Turn() {
  all_.whose_ = std::thread::id();
  all_.mutex_.unlock();
}

void bind_base(nb::module_& module) {
  const nb::object main = nb::module_::import_("threading").attr("main_thread")();
  program.main_thread = nb::cast<unsigned long>(main.attr("ident"));
  nb::register_exception_translator(translate);
  module.def("program_ends", &program_ends);
  module.def("pause_between_reports", &LongCall::set_pause);
}

}  // namespace mindgap::python
