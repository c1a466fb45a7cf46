#pragma once

#include <functional>

// How a caller ends a computation that has no answer yet. Nobody has to know who waits: a long loop has an
// interruption_point() in it, and whoever may want to end it makes an Interruption around the call.
namespace mindgap::base {

/// While it lives, interruption points of its thread, and of the parallel loops that thread runs, call `look`
/// (from any of these threads, as often as they come). What it throws ends the computation.
class Interruption {
 public:
  explicit Interruption(std::function<void()> look);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

 private:
  std::function<void()> look_;
  const std::function<void()>* before_;
};

/// A place where a computation may be ended by an exception; next to nothing where nobody may want to.
void interruption_point();

/// The look that holds in this thread, or null; for handing it to the threads of a loop.
const std::function<void()>* current_look();
/// Makes it that of a loop's thread, for as long as it lives.
class BorrowedLook {
 public:
  explicit BorrowedLook(const std::function<void()>* look);
  ~BorrowedLook();
  BorrowedLook(const BorrowedLook&) = delete;
  BorrowedLook& operator=(const BorrowedLook&) = delete;

 private:
  const std::function<void()>* before_;
};

}  // namespace mindgap::base
