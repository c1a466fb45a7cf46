#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mindgap/mdp/mdp.h"

namespace mindgap::world {

/// Distributions of a world may be off 1 by this much: a hair less than the rows of an Mdp, so that averages
/// of a world's rows still are rows of an Mdp, whatever the rounding.
constexpr double kSumTolerance = mdp::kSumTolerance - 1e-12;

inline bool sums_to_one(double sum) {
  return std::abs(sum - 1) <= kSumTolerance;
}

/// The arrays of a truth with a hidden state before they are checked. Pairs are as in mdp::MdpArrays and the
/// same for every hidden state. A "cell" is a (pair, hidden state), numbered pair * hidden + h; cell c owns
/// the entries row_begin[c] .. row_begin[c+1]-1 of the joint kernel (next_state, next_hidden, probability).
struct HiddenArrays {
  std::string name = {};
  double discount = -1;                   // must be set; in [0, 1]
  std::optional<double> reward_max = {};  // default: the largest |reward|
  std::vector<std::int32_t> pair_begin = {};
  std::vector<std::int32_t> pair_action = {};
  std::vector<double> reward = {};           // per cell: mean
  std::vector<double> variance = {};         // per cell: of one observed reward; empty: 0
  std::vector<std::int64_t> row_begin = {};  // cells + 1
  std::vector<std::int32_t> next_state = {};
  std::vector<std::int32_t> next_hidden = {};
  std::vector<double> probability = {};
  std::vector<double> behaviour = {};    // per cell: pi_beh(a|s,h), what history did
  std::vector<double> calibration = {};  // per state * hidden + h: P_calib(h|s), when history was recorded
  std::vector<double> deployment = {};   // per state * hidden + h: P_t(h|s), now
  std::vector<double> start = {};        // per state; empty: uniform
  std::int32_t actions = 0;              // as in mdp::MdpArrays
  std::int32_t hidden = 0;               // number of hidden states; 0: as many as there are names
  mdp::Labels labels = {};
  mdp::NameTable hidden_names = {};  // empty: numbers stand for names
};

/// A finite truth whose state is (observed state s, hidden state h): rewards with mean r(s,a,h) and a joint
/// kernel K(s',h'|s,a,h), of which a planner only ever sees s, a, the reward and s'. Immutable; copies share
/// their arrays. Every HiddenModel in existence has passed validation:
///  - pairs, names, start, discount and reward_max as an Mdp has them, at least one hidden state;
///  - in each row (next state, next hidden) strictly increases, probabilities are positive and sum to 1;
///  - behaviour(.|s,h), calibration(.|s) and deployment(.|s) are distributions; all sums are 1 within
///    kSumTolerance and nothing is renormalised;
///  - rewards are finite, variances finite and zero or more.
class HiddenModel {
 public:
  /// Sorts rows, adds entries with the same target in the order given and drops zeros. Throws InvalidModel
  /// with state, hidden state, action and value by name.
  explicit HiddenModel(HiddenArrays arrays);

  const std::string& name() const { return cells_->name; }
  std::int32_t states() const { return frame_.states(); }
  std::int32_t actions() const { return frame_.actions(); }
  std::int32_t pairs() const { return frame_.pairs(); }
  std::int32_t hidden() const { return hidden_; }
  std::int64_t nonzeros() const { return cells_->row_begin.back(); }

  std::span<const std::int32_t> pair_begin() const { return frame_.pair_begin(); }    // states + 1
  std::span<const std::int32_t> pair_action() const { return frame_.pair_action(); }  // pairs
  std::span<const double> reward() const { return cells_->reward; }                   // cells
  std::span<const double> variance() const { return cells_->variance; }               // cells
  std::span<const double> behaviour() const { return cells_->behaviour; }             // cells
  std::span<const std::int64_t> row_begin() const { return cells_->row_begin; }       // cells + 1
  std::span<const std::int32_t> next_state() const { return cells_->next_state; }     // nonzeros
  std::span<const std::int32_t> next_hidden() const { return cells_->next_hidden; }   // nonzeros
  std::span<const double> probability() const { return cells_->probability; }         // nonzeros
  std::span<const double> calibration() const { return cells_->calibration; }         // states * hidden
  std::span<const double> deployment() const { return cells_->deployment; }           // states * hidden
  std::span<const double> start() const { return frame_.start(); }                    // states
  double discount() const { return frame_.discount(); }
  double reward_max() const { return frame_.reward_max(); }

  /// The place of (pair, h) in arrays per cell, and of (state, h) in calibration and deployment.
  std::size_t cell(std::int32_t row, std::int32_t h) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(hidden_) + static_cast<std::size_t>(h);
  }
  base::IndexRange<std::int32_t> pairs_of(std::int32_t state) const { return frame_.pairs_of(state); }
  /// The places of a cell's row in next_state(), next_hidden() and probability().
  base::IndexRange<std::int64_t> entries_of(std::size_t cell) const {
    return {cells_->row_begin[cell], cells_->row_begin[cell + 1]};
  }
  std::int32_t state_of_pair(std::int32_t pair) const { return frame_.state_of_pair(pair); }
  std::int32_t find_pair(std::int32_t state, std::int32_t action) const {
    return frame_.find_pair(state, action);
  }

  const mdp::Labels& labels() const { return frame_.labels(); }
  const mdp::NameTable& hidden_names() const { return cells_->hidden_names; }
  std::string state_name(std::int32_t state) const { return frame_.state_name(state); }
  std::string action_name(std::int32_t action) const { return frame_.action_name(action); }
  std::string action_name_of_pair(std::int32_t pair) const { return frame_.action_name_of_pair(pair); }
  std::string hidden_name(std::int32_t h) const { return mdp::name_or_number(hidden_names(), h); }
  /// The number of a name (or, where there are no names, of a decimal number), or -1.
  std::int32_t find_state(std::string_view name) const { return frame_.find_state(name); }
  std::int32_t find_action(std::string_view name) const { return frame_.find_action(name); }

  /// Same structure, names and numbers, bit for bit.
  bool operator==(const HiddenModel& other) const;

 private:
  struct Cells {
    std::string name;
    std::vector<double> reward, variance, behaviour, calibration, deployment;
    std::vector<std::int64_t> row_begin;
    std::vector<std::int32_t> next_state, next_hidden;
    std::vector<double> probability;
    mdp::NameTable hidden_names;
    bool operator==(const Cells&) const = default;
  };

  mdp::Mdp frame_;  // pairs, names, start, discount and reward_max; its rows and rewards mean nothing
  std::int32_t hidden_ = 0;
  std::shared_ptr<const Cells> cells_;
};

}  // namespace mindgap::world
