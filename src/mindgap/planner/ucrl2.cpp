#include "mindgap/planner/ucrl2.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/planner/learning_planner.h"
#include "mindgap/planner/optimism.h"

namespace mindgap::planner {
namespace {

class Ucrl2 final : public Planner {
 public:
  explicit Ucrl2(const Setting& setting)
      : counts_(check_setting(setting).belief.simulator()),
        range_(reward_range(counts_.simulator())),
        confidence_(setting.options.confidence),
        optimism_(setting.options.optimism),
        before_(static_cast<std::size_t>(counts_.simulator().pairs())) {
    if (counts_.simulator().discount() == 1) throw InvalidArgument("ucrl2: the discount must be below 1");
  }

  void choose(std::int64_t, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    if (over_) begin_episode();
    for (std::size_t u = 0; u < state.size(); ++u) pair[u] = plan_.pair_of_state[state[u]];
  }

  void observe(std::int64_t, const StepSeen& seen) override {
    counts_.add(seen);
    for (const std::int32_t k : seen.pair) {
      over_ = over_ || counts_.count(k) - before_[k] >= std::max(1.0, before_[k]);
    }
  }

 private:
  void begin_episode() {
    over_ = false;
    for (std::int32_t k = 0; k < counts_.simulator().pairs(); ++k) before_[k] = counts_.count(k);
    const double t = counts_.total() + 1;
    const double accuracy = range_.width() / (1 - counts_.simulator().discount()) / std::sqrt(t);
    plan_ = extended_value_iteration(counts_, ucrl2_confidence(counts_, range_, confidence_, optimism_),
                                     accuracy, std::move(plan_.value));
  }

  Counts counts_;
  RewardRange range_;
  double confidence_, optimism_;
  std::vector<double> before_;  // counts when the episode began
  bool over_ = true;
  OptimisticPlan plan_;
};

}  // namespace

std::unique_ptr<Planner> make_ucrl2(const Setting& setting) {
  return std::make_unique<Ucrl2>(setting);
}

}  // namespace mindgap::planner
