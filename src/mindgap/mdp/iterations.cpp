#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/mdp/resolvent.h"
#include "mindgap/mdp/solver_run.h"
#include "mindgap/mdp/sweep.h"

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
// Values that move by less than this share of the rewards may leave actions in the lead.
constexpr double kMoveOfLeads = 0.5;
// Actions that gain less than this share of the last span are as good: 100 sweeps in single precision leave
// differences of .6 of it where there are none.
constexpr double kNoise = 1e-5;
// Where `auto` has spent this many sweeps of policies and as many are left, a linear solve each is cheaper;
// but one solve for each of many policies is not.
constexpr std::int64_t kPatience = 2000;
constexpr std::int64_t kPatienceTurning = 20000;

// What sweeps of a policy add to a value (policy_rows.h). Where all states change up, or all down, the middle
// m of d is left out: in single precision it would hide what changes the policy. (Where some change up and
// others down it hides nothing, and states that do not change at all should not.) In the end it adds the same
// to all values, m / (1 - g Q) for rows that sum to Q. The bounds know that anyway, and values without it are
// smaller, and so is what they are rounded by: it is only added where the bounds would stay too wide because
// sums of rows differ, and by more than rounding then makes them. Where sums differ by even more, the middle
// is left in.
class Corrections {
 public:
  explicit Corrections(const Mdp& mdp)
      : scale_(scale_of_changes(mdp)), change_(mdp.states()), sum_(mdp.states()), next_(mdp.states()) {
    const double high = mdp.discount() * mdp.row_sum_max(), low = mdp.discount() * mdp.row_sum_min();
    if (high - low < 0.01 * (1 - high)) of_middle_ = high / (1 - high);
    // See bounds_from(): d/df of f / (1 - f), times the range of f with what the sums themselves are rounded
    // by; and what backups of values as large as m / (1 - f) are rounded by.
    constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
    const double squared = (1 - high) * (1 - high);
    width_left_out_ = (high - low + mdp.row_length_max() * kEpsilon) / squared;
    width_added_ = (mdp.row_length_max() + 6) * kEpsilon / squared;
  }

  /// After a full sweep.
  void start(SolverRun& run) {
    const bool one_way = run.residual.min > 0 || run.residual.max < 0;
    const double middle = one_way && of_middle_ > 0 ? 0.5 * (run.residual.min + run.residual.max) : 0;
    const double per_scale = 1 / scale_;
    const auto piece = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t s = begin; s < end; ++s)
        sum_[s] = change_[s] = static_cast<float>((run.next[s] - run.value[s] - middle) * per_scale);
    };
    base::parallel_for(run.threads, run.mdp.states(), kStatesOfPiece, piece);
    const bool too_wide = width_left_out_ * std::abs(middle) > 0.5 * run.wanted_width;
    constant_ = too_wide && width_left_out_ > width_added_ ? of_middle_ * middle : 0;
    run.beyond_sweeps = std::min(width_left_out_, width_added_) * std::abs(middle);
  }
  /// One sweep, and the span of its changes.
  double sweep(const SolverRun& run, const PolicyRows& rows) {
    const Residual change = rows.sweep(run.threads, change_, sum_, next_);
    std::swap(sum_, next_);
    return scale_ * change.span();
  }
  /// Adds them, and says how far the value has moved since before the full sweep.
  Residual add(SolverRun& run) const {
    return over_states(run.threads, run.mdp.states(), [&](std::int64_t begin, std::int64_t end) {
      Extremes<double> extremes;
      for (std::int64_t s = begin; s < end; ++s) {
        const double after = run.next[s] + (scale_ * static_cast<double>(sum_[s] - change_[s]) + constant_);
        extremes.add(run.value[s], after);
        run.value[s] = after;
      }
      return extremes;
    });
  }

 private:
  double scale_;
  double of_middle_ = 0;       // what a middle of 1 adds to the values after the full sweep; 0: left in
  double width_left_out_ = 0;  // of the bounds, by a middle of 1 that is not added
  double width_added_ = 0;     // the same where it is
  double constant_ = 0;
  LargeVector<float> change_, sum_, next_;  // d, y; divided by the scale
};

// How many sweeps of policies are left, if the span goes on falling as over the last half of them or more.
class Pace {
 public:
  explicit Pace(const SolverRun& run) : before_(run.policy_sweeps) {}

  std::int64_t sweeps(const SolverRun& run) const { return run.policy_sweeps - before_; }
  void note(const SolverRun& run) {
    now_ = {static_cast<double>(sweeps(run)), std::log(run.residual.span())};
    if (!begun_) older_ = newer_ = now_;
    begun_ = true;
    if (now_.sweeps < 2 * newer_.sweeps) return;
    older_ = newer_;
    newer_ = now_;
  }
  double left(const SolverRun& run) const {
    const double to_go = now_.log_span - std::log(run.wanted_width * (1 - run.mdp.discount()));
    const double fallen = older_.log_span - now_.log_span;
    return fallen > 0 ? to_go * (now_.sweeps - older_.sweeps) / fallen
                      : std::numeric_limits<double>::infinity();
  }

 private:
  struct Mark {
    double sweeps = 0, log_span = 0;
  };
  std::int64_t before_;  // sweeps of another method
  bool begun_ = false;
  Mark older_, newer_, now_;
};

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
  Corrections corrections(run.mdp);
  Pace pace(run);
  double share = kInnerShareMost, last = 0;
  double moved = std::numeric_limits<double>::infinity();  // by the span of this, since the last full sweep
  // Leads are of the order of rewards: as long as values move by more, they will not last to the next sweep.
  // From then on every sweep has to know of them. Sweeps that use them read weights that are off a little,
  // too much for the narrowest bounds.
  bool with_leads = false;
  const double off = PackedRows::kOff * run.most_value() / (1 - run.mdp.discount() * run.mdp.row_sum_max());
  const bool precise_enough = 20 * off < run.wanted_width;
  const auto leads_if_lasting = [&] {
    with_leads |= precise_enough && moved < kMoveOfLeads * run.mdp.reward_magnitude();
    return with_leads ? &leads : nullptr;
  };
  while (!run.certify({.rows = &rows, .leads = leads_if_lasting(), .noise = kNoise * last})) {
    // As long as policies still change, they and not the sweeps decide how far the span falls.
    if (last > 0) share = std::clamp(0.25 * run.residual.span() / last, kInnerShare, kInnerShareMost);
    last = run.residual.span();
    pace.note(run);
    const double enough = run.inner_target(run.residual.span(), share);
    const bool turning = kFewTurned * run.residual.turned > run.mdp.states();
    const int limit = turning ? kInnerLimitTurning : kInnerLimit;
    corrections.start(run);
    for (int sweep = 0; sweep < limit && !run.out_of_time(); ++sweep) {
      ++run.policy_sweeps;
      if (corrections.sweep(run, rows) <= enough) break;
    }
    const Residual move = corrections.add(run);
    leads.moved(move);
    moved = move.span();
    const bool stuck = move.norm() == 0;
    const bool long_enough =
        pace.sweeps(run) > (turning ? kPatienceTurning : kPatience) && pace.left(run) > kPatience;
    if (run.options.method == Method::automatic && (long_enough || stuck)) return run_policy_iteration(run);
    if (!stuck) continue;
    // Where rounding alone makes the bounds wide, values that no longer change never will. Else corrections
    // in single precision came to nothing, as in a cycle with a discount within 3e-8 of 1.
    if (run.at_precision_limit()) {
      run.status = SolveStatus::precision_limit;
      return;
    }
    std::swap(run.value, run.next);
    leads.moved(run.residual);
  }
}

// Howard (1960): evaluate the greedy policy by a linear solve, improve, repeat. The solve is as exact as the
// next improvement can use, and a policy that no longer changes is solved to the end.
void run_policy_iteration(SolverRun& run) {
  run.method = Method::policy_iteration;
  run.beyond_sweeps = 0;
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
