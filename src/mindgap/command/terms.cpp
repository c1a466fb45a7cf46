#include "mindgap/command/terms.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"
#include "mindgap/base/readable.h"
#include "mindgap/files/pilot_tables.h"

namespace mindgap::command {
namespace {

double amount(const char* name, const std::optional<double>& value) {
  if (value && !(std::isfinite(*value) && *value >= 0)) {
    throw InvalidArgument(
        fmt::format("{} is {}, but must be zero or more", base::option_name(name), base::number(*value, 6)));
  }
  return value.value_or(0);
}

}  // namespace

std::span<const Option<TermsRequest>> terms_options() {
  using Request = TermsRequest;
  static const std::array<Option<Request>, 7> kOptions = {{
      {"pilot_cost",
       "fixed cost of an experiment, in the unit of the reward",
       &Request::pilot_cost,
       {},
       true},
      {"unit_cost", "fixed cost of each unit in an experiment", &Request::unit_cost, {}, true},
      {"unit_step_cost", "cost of each step of a unit in an experiment", &Request::unit_step_cost, {}, true},
      {"pair_costs", "cost of each use of a pair by a unit in an experiment: state,action,cost",
       &Request::pair_costs},
      {"delay",
       "steps between the end of a pilot and the first use of its results",
       &Request::delay,
       {},
       true},
      {"uptake",
       "share of units that follow recommendations, from 0 to 1; the others follow today's policy",
       &Request::uptake,
       {},
       true},
      {"drift_rate",
       "the truth drifts within the horizon: after every step, this share (below 1) of the deviation of each "
       "mean reward from today's belief is drawn anew. Plans that forget old data are then compared, too",
       &Request::drift_rate,
       {},
       true},
  }};
  return kOptions;
}

decide::Terms TermsRequest::read(const mdp::Mdp& mdp) const {
  decide::Terms terms;
  terms.pilot_cost = amount("pilot-cost", pilot_cost);
  terms.unit_cost = amount("unit-cost", unit_cost);
  terms.unit_step_cost = amount("unit-step-cost", unit_step_cost);
  const double steps = amount("delay", delay);
  if (steps != std::floor(steps) || steps > 1e9) {
    throw InvalidArgument(fmt::format("{} is {}, but must be a whole number of steps",
                                      base::option_name("delay"), base::number(steps, 6)));
  }
  terms.delay = static_cast<std::int64_t>(steps);
  if (uptake && !(*uptake >= 0 && *uptake <= 1)) {
    throw InvalidArgument(fmt::format("{} is {}, but must be from 0 to 1", base::option_name("uptake"),
                                      base::number(*uptake, 6)));
  }
  terms.uptake = uptake.value_or(1);
  terms.drift_rate = amount("drift-rate", drift_rate);
  if (terms.drift_rate > .999) {
    throw InvalidArgument(fmt::format("{} is {:g}, but must be from 0 to 0.999",
                                      base::option_name("drift-rate"), terms.drift_rate));
  }
  if (pair_costs) terms.pair_cost = files::parse_costs(pair_costs->file, mdp);
  return terms;
}

}  // namespace mindgap::command
