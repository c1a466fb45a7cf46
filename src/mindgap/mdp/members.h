#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mindgap/base/lazy.h"
#include "mindgap/mdp/mdp.h"

namespace mindgap::mdp {

/// Models of one thing, one of which is the best description of the truth, nobody knows which: draws of a
/// simulator's parameters, calibrated parameter sets, rival models. Same states, actions, pairs, discount and
/// start; rewards, probabilities and even which moves are possible may differ. Immutable; copies share
/// everything.
///
/// Rows are those of mean(): a row leads wherever some member's does, so one structure serves all members
/// and whatever is computed from them. Memory: 8 bytes per member and pair, and per member and move.
class Members {
 public:
  /// Weights are prior probabilities of the members: nonnegative, sum 1 within 1e-9; empty: all equal. Names
  /// are for messages and tables; empty: numbers from 0. Throws InvalidArgument for bad weights, InvalidModel
  /// where models do not belong together (with the member, state and action) or a name occurs twice.
  explicit Members(const std::vector<Mdp>& models, std::vector<double> weights = {},
                   const std::vector<std::string>& names = {});

  /// From rows that lie one member behind the other: rewards (pairs each) and probabilities of the moves of
  /// `rows` (nonzeros each), 0 where a member calls a move impossible. What else `rows` says is every
  /// member's.
  static Members of_rows(const Mdp& rows, std::span<const double> reward, std::span<const double> probability,
                         std::vector<double> weights, const std::vector<std::string>& names);

  std::int32_t size() const { return static_cast<std::int32_t>(data_->weights.size()); }
  std::span<const double> weights() const { return data_->weights; }
  std::string name(std::int32_t member) const;
  /// How many members differ from all before them in some number. 1: the ensemble is one model.
  std::int32_t distinct() const;

  /// Weighted means, on the union of all supports. A move that only members of weight 0 have keeps the
  /// smallest positive probability.
  const Mdp& mean() const { return data_->mean; }
  std::span<const double> reward(std::int32_t member) const;  // pairs
  /// Per nonzero of mean(); 0 where the member calls the move impossible.
  std::span<const double> probability(std::int32_t member) const;
  /// Whether all members call the same moves of the pair possible.
  bool same_support(std::int32_t pair) const { return data_->same_support[pair] != 0; }
  /// One member as a model of its own, without impossible moves.
  Mdp model(std::int32_t member) const;

  /// sum_i w_i r_i per pair and sum_i w_i p_i per nonzero, for any weights (one per member).
  std::vector<double> mean_reward(std::span<const double> weights) const;
  std::vector<double> mean_probability(std::span<const double> weights) const;

  bool operator==(const Members& other) const;

 private:
  struct Data {
    Mdp mean;
    std::vector<double> weights;
    NameTable names;
    std::vector<double> reward;       // [member][pair]
    std::vector<double> probability;  // [member][nonzero]
    std::vector<std::uint8_t> same_support;
    base::Lazy<std::int32_t> distinct;
  };
  std::shared_ptr<const Data> data_;
};

}  // namespace mindgap::mdp
