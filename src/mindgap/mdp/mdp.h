#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/base/index_range.h"
#include "mindgap/base/shared_array.h"
#include "mindgap/mdp/names.h"

namespace mindgap::mdp {

/// Probabilities that must sum to 1 may be off by this much; they are never renormalised.
constexpr double kSumTolerance = 1e-9;

/// What people call the states and actions. Every member may be empty: then numbers stand for names, there
/// are no groups, no coordinates.
struct Labels {
  NameTable states;
  NameTable actions;
  NameTable groups;
  std::vector<std::int32_t> group_of_state;  // per state a number in `groups`, or -1 for none
  std::vector<double> x, y;                  // per state, both or neither

  bool operator==(const Labels&) const = default;
};

/// The arrays of a model before they are checked. A "pair" is an available (state, action); the pairs of a
/// state are adjacent and ordered by action, so state s owns pairs pair_begin[s] .. pair_begin[s+1]-1, and
/// pair k owns the entries row_begin[k] .. row_begin[k+1]-1 of next_state and probability (one CSR row).
struct MdpArrays {
  double discount = -1;              // must be set; in [0, 1]
  std::optional<double> reward_max;  // default: the largest |reward|
  std::vector<std::int32_t> pair_begin;
  std::vector<std::int32_t> pair_action;
  std::vector<std::int64_t> row_begin;
  std::vector<std::int32_t> next_state;
  std::vector<double> probability;
  std::vector<double> reward;  // per pair
  std::vector<double> start;   // per state; empty: uniform
  std::int32_t actions = 0;    // number of actions; 0: as many as there are names, or as pairs mention
  Labels labels;
};

/// The long arrays of a model where they lie already, instead of those in MdpArrays.
struct SharedRows {
  base::SharedArray<std::int32_t> next_state;
  base::SharedArray<double> probability;
  base::SharedArray<double> reward;
};

/// Where one action in one state leads: as many next states, ascending, as probabilities, which are positive.
struct Row {
  std::span<const std::int32_t> next_state;
  std::span<const double> probability;

  std::size_t size() const { return next_state.size(); }
  /// The place of a next state in the row, or none where it is impossible.
  std::optional<std::size_t> find(std::int32_t state) const;
};

/// A finite Markov decision process with sparse rows and state-dependent action sets. Immutable; copies share
/// their arrays. Every Mdp in existence has passed validation:
///  - at least one state, and at least one available action in each;
///  - in each row next states strictly increase, probabilities are positive and sum to 1 within 1e-9;
///  - rewards are finite, start is a distribution, 0 <= discount <= 1.
class Mdp {
 public:
  /// Checks everything above. Sorts rows by next state, adds entries with the same next state in the order
  /// given and drops zeros; nothing is ever renormalised. Throws InvalidModel with the state and action by
  /// name.
  explicit Mdp(MdpArrays arrays);
  /// The same with the rows of `rows`; those of `arrays` are not read. They are used where they lie, unless a
  /// row must be sorted, added up or rid of zeros: then they are copied.
  Mdp(MdpArrays arrays, SharedRows rows);

  std::int32_t states() const { return states_; }
  std::int32_t actions() const { return structure_->actions; }
  std::int32_t pairs() const { return static_cast<std::int32_t>(structure_->pair_action.size()); }
  std::int64_t nonzeros() const { return structure_->row_begin.back(); }

  std::span<const std::int32_t> pair_begin() const { return structure_->pair_begin; }           // states + 1
  std::span<const std::int32_t> pair_action() const { return structure_->pair_action; }         // pairs
  std::span<const std::int64_t> row_begin() const { return structure_->row_begin; }             // pairs + 1
  std::span<const std::int32_t> next_state() const { return structure_->next_state.values(); }  // nonzeros
  std::span<const double> probability() const { return probability_.values(); }                 // nonzeros
  std::span<const double> reward() const { return reward_.values(); }                           // pairs
  std::span<const double> start() const { return start_.values(); }                             // states
  double discount() const { return discount_; }
  /// What the model states as the largest |reward|; tolerances are shares of it.
  double reward_max() const { return reward_max_; }
  /// The largest |reward| there really is.
  double reward_magnitude() const { return reward_magnitude_; }

  /// The smallest and the largest sum of a row: 1 up to rounding and the 1e-9 a file may be off.
  double row_sum_min() const { return row_sum_min_; }
  double row_sum_max() const { return row_sum_max_; }
  /// The longest row.
  std::int32_t row_length_max() const { return structure_->row_length_max; }

  /// The pairs of a state.
  base::IndexRange<std::int32_t> pairs_of(std::int32_t state) const {
    return {structure_->pair_begin[state], structure_->pair_begin[state + 1]};
  }
  /// The places of a pair's row in next_state() and probability(), and in arrays of one number per nonzero.
  base::IndexRange<std::int64_t> entries_of(std::int32_t pair) const {
    return {structure_->row_begin[pair], structure_->row_begin[pair + 1]};
  }
  /// The same of all pairs of a state.
  base::IndexRange<std::int64_t> entries_of_state(std::int32_t state) const {
    const base::IndexRange<std::int32_t> pairs = pairs_of(state);
    return {structure_->row_begin[pairs.first()], structure_->row_begin[pairs.last()]};
  }
  Row row(std::int32_t pair) const {
    const base::IndexRange<std::int64_t> entries = entries_of(pair);
    return {base::part_of(next_state(), entries), base::part_of(probability(), entries)};
  }

  std::int32_t state_of_pair(std::int32_t pair) const;
  /// The pair (state, action), or -1 where the action is not available.
  std::int32_t find_pair(std::int32_t state, std::int32_t action) const;

  const Labels& labels() const { return structure_->labels; }
  std::string state_name(std::int32_t state) const;
  std::string action_name(std::int32_t action) const;
  std::string action_name_of_pair(std::int32_t pair) const { return action_name(pair_action()[pair]); }
  /// The number of a name (or, where states have no names, of a decimal number), or -1.
  std::int32_t find_state(std::string_view name) const;
  std::int32_t find_action(std::string_view name) const;

  /// The same model with another discount, rewards (per pair; reward_max becomes the largest of them) or
  /// start distribution; checked like a new one. Structure and names are shared, not copied.
  Mdp with_discount(double discount) const;
  Mdp with_reward(std::vector<double> reward) const;
  Mdp with_start(std::vector<double> start) const;
  /// The same model with other probabilities for the same transitions (one per nonzero, each positive).
  Mdp with_probability(std::vector<double> probability) const;

  /// Same structure, names and numbers, bit for bit.
  bool operator==(const Mdp& other) const;

 private:
  struct Structure {
    std::int32_t actions = 0;
    std::int32_t row_length_max = 0;
    std::vector<std::int32_t> pair_begin;
    std::vector<std::int32_t> pair_action;
    std::vector<std::int64_t> row_begin;
    base::SharedArray<std::int32_t> next_state;
    Labels labels;
    bool operator==(const Structure&) const = default;
  };
  using Numbers = base::SharedArray<double>;

  void build(MdpArrays& arrays, SharedRows* rows);

  std::int32_t states_ = 0;
  double discount_ = 0;
  double reward_max_ = 0;
  double reward_magnitude_ = 0;
  double row_sum_min_ = 1;
  double row_sum_max_ = 1;
  std::shared_ptr<const Structure> structure_;
  Numbers probability_, reward_, start_;
};

}  // namespace mindgap::mdp
