#include <algorithm>
#include <cmath>

#include "mindgap/mdp/resolvent.h"
#include "mindgap/mdp/solver_run.h"

namespace mindgap::mdp {
namespace {

// Sweeps of the greedy policy stop when their change has fallen to this share of the full sweep's. Smaller
// wastes sweeps on a policy that will change, larger asks for more of the expensive full sweeps.
constexpr double kInnerShare = 0.03;
constexpr double kInnerShareMost = 0.6;
// And at the latest after so many: fewer as long as more than one in kFewTurned states turns to another
// action.
constexpr int kInnerLimit = 100;
constexpr int kInnerLimitTurning = 30;
constexpr std::int64_t kFewTurned = 1000;
// Where `auto` has spent this many sweeps of policies, a linear solve each is cheaper; but one solve for each
// of many policies is not.
constexpr std::int64_t kPatience = 2000;
constexpr std::int64_t kPatienceTurning = 20000;

}  // namespace

void run_value_iteration(SolverRun& run) {
  run.method = Method::value_iteration;
  while (!run.certify()) std::swap(run.value, run.next);
}

// Puterman and Shin (1978), with span stopping inside as outside.
void run_modified_policy_iteration(SolverRun& run) {
  run.method = Method::modified_policy_iteration;
  PolicyRows rows(run.mdp);
  Leads leads(run.mdp);
  double share = kInnerShareMost, last = 0;
  // Leads are of the order of rewards: as long as values move by more, they will not last to the next sweep.
  // From then on every sweep has to know of them.
  bool with_leads = false;
  const auto leads_if_lasting = [&] {
    with_leads |= run.iterations > 0 && run.residual.span() < 0.3 * run.mdp.reward_magnitude();
    return with_leads ? &leads : nullptr;
  };
  while (!run.certify({.rows = &rows, .leads = leads_if_lasting()})) {
    std::swap(run.value, run.next);
    // As long as policies still change, they and not the sweeps decide how far the span falls.
    if (last > 0) share = std::clamp(0.25 * run.residual.span() / last, kInnerShare, kInnerShareMost);
    last = run.residual.span();
    const double enough = run.inner_target(run.residual.span(), share);
    const bool turning = kFewTurned * run.residual.turned > run.mdp.states();
    const int limit = turning ? kInnerLimitTurning : kInnerLimit;
    for (int sweep = 0; sweep < limit && !run.out_of_time(); ++sweep) {
      const Residual change = rows.sweep(run.threads, run.value, run.next);
      leads.moved(change);
      std::swap(run.value, run.next);
      ++run.policy_sweeps;
      if (change.span() <= enough) break;
    }
    const std::int64_t patience = turning ? kPatienceTurning : kPatience;
    if (run.options.method == Method::automatic && run.policy_sweeps > patience)
      return run_policy_iteration(run);
  }
}

// Howard (1960): evaluate the greedy policy by a linear solve, improve, repeat. The solve is as exact as the
// next improvement can use, and a policy that no longer changes is solved to the end.
void run_policy_iteration(SolverRun& run) {
  run.method = Method::policy_iteration;
  std::vector<std::int32_t> held;
  double share = 1e-2;
  while (!run.certify()) {
    const bool same = held == run.pick;
    if (same && share <= 1e-13) {
      run.status = SolveStatus::precision_limit;
      return;
    }
    share = same ? share * 1e-3 : share;
    held = run.pick;
    const Policy policy = Policy::deterministic(run.mdp, held);
    const double seconds_left = std::max(run.options.time_limit - run.seconds(), 0.0);
    Resolvent resolvent(run.mdp, policy,
                        {.tolerance = share, .time_limit = seconds_left, .best_effort = true});
    // V + R (T_pi V - V) is the value of pi; the right side shrinks as the policies settle.
    std::vector<double> change(run.value.size()), step(run.value.size(), 0.0);
    for (std::size_t s = 0; s < change.size(); ++s) change[s] = run.next[s] - run.value[s];
    resolvent.apply(change, step);
    for (std::size_t s = 0; s < change.size(); ++s) run.value[s] += step[s];
  }
}

}  // namespace mindgap::mdp
