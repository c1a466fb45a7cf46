#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mindgap/command/evidence.h"
#include "mindgap/design/limits.h"

namespace mindgap::command {

/// What a pilot must keep to, as a user gives it.
struct LimitsRequest {
  std::vector<std::pair<std::string, double>> minimum_shares = {}, maximum_shares = {};  // by group
  std::optional<Source> forbid = {}, capacity = {}, costs = {};
  std::optional<double> cost_budget = {}, max_loss = {};

  /// Throws InvalidModel with file and line.
  design::Limits read(const mdp::Mdp& mdp) const;
};

}  // namespace mindgap::command
