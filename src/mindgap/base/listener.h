#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Who waits for a long computation: is told how far it is, and may end it. The one way of both. A computation
// whose options have a Run tells its listener; what lies deeper has a report_progress() or an
// interruption_point() in it, and need not know who listens: that is whoever made a Listening around the
// call.
namespace mindgap::base {

using OnProgress = std::function<void(const std::string& what, std::int64_t done, std::int64_t total)>;

struct Listener {
  OnProgress progress = {};         // told how far it is, from any thread
  std::function<bool()> stop = {};  // asked now and then whether to come to an end with what there is
  std::function<void(double seconds)> estimate = {};          // told once about how long it will take
  std::function<void(const std::string& text)> warning = {};  // of the input, told before the long part
  /// Called at interruption points, from any thread, as often as they come. What it throws ends the
  /// computation, which then has no result.
  std::function<void()> look = {};

  void tell(const std::string& what, std::int64_t done, std::int64_t total) const {
    if (progress) progress(what, done, total);
  }
  bool wants_to_stop() const { return stop && stop(); }
  void warn(const std::vector<std::string>& texts) const {
    for (const std::string& text : texts)
      if (warning) warning(text);
  }
};

/// While it lives, its thread and the parallel loops that this thread runs have this listener. What the
/// listener leaves empty is that of the Listening around it.
class Listening {
 public:
  explicit Listening(Listener listener);
  ~Listening();
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  Listener listener_;
  const Listener* before_;
};

/// The listener of this thread, or null.
const Listener* current_listener();

/// `done` of `total` (0: not known) of what is being done, told to the listener of this thread. An
/// interruption point, too.
void report_progress(const std::string& what, std::int64_t done, std::int64_t total);

/// A place where the listener of this thread may end the computation by an exception; next to nothing where
/// nobody may want to.
void interruption_point();

/// Makes another thread's listener that of this one, for as long as it lives: for the threads of a loop.
class BorrowedListener {
 public:
  explicit BorrowedListener(const Listener* listener);
  ~BorrowedListener();
  BorrowedListener(const BorrowedListener&) = delete;
  BorrowedListener& operator=(const BorrowedListener&) = delete;

 private:
  const Listener* before_;
};

}  // namespace mindgap::base
