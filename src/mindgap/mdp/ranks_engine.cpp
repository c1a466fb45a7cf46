#include "mindgap/mdp/ranks_engine.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <string>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"
#include "mindgap/mdp/engine_library.h"

namespace mindgap::mdp {
namespace {

constexpr const char* kRanksLibrary = "libmindgap_mpi.so";

[[noreturn]] void refuse_ranks(const std::string& why) {
  throw InvalidArgument(
      fmt::format("{}: {}. It takes PETSc and Open MPI (on Debian and Ubuntu: apt-get install "
                  "libpetsc-real-dev libopenmpi-dev "
                  "openmpi-bin pkg-config), and {}, which is built with -DMINDGAP_PETSC=ON and looked for "
                  "beside the program or "
                  "where MINDGAP_MPI_LIBRARY says; on one machine, leave the option out",
                  base::option_value("engine", "petsc"), why, kRanksLibrary));
}

const MindgapRanks* loaded = nullptr;

const MindgapRanks& enter_ranks() {
  std::string missing;
  void* const library = open_engine_library(kRanksLibrary, "MINDGAP_MPI_LIBRARY", missing);
  if (!library) refuse_ranks(fmt::format("{} cannot be loaded ({})", kRanksLibrary, missing));
  void* const symbol = dlsym(library, MINDGAP_OPEN_RANKS);
  if (!symbol) refuse_ranks(fmt::format("{} is no engine of mindgap", kRanksLibrary));
  const char* why = "";
  const MindgapRanks* const engine = reinterpret_cast<MindgapOpenRanks>(symbol)(&why);
  if (!engine) refuse_ranks(why);
  if (engine->abi != MINDGAP_RANKS_ABI)
    refuse_ranks(fmt::format("{} belongs to another version of mindgap", kRanksLibrary));
  loaded = engine;
  // Other ranks may still need this one after its last solve, so it stays to the end.
  std::atexit([] { loaded->close(); });
  return *engine;
}

}  // namespace

const MindgapRanks& ranks_engine() {
  static const MindgapRanks& engine = enter_ranks();
  return engine;
}

const MindgapRanks* loaded_ranks_engine() {
  return loaded;
}

bool on_all_ranks(const MindgapRanks& ranks, const std::function<void()>& deed) {
  std::exception_ptr failure;
  try {
    deed();
  } catch (...) {
    failure = std::current_exception();
  }
  const std::int32_t first = ranks.agree(failure ? 1 : 0);
  if (first == ranks.ranks) return true;
  if (failure && first == ranks.rank) std::rethrow_exception(failure);
  return false;
}

}  // namespace mindgap::mdp
