#include "mindgap/planner/sop.h"

#include <algorithm>

#include "mindgap/mdp/solve.h"
#include "mindgap/planner/learning_planner.h"

namespace mindgap::planner {
namespace {

mdp::Policy simulator_optimal(const Setting& setting) {
  return mdp::solve(check_setting(setting).belief.simulator(), {.threads = 1}).policy;
}

class WatchedSop final : public LearningPlanner {
 public:
  explicit WatchedSop(const Setting& setting)
      : LearningPlanner(setting), policy_(simulator_optimal(setting)) {}

  void observe(std::int64_t step, const StepSeen& seen) override {
    // A move that was spread over corners reaches beyond a row's support by the spreading alone.
    for (std::size_t u = 0; u < seen.pair.size() && seen.weight.empty() && !refuted_; ++u)
      refuted_ = !is_possible(seen.pair[u], seen.next_state[u]);
    LearningPlanner::observe(step, seen);
  }

 protected:
  void replan(std::int64_t, std::span<const std::int32_t>) override {
    if (refuted_) plan_for_mean();
    learns_ = refuted_;
  }

  void act(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    if (learns_) return LearningPlanner::act(step, state, pair);
    follow(policy_.pair_of_state(), state, pair);
  }

 private:
  bool is_possible(std::int32_t pair, std::int32_t next_state) const {
    const mdp::Mdp& simulator = belief_.simulator();
    if (pair < 0 || pair >= simulator.pairs()) return true;  // the belief refuses it in its own words
    return simulator.row(pair).find(next_state).has_value();
  }

  mdp::Policy policy_;
  bool refuted_ = false;  // a move that the simulator calls impossible was seen
  bool learns_ = false;   // since the replan after it
};

}  // namespace

std::unique_ptr<Planner> make_sop(const Setting& setting) {
  return std::make_unique<WatchedSop>(setting);
}

std::unique_ptr<Planner> make_fixed_sop(const Setting& setting) {
  return follow_policy(setting.belief.simulator(), simulator_optimal(setting), setting.seed, setting.trial);
}

}  // namespace mindgap::planner
