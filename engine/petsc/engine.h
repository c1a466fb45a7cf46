#pragma once

#include <petscksp.h>

#include <exception>
#include <new>
#include <string>
#include <vector>

#include "mindgap/mdp/ranks_abi.h"

// What the two halves of the engine share: processes (ranks.cpp) and models (petsc_engine.cpp).
namespace mindgap_mpi {

/// Why the last call failed.
extern std::string reason;

/// Of PETSc's calls the first that fails says why.
class Calls {
 public:
  void operator()(PetscErrorCode code) {
    if (code_ != 0 || code == 0) return;
    code_ = code;
    const char* text = nullptr;
    PetscErrorMessage(code, &text, nullptr);
    reason = std::string("PETSc: ") + (text != nullptr ? text : "unknown error");
  }
  bool good() const { return code_ == 0; }
  int result() const { return code_ == 0 ? 0 : 1; }

 private:
  PetscErrorCode code_ = 0;
};

/// Runs a function behind the C interface, which nothing may be thrown through.
template <typename Deed>
int guarded(Deed deed) {
  try {
    return deed();
  } catch (const std::bad_alloc&) {
    reason = "memory is short";
  } catch (const std::exception& error) {
    reason = error.what();
  }
  return 1;
}

/// The functions of models, for mindgap_open_ranks() to fill in.
void add_model_functions(MindgapRanks& engine);

}  // namespace mindgap_mpi
