// Processes: entering and leaving MPI, agreeing on failures, sums over all of them.
#include <chrono>
#include <thread>

#include "engine.h"

namespace mindgap_mpi {

std::string reason;

namespace {

MindgapRanks engine;
// Failures are agreed on in a communicator of their own, so that a process that failed does not meet the
// others in the midst of another conversation.
MPI_Comm failures = MPI_COMM_NULL;
bool entered_by_us = false;
bool broken = false;

int reduce(double* values, int32_t count, MPI_Op operation) {
  if (MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, operation, PETSC_COMM_WORLD) == MPI_SUCCESS)
    return 0;
  reason = "MPI: a reduction failed";
  return 1;
}
int sum(double* values, int32_t count) {
  return reduce(values, count, MPI_SUM);
}
int maximum(double* values, int32_t count) {
  return reduce(values, count, MPI_MAX);
}

int gather(const int32_t* own, int32_t count, int32_t* all) {
  return guarded([&] {
    std::vector<int> counts(static_cast<std::size_t>(engine.ranks)), places(counts.size(), 0);
    bool good = MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, PETSC_COMM_WORLD) == MPI_SUCCESS;
    for (std::size_t r = 1; r < places.size(); ++r) places[r] = places[r - 1] + counts[r - 1];
    good = good && MPI_Gatherv(own, count, MPI_INT32_T, all, counts.data(), places.data(), MPI_INT32_T, 0,
                               PETSC_COMM_WORLD) == MPI_SUCCESS;
    if (!good) reason = "MPI: numbers could not be gathered";
    return good ? 0 : 1;
  });
}

// A process that failed may be the only one, and the others may wait for it elsewhere: it does not wait for
// them for long.
int32_t agree(int32_t failed) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kPatience{3};
  static int mine = 0, first = 0;  // which MPI may still use after an agreement that did not come about
  mine = failed ? engine.rank : engine.ranks;
  MPI_Request request = MPI_REQUEST_NULL;
  int done = 0;
  if (broken || MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, failures, &request) != MPI_SUCCESS) {
    broken = true;
    return engine.rank;
  }
  const Clock::time_point begun = Clock::now();
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
    const Clock::duration waited = Clock::now() - begun;
    if (failed && waited > kPatience) break;
    // First in a hurry, then without taking the processor from those that still work.
    if (waited > std::chrono::milliseconds(1)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  broken = !done;
  return done ? first : engine.rank;
}

void give_up() {
  broken = true;
}

const char* message() {
  return reason.c_str();
}

// Leaving is a matter of all processes. One that failed alone takes the others with it.
void close() {
  int left = 0;
  if (MPI_Finalized(&left) != MPI_SUCCESS || left) return;
  if (broken && engine.ranks > 1) MPI_Abort(MPI_COMM_WORLD, 2);
  PetscFinalize();
  if (entered_by_us) MPI_Finalize();
}

// Whoever entered MPI first, as mpi4py does, leaves it.
bool enter(const char** why) {
  int entered = 0;
  MPI_Initialized(&entered);
  if (entered) return true;
  int given = 0;
  entered_by_us = true;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given) == MPI_SUCCESS) return true;
  *why = "MPI_Init failed";
  return false;
}

}  // namespace
}  // namespace mindgap_mpi

extern "C" __attribute__((visibility("default"))) const MindgapRanks* mindgap_open_ranks(const char** why) {
  using namespace mindgap_mpi;
  if (!enter(why)) return nullptr;
  Calls call;
  // Signals and errors are for the program to report.
  call(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"));
  call(PetscInitializeNoArguments());
  if (call.good()) call(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  if (call.good() && MPI_Comm_dup(PETSC_COMM_WORLD, &failures) != MPI_SUCCESS) call(PETSC_ERR_MPI);
  if (!call.good()) {
    *why = reason.c_str();
    return nullptr;
  }
  engine.abi = MINDGAP_RANKS_ABI;
  MPI_Comm_rank(PETSC_COMM_WORLD, &engine.rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &engine.ranks);
  engine.message = message;
  engine.sum = sum;
  engine.maximum = maximum;
  engine.gather = gather;
  engine.agree = agree;
  engine.give_up = give_up;
  engine.close = close;
  add_model_functions(engine);
  return &engine;
}
