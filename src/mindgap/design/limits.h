#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mindgap/mdp/mdp.h"

namespace mindgap::design {

/// What a pilot must keep to; the same in designs, decisions and studies.
struct Limits {
  // The least and the largest share of its steps, per group name.
  std::vector<std::pair<std::string, double>> minimum_shares = {}, maximum_shares = {};
  std::vector<std::uint8_t> forbidden = {};  // per pair, 1: not allowed; empty: none
  std::vector<double> capacity = {};         // per state, of one step; infinite: none; empty: none
  std::vector<double> cost = {};             // per pair; with cost_budget
  std::optional<double> cost_budget = {};    // what it may cost in expectation
  std::optional<double> max_loss = {};       // reward it may give up in expectation
  // The share of its usual visits that every group keeps while the pilot runs, by all units together; 1: no
  // group is visited less than without a pilot.
  std::optional<double> keep_rates = {};

  bool empty() const { return *this == Limits{}; }
  /// Throws InvalidArgument where something has another size than the model, or costs come without a budget.
  void validate(const mdp::Mdp& mdp) const;
  bool operator==(const Limits&) const = default;
};

/// visit(name, value) for each limit of a Limits, by the name under which studies and plans keep it.
template <typename Some, typename Visit>
void for_each_limit(Some& limits, Visit visit) {
  visit("min_share", limits.minimum_shares);
  visit("max_share", limits.maximum_shares);
  visit("forbidden", limits.forbidden);
  visit("capacity", limits.capacity);
  visit("cost", limits.cost);
  visit("cost_budget", limits.cost_budget);
  visit("max_loss", limits.max_loss);
  visit("keep_rates", limits.keep_rates);
}

}  // namespace mindgap::design
