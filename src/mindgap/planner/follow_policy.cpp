#include "mindgap/base/random.h"
#include "mindgap/planner/learning_planner.h"
#include "mindgap/planner/planner.h"

namespace mindgap::planner {
namespace {

class FollowPolicy final : public Planner {
 public:
  explicit FollowPolicy(std::span<const std::int32_t> pair_of_state)
      : pair_of_state_(pair_of_state.begin(), pair_of_state.end()) {}

  void choose(std::int64_t, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    for (std::size_t u = 0; u < state.size(); ++u) pair[u] = pair_of_state_[state[u]];
  }
  void observe(std::int64_t, const StepSeen&) override {}

 private:
  std::vector<std::int32_t> pair_of_state_;
};

class FollowStochasticPolicy final : public Planner {
 public:
  FollowStochasticPolicy(mdp::Mdp mdp, const mdp::Policy& policy, std::uint64_t seed, std::uint64_t trial)
      : mdp_(std::move(mdp)), probability_(policy.probability_of_pair(mdp_)), seed_(seed), trial_(trial) {}

  void choose(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    for (std::size_t u = 0; u < state.size(); ++u) {
      base::Stream stream({seed_, base::Purpose::planner, trial_, u, static_cast<std::uint64_t>(step)});
      pair[u] = draw_pair(mdp_, probability_, state[u], stream);
    }
  }
  void observe(std::int64_t, const StepSeen&) override {}

 private:
  mdp::Mdp mdp_;
  std::vector<double> probability_;
  std::uint64_t seed_, trial_;
};

}  // namespace

std::unique_ptr<Planner> follow_policy(const mdp::Mdp& mdp, const mdp::Policy& policy, std::uint64_t seed,
                                       std::uint64_t trial) {
  if (policy.is_deterministic()) return std::make_unique<FollowPolicy>(policy.pair_of_state());
  return std::make_unique<FollowStochasticPolicy>(mdp, policy, seed, trial);
}

}  // namespace mindgap::planner
