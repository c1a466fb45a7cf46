#include "mindgap/decide/beside_plans.h"

#include <algorithm>

#include "mindgap/gap/epi.h"
#include "mindgap/mdp/evaluate.h"

namespace mindgap::decide {
namespace {

constexpr std::uint64_t kFirstPriced = std::uint64_t{1}
                                       << 60;  // number of the first model that prices a batch

// How many units are in each state.
std::vector<double> counts_of(const Situation& situation) {
  std::vector<double> counts(static_cast<std::size_t>(situation.belief().simulator().states()), 0.0);
  for (const std::int32_t s : situation.unit_state) ++counts[s];
  return counts;
}

}  // namespace

std::optional<voi::RowsValue> rows_worth_knowing(const Situation& situation, const mdp::Policy& deployed,
                                                 const DecideOptions& options) {
  constexpr double kMostNumbers = 4e8;
  constexpr std::int64_t kMost = 64, kFewest = 8;
  const mdp::Mdp& mdp = situation.belief().simulator();
  const double each = static_cast<double>(mdp.nonzeros()) * static_cast<double>(situation.horizon) *
                      (2.0 * std::max(1, std::min(8, mdp.labels().groups.size())) + 3);
  const std::int64_t draws =
      std::min({kMost, options.information_draws, static_cast<std::int64_t>(kMostNumbers / each)});
  // Where time cut the draws there is none for this, and what repeats that answer leaves it out, too.
  if (draws < kFewest || options.most_draws > 0) return std::nullopt;
  voi::RowsOptions how{.steps = situation.horizon,
                       .discounted = options.objective.sum == Objective::discounted,
                       .draws = draws,
                       .first_draw = kFirstInformationDraw,
                       .run = options.simulation.run};
  how.positions = counts_of(situation);
  return voi::value_of_rows(situation.belief(), deployed, how);
}

std::optional<gap::PriorImplies> implied_by(const Situation& situation, const DecideOptions& options) {
  if (options.information_draws == 0) return std::nullopt;
  gap::PriorImpliesOptions how{.steps = situation.horizon,
                               .discounted = options.objective.sum == Objective::discounted,
                               .run = options.simulation.run};
  how.positions = counts_of(situation);
  return gap::prior_implies(situation.belief(), how);
}

std::vector<double> priority_of_states(const Situation& situation, const mdp::Policy& deployed) {
  const belief::Knowledge& knowledge = situation.knowledge;
  const mdp::Mdp mean = knowledge.now.mean();
  const std::vector<double> index = gap::exploration_priority(
      mean, mdp::discounted_visitation(mean, deployed).share, knowledge.now.reward_variances(),
      knowledge.bias, knowledge.now.transition_strengths());
  std::vector<double> priority(static_cast<std::size_t>(mean.states()), 0.0);
  for (std::int32_t k = 0; k < mean.pairs(); ++k) priority[mean.state_of_pair(k)] += index[k];
  return priority;
}

BatchPrice price_next_batch(const Situation& situation, const DecideOptions& options,
                            const Decision& decision) {
  std::vector<std::uint8_t> explores(situation.unit_state.size(), 0);
  for (const std::int32_t u : decision.pilot_members) explores[u] = 1;
  std::vector<std::int32_t> unit_state;  // explorers first
  for (const bool first : {true, false}) {
    for (std::size_t u = 0; u < explores.size(); ++u) {
      if ((explores[u] != 0) == first) unit_state.push_back(situation.unit_state[u]);
    }
  }
  return price_batch({situation.belief(), unit_state, *decision.pilot, situation.horizon,
                      options.simulation.run.seed, kFirstPriced});
}

}  // namespace mindgap::decide
