#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "mindgap/base/run.h"
#include "mindgap/mdp/distributed_solve.h"
#include "mindgap/view/solve.h"

namespace mindgap::command {

/// A solve on all processes that MPI has started (mdp/ranks_engine.h); each of them makes the same request.
struct DistributedSolveRequest {
  std::string model = {};               // an HDF5 file, of which each process reads its part
  std::optional<double> discount = {};  // instead of the model's
  double tolerance = mdp::DistributedOptions().tolerance;
  std::int64_t max_iterations = mdp::DistributedOptions().max_iterations;
  double time_limit = std::numeric_limits<double>::infinity();  // seconds
  std::string policy_file = {};                                 // where rank 0 writes the policy, or ""
  base::Run run = {};                                           // only rank 0 reports progress
};

struct DistributedSolveAnswer {
  view::DistributedView view;
  std::int32_t rank = 0;
  /// Another process failed and says why; there is no result.
  bool failed_elsewhere = false;
  mdp::DistributedSolution solution = {};  // of the states of this process, from `first_state` on
  std::int32_t first_state = 0;
  std::string model = {};  // its file

  /// Whether this process is the one that speaks.
  bool speaks() const { return rank == 0 && !failed_elsewhere; }
  bool converged() const { return view.status == "converged"; }
  std::string text() const { return view::text_of(view); }
  view::Json json() const { return view::json_of(view); }
  /// Collective: rank 0 writes the policy of all, as CSV: state,action,probability. False where another
  /// process failed. Throws StoreError, in one process only.
  bool write_policy(const std::string& path) const;
};

/// Collective; enters MPI, which the process leaves when it ends. Throws InvalidArgument where the engine is
/// missing; any other failure is thrown in one process only, the first that failed.
DistributedSolveAnswer solve_distributed(const DistributedSolveRequest& request);

/// For a process that fails outside of such a call while others wait in one: ends them all. Does nothing
/// where MPI was never entered.
void give_up_distributed();

}  // namespace mindgap::command
