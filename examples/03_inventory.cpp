// A shop with room for ten, which orders up to four every evening: the twin of python/03_inventory.py. There
// each pair of stock and order is simulated 400 times, and the truth is the simulator's function with other
// customers; here the law of a day is written down for both. So numbers differ by what such a sample leaves
// open, and by the luck of the customers. What to order if the simulator is right is the same.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "mindgap/base/log_pmf.h"
#include "mindgap/belief/stated_belief.h"
#include "mindgap/command/compare.h"
#include "mindgap/command/decide.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/trial/tabular_case.h"
#include "mindgap/world/without_hidden_state.h"

using namespace mindgap;

constexpr int kRoom = 10, kMost = 4;
constexpr double kLastYear = 0.5, kThisYear = 2.5;  // customers a day; of this year nobody knows yet

// What a day earns, and what is left in the evening.
world::Observation day(int stock, int order, int customers) {
  stock = std::min(kRoom, stock + order);
  const int sold = std::min(stock, customers);
  return {5.0 * sold - 3.0 * order - 0.1 * (stock - sold), stock - sold};
}

// Every pair of stock and order. Customers are Poisson; as soon as the shelf is empty, the rest are alike.
mdp::Model shop(double customers) {
  mdp::MdpBuilder builder(/*discount=*/0.95, kRoom + 1, kMost + 1);
  std::vector<double> variance;  // of a day's earnings, per pair
  for (int stock = 0; stock <= kRoom; ++stock) {
    for (int order = 0; order <= kMost; ++order) {
      double rest = 1, mean = 0, square = 0;
      for (int come = 0, full = std::min(kRoom, stock + order); come <= full; ++come) {
        const double probability = come < full ? std::exp(base::poisson_log_pmf(come, customers)) : rest;
        const world::Observation seen = day(stock, order, come);
        builder.add_transition(stock, order, seen.next_state, probability);
        mean += probability * seen.reward;
        square += probability * seen.reward * seen.reward;
        rest -= probability;
      }
      builder.set_reward(stock, order, mean);
      variance.push_back(std::max(square - mean * mean, 0.0));
    }
  }
  std::vector<double> start(kRoom + 1);
  start[0] = 1;  // empty
  return {"shop", builder.build().with_start(start), variance};
}

// A planner of our own: orders what was sold the day before.
class Replace final : public planner::Planner {
 public:
  explicit Replace(const planner::Setting& setting)
      : mdp_(setting.belief.simulator()), sold_(setting.units, 1) {}
  void choose(std::int64_t, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    for (std::size_t i = 0; i < pair.size(); ++i)
      pair[i] = mdp_.find_pair(state[i], std::min(sold_[i], kMost));
  }
  void observe(std::int64_t, const planner::StepSeen& seen) override {
    for (std::size_t i = 0; i < sold_.size(); ++i)
      sold_[i] = std::min(kRoom, seen.state[i] + mdp_.pair_action()[seen.pair[i]]) - seen.next_state[i];
  }

 private:
  mdp::Mdp mdp_;
  std::vector<std::int32_t> sold_;
};

// Trust the simulator, learn as we go, or experiment?
void decide_on(const mdp::Model& simulator) {
  command::DecideRequest request{.model = simulator};
  request.units = 3;
  request.horizon = 100;
  request.worlds = 64;
  const command::DecideAnswer answer = command::decide(request);
  std::puts(answer.headline().c_str());
  for (const decide::PlanResult& one : answer.decision.plans)
    if (!one.screened)
      std::printf("%10s %10s %7.1f %6.1f\n", one.plan.name.c_str(),
                  std::string(decide::name_of(one.plan.kind)).c_str(), one.value, one.standard_error);
}

// Three shops in this year's world, where a day is paid what it earns on average. Planners of ours are
// compared by name; another one is given what they are given, trial by trial.
void compare_in_this_year(const belief::Belief& belief) {
  const world::HiddenModel truth = world::without_hidden_state(shop(kThisYear).mdp, /*noise*/ 0);
  const auto problem = [&](std::uint64_t /*trial*/) { return trial::Problem{belief, truth}; };
  const trial::TabularCase on({.name = "this year", .units = 3}, problem);
  const command::CompareAnswer answer = command::compare(
      on, {.planners = {"oracle", "sop", "asop", "thompson", "fisher"}, .horizons = {25, 100}, .trials = 40});
  std::fputs(answer.text().c_str(), stdout);
  double replace = 0;  // on average
  const auto make = [](const planner::Setting& setting) { return std::make_unique<Replace>(setting); };
  for (const std::uint64_t trial : answer.results.trials)
    replace += on.run_other({"replace", make}, trial, answer.run.horizons).back() / 40;
  std::printf("replace: %.2f after 100 steps\n", replace);
}

int main() {
  // What we really know: a day may earn one more or less, and the customers are worth three days of looking.
  mdp::Model simulator = shop(kLastYear);
  simulator.prior = mdp::PriorSpec{.reward_sd = 1, .transition_strength = 3};
  const mdp::Solution solution = mdp::solve(simulator.mdp);
  std::printf("orders by stock, as simulated:");
  for (const std::int32_t pair : solution.policy.pair_of_state())
    std::printf(" %d", simulator.mdp.pair_action()[pair]);
  std::printf("\npromised: %.2f, discounted\n", solution.value_at_start);
  decide_on(simulator);
  compare_in_this_year(belief::stated_belief(simulator, "a comparison"));
}
