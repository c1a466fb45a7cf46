#include <algorithm>
#include <array>
#include <cmath>

#include "paper/cases/vending/learning.h"
#include "paper/cases/vending/planners.h"

// UCRL2 and UCBVI per machine on two states and two actions.
namespace mindgap::cases::vending {
namespace {

/// What one machine has shown, by state and action.
struct Model {
  std::array<std::array<double, 2>, 2> count = {}, reward = {};
  std::array<std::array<std::array<double, 2>, 2>, 2> next = {};
  std::array<double, 2> value = {};
  std::array<int, 2> best = {};
  int state = 0, action = 0;
  bool waiting = false;  // for the next state
};

class Optimist : public SlotPlanner {
 public:
  Optimist(const Briefing& briefing, Optimism kind)
      : SlotPlanner(briefing, PlannerSeed{}), kind_(kind), model_(machines()) {}

  void decide(const Morning& morning, Decision& decision) override {
    const Planning& planning = briefing_.planning;
    const std::int64_t every = kind_ == Optimism::ucrl2 ? planning.optimism_replan_days : 1;
    for (std::size_t i = 0; i < machines(); ++i) {
      Model& model = model_[i];
      std::int64_t units = 0;
      for (std::size_t p = 0; p < products(); ++p) units += morning.stock[i * products() + p];
      const int state = static_cast<double>(units) >= planning.optimism_stock ? 1 : 0;
      if (model.waiting) model.next[at(model.state)][at(model.action)][at(state)] += 1;
      model.waiting = false;
      if (morning.day % every == 0) solve(model, static_cast<double>(morning.day));
      model.state = state;
      model.action = model.best[at(state)];
      for (std::size_t slot = i * products(); slot < (i + 1) * products(); ++slot) {
        exploit(slot, 0, decision);
        decision.target[slot] = model.action == 0 ? 0
                                                  : static_cast<std::int32_t>(std::min<std::int64_t>(
                                                        planning.optimism_target, briefing_.slot_capacity));
      }
    }
  }

  void learn(const DaySeen& seen) override {
    const Planning& planning = briefing_.planning;
    for (std::size_t i = 0; i < machines(); ++i) {
      if (seen.down[i]) continue;
      Model& model = model_[i];
      const double reward = (profit(seen, i) + planning.optimism_loss) / planning.optimism_range;
      model.count[at(model.state)][at(model.action)] += 1;
      model.reward[at(model.state)][at(model.action)] += std::clamp(reward, 0.0, 1.0);
      model.waiting = true;
    }
  }

 private:
  static std::size_t at(int place) { return static_cast<std::size_t>(place); }

  // Revenue less what was shipped in, held and spoiled; direct orders are not charged to the machine.
  double profit(const DaySeen& seen, std::size_t machine) const {
    double sum = 0;
    for (std::size_t p = 0; p < products(); ++p) {
      const std::size_t slot = machine * products() + p;
      sum += seen.sales[slot] * dollars(briefing_.exploit_price[p]) -
             seen.shipped_in[slot] * (briefing_.wholesale[p] + briefing_.handling) -
             seen.end_stock[slot] * briefing_.holding[p] - seen.spoiled[slot] * briefing_.wholesale[p];
    }
    return sum;
  }

  // Q(s,a) = r + bonus + discount sum_s' P(s') V(s') with bonus sqrt(L/2n). UCRL2: the reward is at most 1
  // and sqrt(2L/n)/2 of the probability moves to the better state (half the L1 radius). UCBVI: a larger
  // bonus, the observed transitions, and Q at most 1/(1 - discount).
  double optimistic(const Model& model, std::size_t s, std::size_t a, double log_term) const {
    const double discount = briefing_.planning.optimism_discount;
    const double visits = model.next[s][a][0] + model.next[s][a][1];
    const double n = std::max(1.0, model.count[s][a]);
    const double bonus = std::sqrt(log_term / (2 * n));
    const double reward = model.reward[s][a] / n;
    const std::size_t better = model.value[1] > model.value[0] ? 1 : 0;
    double good = visits > 0 ? model.next[s][a][better] / visits : .5;
    if (kind_ == Optimism::ucrl2) good = std::min(1.0, good + std::sqrt(2 * log_term / n) / 2);
    const double ahead = good * model.value[better] + (1 - good) * model.value[1 - better];
    if (kind_ == Optimism::ucrl2) return std::min(1.0, reward + bonus) + discount * ahead;
    return std::min(reward + briefing_.planning.optimism_bonus * bonus + discount * ahead,
                    1 / (1 - discount));
  }

  // Value iteration from the last value; the first of equal actions.
  void solve(Model& model, double day) const {
    const double log_term = std::log(briefing_.planning.optimism_confidence * (day + 2));
    for (int sweep = 0; sweep < 10'000; ++sweep) {
      std::array<double, 2> next = {};
      for (std::size_t s = 0; s < 2; ++s) {
        const double none = optimistic(model, s, 0, log_term), fill = optimistic(model, s, 1, log_term);
        model.best[s] = fill > none ? 1 : 0;
        next[s] = std::max(none, fill);
      }
      const double change = std::max(std::abs(next[0] - model.value[0]), std::abs(next[1] - model.value[1]));
      model.value = next;
      if (change < 1e-7) break;
    }
  }

  Optimism kind_;
  std::vector<Model> model_;
};

}  // namespace

std::unique_ptr<VendingPlanner> make_optimism(const Briefing& briefing, Optimism kind) {
  return std::make_unique<Optimist>(briefing, kind);
}

}  // namespace mindgap::cases::vending
