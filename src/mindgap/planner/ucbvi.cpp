#include "mindgap/planner/ucbvi.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/base/error.h"
#include "mindgap/planner/learning_planner.h"

namespace mindgap::planner {

double ucbvi_bonus(const mdp::Mdp& simulator, const RewardRange& range, double count, double total,
                   double delta, double optimism) {
  const double log_term = std::log(5.0 * simulator.states() * simulator.actions() * total / delta);
  return 7 * optimism * range.width() / (1 - simulator.discount()) * log_term / std::sqrt(count);
}

namespace {

class Ucbvi final : public Planner {
 public:
  explicit Ucbvi(const Setting& setting)
      : counts_(check_setting(setting).belief.simulator()),
        range_(reward_range(counts_.simulator())),
        options_(setting.options) {
    const mdp::Mdp& simulator = counts_.simulator();
    if (simulator.discount() == 1) throw InvalidArgument("ucbvi: the discount must be below 1");
    begin_at_the_top();
    pick_.resize(value_.size());
  }

  void choose(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    if (!planned_ || step % options_.replan_every == 0) replan();
    planned_ = true;
    for (std::size_t u = 0; u < state.size(); ++u) pair[u] = pick_[state[u]];
  }

  void observe(std::int64_t, const StepSeen& seen) override { counts_.add(seen); }

 private:
  void begin_at_the_top() {
    const mdp::Mdp& simulator = counts_.simulator();
    const double top = range_.high / (1 - simulator.discount());
    q_.assign(static_cast<std::size_t>(simulator.pairs()), top);
    value_.assign(static_cast<std::size_t>(simulator.states()), top);
  }

  // V of the last replan lies above the new fixed point, so that the sweeps come down to it; Q_before is the
  // cap of every sweep.
  void replan() {
    const mdp::Mdp& mdp = counts_.simulator();
    const double total = std::max(1.0, counts_.total());
    std::vector<double> here(q_.size());  // mean reward + bonus
    double highest = range_.high;
    for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
      if (counts_.count(k) == 0) continue;
      highest = std::max(highest, counts_.mean_reward(k));
      here[k] = counts_.mean_reward(k) +
                ucbvi_bonus(mdp, range_, counts_.count(k), total, options_.confidence, options_.optimism);
    }
    if (highest > range_.high) {  // the stated range is refuted: hope begins again
      range_.high = highest;
      begin_at_the_top();
    }
    const double enough = 1e-9 * range_.width();  // of a change; then V is off by that / (1-g) at most
    const std::vector<double> cap = q_;
    constexpr int kSweeps = 100'000;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      if (sweep_once(here, cap) <= enough) break;
    }
  }

  // Returns the largest change of a state's value.
  double sweep_once(std::span<const double> here, std::span<const double> cap) {
    const mdp::Mdp& mdp = counts_.simulator();
    double change = 0;
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      double best = -std::numeric_limits<double>::infinity();
      for (const std::int32_t k : mdp.pairs_of(s)) {
        if (counts_.count(k) > 0) q_[k] = std::min(cap[k], here[k] + mdp.discount() * next_value(k));
        if (q_[k] > best) best = q_[k], pick_[s] = k;
      }
      change = std::max(change, std::abs(best - value_[s]));
      value_[s] = best;
    }
    return change;
  }

  double next_value(std::int32_t pair) const {
    const Counts::Row& row = counts_.row(pair);
    double sum = 0;
    for (std::size_t i = 0; i < row.count.size(); ++i) sum += row.count[i] * value_[row.next_state[i]];
    return sum / counts_.count(pair);
  }

  Counts counts_;
  RewardRange range_;
  PlannerOptions options_;
  std::vector<double> q_, value_;
  std::vector<std::int32_t> pick_;
  bool planned_ = false;
};

}  // namespace

std::unique_ptr<Planner> make_ucbvi(const Setting& setting) {
  return std::make_unique<Ucbvi>(setting);
}

}  // namespace mindgap::planner
