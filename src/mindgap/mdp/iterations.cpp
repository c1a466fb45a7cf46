#include <algorithm>
#include <cmath>

#include "mindgap/mdp/krylov.h"
#include "mindgap/mdp/resolvent.h"
#include "mindgap/mdp/solver_run.h"

namespace mindgap::mdp {
namespace {

// Sweeps of the greedy policy stop when they changed this share of what the full sweep did. Smaller wastes
// sweeps on a policy that will change, larger asks for more of the expensive full sweeps.
constexpr double kInnerShare = 0.1;
constexpr int kInnerLimit = 100;

}  // namespace

void run_value_iteration(SolverRun& run) {
  while (!run.certify()) std::swap(run.value, run.next);
}

// Puterman and Shin (1978), with span stopping inside as outside.
void run_modified_policy_iteration(SolverRun& run) {
  PolicyRows rows(run.mdp);
  while (!run.certify(&rows)) {
    std::swap(run.value, run.next);
    const double enough = kInnerShare * run.residual.span();
    for (int sweep = 0; sweep < kInnerLimit && !run.out_of_time(); ++sweep) {
      const Residual change = run.bellman.evaluate(rows, run.value, run.next);
      std::swap(run.value, run.next);
      ++run.policy_sweeps;
      if (change.span() <= enough) break;
    }
  }
}

void run_gauss_seidel(SolverRun& run, const std::vector<std::int32_t>& order) {
  PolicyRows rows(run.mdp, order);
  if (run.options.initial_value.empty()) {
    // From below: V rises towards V* and each sweep carries the absorbing states' values outwards.
    const double lowest = *std::min_element(run.mdp.reward().begin(), run.mdp.reward().end());
    std::fill(run.value.begin(), run.value.end(), lowest / (1 - run.mdp.discount()));
  }
  // Near the end the certificate's width is about g/(1-g) times the span of a sweep's change.
  double ready = run.wanted_width * (1 - run.mdp.discount());
  for (;;) {
    const Residual outer = run.bellman.improve_in_place(order, run.value, rows);
    ++run.iterations;
    if (outer.norm() <= ready || run.out_of_time() || run.iterations + 1 >= run.options.max_iterations) {
      if (run.certify()) return;
      ready *= 0.5;
    }
    const double enough = kInnerShare * outer.norm();
    for (int sweep = 0; sweep < kInnerLimit && !run.out_of_time(); ++sweep) {
      const Residual change = run.bellman.evaluate_in_place(order, run.value, rows);
      ++run.policy_sweeps;
      if (change.norm() <= enough) break;
    }
  }
}

// Howard (1960): evaluate the greedy policy by a linear solve, improve, repeat. The solve is as exact as the
// next improvement can use, and a policy that no longer changes is solved to the end.
void run_policy_iteration(SolverRun& run) {
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
    Resolvent resolvent(run.mdp, policy, {.tolerance = share});
    // V + R (T_pi V - V) is the value of pi; the right side shrinks as the policies settle.
    std::vector<double> change(run.value.size()), step(run.value.size(), 0.0);
    for (std::size_t s = 0; s < change.size(); ++s) change[s] = run.next[s] - run.value[s];
    resolvent.apply(change, step);
    for (std::size_t s = 0; s < change.size(); ++s) run.value[s] += step[s];
  }
}

}  // namespace mindgap::mdp
