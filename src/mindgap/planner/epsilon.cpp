#include "mindgap/planner/epsilon.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/distributions.h"
#include "mindgap/planner/learning_planner.h"

namespace mindgap::planner {
namespace {

enum class Share { fixed, decaying };

class EpsilonPlanner final : public LearningPlanner {
 public:
  EpsilonPlanner(const Setting& setting, bool learns, Share share)
      : LearningPlanner(setting), learns_(learns), share_(share) {}

  void observe(std::int64_t step, const StepSeen& seen) override {
    if (learns_) LearningPlanner::observe(step, seen);
  }

 protected:
  void replan(std::int64_t step, std::span<const std::int32_t>) override {
    if (learns_ || step == 0) plan_for_mean();  // without data, the simulator
  }

  void act(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    LearningPlanner::act(step, state, pair);
    const double epsilon = share_ == Share::fixed ? options_.epsilon : decayed(step);
    if (epsilon == 0) return;
    for (std::size_t u = 0; u < state.size(); ++u) {
      base::Stream words = stream(u, step);
      if (base::uniform(words) < epsilon) pair[u] = uniform_pair(belief_.simulator(), state[u], words);
    }
  }

 private:
  double decayed(std::int64_t step) const {
    return std::min(1.0, 2 * options_.epsilon * std::pow(options_.epsilon_decay, static_cast<double>(step)));
  }

  bool learns_;
  Share share_;
};

}  // namespace

std::unique_ptr<Planner> make_epsilon(const Setting& setting) {
  return std::make_unique<EpsilonPlanner>(setting, false, Share::fixed);
}
std::unique_ptr<Planner> make_learning_epsilon(const Setting& setting) {
  return std::make_unique<EpsilonPlanner>(setting, true, Share::fixed);
}
std::unique_ptr<Planner> make_adaptive_epsilon(const Setting& setting) {
  return std::make_unique<EpsilonPlanner>(setting, true, Share::decaying);
}

}  // namespace mindgap::planner
