#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "study_store/stepping_vfs.h"

namespace mindgap::study {

/// Runs deeds on threads of their own, one thread at a time, which changes only at calls of the system layer:
/// the same choices give the same run.
class Interleaving {
 public:
  using Deed = std::function<void()>;
  using Choices = std::vector<std::uint8_t>;  // whose turn it is, call after call

  struct Step {
    std::uint8_t chosen;
    std::vector<std::uint8_t> able;  // those that do not wait for somebody
    bool free;                       // who had the turn is not able to go on, so any choice is one
    std::uint8_t before;             // who had it
  };

  /// What was done, step by step. After `choices` whoever has the turn keeps it for as long as it can.
  static std::vector<Step> run(const std::vector<Deed>& deeds, const Choices& choices, VfsWatch watch = {});

  /// Every run in which threads that could go on are interrupted `interruptions` times at most: calls
  /// `each(choices)` for it, which makes that run, looks at it, and says what the steps were. Returns how
  /// many there were; stops at `most`.
  static std::int64_t explore(int interruptions, std::int64_t most,
                              const std::function<std::vector<Step>(const Choices&)>& each);

 private:
  explicit Interleaving(std::size_t threads, const Choices& choices) : choices_(choices), workers_(threads) {}

  // Who waits gives way until all others that could go on then have done a step, as it would by sleeping:
  // else two who wait could keep the turn between them for ever.
  struct Worker {
    bool done = false, waits = false;
    std::vector<std::size_t> for_whom;
  };

  void give_turn(int from);  // with the lock held
  void take_turn(std::unique_lock<std::mutex>& lock, int me);
  void step();
  void wait();
  bool is_able(const Worker& worker) const;

  const Choices& choices_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Worker> workers_;
  std::vector<Step> steps_;
  int turn_ = -1;
};

}  // namespace mindgap::study
