#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mindgap/mdp/solver_run.h"
#include "mindgap/mdp/sweep.h"

// Sweeps in place, outwards from the absorbing states of a deep model (docs/math/solvers.md).
namespace mindgap::mdp {
namespace {

// Of what lies further along (see CandidateRows::sweep_in_place): more carries corrections further in a
// sweep, but from about .8 amplifies what varies from state to state.
constexpr double kAnticipation = 0.6;
// A block changes by this share of the full sweep's change in its last sweep.
constexpr double kLastChange = 0.01;
constexpr int kSweepsOfBlock = 20;
// A block: large enough that what is wrong behind it is forgotten on the way through, small enough for cache.
constexpr std::int64_t kStatesOfBlock = 16384;
constexpr std::int64_t kLevelsOfBlock = 32;
// A first guess is good where one sweep changes it by less than this share of what values can be.
constexpr double kGuessAtMost = 0.1;
// Rounds in which the change has to halve.
constexpr int kRoundsToHalve = 5;

// What is known of a state in the pass that makes a first guess; side by side, for one load.
struct Guess {
  double value = 0;  // as long as it is not known
  double known = 0;  // 0 or 1
};

// A first value from one pass outwards from the absorbing states: of an action that leads by p nearer (where
// values are known, mean m), by f further and by h nowhere, the further states are taken to lie as far beyond
// this one as the nearer ones lie before it, x + (x - m). So x = (r + g (p - f) m) / (1 - g h - 2 g f). A
// guess: any would do. The loop over transitions has no branches that depend on them: a processor that takes
// the wrong one would lose more than the sums cost.
LargeVector<double> guess_outwards(const Mdp& mdp, const std::vector<std::int32_t>& order) {
  const double g = mdp.discount();
  const double lowest = *std::min_element(mdp.reward().begin(), mdp.reward().end()) / (1 - g);
  LargeVector<Guess> guess(mdp.states());
  const std::int32_t* pair_begin = mdp.pair_begin().data();
  const std::int64_t* row_begin = mdp.row_begin().data();
  const std::int32_t* next_state = mdp.next_state().data();
  const double* probability = mdp.probability().data();
  const double* reward = mdp.reward().data();
  // The rows are met in an order of their own: ask for them early, and before that for where they begin.
  constexpr std::size_t kRowsAhead = 8, kBeginsAhead = 24, kPairsAhead = 40;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + kPairsAhead < order.size()) {
      __builtin_prefetch(pair_begin + order[i + kPairsAhead]);
      __builtin_prefetch(row_begin + pair_begin[order[i + kBeginsAhead]]);
      __builtin_prefetch(reward + pair_begin[order[i + kBeginsAhead]]);
      const std::int32_t s = order[i + kRowsAhead];
      const std::int64_t begin = row_begin[pair_begin[s]], end = row_begin[pair_begin[s + 1]];
      for (std::int64_t j = begin; j < end; j += 8) __builtin_prefetch(probability + j);
      for (std::int64_t j = begin; j < end; j += 16) __builtin_prefetch(next_state + j);
    }
    const std::int32_t s = order[i];
    double best = lowest;
    for (std::int32_t k = pair_begin[s]; k < pair_begin[s + 1]; ++k) {
      double nearer = 0, here = 0, all = 0, sum = 0;
      for (std::int64_t j = row_begin[k]; j < row_begin[k + 1]; ++j) {
        const std::int32_t next = next_state[j];
        const double p = probability[j];
        all += p;
        here += p * static_cast<double>(next == s);
        nearer += p * guess[next].known;
        sum += p * guess[next].value;
      }
      const double further = all - here - nearer;
      if (here == all) {
        best = std::max(best, reward[k] / (1 - g * here));
      } else if (further < 0.5 * nearer) {
        best = std::max(best,
                        (reward[k] + g * (sum - further * sum / nearer)) / (1 - g * here - 2 * g * further));
      }
    }
    guess[s] = {best, 1};
  }
  LargeVector<double> value(mdp.states());
  std::transform(guess.begin(), guess.end(), value.begin(), [](const Guess& of) { return of.value; });
  return value;
}

// What a pass over all blocks came to.
struct Pass {
  double states_swept = 0;
  bool grew = false;  // and was broken off: a change that was anticipated does not come
};

// One pass outwards. A block is swept, with the half block behind it, until it hardly changes: what comes
// back from further out is then right enough, since in a model in which states lead nearer the influence of
// what lies beyond falls by a factor with every level. So errors of all lengths vanish in one pass, and a
// block stays in cache while it is swept.
Pass sweep_blocks(const SolverRun& run, CandidateRows& rows, LargeVector<float>& y, std::int64_t block) {
  const double scale = scale_of_changes(run.mdp), largest = run.residual.norm() / scale;
  const double enough = run.inner_target(run.residual.norm(), kLastChange) / scale;
  Pass pass;
  const auto states = static_cast<std::int64_t>(y.size());
  for (std::int64_t begin = 0; begin < states && !pass.grew && !run.out_of_time(); begin += block) {
    const std::int64_t end = std::min(begin + block, states), behind = std::min(end + block / 2, states);
    rows.prepare(begin, behind);
    double first = largest, change = std::numeric_limits<double>::infinity();
    for (int sweep = 0; sweep < kSweepsOfBlock && change > enough && !pass.grew; ++sweep) {
      change = rows.sweep_in_place(y, begin, end).norm();
      rows.sweep_in_place(y, end, behind);
      pass.states_swept += static_cast<double>(behind - begin);
      if (sweep == 0) first = std::max(change, largest);
      pass.grew = !(change <= 10 * first);
    }
  }
  return pass;
}

}  // namespace

void run_gauss_seidel(SolverRun& run, const std::vector<std::int32_t>& order, std::int32_t levels) {
  run.method = Method::gauss_seidel;
  const bool guessing = run.options.initial_value.empty();
  if (guessing) run.value = guess_outwards(run.mdp, order);
  CandidateRows rows(run.mdp, order, kAnticipation);
  Leads leads(run.mdp);
  LargeVector<float> y(order.size());
  const double scale = scale_of_changes(run.mdp);
  const auto states = static_cast<std::int64_t>(order.size());
  const std::int64_t block = std::max(kStatesOfBlock, kLevelsOfBlock * (states / std::max(levels, 1)));
  bool anticipating = true;
  double best = std::numeric_limits<double>::infinity();
  int rounds = 0;  // since the change was halved
  while (!run.certify({.candidates = &rows, .leads = &leads})) {
    const double largest = run.residual.norm();
    if (guessing && run.iterations == 1 && largest > kGuessAtMost * run.most_value()) {
      // Good actions do not lead nearer here, as where a car has to gather speed first.
      run.start_from_rewards();
      return run_modified_policy_iteration(run);
    }
    ++rounds;
    if (largest <= 0.5 * best) {
      best = largest;
      rounds = 0;
    }
    rows.start(y);
    const Pass pass = sweep_blocks(run, rows, y, block);
    run.policy_sweeps +=
        static_cast<std::int64_t>(std::ceil(pass.states_swept / static_cast<double>(states)));
    Extremes<double> moved;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::int32_t s = order[i];
      const double after = pass.grew ? run.next[s] : run.value[s] + scale * static_cast<double>(y[i]);
      moved.add(run.value[s], after);
      run.value[s] = after;
    }
    leads.moved(moved.residual());
    if (pass.grew || rounds == kRoundsToHalve) {
      // This order does not carry values outwards. Without anticipation sweeps in place do not grow (but for
      // rounding), but constants shrink only by g a sweep; spans, which ignore them, are then the better
      // measure.
      if (!anticipating) return run_modified_policy_iteration(run);
      anticipating = false;
      rounds = 0;
      rows.set_anticipation(0);
    }
  }
}

}  // namespace mindgap::mdp
