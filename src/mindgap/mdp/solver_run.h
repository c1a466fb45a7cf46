#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "mindgap/base/parallel.h"
#include "mindgap/mdp/bellman.h"
#include "mindgap/mdp/memory.h"
#include "mindgap/mdp/solve.h"

// What the methods of solve() share. Not part of the library's interface.
namespace mindgap::mdp {

/// One run of a solver: the current value, the sweeps, the certificate and the reasons to stop.
class SolverRun {
 public:
  SolverRun(const Mdp& mdp, const SolveOptions& options);

  /// One full Jacobi sweep: next = T value, pick = greedy pairs, and the bounds that follow. True where the
  /// run is over; then `status` says why.
  bool certify(const SweepKeeps& keeps = {});
  /// Rounding, which more sweeps cannot remove, makes half of the bounds' width.
  bool at_precision_limit() const { return bounds.width() <= 2 * (bounds.floor + beyond_sweeps); }
  bool out_of_time() const { return limited_ && seconds() > options.time_limit; }
  double seconds() const;
  /// No value is larger, nor smaller than minus this.
  double most_value() const;
  /// The value becomes T applied to zero, without looking at a single transition, and no action is chosen
  /// yet.
  void start_from_rewards();
  /// How far the sweeps of a policy should bring down the span (or norm) of their change, after a full sweep
  /// whose change had `size`: to `share` of it; but no further than the next certificate needs, and all the
  /// way to that where it is near, since a full sweep costs more than a few sweeps of a policy.
  double inner_target(double size, double share) const;
  /// The solution from the last certificate.
  Solution finish();

  const Mdp& mdp;
  const SolveOptions& options;
  base::Threads threads;
  Bellman bellman;
  double wanted_width;
  LargeVector<double> value, next;
  std::vector<std::int32_t> pick;
  Residual residual;
  Bounds bounds{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  double beyond_sweeps = 0;  // width of the bounds that sweeps of this method leave, beside bounds.floor
  Method method = Method::automatic;  // the one that is running
  SolveStatus status = SolveStatus::converged;
  std::int64_t iterations = 0;
  std::int64_t policy_sweeps = 0;

 private:
  bool limited_ = options.time_limit < std::numeric_limits<double>::infinity();  // else no look at the clock
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// Each runs until SolverRun::certify() says that it is over.
void run_value_iteration(SolverRun& run);
void run_modified_policy_iteration(SolverRun& run);
/// `order` has all states, those nearest to the absorbing ones first, up to `levels` transitions away.
void run_gauss_seidel(SolverRun& run, const std::vector<std::int32_t>& order, std::int32_t levels);
void run_policy_iteration(SolverRun& run);

}  // namespace mindgap::mdp
