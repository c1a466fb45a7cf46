#include "mindgap/mdp/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace mindgap::mdp {
namespace {

template <typename Pair>
bool same_pair(const Pair& a, const Pair& b) {
  return a.state == b.state && a.action == b.action;
}

template <typename Pair>
void sort_by_pair(std::vector<Pair>& items) {
  std::stable_sort(items.begin(), items.end(), [](const Pair& a, const Pair& b) {
    return std::tie(a.state, a.action) < std::tie(b.state, b.action);
  });
}

}  // namespace

MdpBuilder::MdpBuilder(double discount, std::int32_t states, std::int32_t actions)
    : discount_(discount), unnamed_states_(states), unnamed_actions_(actions) {
  if (states < 1 || actions < 1) {
    throw InvalidModel(
        fmt::format("a model of {} states and {} actions has nothing to decide", states, actions), {});
  }
}

std::int32_t MdpBuilder::states() const {
  return unnamed_states_ > 0 ? unnamed_states_ : state_names_.size();
}

std::int32_t MdpBuilder::actions() const {
  return unnamed_actions_ > 0 ? unnamed_actions_ : action_names_.size();
}

std::int32_t MdpBuilder::add_state(std::string_view name, const StateOptions& options) {
  if (unnamed_states_ > 0)
    throw InvalidModel("the model was begun without names", {.value = std::string(name)});
  check_name("state", name);
  if (!options.group.empty()) check_name("group", options.group);
  if (options.x.has_value() != options.y.has_value()) {
    throw InvalidModel("coordinates x and y must be given together", {.state = std::string(name)});
  }
  const std::int32_t number = state_names_.add(name);
  if (number < 0) throw InvalidModel("the state name occurs twice", {.value = std::string(name)});
  if (!options.group.empty()) group_names_.add(options.group);
  options_.push_back(options);
  return number;
}

std::int32_t MdpBuilder::add_action(std::string_view name) {
  if (unnamed_states_ > 0)
    throw InvalidModel("the model was begun without names", {.value = std::string(name)});
  check_name("action", name);
  const std::int32_t number = action_names_.add(name);
  if (number < 0) throw InvalidModel("the action name occurs twice", {.value = std::string(name)});
  return number;
}

std::int32_t MdpBuilder::state_number(std::string_view what, std::string_view name) const {
  const std::int32_t number = state_names_.find(name);
  if (number < 0) throw InvalidModel(fmt::format("the {} is unknown", what), {.value = std::string(name)});
  return number;
}

std::int32_t MdpBuilder::action_number(std::string_view state, std::string_view name) const {
  const std::int32_t number = action_names_.find(name);
  if (number < 0) {
    throw InvalidModel("the action is unknown", {.state = std::string(state), .value = std::string(name)});
  }
  return number;
}

void MdpBuilder::check_state(std::string_view what, std::int32_t state) const {
  if (state < 0 || state >= states()) {
    throw InvalidModel(fmt::format("the {} does not exist", what), {.value = std::to_string(state)});
  }
}

void MdpBuilder::check_pair(std::int32_t state, std::int32_t action) const {
  check_state("state", state);
  if (action < 0 || action >= actions()) {
    throw InvalidModel("the action does not exist",
                       {.state = name_or_number(state_names_, state), .value = std::to_string(action)});
  }
}

ModelLocation MdpBuilder::where(std::int32_t state, std::int32_t action, std::optional<double> value) const {
  return {.state = name_or_number(state_names_, state),
          .action = name_or_number(action_names_, action),
          .value = value ? fmt::format("{}", *value) : ""};
}

void MdpBuilder::set_reward(std::int32_t state, std::int32_t action, double reward) {
  check_pair(state, action);
  if (!std::isfinite(reward)) throw InvalidModel("the reward must be finite", where(state, action, reward));
  rewards_.push_back({state, action, reward});
}

void MdpBuilder::set_reward(std::string_view state, std::string_view action, double reward) {
  set_reward(state_number("state", state), action_number(state, action), reward);
}

void MdpBuilder::add_transition(std::int32_t state, std::int32_t action, std::int32_t next_state,
                                double probability) {
  check_pair(state, action);
  check_state("next state", next_state);
  if (!(probability >= 0 && probability <= 1 + kSumTolerance)) {
    throw InvalidModel("the probability must be from 0 to 1", where(state, action, probability));
  }
  transitions_.push_back({state, action, next_state, probability});
}

void MdpBuilder::add_transition(std::string_view state, std::string_view action, std::string_view next_state,
                                double probability) {
  const std::int32_t s = state_number("state", state), a = action_number(state, action);
  add_transition(s, a, state_number("next state", next_state), probability);
}

std::vector<MdpBuilder::Reward> MdpBuilder::sorted_rewards() const {
  std::vector<Reward> rewards = rewards_;
  sort_by_pair(rewards);
  // The last of equal ones counts, and a stable sort keeps it last.
  const auto kept = std::unique(rewards.rbegin(), rewards.rend(), same_pair<Reward>);
  rewards.erase(rewards.begin(), kept.base());
  return rewards;
}

std::vector<MdpBuilder::Transition> MdpBuilder::sorted_transitions() const {
  std::vector<Transition> transitions = transitions_;
  sort_by_pair(transitions);
  return transitions;
}

void MdpBuilder::add_rows(const std::vector<Reward>& rewards, MdpArrays& arrays) const {
  const std::vector<Transition> transitions = sorted_transitions();
  arrays.pair_begin.assign(static_cast<std::size_t>(states()) + 1, 0);
  arrays.row_begin.push_back(0);
  auto next = transitions.begin();
  const auto refuse_without_reward = [&] {
    throw InvalidModel("the pair has transitions, but no reward", where(next->state, next->action));
  };
  for (const Reward& reward : rewards) {
    const auto before = [&](const Transition& t) {
      return std::tie(t.state, t.action) < std::tie(reward.state, reward.action);
    };
    if (next != transitions.end() && before(*next)) refuse_without_reward();
    const auto first = next;
    for (; next != transitions.end() && next->state == reward.state && next->action == reward.action;
         ++next) {
      arrays.next_state.push_back(next->next);
      arrays.probability.push_back(next->probability);
    }
    if (next == first) {
      throw InvalidModel("the pair has a reward, but no transitions", where(reward.state, reward.action));
    }
    arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
    arrays.pair_action.push_back(reward.action);
    arrays.reward.push_back(reward.value);
    ++arrays.pair_begin[reward.state + 1];
  }
  if (next != transitions.end()) refuse_without_reward();
  for (std::int32_t s = 0; s < states(); ++s) arrays.pair_begin[s + 1] += arrays.pair_begin[s];
}

void MdpBuilder::add_state_columns(MdpArrays& arrays) const {
  const auto any = [&](auto has) { return std::any_of(options_.begin(), options_.end(), has); };
  if (!group_names_.empty()) {
    for (const StateOptions& state : options_) {
      arrays.labels.group_of_state.push_back(state.group.empty() ? -1 : group_names_.find(state.group));
    }
  }
  if (any([](const StateOptions& state) { return state.x.has_value(); })) {
    for (std::size_t s = 0; s < options_.size(); ++s) {
      if (!options_[s].x) {
        throw InvalidModel("the state has no coordinates, but others have",
                           {.state = std::string(state_names_[static_cast<std::int32_t>(s)])});
      }
      arrays.labels.x.push_back(*options_[s].x);
      arrays.labels.y.push_back(*options_[s].y);
    }
  }
  if (any([](const StateOptions& state) { return state.start.has_value(); })) {
    for (const StateOptions& state : options_) arrays.start.push_back(state.start.value_or(0));
  }
}

Mdp MdpBuilder::build() const {
  if (states() == 0) throw InvalidModel("the model has no states", {});
  if (actions() == 0) throw InvalidModel("the model has no actions", {});
  MdpArrays arrays;
  arrays.discount = discount_;
  arrays.reward_max = reward_max_;
  arrays.actions = actions();
  arrays.labels.states = state_names_;
  arrays.labels.actions = action_names_;
  arrays.labels.groups = group_names_;
  add_state_columns(arrays);
  add_rows(sorted_rewards(), arrays);
  return Mdp(std::move(arrays));
}

}  // namespace mindgap::mdp
