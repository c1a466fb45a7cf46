#include "paper/cases/confounded/confounded.h"

namespace mindgap::cases::confounded {
namespace {

const std::vector<trial::CaseOption>& case_options() {
  static const std::vector<trial::CaseOption> kOptions = {
      {"states", "observed states, 10 to 500", "20"},
      {"hidden", "hidden states, 1 to 20", "2"},
      {"actions", "actions, 2 to 50", "3"},
      {"confounding", "how far behaviour, rewards and transitions follow the hidden state, 0 to 1", "0.5"},
      {"drift", "how far the hidden state's law has moved since history, 0 to 1", "0.5"},
      {"reach", "share of the states in a region that history hardly enters, 0 to 1", "0.3"},
      {"history", "steps of the historical record", "2000"},
      {"odds", "odds constant that planners assume of history, 1 or more", "3"},
      {"discount", "below 1", "0.99"},
      trial::drift_rate_option(),
  };
  return kOptions;
}

std::unique_ptr<trial::Case> make(const trial::CaseRequest& request) {
  const trial::OptionValues values("confounded", case_options(), request);
  const Dials dials{static_cast<std::int32_t>(values.whole_number("states", 10, 500)),
                    static_cast<std::int32_t>(values.whole_number("hidden", 1, 20)),
                    static_cast<std::int32_t>(values.whole_number("actions", 2, 50)),
                    values.number("confounding", 0, 1),
                    values.number("drift", 0, 1),
                    values.number("reach", 0, 1),
                    values.whole_number("history", 0, 10'000'000),
                    values.number("odds", 1, 1e6),
                    values.number("discount", 0, .999999)};
  trial::TabularCaseOptions tabular;
  tabular.name = "confounded";
  tabular.units = request.units.value_or(20);
  tabular.seed = request.seed;
  tabular.horizons = {50, 200, 1000};
  tabular.trials = static_cast<std::int64_t>(world_seeds().size());
  tabular.settings = values.settings();
  tabular.drift_rate = trial::drift_rate_of(values);
  tabular.belief_state = dials.hidden > 1;
  return std::make_unique<trial::TabularCase>(
      std::move(tabular), [dials](std::uint64_t trial) { return problem(dials, trial + 1); });
}

}  // namespace

trial::Problem problem(const Dials& dials, std::uint64_t world_seed) {
  world::HiddenModel world = truth(dials, world_seed);
  belief::Belief known = belief_from_history(dials, world, world_seed);
  return {std::move(known), std::move(world)};
}

CaseInfo info() {
  return {"confounded", "random worlds with a confounded history, drift and a region out of its reach",
          case_options(), make};
}

}  // namespace mindgap::cases::confounded
