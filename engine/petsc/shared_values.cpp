#include "shared_values.h"

#include <fcntl.h>
#include <petscsys.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>

namespace mindgap_mpi {
namespace {

bool all_agree(bool here) {
  int good = here ? 1 : 0;
  return MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD) == MPI_SUCCESS &&
         good == 1;
}

bool on_one_machine() {
  MPI_Comm here = MPI_COMM_NULL;
  int ours = 0, all = 0;
  if (MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) != MPI_SUCCESS)
    return all_agree(false);
  MPI_Comm_size(here, &ours);
  MPI_Comm_size(PETSC_COMM_WORLD, &all);
  MPI_Comm_free(&here);
  return all_agree(ours == all);
}

// A file without a name in the memory of rank 0, which the others open through /proc: nothing stays behind,
// however the processes end. -1 where it cannot be had, which all_agree() has to find out.
int open_memory(std::size_t bytes) {
  int rank = 0, file = -1;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank == 0) {
    file = memfd_create("mindgap", MFD_CLOEXEC);
    // Reserved at once: memory that is short would otherwise end the process at some later write.
    if (file >= 0 && posix_fallocate(file, 0, static_cast<off_t>(bytes)) != 0) {
      ::close(file);
      file = -1;
    }
  }
  long long whose[2] = {getpid(), file};
  if (MPI_Bcast(whose, 2, MPI_LONG_LONG, 0, PETSC_COMM_WORLD) != MPI_SUCCESS || whose[1] < 0) return -1;
  if (rank == 0) return file;
  const std::string path = "/proc/" + std::to_string(whose[0]) + "/fd/" + std::to_string(whose[1]);
  return ::open(path.c_str(), O_RDWR | O_CLOEXEC);
}

}  // namespace

SharedValues::~SharedValues() {
  if (values_ != nullptr) munmap(values_, bytes());
}

bool SharedValues::open(std::int32_t states, std::int32_t first_state, std::int32_t own_states) {
  states_ = static_cast<std::size_t>(states);
  first_ = static_cast<std::size_t>(first_state);
  own_ = static_cast<std::size_t>(own_states);
  if (!on_one_machine()) return false;
  const int file = open_memory(bytes());
  void* memory = file < 0 ? MAP_FAILED : mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const bool good = all_agree(memory != MAP_FAILED);  // rank 0's file is open until everybody has it
  if (file >= 0) ::close(file);
  if (good) values_ = static_cast<double*>(memory);
  if (!good && memory != MAP_FAILED) munmap(memory, bytes());
  return good;
}

const double* SharedValues::put(const double* own) {
  double* const all = values_ + turn_ * states_;
  turn_ = 1 - turn_;
  std::copy_n(own, own_, all + first_);
  std::atomic_thread_fence(std::memory_order_release);
  MPI_Barrier(PETSC_COMM_WORLD);
  std::atomic_thread_fence(std::memory_order_acquire);
  return all;
}

}  // namespace mindgap_mpi
