#pragma once

#include <optional>
#include <span>

#include "mindgap/command/option.h"
#include "mindgap/decide/terms.h"

namespace mindgap::command {

/// What experiments cost and how recommendations are put to use, as a user gives it.
struct TermsRequest {
  std::optional<double> pilot_cost = {}, unit_cost = {}, unit_step_cost = {}, delay = {}, uptake = {};
  std::optional<double> drift_rate = {};
  std::optional<Source> pair_costs = {};

  /// Throws InvalidModel with file and line, and InvalidArgument in the words of whoever asks.
  decide::Terms read(const mdp::Mdp& mdp) const;
};

/// In the order of `--help`.
std::span<const Option<TermsRequest>> terms_options();

}  // namespace mindgap::command
