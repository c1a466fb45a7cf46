#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "mindgap/command/limits.h"

// The options by which a user says what a pilot must keep to; the same wherever pilots are designed.
namespace mindgap::app {

struct LimitOptions {
  std::vector<std::string> minimum_shares, maximum_shares;
  std::string forbid, capacity, costs;
  std::optional<double> cost_budget, max_loss;

  /// Opens the files. Throws StoreError, and InvalidArgument where a share is none.
  command::LimitsRequest request() const;
};

/// --min-share, --max-share, --forbid, --capacity, --costs, --cost-budget, --max-loss.
void add_limit_options(CLI::App& cli, LimitOptions& options);

}  // namespace mindgap::app
