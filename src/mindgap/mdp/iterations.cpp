#include <algorithm>
#include <cmath>

#include "mindgap/mdp/resolvent.h"
#include "mindgap/mdp/solver_run.h"

namespace mindgap::mdp {
namespace {

// Sweeps of the greedy policy stop when their change has fallen to this share of the full sweep's. Smaller
// wastes sweeps on a policy that will change, larger asks for more of the expensive full sweeps.
constexpr double kInnerShare = 0.1;
constexpr double kInnerShareInPlace = 0.3;
constexpr int kInnerLimit = 100;
// Every so many sweeps in place, one anticipates (see Bellman::evaluate_in_place).
constexpr int kAnticipate = 4;

// A first value from one pass outwards from the absorbing states: of an action that leads by p nearer (where
// values are known, mean m), by f further and by h nowhere, the further states are taken to lie as far beyond
// this one as the nearer ones lie before it, x + (x - m). So x = (r + g (p - f) m) / (1 - g h - 2 g f). A
// guess: any would do.
std::vector<double> guess_outwards(const Mdp& mdp, const std::vector<std::int32_t>& order) {
  const double g = mdp.discount();
  const double lowest = *std::min_element(mdp.reward().begin(), mdp.reward().end()) / (1 - g);
  std::vector<double> value(mdp.states(), lowest);
  std::vector<std::uint8_t> known(mdp.states(), 0);
  for (const std::int32_t s : order) {
    double best = -std::numeric_limits<double>::infinity();
    for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
      double nearer = 0, further = 0, here = 0, sum = 0;
      for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
        const std::int32_t next = mdp.next_state()[i];
        const double p = mdp.probability()[i];
        if (next == s) {
          here += p;
        } else if (known[next]) {
          nearer += p;
          sum += p * value[next];
        } else {
          further += p;
        }
      }
      if (nearer == 0 && further == 0) {
        best = std::max(best, mdp.reward()[k] / (1 - g * here));
      } else if (further < 0.5 * nearer) {
        const double mean = sum / nearer;
        best = std::max(best,
                        (mdp.reward()[k] + g * (nearer - further) * mean) / (1 - g * here - 2 * g * further));
      }
    }
    if (best > lowest) value[s] = best;
    known[s] = 1;
  }
  return value;
}

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

// The same with sweeps of the policy in place, outwards from the absorbing states. Improvements stay Jacobi
// sweeps: they give the certificate and use all threads.
void run_gauss_seidel(SolverRun& run, const std::vector<std::int32_t>& order) {
  PolicyRows rows(run.mdp, order);
  if (run.options.initial_value.empty()) run.value = guess_outwards(run.mdp, order);
  bool anticipate = true;
  while (!run.certify(&rows)) {
    std::swap(run.value, run.next);
    const double enough = kInnerShareInPlace * run.residual.norm();
    int sweep = 1;
    for (; sweep <= kInnerLimit && !run.out_of_time(); ++sweep) {
      const Residual change =
          run.bellman.evaluate_in_place(rows, run.value, anticipate && sweep % kAnticipate == 0);
      ++run.policy_sweeps;
      if (change.norm() <= enough) break;
    }
    if (sweep > kInnerLimit) {
      // This order does not carry values outwards. Without anticipation in-place sweeps cannot grow, but
      // constants shrink only by g a sweep; spans, which ignore them, are then the better measure.
      if (!anticipate) return run_modified_policy_iteration(run);
      anticipate = false;
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
