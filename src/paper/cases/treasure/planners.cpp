#include "paper/cases/treasure/planners.h"

#include <cmath>

#include "mindgap/base/distributions.h"
#include "mindgap/base/random.h"
#include "mindgap/mdp/solve.h"
#include "paper/cases/treasure/model.h"

namespace mindgap::cases::treasure {
namespace {

using planner::Setting;
using planner::StepSeen;

class PaperPlanner : public planner::Planner {
 public:
  explicit PaperPlanner(const Setting& setting)
      : setting_(setting),
        simulator_(setting.belief.simulator()),
        reward_(simulator_.reward().begin(), simulator_.reward().end()),
        seen_(reward_.size(), false) {
    solve();
  }

  void choose(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    if (replans(step)) solve();
    for (std::size_t u = 0; u < state.size(); ++u) {
      base::Stream stream(
          {setting_.seed, base::Purpose::planner, setting_.trial, u, static_cast<std::uint64_t>(step)});
      pair[u] = choose_one(step, u, state[u], stream);
    }
  }
  void observe(std::int64_t step, const StepSeen& seen) override {
    for (std::size_t u = 0; u < seen.pair.size(); ++u) {
      if (!learns(step, u)) continue;
      reward_[seen.pair[u]] = seen.reward[u];
      seen_[seen.pair[u]] = true;
    }
  }

 protected:
  virtual bool replans(std::int64_t step) const { return step > 0 && step % 10 == 0; }
  virtual bool learns(std::int64_t, std::size_t) const { return true; }
  virtual std::int32_t choose_one(std::int64_t step, std::size_t unit, std::int32_t state,
                                  base::Stream& stream) = 0;

  std::int32_t pair(std::int32_t state, std::int64_t action) const {
    return simulator_.pair_begin()[state] + static_cast<std::int32_t>(action);
  }
  std::int32_t exploit(std::int32_t state) const { return policy_[state]; }
  std::int32_t random_pair(std::int32_t state, base::Stream& stream) const {
    return pair(state, base::uniform_index(stream, kActions));
  }
  bool seen(std::int32_t k) const { return seen_[k]; }

  const Setting setting_;

 private:
  void solve() {
    const auto solution = mdp::solve(simulator_.with_reward(reward_), {.tolerance = 1e-8, .threads = 1});
    policy_.assign(solution.policy.pair_of_state().begin(), solution.policy.pair_of_state().end());
  }

  mdp::Mdp simulator_;
  std::vector<double> reward_;
  std::vector<bool> seen_;
  std::vector<std::int32_t> policy_;
};

class LearningEpsilon final : public PaperPlanner {
 public:
  using PaperPlanner::PaperPlanner;

 private:
  std::int32_t choose_one(std::int64_t, std::size_t, std::int32_t state, base::Stream& stream) override {
    return base::uniform(stream) < .1 ? random_pair(state, stream) : exploit(state);
  }
};

class KnowledgeGradient final : public PaperPlanner {
 public:
  using PaperPlanner::PaperPlanner;

 private:
  std::int32_t choose_one(std::int64_t, std::size_t, std::int32_t state, base::Stream& stream) override {
    for (std::int32_t a = 0; a < kActions; ++a) {
      if (!seen(pair(state, a))) return base::uniform(stream) < .3 ? pair(state, a) : exploit(state);
    }
    return exploit(state);
  }
};

class Sep final : public PaperPlanner {
 public:
  explicit Sep(const Setting& setting)
      : PaperPlanner(setting),
        explorers_(static_cast<std::size_t>(std::llround(.15 * static_cast<double>(setting.units)))) {}

 private:
  static constexpr std::int64_t kExplore = 15;
  bool replans(std::int64_t step) const override { return step == kExplore; }
  bool learns(std::int64_t step, std::size_t unit) const override {
    return step < kExplore && unit < explorers_;
  }
  std::int32_t choose_one(std::int64_t step, std::size_t unit, std::int32_t state,
                          base::Stream& stream) override {
    if (step >= kExplore || unit >= explorers_) return exploit(state);
    if (in_b(state)) return random_pair(state, stream);
    const std::int32_t row = state / kColumns;
    return pair(state, row < kCorridorRow ? 1 : row > kCorridorRow ? 0 : 3);
  }
  std::size_t explorers_;
};

}  // namespace

std::unique_ptr<planner::Planner> make_paper_planner(std::string_view name, const Setting& setting) {
  if (name == "learning-epsilon") return std::make_unique<LearningEpsilon>(setting);
  if (name == "kg") return std::make_unique<KnowledgeGradient>(setting);
  if (name == "sep") return std::make_unique<Sep>(setting);
  return nullptr;
}

}  // namespace mindgap::cases::treasure
