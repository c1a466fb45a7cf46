#include "mindgap/planner/replanner.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mindgap::planner {
namespace {

// Whether values are finite and I - g P is well away from singular, with room to spare.
bool is_tame(const mdp::Mdp& model) {
  const double room = 1 - model.discount() * model.row_sum_max();
  return room > 1e-6 && model.reward_magnitude() / room < 1e200;
}

// A belief whose rows have grown may hand out the same transitions in other arrays.
bool same_transitions(const mdp::Mdp& one, const mdp::Mdp& other) {
  if (one.next_state().data() == other.next_state().data()) return true;
  return std::ranges::equal(one.row_begin(), other.row_begin()) &&
         std::ranges::equal(one.next_state(), other.next_state());
}

double action_value(const mdp::Mdp& model, std::int32_t pair, const double* value) {
  const std::int32_t* next_state = model.next_state().data();
  const double* probability = model.probability().data();
  double sum = 0;
  for (const std::int64_t i : model.entries_of(pair)) sum += probability[i] * value[next_state[i]];
  return model.reward()[pair] + model.discount() * sum;
}

// pick = the greedy pairs, the first of equals; says whether any beats the one it replaces by more than
// `margin`.
bool improve(const mdp::Mdp& model, const std::vector<double>& value, double margin,
             std::vector<std::int32_t>& pick) {
  bool better = false;
  for (std::int32_t s = 0; s < model.states(); ++s) {
    const auto pairs = model.pairs_of(s);
    std::int32_t best = pairs.first();
    double most = action_value(model, best, value.data()), held = most;
    for (std::int32_t k = best + 1; k < pairs.last(); ++k) {
      const double q = action_value(model, k, value.data());
      held = k == pick[s] ? q : held;
      best = q > most ? k : best;
      most = std::max(most, q);
    }
    better = better || most > held + margin;
    pick[s] = best;
  }
  return better;
}

}  // namespace

std::span<const std::int32_t> Replanner::plan(const mdp::Mdp& model) {
  if (!(shape_ && same_transitions(*shape_, model)) && model.discount() < 1) {
    shape_ = model;
    envelope_.emplace(model);
    if (envelope_->work() > direct_work_) envelope_.reset();  // it may be large, and there may be many of us
  }
  if (envelope_ && is_tame(model)) {
    iterate_policies(model);
  } else {
    mdp::Solution solution = mdp::solve(model, options_);
    options_.initial_value = std::move(solution.value);
    policy_ = std::move(solution.policy);
  }
  return policy_.pair_of_state();
}

// A value is off by about 1e-16 max|V| / (1-g) and so is a difference of action values; below ten times that
// actions count as equal, so that rounding cannot make policies go round.
void Replanner::iterate_policies(const mdp::Mdp& model) {
  std::vector<double>& value = options_.initial_value;
  value.resize(static_cast<std::size_t>(model.states()));
  std::vector<std::int32_t> pick(model.pair_begin().begin(), model.pair_begin().end() - 1);
  improve(model, value, 0, pick);
  const double room = 1 - model.discount();
  const double margin = 1e-15 * model.reward_magnitude() / (room * room);
  constexpr int kLimit = 1000;  // far beyond what policy iteration ever needs
  for (int i = 0; i < kLimit; ++i) {
    envelope_->evaluate(model, pick, value);
    if (!improve(model, value, margin, pick)) break;
  }
  policy_ = mdp::Policy::deterministic(model, std::move(pick));
}

}  // namespace mindgap::planner
