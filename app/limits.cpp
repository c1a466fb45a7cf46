#include "limits.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/base/number.h"

namespace mindgap::app {
namespace {

// GROUP=SHARE as in "B=0.3". Throws InvalidArgument where it is none, or the share is not in [0, 1].
std::pair<std::string, double> share_from(const std::string& text) {
  const std::size_t at = text.rfind('=');
  double value = 0;
  if (at == std::string::npos || at == 0 ||
      base::parse_number(std::string_view(text).substr(at + 1), value) != base::NumberStatus::ok ||
      !(value >= 0) || !(value <= 1)) {
    throw InvalidArgument(
        fmt::format("'{}' is no share of a group: GROUP=SHARE is wanted, with a share from 0 to 1",
                    base::printable(text)));
  }
  return {text.substr(0, at), value};
}

}  // namespace

command::LimitsRequest LimitOptions::request() const {
  command::LimitsRequest limits;
  for (const std::string& text : minimum_shares) limits.minimum_shares.push_back(share_from(text));
  for (const std::string& text : maximum_shares) limits.maximum_shares.push_back(share_from(text));
  limits.forbid = command::source_of(forbid);
  limits.capacity = command::source_of(capacity);
  limits.costs = command::source_of(costs);
  limits.cost_budget = cost_budget;
  limits.max_loss = max_loss;
  return limits;
}

void add_limit_options(CLI::App& cli, LimitOptions& options) {
  cli.add_option("--min-share", options.minimum_shares,
                 "GROUP=SHARE: at least this share of the pilot's steps there")
      ->allow_extra_args(false);
  cli.add_option("--max-share", options.maximum_shares,
                 "GROUP=SHARE: at most this share of the pilot's steps there")
      ->allow_extra_args(false);
  cli.add_option("--forbid", options.forbid,
                 "pairs the pilot must not use, nor enter states from where it would have to: state,action");
  cli.add_option("--capacity", options.capacity, "units that may be in a state at one step: state,per_step");
  CLI::Option* costs =
      cli.add_option("--costs", options.costs, "what one use of a pair costs: state,action,cost");
  CLI::Option* budget =
      cli.add_option("--cost-budget", options.cost_budget, "what the pilot may cost in expectation")
          ->check(CLI::NonNegativeNumber);
  costs->needs(budget);
  budget->needs(costs);
  cli.add_option("--max-loss", options.max_loss, "expected reward the pilot may give up");
}

}  // namespace mindgap::app
