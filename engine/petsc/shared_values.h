#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mindgap_mpi {

/// One number per state of the whole model, in memory that the processes of one machine share: each writes
/// those of its own states and reads all others where they are. Where nearly every state of the others is
/// needed, sending their values takes a quarter of the time of solving (two processes, a random model of 10^6
/// states).
class SharedValues {
 public:
  SharedValues() = default;
  ~SharedValues();
  SharedValues(const SharedValues&) = delete;
  SharedValues& operator=(const SharedValues&) = delete;

  /// Collective. Says, alike on all ranks, whether there is such memory: all of them run on one machine, and
  /// it has room.
  bool open(std::int32_t states, std::int32_t first_state, std::int32_t own_states);
  bool is_open() const { return values_ != nullptr; }

  /// Collective: the numbers of all states, once every rank has put in its own. They stay until the call
  /// after the next.
  const double* put(const double* own);

 private:
  std::size_t bytes() const { return 2 * sizeof(double) * states_; }

  std::size_t states_ = 0, first_ = 0, own_ = 0;
  double* values_ = nullptr;  // twice: one is written while slower processes still read the other
  std::size_t turn_ = 0;
};

}  // namespace mindgap_mpi
