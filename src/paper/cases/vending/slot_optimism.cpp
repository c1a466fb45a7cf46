#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "paper/cases/vending/learning.h"
#include "paper/cases/vending/planners.h"

// UCRL2 and UCBVI on what the other planners see and choose: per slot, every stock and every target.
namespace mindgap::cases::vending {
namespace {

/// What one slot has shown.
struct SlotModel {
  struct SlotPair {
    double count = 0, reward = 0, moves = 0;
    std::vector<std::pair<std::size_t, double>> next = {};  // stock, how often
  };
  std::vector<SlotPair> pairs;  // [stock * targets + target]
  std::vector<double> value;    // per stock
  std::vector<std::size_t> best;
  std::size_t state = 0, action = 0;
  bool waiting = false;  // for the next stock
};

class SlotOptimist : public SlotPlanner {
 public:
  SlotOptimist(const Briefing& briefing, Optimism kind)
      : SlotPlanner(briefing, PlannerSeed{}),
        kind_(kind),
        levels_(static_cast<std::size_t>(briefing.slot_capacity) + 1),
        most_(1 / (1 - briefing.planning.optimism_discount)),
        model_(slots()) {
    for (SlotModel& model : model_) {
      model.pairs.resize(levels_ * levels_);
      model.value.assign(levels_, most_);
      model.best.assign(levels_, 0);
    }
  }

  void decide(const Morning& morning, Decision& decision) override {
    const std::int64_t every = kind_ == Optimism::ucrl2 ? briefing_.planning.optimism_replan_days : 1;
    for (std::size_t slot = 0; slot < slots(); ++slot) {
      SlotModel& model = model_[slot];
      const auto stock = std::min(levels_ - 1, static_cast<std::size_t>(std::max(0, morning.stock[slot])));
      if (model.waiting) saw_move(model.pairs[model.state * levels_ + model.action], stock);
      model.waiting = false;
      if (morning.day % every == 0) plan(model, static_cast<double>(morning.day));
      model.state = stock;
      model.action = model.best[stock];
      exploit(slot, 0, decision);
      decision.target[slot] = static_cast<std::int32_t>(model.action);
    }
  }

  void learn(const DaySeen& seen) override {
    const Planning& planning = briefing_.planning;
    const auto share = static_cast<double>(products());
    for (std::size_t slot = 0; slot < slots(); ++slot) {
      if (seen.down[slot / products()]) continue;
      SlotModel& model = model_[slot];
      SlotModel::SlotPair& pair = model.pairs[model.state * levels_ + model.action];
      const double reward =
          (profit(seen, slot) + planning.optimism_loss / share) / (planning.optimism_range / share);
      pair.count += 1;
      pair.reward += std::clamp(reward, 0.0, 1.0);
      model.waiting = true;
    }
  }

 private:
  double profit(const DaySeen& seen, std::size_t slot) const {
    const std::size_t p = briefing_.product_of(slot);
    return seen.sales[slot] * dollars(briefing_.exploit_price[p]) -
           seen.shipped_in[slot] * (briefing_.wholesale[p] + briefing_.handling) -
           seen.end_stock[slot] * briefing_.holding[p] - seen.spoiled[slot] * briefing_.wholesale[p];
  }

  static void saw_move(SlotModel::SlotPair& pair, std::size_t stock) {
    pair.moves += 1;
    for (auto& [to, times] : pair.next) {
      if (to == stock) return void(times += 1);
    }
    pair.next.emplace_back(stock, 1);
  }

  // As the learner of two states has it; a pair that was never tried is worth as much as anything can be.
  double optimistic(const SlotModel& model, const SlotModel::SlotPair& pair, double best,
                    double log_term) const {
    if (pair.count == 0 || pair.moves == 0) return most_;
    const double bonus = std::sqrt(log_term / (2 * pair.count)), reward = pair.reward / pair.count;
    double ahead = 0;
    for (const auto& [to, times] : pair.next) ahead += times / pair.moves * model.value[to];
    const double discount = briefing_.planning.optimism_discount;
    if (kind_ == Optimism::ucbvi)
      return std::min(reward + briefing_.planning.optimism_bonus * bonus + discount * ahead, most_);
    const double moved = std::min(1.0, std::sqrt(2 * log_term / pair.count) / 2);
    return std::min(1.0, reward + bonus) + discount * (moved * best + (1 - moved) * ahead);
  }

  // Value iteration from the last value; the first of equal targets.
  void plan(SlotModel& model, double day) const {
    const double log_term = std::log(briefing_.planning.optimism_confidence * (day + 2));
    for (int sweep = 0; sweep < 200; ++sweep) {
      const double best = *std::max_element(model.value.begin(), model.value.end());
      double change = 0;
      for (std::size_t s = 0; s < levels_; ++s) {
        double most = -1;
        for (std::size_t a = 0; a < levels_; ++a) {
          const double worth = optimistic(model, model.pairs[s * levels_ + a], best, log_term);
          if (worth > most) most = worth, model.best[s] = a;
        }
        change = std::max(change, std::abs(most - model.value[s]));
        model.value[s] = most;
      }
      if (change < 1e-3) break;
    }
  }

  Optimism kind_;
  std::size_t levels_;  // of stock, and of targets
  double most_;         // 1 / (1 - discount)
  std::vector<SlotModel> model_;
};

}  // namespace

std::unique_ptr<VendingPlanner> make_slot_optimism(const Briefing& briefing, Optimism kind) {
  return std::make_unique<SlotOptimist>(briefing, kind);
}

}  // namespace mindgap::cases::vending
