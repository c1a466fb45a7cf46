#include "paper/cases/treasure/treasure.h"

#include <fmt/format.h>

#include <cmath>

#include "mindgap/base/distributions.h"
#include "mindgap/base/random.h"
#include "mindgap/base/run.h"
#include "mindgap/trial/tabular_case.h"
#include "mindgap/world/without_hidden_state.h"
#include "paper/cases/treasure/model.h"
#include "paper/cases/treasure/planners.h"

namespace mindgap::cases::treasure {
namespace {

const std::vector<trial::CaseOption>& options() {
  static const std::vector<trial::CaseOption> kAll = {
      {"truth", "the paper's, or drawn from the prior in every trial", "published", {"published", "prior"}},
      {"reading",
       "learning-epsilon, kg and sep by the paper's rules for this grid, or the general ones",
       "paper",
       {"paper", "general"}},
      {"sd-a", "prior sd of a reward in region A (auto: .05, or .3 where truths are drawn)", "auto"},
      {"sd-b", "prior sd of a reward in region B (auto: .5, or .3 where truths are drawn)", "auto"},
      {"rewards", "truths drawn have one reward per state or per pair", "state", {"state", "pair"}},
      {"noise-scale", "exponential noise on the simulator's transitions (the paper: .01 fits best)", "0"},
      {"noise-support", "that noise on every transition, or on those there are", "all", {"all", "support"}},
      trial::drift_rate_option(),
  };
  return kAll;
}

struct World {
  bool drawn = false, per_pair = false, support_only = false;
  double sd_a = 0, sd_b = 0, noise_scale = 0;
  double variance = 0;           // of one observed reward
  double believed_variance = 0;  // what the planner takes it for
  std::uint64_t seed = base::Run().seed;

  belief::Belief belief(const mdp::Mdp& simulator) const {
    belief::Prior prior;
    for (std::int32_t k = 0; k < simulator.pairs(); ++k) {
      prior.reward_sd.push_back(in_b(simulator.state_of_pair(k)) ? sd_b : sd_a);
      prior.transition_strength.push_back(1e9);  // known
    }
    return {simulator, std::move(prior),
            std::vector<double>(static_cast<std::size_t>(simulator.pairs()), believed_variance)};
  }

  std::vector<double> rewards(std::uint64_t trial) const {
    const std::vector<double> state = drawn ? simulated_rewards() : true_rewards();
    std::vector<double> reward;
    for (std::int32_t k = 0; k < kStates * kActions; ++k) {
      const std::int32_t s = k / kActions;
      base::Stream stream({seed, base::Purpose::world, trial,
                           static_cast<std::uint64_t>(per_pair ? k : s * kActions), ~std::uint64_t{0} - 1});
      const double sd = drawn ? (in_b(s) ? sd_b : sd_a) : 0;
      reward.push_back(state[s] + sd * base::normal(stream));
    }
    return reward;
  }

  trial::Problem problem(std::uint64_t trial) const {
    const mdp::Mdp simulator = grid(simulated_rewards());
    return {belief(disturbed(simulator, noise_scale, support_only, seed, trial)),
            world::without_hidden_state(simulator.with_reward(rewards(trial)), variance)};
  }
};

double sd_or(const trial::OptionValues& values, std::string_view name, double standard) {
  return values.text(name) == "auto" ? standard : values.number(name, 0, 1000);
}

std::unique_ptr<trial::Case> make(const trial::CaseRequest& request) {
  const trial::OptionValues values("treasure", options(), request);
  World world;
  world.drawn = values.text("truth") == "prior";
  world.per_pair = values.text("rewards") == "pair";
  world.support_only = values.text("noise-support") == "support";
  world.sd_a = sd_or(values, "sd-a", world.drawn ? .3 : .05);
  world.sd_b = sd_or(values, "sd-b", world.drawn ? .3 : .5);
  world.noise_scale = values.number("noise-scale", 0, 1000);
  world.variance = world.drawn ? .25 : 0;
  world.believed_variance = world.drawn ? .25 : .01;
  world.seed = request.seed;
  trial::TabularCaseOptions tabular;
  tabular.name = "treasure";
  tabular.units = request.units.value_or(100);
  tabular.seed = request.seed;
  tabular.horizons = {90};
  tabular.trials = world.drawn ? 120 : 50;
  tabular.settings = values.settings();
  tabular.drift_rate = trial::drift_rate_of(values);
  tabular.drift_by_state = !world.per_pair;
  // The paper's rules for this grid take what was seen for true for good.
  if (!world.drawn && values.text("reading") == "paper" && tabular.drift_rate == 0)
    tabular.own_planner = make_paper_planner;
  return std::make_unique<trial::TabularCase>(std::move(tabular),
                                              [world](std::uint64_t trial) { return world.problem(trial); });
}

}  // namespace

CaseInfo info() {
  return {"treasure", "hidden treasure: a grid with a wall, and a reward behind it that nobody has seen",
          options(), make};
}

}  // namespace mindgap::cases::treasure
