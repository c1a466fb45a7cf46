#include "decide/belief_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "decide/situations.h"
#include "mindgap/base/distributions.h"

namespace mindgap::decide {

TreeModel bandit_tree(const std::vector<BetaArm>& arms, std::int64_t pulls) {
  TreeModel model;
  model.horizon = 2 * pulls;
  model.actions.resize(3);
  for (const BetaArm& arm : arms) model.actions[0].push_back({0, {1, 2}, {arm.a, arm.b}});
  model.actions[1] = {{1, {0}, {1}}};
  model.actions[2] = {{0, {0}, {1}}};
  return model;
}

BeliefTree::BeliefTree(TreeModel model) : model_(std::move(model)) {
  for (const auto& actions : model_.actions) {
    first_.emplace_back();
    for (const TreeAction& action : actions) {
      first_.back().push_back(entries_);
      if (action.next.size() > 1) entries_ += action.next.size();
    }
  }
  bits_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(model_.horizon)));
  if (bits_ * static_cast<int>(entries_ + 1) + static_cast<int>(std::bit_width(model_.actions.size())) > 128)
    throw std::invalid_argument("BeliefTree: too many rows for so long a horizon");
}

std::size_t BeliefTree::first_entry(std::int32_t state, std::size_t action) const {
  return first_[static_cast<std::size_t>(state)][action];
}

std::size_t BeliefTree::Hash::operator()(Key key) const {
  std::uint64_t hash = static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15ULL;
  hash ^= (static_cast<std::uint64_t>(key >> 64) + (hash >> 29)) * 0xbf58476d1ce4e5b9ULL;
  return hash ^ (hash >> 32);
}

BeliefTree::Key BeliefTree::key_of(std::int32_t state, const TreeCounts& counts, std::int64_t left) const {
  Key key = static_cast<Key>(state);
  key = (key << bits_) | static_cast<Key>(left);
  for (const std::int32_t count : counts) key = (key << bits_) | static_cast<Key>(count);
  return key;
}

std::vector<double> BeliefTree::predictive(std::int32_t state, const TreeCounts& counts,
                                           std::size_t action) const {
  const TreeAction& one = model_.actions[static_cast<std::size_t>(state)][action];
  if (one.next.size() == 1) return {1};
  std::vector<double> weight(one.alpha);
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] += counts[first_entry(state, action) + i];
  const double all = std::accumulate(weight.begin(), weight.end(), 0.0);
  for (double& w : weight) w /= all;
  return weight;
}

double BeliefTree::value(std::int32_t state, const TreeCounts& counts, std::int64_t left) {
  if (left == 0) return 0;
  const std::vector<TreeAction>& actions = model_.actions[static_cast<std::size_t>(state)];
  if (actions.size() == 1 && actions[0].next.size() == 1)
    return actions[0].reward + value(actions[0].next[0], counts, left - 1);
  const Key key = key_of(state, counts, left);
  const auto at = known_.find(key);
  if (at != known_.end()) return at->second;
  double best = action_value(state, counts, left, 0);
  for (std::size_t a = 1; a < actions.size(); ++a)
    best = std::max(best, action_value(state, counts, left, a));
  known_.emplace(key, best);
  return best;
}

double BeliefTree::action_value(std::int32_t state, const TreeCounts& counts, std::int64_t left,
                                std::size_t action) {
  const TreeAction& one = model_.actions[static_cast<std::size_t>(state)][action];
  const std::vector<double> probability = predictive(state, counts, action);
  double sum = one.reward;
  TreeCounts after = counts;
  for (std::size_t i = 0; i < probability.size(); ++i) {
    const bool counted = probability.size() > 1;
    if (counted) ++after[first_entry(state, action) + i];
    sum += probability[i] * value(one.next[i], after, left - 1);
    if (counted) --after[first_entry(state, action) + i];
  }
  return sum;
}

UrnWorld::UrnWorld(BeliefTree& tree, std::uint64_t seed, std::uint64_t trial)
    : tree_(tree), seed_(seed), trial_(trial), pair_begin_{0}, counts_(tree.no_counts()) {
  for (const auto& actions : tree.model().actions) {
    for (std::size_t a = 0; a < actions.size(); ++a) pair_action_.push_back(static_cast<std::int32_t>(a));
    pair_begin_.push_back(static_cast<std::int32_t>(pair_action_.size()));
  }
}

std::int32_t UrnWorld::reset(std::int64_t) {
  counts_ = tree_.no_counts();
  steps_ = 0;
  given_up_ = 0;
  return state_ = 0;
}

world::Observation UrnWorld::step(std::int64_t, std::int32_t pair) {
  const auto action = static_cast<std::size_t>(pair_action_[static_cast<std::size_t>(pair)]);
  const std::int64_t left = tree_.model().horizon - steps_;
  given_up_ += tree_.value(state_, counts_, left) - tree_.action_value(state_, counts_, left, action);
  const TreeAction& one = tree_.model().actions[static_cast<std::size_t>(state_)][action];
  const std::vector<double> probability = tree_.predictive(state_, counts_, action);
  base::Stream stream({seed_, base::Purpose::test, trial_, 0, static_cast<std::uint64_t>(steps_++)});
  double rest = base::uniform(stream);
  std::size_t i = 0;
  while (i + 1 < probability.size() && rest >= probability[i]) rest -= probability[i++];
  if (probability.size() > 1) ++counts_[tree_.first_entry(state_, action) + i];
  state_ = one.next[i];
  return {one.reward, state_};
}

ArmsWorld::ArmsWorld(BeliefTree& tree, std::uint64_t seed, std::uint64_t trial)
    : urn_(tree, seed, trial), pair_begin_{0, static_cast<std::int32_t>(tree.model().actions[0].size())} {
  for (std::int32_t a = 0; a < pair_begin_[1]; ++a) pair_action_.push_back(a);
}

std::int32_t ArmsWorld::reset(std::int64_t unit) {
  return urn_.reset(unit);
}

world::Observation ArmsWorld::step(std::int64_t unit, std::int32_t pair) {
  const std::int32_t outcome = urn_.step(unit, pair).next_state;
  const std::int32_t way_back = urn_.pair_begin()[static_cast<std::size_t>(outcome)];
  return {urn_.step(unit, way_back).reward, 0};
}

Situation situation_of_arms(const std::vector<BetaArm>& beta, std::int64_t pulls) {
  std::vector<double> mean;
  belief::Prior prior;
  for (const BetaArm& arm : beta) {
    mean.push_back(arm.a / (arm.a + arm.b));
    prior.reward_sd.push_back(std::sqrt(mean.back() * (1 - mean.back()) / (arm.a + arm.b + 1)));
    prior.transition_strength.push_back(1);
  }
  const std::vector<double> variance(beta.size(), .25);
  return {
      known(belief::Belief(arms(mean, .95), prior, variance, {.rewards = belief::RewardModel::bernoulli})),
      {0},
      pulls};
}

Situation situation_of(const TreeModel& model) {
  const auto states = static_cast<std::int32_t>(model.actions.size());
  std::size_t most = 0;
  for (const auto& actions : model.actions) most = std::max(most, actions.size());
  mdp::MdpBuilder builder(.95, states, static_cast<std::int32_t>(most));
  belief::Prior prior;
  for (std::int32_t s = 0; s < states; ++s) {
    const auto& actions = model.actions[static_cast<std::size_t>(s)];
    for (std::size_t a = 0; a < actions.size(); ++a) {
      const auto action = static_cast<std::int32_t>(a);
      const double all = std::accumulate(actions[a].alpha.begin(), actions[a].alpha.end(), 0.0);
      builder.set_reward(s, action, actions[a].reward);
      for (std::size_t i = 0; i < actions[a].next.size(); ++i)
        builder.add_transition(s, action, actions[a].next[i], actions[a].alpha[i] / all);
      prior.reward_sd.push_back(0);
      prior.transition_strength.push_back(all);
    }
  }
  return situation_of(builder.build(), prior, 1, {0}, model.horizon);
}

TreeProblem draw_tree_problem(std::uint64_t seed, std::uint64_t number, std::int64_t most_pulls,
                              std::int64_t most_steps) {
  base::Stream stream({seed, base::Purpose::test, number, 1});
  const auto between = [&](double low, double high) { return low + (high - low) * base::uniform(stream); };
  const auto whole = [&](std::int64_t low, std::int64_t high) {
    return low + base::uniform_index(stream, high - low + 1);
  };
  const auto strong = [&](double low, double high) {
    return low * std::pow(high / low, base::uniform(stream));
  };
  const auto turn = number % 4;
  if (turn < 2) {
    std::vector<BetaArm> arms;
    for (std::uint64_t i = 0; i < 2 + turn; ++i) {
      const double mean = between(.2, .8), strength = strong(.3, 30);
      arms.push_back({strength * mean, strength * (1 - mean)});
    }
    return {turn == 0 ? "two arms" : "three arms",
            bandit_tree(arms, whole((most_pulls + 4) / 5, most_pulls))};
  }
  const auto states = static_cast<std::int32_t>(turn);  // 2 or 3
  TreeModel model;
  model.horizon = whole((most_steps + 1) / 2, most_steps);
  for (std::int32_t s = 0; s < states; ++s) {
    model.actions.emplace_back();
    for (int a = 0; a < 2; ++a) {
      TreeAction action{between(0, 1), {}, {}};
      const double strength = strong(.3, 30);
      for (std::int32_t next = 0; next < states; ++next) {
        action.next.push_back(next);
        action.alpha.push_back(between(.05, 1));
      }
      const double all = std::accumulate(action.alpha.begin(), action.alpha.end(), 0.0);
      for (double& alpha : action.alpha) alpha *= strength / all;
      model.actions.back().push_back(std::move(action));
    }
  }
  return {turn == 2 ? "two states" : "three states", std::move(model)};
}

}  // namespace mindgap::decide
