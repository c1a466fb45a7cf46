#pragma once

#include <optional>
#include <span>

#include "mindgap/command/option.h"
#include "mindgap/design/limits.h"

namespace mindgap::command {

/// What a pilot must keep to, as a user gives it.
struct LimitsRequest {
  Shares minimum_shares = {}, maximum_shares = {};
  std::optional<Source> forbid = {}, capacity = {}, costs = {};
  std::optional<double> cost_budget = {}, max_loss = {}, keep_rates = {};

  /// Throws InvalidModel with file and line.
  design::Limits read(const mdp::Mdp& mdp) const;
};

/// Every limit that a user can give, in the order of `--help`.
std::span<const Option<LimitsRequest>> limit_options();

}  // namespace mindgap::command
