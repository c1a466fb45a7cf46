#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mindgap/base/parallel.h"
#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/policy_rows.h"

// The full sweep every solver is made of, and the bounds that follow from it. A sweep streams the rows once;
// nothing is allocated per state.
namespace mindgap::mdp {

/// Which states need their actions compared at all. Where the best action of a state led the second by more
/// than the values have moved against each other since, it is still the best one, and a full sweep backs up
/// that one alone, with the same result but for what the weights it reads are off (docs/math/solvers.md).
class Leads {
 public:
  explicit Leads(const Mdp& mdp);
  /// Before each full sweep: takes off what values have moved since the last one.
  void age(const base::Threads& threads);
  /// Enough states are kept for a sweep to be faster.
  bool worthwhile() const { return worthwhile_; }
  bool kept(std::int32_t s) const { return lead_[s] > 0; }
  /// Where the actions of s were compared: by how much the best one led.
  void set(std::int32_t s, double lead) { lead_[s] = rounded_down(lead * per_scale_); }
  /// After sweeps of any kind: values have changed by this.
  void moved(const Residual& change);

 private:
  // A float that is not above `lead`, also where that is infinite: there is no second action. Here, so that
  // sweeps need not call it.
  static float rounded_down(double lead) {
    constexpr double kMost = std::numeric_limits<float>::max(), kLeast = std::numeric_limits<float>::min();
    return lead >= kLeast ? static_cast<float>(std::min(lead * (1 - 1e-7), kMost)) : 0;
  }

  double discount_, row_sum_max_, row_sum_range_, reward_magnitude_, operations_, rounding_, per_scale_;
  std::vector<float> lead_;  // divided by the scale of changes; 0: unknown
  double magnitude_ = 0;     // no value is larger
  double loss_ = 0;          // of every lead since the last full sweep
  bool worthwhile_ = false;
};

/// What else a full sweep keeps up to date; each may be absent.
struct SweepKeeps {
  PolicyRows* rows = nullptr;           // made to follow the greedy pairs
  CandidateRows* candidates = nullptr;  // made to follow the two best pairs
  Leads* leads = nullptr;               // states that it keeps have the pair that `pick` holds for them
  double noise = 0;                     // gains up to this are not counted as turns (if anything is kept)
};

/// Sweeps of T over one model: (TV)(s) = max_a r(s,a) + g sum p(s'|s,a) V(s').
class Bellman {
 public:
  Bellman(const Mdp& mdp, const base::Threads& threads) : mdp_(mdp), threads_(threads) {}

  /// out = T in; pick[s] = the greedy pair, the first of equals.
  Residual improve(std::span<const double> in, std::span<double> out, std::span<std::int32_t> pick,
                   const SweepKeeps& keeps = {}) const;

 private:
  const Mdp& mdp_;
  const base::Threads& threads_;
};

/// Bounds on V* from one Jacobi sweep: V* - TV lies in [lower, upper] at every state. `floor` is the part of
/// the width that rounding alone makes: more sweeps cannot remove it.
struct Bounds {
  double lower = 0;
  double upper = 0;
  double floor = 0;

  double width() const { return upper - lower; }
};

/// What the bounds rest on beside a sweep.
struct ModelRange {
  double discount = 0;
  double row_sum_min = 1, row_sum_max = 1;
  double reward_magnitude = 0;
  std::int32_t row_length_max = 1;
};
ModelRange range_of(const Mdp& mdp);
/// g Q, and what row sums are rounded by: bounds need it below 1.
double largest_factor(const ModelRange& model);
Bounds bounds_from(const ModelRange& model, const Residual& residual);
Bounds bounds_from(const Mdp& mdp, const Residual& residual);

}  // namespace mindgap::mdp
