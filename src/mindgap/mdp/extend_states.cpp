#include "mindgap/mdp/extend_states.h"

#include <algorithm>
#include <numeric>

#include "mindgap/base/error.h"
#include "mindgap/mdp/changed_model.h"

namespace mindgap::mdp {
namespace {

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// One number per pair: those there are, and another for the new ones.
void extend(std::vector<double>& values, std::size_t pairs, double more) {
  if (!values.empty()) values.resize(pairs, more);
}

Labels extended_labels(const Mdp& mdp, const std::vector<std::string>& names) {
  Labels labels = mdp.labels();
  labels.states = names_or_numbers(labels.states, mdp.states());
  for (const std::string& name : names) {
    check_name("state", name);
    if (labels.states.add(name) < 0) throw InvalidModel("the new state is there already", {.value = name});
  }
  if (!labels.group_of_state.empty()) labels.group_of_state.resize(labels.states.size(), -1);
  if (!labels.x.empty()) {  // beside the others, one after the other
    const auto [low, high] = std::ranges::minmax(labels.x);
    const double gap = high > low ? (high - low) / 10 : 1, below = std::ranges::min(labels.y);
    for (std::size_t i = 1; i <= names.size(); ++i) {
      labels.x.push_back(high + gap * static_cast<double>(i));
      labels.y.push_back(below);
    }
  }
  return labels;
}

// Rows of a state of which nothing is known: half stays, half begins again.
void add_rows(MdpArrays& arrays, const Mdp& mdp, std::int32_t state, double reward) {
  for (std::int32_t action = 0; action < mdp.actions(); ++action) {
    arrays.pair_action.push_back(action);
    arrays.reward.push_back(reward);
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      if (mdp.start()[s] == 0) continue;
      arrays.next_state.push_back(s);
      arrays.probability.push_back(mdp.start()[s] / 2);
    }
    arrays.next_state.push_back(state);
    arrays.probability.push_back(.5);
    arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
  }
  arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
}

Mdp extended(const Mdp& mdp, const std::vector<std::string>& names) {
  MdpArrays arrays;
  const auto copy = [](auto& to, const auto& from) { to.assign(from.begin(), from.end()); };
  arrays.discount = mdp.discount();
  arrays.reward_max = mdp.reward_max();
  copy(arrays.pair_begin, mdp.pair_begin());
  copy(arrays.pair_action, mdp.pair_action());
  copy(arrays.row_begin, mdp.row_begin());
  copy(arrays.next_state, mdp.next_state());
  copy(arrays.probability, mdp.probability());
  copy(arrays.reward, mdp.reward());
  copy(arrays.start, mdp.start());
  arrays.start.resize(arrays.start.size() + names.size(), 0.0);
  arrays.actions = mdp.actions();
  arrays.labels = extended_labels(mdp, names);
  for (std::size_t i = 0; i < names.size(); ++i)
    add_rows(arrays, mdp, mdp.states() + static_cast<std::int32_t>(i), mean(mdp.reward()));
  return Mdp(std::move(arrays));
}

void extend_prior(PriorSpec& prior, const Mdp& old, std::size_t pairs) {
  const auto each = [&](std::optional<double>& one, std::vector<double>& values, double more) {
    if (one) values.assign(static_cast<std::size_t>(old.pairs()), *one);
    one.reset();
    extend(values, pairs, more);
  };
  double wide = std::max(old.reward_max(), prior.reward_sd.value_or(0));
  for (const double sd : prior.pair_reward_sd) wide = std::max(wide, sd);
  each(prior.reward_sd, prior.pair_reward_sd, wide);
  each(prior.transition_strength, prior.pair_transition_strength, 1);
}

}  // namespace

Model extend_states(const Model& model, const std::vector<std::string>& names) {
  if (names.empty()) return model;
  refuse_ensemble(model, "states");
  Model result = model;
  result.mdp = extended(model.mdp, names);
  const auto pairs = static_cast<std::size_t>(result.mdp.pairs());
  if (!model.variance.empty()) extend(result.variance, pairs, mean(model.variance));
  extend(result.coverage, pairs, 0);
  if (result.prior) extend_prior(*result.prior, model.mdp, pairs);
  for (std::int32_t s = model.mdp.states(); s < result.mdp.states(); ++s) result.added.push_back(s);
  return result;
}

}  // namespace mindgap::mdp
