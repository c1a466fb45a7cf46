#include "mindgap/planner/optimism.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mindgap::planner {

RewardRange reward_range(const mdp::Mdp& simulator) {
  const auto reward = simulator.reward();
  const bool negative = std::any_of(reward.begin(), reward.end(), [](double r) { return r < 0; });
  const double most = std::max(simulator.reward_max(), simulator.reward_magnitude());
  return {negative ? -most : 0, most};
}

Counts::Counts(const mdp::Mdp& simulator)
    : simulator_(simulator),
      count_(static_cast<std::size_t>(simulator.pairs())),
      reward_(count_.size()),
      rows_(count_.size()) {
  if (simulator.states() <= kFullSupport) return;
  for (std::int32_t k = 0; k < simulator.pairs(); ++k) {
    const auto support = simulator.row(k).next_state;
    rows_[k].next_state.assign(support.begin(), support.end());
    rows_[k].count.assign(support.size(), 0);
  }
}

void Counts::add(const StepSeen& seen) {
  for (std::size_t u = 0; u < seen.pair.size(); ++u) {
    const std::int32_t k = seen.pair[u];
    const double weight = seen.weight_of(u);
    total_ += weight;
    count_[k] += weight;
    reward_[k] += (seen.reward[u] - reward_[k]) * weight / count_[k];
    Row& row = rows_[k];
    const auto it = std::lower_bound(row.next_state.begin(), row.next_state.end(), seen.next_state[u]);
    const auto at = it - row.next_state.begin();
    if (it == row.next_state.end() || *it != seen.next_state[u]) {
      row.next_state.insert(it, seen.next_state[u]);
      row.count.insert(row.count.begin() + at, 0);
    }
    row.count[static_cast<std::size_t>(at)] += weight;
  }
}

double Counts::possible(std::int32_t pair) const {
  if (simulator_.states() <= kFullSupport) return simulator_.states();
  return static_cast<double>(rows_[pair].next_state.size());
}

Confidence ucrl2_confidence(const Counts& counts, const RewardRange& range, double delta, double optimism) {
  const mdp::Mdp& simulator = counts.simulator();
  const double t = counts.total() + 1;
  const double actions = simulator.actions();
  const double log_reward = std::log(2 * simulator.states() * actions * t / delta);
  const double log_row = std::log(2 * actions * t / delta);
  Confidence confidence;
  for (std::int32_t k = 0; k < simulator.pairs(); ++k) {
    const double n = std::max(1.0, counts.count(k));
    const double above = optimism * range.width() * std::sqrt(7 * log_reward / (2 * n));
    const bool seen = counts.count(k) > 0;
    // A mean above the stated range is evidence against the range, not against the mean.
    const double top = seen ? std::max(range.high, counts.mean_reward(k)) : range.high;
    confidence.reward.push_back(seen ? std::min(top, counts.mean_reward(k) + above) : top);
    confidence.radius.push_back(optimism * std::sqrt(14 * counts.possible(k) * log_row / n));
  }
  return confidence;
}

double optimistic_mean(std::span<const std::int32_t> next_state, std::span<const double> center,
                       double radius, std::span<const double> value, std::int32_t best) {
  double held = 0, mean = 0;
  for (std::size_t i = 0; i < next_state.size(); ++i) {
    if (next_state[i] == best) held += center[i];
    mean += center[i] * value[next_state[i]];
  }
  if (radius / 2 >= 1 - held) return value[best];
  double moved = radius / 2;
  mean += moved * value[best];
  // From the lowest value up, each in turn: rows are short and little of them goes.
  const auto before = [&](std::size_t a, std::size_t b) {
    const double left = value[next_state[a]], right = value[next_state[b]];
    return left < right || (left == right && a < b);
  };
  const std::size_t none = next_state.size();
  for (std::size_t last = none; moved > 0;) {
    std::size_t lowest = none;
    for (std::size_t i = 0; i < none; ++i) {
      if (next_state[i] == best || (last != none && !before(last, i))) continue;
      if (lowest == none || before(i, lowest)) lowest = i;
    }
    if (lowest == none) break;  // by rounding
    const double taken = std::min(moved, center[lowest]);
    mean -= taken * value[next_state[lowest]];
    moved -= taken;
    last = lowest;
  }
  return mean;
}

namespace {

class ExtendedBellman {
 public:
  ExtendedBellman(const Counts& counts, const Confidence& confidence)
      : counts_(counts),
        confidence_(confidence),
        full_(counts.simulator().states() <= kFullSupport),
        every_(static_cast<std::size_t>(counts.simulator().states())),
        center_(static_cast<std::size_t>(counts.simulator().pairs())) {
    std::iota(every_.begin(), every_.end(), 0);
    for (std::int32_t k = 0; k < counts.simulator().pairs(); ++k) {
      center_[k] = counts.row(k).count;
      const double n = counts.count(k);
      if (n == 0) center_[k].assign(full_ ? every_.size() : center_[k].size(), 1 / counts.possible(k));
      if (n > 0) {
        for (double& p : center_[k]) p /= n;
      }
    }
  }

  // One sweep; returns the extremes of the change.
  std::pair<double, double> sweep(std::span<const double> in, std::span<double> out,
                                  std::span<std::int32_t> pick) const {
    const mdp::Mdp& mdp = counts_.simulator();
    const auto top = static_cast<std::int32_t>(std::max_element(in.begin(), in.end()) - in.begin());
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      double best = -std::numeric_limits<double>::infinity();
      for (const std::int32_t k : mdp.pairs_of(s)) {
        const double q = confidence_.reward[k] + mdp.discount() * backup(k, in, top);
        if (q > best) best = q, pick[s] = k;
      }
      out[s] = best;
      least = std::min(least, best - in[s]);
      most = std::max(most, best - in[s]);
    }
    return {least, most};
  }

 private:
  double backup(std::int32_t pair, std::span<const double> value, std::int32_t top) const {
    const bool uniform = full_ && counts_.count(pair) == 0;
    const std::vector<std::int32_t>& next = uniform ? every_ : counts_.row(pair).next_state;
    if (!full_) {
      top = *std::max_element(next.begin(), next.end(),
                              [&](std::int32_t a, std::int32_t b) { return value[a] < value[b]; });
    }
    return optimistic_mean(next, center_[pair], confidence_.radius[pair], value, top);
  }

  const Counts& counts_;
  const Confidence& confidence_;
  bool full_;
  std::vector<std::int32_t> every_;          // all states
  std::vector<std::vector<double>> center_;  // per pair, as its row; over all states where nothing was seen
};

}  // namespace

// The operator is a contraction by g in the maximum norm and shifts constants by g, as the Bellman operator:
// with d = Tu - u the fixed point lies in Tu + g/(1-g) [min d, max d] (Puterman 1994, theorem 6.6.6).
OptimisticPlan extended_value_iteration(const Counts& counts, const Confidence& confidence, double accuracy,
                                        std::vector<double> value) {
  const mdp::Mdp& mdp = counts.simulator();
  const double factor = mdp.discount() / (1 - mdp.discount());
  OptimisticPlan plan;
  plan.value = std::move(value);
  plan.value.resize(static_cast<std::size_t>(mdp.states()));
  plan.pair_of_state.resize(plan.value.size());
  const ExtendedBellman bellman(counts, confidence);
  std::vector<double> next(plan.value.size());
  constexpr int kSweeps = 100'000;  // rounding may keep a tiny accuracy out of reach
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const auto [least, most] = bellman.sweep(plan.value, next, plan.pair_of_state);
    std::swap(plan.value, next);
    if (factor * (most - least) > 2 * accuracy) continue;
    for (double& v : plan.value) v += factor * (least + most) / 2;
    break;
  }
  return plan;
}

}  // namespace mindgap::planner
