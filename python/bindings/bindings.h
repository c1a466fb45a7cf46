#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/base/run.h"
#include "mindgap/mdp/model.h"

// What the bindings of the rooms share. Bindings translate; every deed is a call of the library.
namespace mindgap::python {

namespace nb = nanobind;

template <typename T>
using InArray = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using OutArray = nb::ndarray<nb::numpy, const T>;

/// Throws InvalidArgument where `name` is no kind of rewards.
inline mdp::RewardKind reward_kind(const std::string& name) {
  if (const std::optional<mdp::RewardKind> kind = mdp::reward_kind_from(name)) return *kind;
  throw InvalidArgument(mdp::reward_kind_wanted() + ", but is '" + base::printable(name) + "'");
}

/// A read-only NumPy array on memory that `owner` keeps alive.
template <typename T>
OutArray<T> view_of(std::span<const T> values, nb::handle owner) {
  return OutArray<T>(values.data(), {values.size()}, owner);
}

/// A read-only NumPy array that owns what was computed; rows x columns where `columns` is given.
template <typename T>
OutArray<T> array_of(std::vector<T> values, std::size_t columns = 0) {
  auto held = std::make_unique<std::vector<T>>(std::move(values));
  const T* data = held->data();
  const std::size_t size = held->size();
  nb::capsule owner(held.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  if (columns == 0) return OutArray<T>(data, {size}, owner);
  return OutArray<T>(data, {size / columns, columns}, owner);
}

/// A property that is such an array (nanobind's default for properties would give it a second owner).
template <typename Type, typename Get>
void def_array(nb::class_<Type>& type, const char* name, Get get, const char* doc) {
  type.def_prop_ro(name, get, nb::rv_policy::reference, doc);
}

template <typename T>
std::vector<T> vector_of(const InArray<T>& values) {
  return std::vector<T>(values.data(), values.data() + values.size());
}
template <typename T>
std::vector<T> vector_of(const std::optional<InArray<T>>& values) {
  return values ? vector_of(*values) : std::vector<T>();
}

/// Keeps a Python object; whoever lets go last, in whatever thread, takes the interpreter for it.
std::shared_ptr<const void> keeper_of(nb::object kept);

/// Whether this is another thread than Python's main one.
bool is_aside();
/// Whether the program ends: then threads aside leave the library, by throwing Ending.
bool program_ends();
/// Becomes SystemExit, of which threads of Python make nothing.
class Ending : public std::exception {
 public:
  const char* what() const noexcept override { return "the program ends"; }
};

/// Frees the interpreter while it lives; made with the interpreter held. As a program ends, Python ends a
/// thread aside where that next wants the interpreter, which would abort in the midst of our frames: it waits
/// for those first. Throws Ending where it does so already.
class Freed {
 public:
  Freed() = default;

 private:
  class Counted {
   public:
    Counted();
    ~Counted();
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

   private:
    std::int64_t forks_ = -1;  // of the process before; -1: it does not count
  };

  Counted counted_;  // until the interpreter is held again
  nb::gil_scoped_release free_;
};

/// A long call as Python sees it: the interpreter is free meanwhile, Ctrl-C stops it, `progress` (a callable
/// (what, done, total), or None) is told how far it is. Inside another one it also ends with that one. Make
/// one with the interpreter held, hand its callbacks to the library, and compute inside run().
class LongCall {
 public:
  explicit LongCall(nb::object progress) : progress_(std::move(progress)) {}

  template <typename Compute>
  auto run(Compute compute) {
    const Freed free;
    const base::Listening listening(listener());
    try {
      if constexpr (std::is_void_v<std::invoke_result_t<Compute&>>) {
        compute();
        if (raised_) std::rethrow_exception(raised_);
      } else {
        auto result = compute();
        if (raised_) std::rethrow_exception(raised_);
        return result;
      }
    } catch (...) {
      if (raised_) std::rethrow_exception(raised_);
      throw;
    }
  }

  /// From any thread, as often as one likes. Throws where the call is to end; what Python raised (a
  /// KeyboardInterrupt, or an exception of `progress`) comes out of run(). Calls that end within the first 50
  /// milliseconds tell nothing.
  void report(const std::string& what, std::int64_t done, std::int64_t total);
  /// The same where there is nothing to tell.
  void check();
  /// Other milliseconds than 50, for tests.
  static void set_pause(std::int64_t milliseconds) { pause_ = std::chrono::milliseconds(milliseconds); }
  /// What the library is told: report() as progress, check() where it asks whether to stop and, with the
  /// look of a call around this one, at interruption points.
  base::Listener listener();
  /// Ends the call, in whatever thread, with the exception that is being handled; the first one counts.
  void stop() {
    if (!ending_.exchange(true)) raised_ = std::current_exception();
    stopped_ = true;
  }

 private:
  using Clock = std::chrono::steady_clock;

  nb::object progress_;
  const std::thread::id home_ = std::this_thread::get_id();
  const bool aside_ = is_aside();
  // Between two looks, and between two tales. Changed with the interpreter held only.
  static inline std::chrono::milliseconds pause_{50};
  const std::chrono::milliseconds own_pause_ = pause_;
  Clock::time_point next_look_ = Clock::now() + own_pause_, next_told_ = next_look_;
  bool told_ = false;
  std::exception_ptr raised_;  // what ends the call; read when all threads are back
  std::atomic<bool> ending_{false}, stopped_{false};
};

/// What threads do one at a time to an object of theirs. Waited for without the interpreter held, which
/// whoever has the turn may want meanwhile; the wait is an interruption point.
class Turns {
 public:
  template <typename Deed>
  auto take(Deed deed) {
    const Turn turn(*this);
    return deed();
  }

 private:
  class Turn {
   public:
    explicit Turn(Turns& all);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Turns& all_;
  };

  std::timed_mutex mutex_;
  std::atomic<std::thread::id> whose_{};
};

void bind_base(nb::module_& module);
void bind_mdp(nb::module_& module);
/// The methods of Mdp that are written in Python.
void bind_models(nb::class_<mdp::Model>& type);
/// Mdp.lump(), and what it gives.
void bind_lump(nb::module_& module, nb::class_<mdp::Model>& type);
void bind_planner(nb::module_& module);
void bind_program(nb::module_& module);
void bind_trial(nb::module_& module);
void bind_reproduce(nb::module_& module);

}  // namespace mindgap::python
