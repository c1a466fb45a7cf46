#include <algorithm>
#include <cmath>

#include "mindgap/mdp/resolvent.h"
#include "mindgap/mdp/solver_run.h"

namespace mindgap::mdp {
namespace {

// Sweeps of the greedy policy stop when their change has fallen to this share of the full sweep's. Smaller
// wastes sweeps on a policy that will change, larger asks for more of the expensive full sweeps.
constexpr double kInnerShare = 0.03;
constexpr double kInnerShareMost = 0.4;
constexpr double kInnerShareInPlace = 0.1;
constexpr int kInnerLimit = 100;
// Where `auto` has spent this many sweeps of policies, a linear solve each is cheaper.
constexpr std::int64_t kPatience = 2000;
// Of what lies further along (see PolicyRows::sweep_in_place): more carries corrections further in a sweep,
// but from about .8 amplifies what varies from state to state.
constexpr double kAnticipation = 0.6;

// A first value from one pass outwards from the absorbing states: of an action that leads by p nearer (where
// values are known, mean m), by f further and by h nowhere, the further states are taken to lie as far beyond
// this one as the nearer ones lie before it, x + (x - m). So x = (r + g (p - f) m) / (1 - g h - 2 g f). A
// guess: any would do.
LargeVector<double> guess_outwards(const Mdp& mdp, const std::vector<std::int32_t>& order) {
  const double g = mdp.discount();
  const double lowest = *std::min_element(mdp.reward().begin(), mdp.reward().end()) / (1 - g);
  LargeVector<double> value(mdp.states(), lowest);
  std::vector<std::uint8_t> known(mdp.states(), 0);
  // The rows are met in an order of their own: ask for them a few states early.
  const auto fetch = [&](std::size_t i) {
    if (i >= order.size()) return;
    const std::int64_t row = mdp.row_begin()[mdp.pair_begin()[order[i]]];
    for (std::int64_t j = 0; j < 16; j += 8) __builtin_prefetch(mdp.probability().data() + row + j);
    __builtin_prefetch(mdp.next_state().data() + row);
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    fetch(i + 8);
    const std::int32_t s = order[i];
    double best = -std::numeric_limits<double>::infinity();
    for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
      double nearer = 0, further = 0, here = 0, sum = 0;
      for (std::int64_t j = mdp.row_begin()[k]; j < mdp.row_begin()[k + 1]; ++j) {
        const std::int32_t next = mdp.next_state()[j];
        const double p = mdp.probability()[j];
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
  run.method = Method::value_iteration;
  while (!run.certify()) std::swap(run.value, run.next);
}

// Puterman and Shin (1978), with span stopping inside as outside.
void run_modified_policy_iteration(SolverRun& run) {
  run.method = Method::modified_policy_iteration;
  PolicyRows rows(run.mdp);
  ActionFilter filter(run.mdp.states());
  double share = kInnerShareMost, last = 0;
  while (!run.certify({.rows = &rows, .filter = &filter})) {
    std::swap(run.value, run.next);
    // As long as policies still change, they and not the sweeps decide how far the span falls.
    if (last > 0) share = std::clamp(0.25 * run.residual.span() / last, kInnerShare, kInnerShareMost);
    last = run.residual.span();
    const double enough = run.inner_target(run.residual.span(), share);
    for (int sweep = 0; sweep < kInnerLimit && !run.out_of_time(); ++sweep) {
      const Residual change = rows.sweep(run.threads, run.value, run.next);
      std::swap(run.value, run.next);
      ++run.policy_sweeps;
      if (change.span() <= enough) break;
    }
    if (run.options.method == Method::automatic && run.policy_sweeps > kPatience)
      return run_policy_iteration(run);
  }
}

// The same with sweeps of the policy in place, outwards from the absorbing states. Improvements stay Jacobi
// sweeps: they give the certificate and use all threads.
void run_gauss_seidel(SolverRun& run, const std::vector<std::int32_t>& order) {
  run.method = Method::gauss_seidel;
  if (run.options.initial_value.empty()) run.value = guess_outwards(run.mdp, order);
  CandidateRows rows(run.mdp, order, kAnticipation);
  ActionFilter filter(run.mdp.states());
  bool anticipating = true;
  while (!run.certify({.candidates = &rows, .filter = &filter})) {
    // The current value is TV; the one before it makes room for the value by places in the order.
    LargeVector<double>& x = run.value;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = run.next[order[i]];
    const double enough = run.inner_target(run.residual.norm(), kInnerShareInPlace);
    double first = 0;
    bool carried = false;
    for (int sweep = 0; sweep < kInnerLimit && !run.out_of_time(); ++sweep) {
      const double change = rows.sweep_in_place(x).norm();
      ++run.policy_sweeps;
      if (sweep == 0) first = change;
      carried = change <= enough;
      if (carried || change > 10 * first) break;  // done, or anticipating what does not come
    }
    for (std::size_t i = 0; i < x.size(); ++i) run.next[order[i]] = x[i];
    std::swap(run.value, run.next);
    if (!carried) {
      // This order does not carry values outwards. Without anticipation sweeps in place cannot grow, but
      // constants shrink only by g a sweep; spans, which ignore them, are then the better measure.
      if (!anticipating) return run_modified_policy_iteration(run);
      anticipating = false;
      rows.set_anticipation(0);
    }
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
