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
  /// Another process could not read its part and says so; there is no result.
  bool failed_elsewhere = false;

  /// Whether this process is the one that speaks.
  bool speaks() const { return rank == 0 && !failed_elsewhere; }
  bool converged() const { return view.status == "converged"; }
  std::string text() const { return view::text_of(view); }
  view::Json json() const { return view::json_of(view); }
};

/// Collective; enters MPI and leaves it. Can be called once a process. Throws InvalidArgument where the
/// engine is missing; what is wrong with the file is thrown in one process only.
DistributedSolveAnswer solve_distributed(const DistributedSolveRequest& request);

}  // namespace mindgap::command
