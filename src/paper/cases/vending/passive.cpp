#include <algorithm>
#include <cmath>

#include "mindgap/base/distributions.h"
#include "paper/cases/vending/learning.h"
#include "paper/cases/vending/planners.h"

namespace mindgap::cases::vending {
namespace {

class Sop : public SlotPlanner {
 public:
  using SlotPlanner::SlotPlanner;

  void decide(const Morning&, Decision& decision) override {
    for (std::size_t slot = 0; slot < slots(); ++slot) {
      exploit(slot, briefing_.simulator_rate[slot], decision);
    }
  }
  void learn(const DaySeen&) override {}
};

class Asop : public SlotPlanner {
 public:
  Asop(const Briefing& briefing, PlannerSeed seed, PassiveOptions options)
      : SlotPlanner(briefing, seed), learner_(briefing, options.keep_sold_out), pilot_(options.pilot) {}

  void decide(const Morning& morning, Decision& decision) override {
    if (pilot_ && morning.day < briefing_.planning.pilot_days) return pilot(morning.day, decision);
    for (std::size_t slot = 0; slot < slots(); ++slot) exploit(slot, learner_.rate(slot), decision);
  }
  void learn(const DaySeen& seen) override { learner_.observe(seen); }

 private:
  WindowLearner learner_;
  bool pilot_;
};

class EpsilonGreedy : public SlotPlanner {
 public:
  EpsilonGreedy(const Briefing& briefing, PlannerSeed seed, Epsilon kind)
      : SlotPlanner(briefing, seed), learner_(briefing), kind_(kind) {}

  void decide(const Morning& morning, Decision& decision) override {
    const double epsilon = chance(static_cast<double>(morning.day));
    for (std::size_t i = 0; i < machines(); ++i) {
      base::Stream words = stream(Draw::epsilon, i, morning.day);
      const bool random = base::uniform(words) < epsilon;
      for (std::size_t slot = i * products(); slot < (i + 1) * products(); ++slot) {
        if (random) {
          play(words, slot, decision);
        } else {
          exploit(slot, learner_.rate(slot), decision);
        }
      }
    }
  }

  void learn(const DaySeen& seen) override {
    if (kind_ != Epsilon::fixed) learner_.observe(seen);
  }

 private:
  // Adaptive: max(lowest, start * exp(-t/days)).
  double chance(double day) const {
    const Planning& planning = briefing_.planning;
    if (kind_ != Epsilon::learning_adaptive) return planning.epsilon;
    return std::max(planning.adaptive_epsilon_lowest,
                    planning.adaptive_epsilon_start * std::exp(-day / planning.adaptive_epsilon_days));
  }

  void play(base::Stream& words, std::size_t slot, Decision& decision) const {
    const std::vector<double>& prices = briefing_.planning.epsilon_prices;
    const std::int64_t target = base::uniform_index(words, briefing_.slot_capacity + 1);
    const auto price =
        static_cast<std::size_t>(base::uniform_index(words, static_cast<std::int64_t>(prices.size())));
    decision.target[slot] = static_cast<std::int32_t>(target);
    decision.price[slot] = money(prices[price] * briefing_.wholesale[briefing_.product_of(slot)]);
  }

  WindowLearner learner_;
  Epsilon kind_;
};

// max(lowest, rate + z sqrt(v)), z normal, drawn anew every few days.
class Thompson : public SlotPlanner {
 public:
  Thompson(const Briefing& briefing, PlannerSeed seed)
      : SlotPlanner(briefing, seed), learner_(briefing), drawn_(slots()) {}

  void decide(const Morning& morning, Decision& decision) override {
    for (std::size_t slot = 0; slot < slots(); ++slot) {
      if (morning.day % briefing_.planning.thompson_days == 0) drawn_[slot] = draw(slot, morning.day);
      exploit(slot, drawn_[slot], decision);
    }
  }
  void learn(const DaySeen& seen) override { learner_.observe(seen); }

 private:
  double draw(std::size_t slot, std::int64_t day) const {
    base::Stream words = stream(Draw::thompson, slot, day);
    const double sd = std::sqrt(rate_variance(briefing_, slot, learner_.days(slot)));
    return std::max(briefing_.planning.thompson_lowest_rate, learner_.rate(slot) + sd * base::normal(words));
  }

  WindowLearner learner_;
  std::vector<double> drawn_;
};

// rate + phi(0) sqrt(v_n - v_{n+1}), phi(0) = 1/sqrt(2 pi).
class KnowledgeGradient : public SlotPlanner {
 public:
  KnowledgeGradient(const Briefing& briefing, PlannerSeed seed)
      : SlotPlanner(briefing, seed), learner_(briefing) {}

  void decide(const Morning& morning, Decision& decision) override {
    if (morning.day < briefing_.planning.pilot_days) return pilot(morning.day, decision);
    for (std::size_t slot = 0; slot < slots(); ++slot) {
      const std::int64_t days = learner_.days(slot);
      const double gained = rate_variance(briefing_, slot, days) - rate_variance(briefing_, slot, days + 1);
      exploit(slot, learner_.rate(slot) + kDensityAtZero * std::sqrt(gained), decision);
    }
  }
  void learn(const DaySeen& seen) override { learner_.observe(seen); }

 private:
  static constexpr double kDensityAtZero = 0.3989422804014327;
  WindowLearner learner_;
};

}  // namespace

std::unique_ptr<VendingPlanner> make_sop(const Briefing& briefing) {
  return std::make_unique<Sop>(briefing, PlannerSeed{});
}

std::unique_ptr<VendingPlanner> make_asop(const Briefing& briefing, PlannerSeed seed,
                                          PassiveOptions options) {
  return std::make_unique<Asop>(briefing, seed, options);
}

std::unique_ptr<VendingPlanner> make_epsilon(const Briefing& briefing, PlannerSeed seed, Epsilon kind) {
  return std::make_unique<EpsilonGreedy>(briefing, seed, kind);
}

std::unique_ptr<VendingPlanner> make_thompson(const Briefing& briefing, PlannerSeed seed) {
  return std::make_unique<Thompson>(briefing, seed);
}

std::unique_ptr<VendingPlanner> make_knowledge_gradient(const Briefing& briefing, PlannerSeed seed) {
  return std::make_unique<KnowledgeGradient>(briefing, seed);
}

}  // namespace mindgap::cases::vending
