#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/mdp/mdp.h"

namespace mindgap::mdp {

/// What may be known of a state beside its name.
struct StateOptions {
  std::string group = {};  // empty: none
  std::optional<double> x = {}, y = {};
  std::optional<double> start = {};  // probability to start here
};

/// Puts an Mdp together in memory, piece by piece and in any order. Every mistake throws InvalidModel with
/// the state, action and value: at once where it can be seen at once, else from build().
class MdpBuilder {
 public:
  /// A model whose states and actions are then added by name.
  explicit MdpBuilder(double discount) : discount_(discount) {}
  /// A model without names: states 0 .. states-1, actions 0 .. actions-1.
  MdpBuilder(double discount, std::int32_t states, std::int32_t actions);

  /// Returns the number of the state. Either all states have coordinates or none. Where no state has a start
  /// probability, the start is uniform; where some have one, it is 0 for the others.
  std::int32_t add_state(std::string_view name, const StateOptions& options = {});
  /// Returns the number of the action.
  std::int32_t add_action(std::string_view name);

  /// The mean reward of a pair; stated again, the later one counts.
  void set_reward(std::int32_t state, std::int32_t action, double reward);
  void set_reward(std::string_view state, std::string_view action, double reward);
  /// Transitions to the same next state are added up.
  void add_transition(std::int32_t state, std::int32_t action, std::int32_t next_state, double probability);
  void add_transition(std::string_view state, std::string_view action, std::string_view next_state,
                      double probability);
  /// Without this: the largest |reward|.
  void set_reward_max(double reward_max) { reward_max_ = reward_max; }

  /// The model so far. A pair needs both a reward and transitions; the builder stays as it is.
  Mdp build() const;

 private:
  struct Reward {
    std::int32_t state, action;
    double value;
  };
  struct Transition {
    std::int32_t state, action, next;
    double probability;
  };

  std::int32_t states() const;
  std::int32_t actions() const;
  std::int32_t state_number(std::string_view what, std::string_view name) const;
  std::int32_t action_number(std::string_view state, std::string_view name) const;
  void check_state(std::string_view what, std::int32_t state) const;
  void check_pair(std::int32_t state, std::int32_t action) const;
  ModelLocation where(std::int32_t state, std::int32_t action, std::optional<double> value = {}) const;
  std::vector<Reward> sorted_rewards() const;
  std::vector<Transition> sorted_transitions() const;
  void add_rows(const std::vector<Reward>& rewards, MdpArrays& arrays) const;
  void add_state_columns(MdpArrays& arrays) const;

  double discount_;
  std::optional<double> reward_max_;
  std::int32_t unnamed_states_ = 0, unnamed_actions_ = 0;
  NameTable state_names_, action_names_, group_names_;
  std::vector<StateOptions> options_;
  std::vector<Reward> rewards_;
  std::vector<Transition> transitions_;
};

}  // namespace mindgap::mdp
