#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/policy.h"

namespace mindgap::mdp {

enum class Method {
  automatic,                  // chosen from the model's structure, see solve()
  value_iteration,            // one full sweep after another
  modified_policy_iteration,  // full sweeps with cheap sweeps of the greedy policy between them
  gauss_seidel,               // the same, in place and in order of distance to the absorbing states
  policy_iteration,           // the greedy policy is evaluated by a linear solve
};

enum class SolveStatus {
  converged,        // the bounds are as tight as was asked
  iteration_limit,  // stopped early; value, bounds and policy are valid, but wider than asked
  time_limit,       // likewise
  precision_limit,  // likewise: rounding in double precision does not allow (much) tighter bounds
};

std::string_view to_string(Method method);
std::string_view to_string(SolveStatus status);
/// The method of that name (also vi, mpi, gs, pi). Throws InvalidArgument and lists the names.
Method method_from_string(std::string_view name);

struct SolveOptions {
  Method method = Method::automatic;
  /// Wanted width of the bounds on the optimal value, as a share of reward_max / (1 - discount).
  double tolerance = 1e-10;
  /// Limit on full sweeps (policy improvements).
  std::int64_t max_iterations = 1'000'000;
  /// Seconds; checked after each sweep.
  double time_limit = std::numeric_limits<double>::infinity();
  /// 0: all cores. The result does not depend on it.
  int threads = 0;
  /// A first guess of the value, e.g. of a similar model; empty: none. Any finite guess is safe: what lies
  /// beyond max|r| / (1 - discount) is cut off.
  std::vector<double> initial_value;
  /// Called after each full sweep with the width of the bounds and the width wanted; for progress bars.
  std::function<void(double width, double wanted)> on_iteration;

  void validate(const Mdp& mdp) const;
};

/// The optimal value and a policy with certified bounds: for every state s
///   value[s] - half_width <= V*(s) <= value[s] + half_width,
///   V*(s) - V^policy(s) <= policy_loss_bound.
struct Solution {
  SolveStatus status = SolveStatus::converged;
  Method method = Method::automatic;  // the one that was run
  std::vector<double> value;
  double half_width = 0;
  Policy policy;
  double policy_loss_bound = 0;
  double value_at_start = 0;           // sum_s start(s) value[s]
  std::array<double, 2> bounds{0, 0};  // around value_at_start
  std::int64_t iterations = 0;         // full sweeps
  std::int64_t policy_sweeps = 0;  // sweeps of one policy between them (0 where a linear solver did the work)
  double seconds = 0;
};

/// The optimal stationary policy of a discounted model (discount < 1), from bounds that hold at every step:
/// with d = TV - V for the Bellman operator T (Puterman 1994, Theorem 6.6.6; proof in docs/math/bounds.md)
///   TV + g/(1-g) min d <= V* <= TV + g/(1-g) max d,
/// widened by what rounding and row sums off 1 can do. Greedy actions tie to the lowest action number.
/// Throws InvalidArgument for bad options or discount 1, NumericalError where values would leave the range of
/// doubles.
Solution solve(const Mdp& mdp, const SolveOptions& options = {});

/// In how many states a second action is as good as the best within the solution's bounds.
std::int64_t tied_states(const Mdp& mdp, const Solution& solution);

}  // namespace mindgap::mdp
