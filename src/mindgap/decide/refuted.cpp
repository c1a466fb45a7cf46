#include "mindgap/decide/refuted.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/gap/residuals.h"

namespace mindgap::decide {
namespace {

// Moves of every pair, and rewards where none was censored: where some were, no test of rewards is made.
gap::PilotStatistics statistics_of(const belief::Belief& belief) {
  const mdp::Mdp& simulator = belief.simulator();
  const auto pairs = static_cast<std::size_t>(simulator.pairs());
  gap::PilotStatistics seen;
  seen.off_support.resize(pairs);
  for (const belief::OffSupport& off : belief.off_support())
    seen.off_support[off.pair] += static_cast<std::int64_t>(off.count);
  for (const double n : belief.transitions_seen()) seen.next_count.push_back(static_cast<std::int64_t>(n));
  for (std::size_t k = 0; k < pairs; ++k) {
    const belief::SampleSummary& rewards = belief.rewards_seen()[k];
    const auto moves = static_cast<double>(seen.moves(simulator, static_cast<std::int32_t>(k)));
    const bool as_seen = belief.censored_rewards() == 0 || rewards.count == moves;
    seen.count.push_back(as_seen ? static_cast<std::int64_t>(rewards.count) : 0);
    seen.mean_reward.push_back(rewards.mean);
    seen.squared_deviations.push_back(rewards.squared_deviations);
  }
  return seen;
}

}  // namespace

std::optional<Refuted> refuted_by_log(const belief::Knowledge& knowledge, const mdp::Policy& policy) {
  if (knowledge.now.ensemble() != nullptr) return std::nullopt;  // its mean is no model that could be refuted
  const mdp::Mdp& simulator = knowledge.now.simulator();
  const gap::PilotStatistics seen = statistics_of(knowledge.now);
  const std::span<const double> stated =
      knowledge.variance_estimated ? std::span<const double>() : knowledge.variance;
  const gap::Residuals residuals = gap::pilot_residuals(simulator, seen, stated);
  if (residuals.pairs.empty()) return std::nullopt;
  Refuted found;
  std::vector<std::int32_t> others;
  for (const gap::PairResidual& pair : residuals.pairs) {
    ++found.visited_pairs;
    found.moves += seen.moves(simulator, pair.pair);
    found.off_support += seen.off_support[pair.pair];
    if (!pair.transition_test.flagged && !pair.reward_test.flagged) continue;
    ++found.refuted_pairs;
    const bool taken = policy.pair_of_state()[simulator.state_of_pair(pair.pair)] == pair.pair;
    found.policy_pairs += taken ? 1 : 0;
    (taken ? found.pairs : others).push_back(pair.pair);
  }
  found.pairs.insert(found.pairs.end(), others.begin(), others.end());
  return found;
}

}  // namespace mindgap::decide
