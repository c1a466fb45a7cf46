#include "mindgap/design/navigated_pilot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gap/golden_models.h"
#include "mindgap/base/error.h"

namespace mindgap::design {
namespace navigated_pilot_test {

using mdp::Mdp;

constexpr double kSd = .5, kNoise = .8;
constexpr std::int64_t kSteps = 5;

// A ring of four states: action 0 stays, action 1 goes on. Nothing is left to chance.
Mdp ring() {
  std::vector<std::vector<double>> rows;
  for (std::size_t s = 0; s < 4; ++s) {
    for (const std::size_t to : {s, (s + 1) % 4}) {
      rows.emplace_back(4, 0.0);
      rows.back()[to] = 1;
    }
  }
  return gap::dense_mdp(.9, {1, 0, 0, 0}, 2, std::vector<double>(8), rows);
}

belief::Knowledge known() {
  mdp::Model model{"ring", ring()};
  model.reward_variance = kNoise;
  model.prior = mdp::PriorSpec{.reward_sd = kSd, .transition_strength = 5};
  return belief::gather_knowledge(model, std::nullopt, std::nullopt);
}

const std::vector<double> kWeights = {1, 2, 3, 1, 9, 1, 7, 1};

DesignOptions options_of(std::vector<std::int32_t> unit_state) {
  DesignOptions options;
  options.units = static_cast<std::int64_t>(unit_state.size());
  options.unit_state = std::move(unit_state);
  options.steps = kSteps;
  options.target.kind = TargetKind::uniform;
  TargetWeights weights;
  weights.weights.reward = kWeights;
  weights.weights.transition.assign(8, 0.0);
  options.weights = std::make_shared<const TargetWeights>(weights);
  return options;
}

// sum W / (1/sd^2 + n/v).
double left_after(const std::vector<double>& counts) {
  double sum = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) sum += kWeights[k] / (1 / (kSd * kSd) + counts[k] / kNoise);
  return sum;
}

std::vector<double> walked(const Pilot& pilot, const std::vector<std::int32_t>& unit_state) {
  std::vector<double> counts(8, 0.0);
  for (std::size_t u = 0; u < unit_state.size(); ++u) {
    std::int32_t s = unit_state[u];
    for (std::int64_t t = 0; t < kSteps; ++t) {
      const std::int32_t k = pilot.pair(u, t, s);
      EXPECT_EQ(k / 2, s);
      counts[static_cast<std::size_t>(k)] += 1;
      s = k % 2 == 0 ? s : (s + 1) % 4;
    }
  }
  return counts;
}

// All 2^5 ways of one unit.
double best_of_all_ways(std::int32_t from) {
  double best = INFINITY;
  for (int code = 0; code < 32; ++code) {
    std::vector<double> counts(8, 0.0);
    std::int32_t s = from;
    for (int t = 0; t < kSteps; ++t) {
      const int a = code >> t & 1;
      const std::int32_t pair = 2 * s + a;
      counts[static_cast<std::size_t>(pair)] += 1;
      s = (s + a) % 4;
    }
    best = std::min(best, left_after(counts));
  }
  return best;
}

// What one unit sees that goes to `goal` the only short way there is, and plays it as often as it can.
double of_goal(std::int32_t from, std::int32_t goal) {
  std::vector<double> counts(8, 0.0);
  std::int32_t s = from;
  for (int t = 0; t < kSteps; ++t) {
    const std::int32_t to_go = (goal / 2 - s + 4) % 4;
    if (t + to_go >= kSteps) return INFINITY;  // it would not arrive again: any way is as short
    const int a = to_go > 0 ? 1 : goal % 2;
    const std::int32_t pair = 2 * s + a;
    counts[static_cast<std::size_t>(pair)] += 1;
    s = (s + a) % 4;
  }
  return left_after(counts);
}

TEST(NavigatedPilot, OneUnitGoesToTheBestGoal) {
  for (std::int32_t from = 0; from < 4; ++from) {
    const NavigatedPilot pilot = navigate_pilot(known(), options_of({from}));
    const double value = left_after(walked(pilot.design, {from}));
    EXPECT_NEAR(pilot.design.after_rounding, value, 1e-12);
    EXPECT_NEAR(pilot.design.before, left_after(std::vector<double>(8, 0.0)), 1e-12);
    // No goal with a single short way is better, and no way at all beats the certified optimum.
    for (std::int32_t goal = 0; goal < 8; ++goal) EXPECT_LE(value, of_goal(from, goal) + 1e-12) << goal;
    const double best = best_of_all_ways(from);
    EXPECT_GE(value, best - 1e-12);
    EXPECT_LE(pilot.findings.optimum - pilot.findings.optimum_gap, best + 1e-12);
    EXPECT_NEAR(pilot.findings.bound.excess, value - pilot.findings.optimum, 1e-9);
    EXPECT_GE(pilot.findings.bound.bound, pilot.findings.bound.excess - 1e-12);
    ASSERT_EQ(pilot.findings.goals.size(), 1u);
    const UnitGoal& goal = pilot.findings.goals[0];
    EXPECT_EQ(goal.expected_steps, (goal.pair / 2 - from + 4) % 4);
    EXPECT_EQ(goal.arrival, 1);
  }
}

// By hand: from state 2 the pair (2, stay), weight 9, is at hand: 9/(4 + 5/.8). Other goals leave it at 9/4.
TEST(NavigatedPilot, StaysWhereThePrizeIs) {
  const NavigatedPilot pilot = navigate_pilot(known(), options_of({2}));
  EXPECT_EQ(pilot.findings.goals[0].pair, 4);
  const double all = (1 + 2 + 3 + 1 + 9 + 1 + 7 + 1) / 4.0;
  EXPECT_NEAR(pilot.design.after_rounding, all - 9 / 4.0 + 9 / (4 + kSteps / kNoise), 1e-12);
}

// Goals are listed in the order of the units, whatever that of their states.
TEST(NavigatedPilot, UnitsKeepTheirPlaces) {
  const std::vector<std::int32_t> state = {3, 0, 2};
  const NavigatedPilot pilot = navigate_pilot(known(), options_of(state), {1});
  EXPECT_NEAR(pilot.design.after_rounding, left_after(walked(pilot.design, state)), 1e-12);
  for (std::size_t u = 0; u < state.size(); ++u) {
    const UnitGoal& goal = pilot.findings.goals[u];
    EXPECT_EQ(goal.expected_steps, (goal.pair / 2 - state[u] + 4) % 4) << u;
  }
  EXPECT_EQ(pilot.findings.bottleneck, std::vector<std::int32_t>{1});
}

TEST(NavigatedPilot, KeepsOffForbiddenPairs) {
  DesignOptions options = options_of({0});
  options.limits.forbidden = {0, 0, 0, 0, 1, 0, 0, 0};  // staying in state 2
  const NavigatedPilot pilot = navigate_pilot(known(), options);
  EXPECT_EQ(walked(pilot.design, {0})[4], 0);
}

TEST(NavigatedPilot, RefusesWhatHasNoWays) {
  DesignOptions discounted = options_of({0});
  discounted.finite = false;
  EXPECT_THROW(navigate_pilot(known(), discounted), InvalidArgument);
  DesignOptions explorer = options_of({0});
  explorer.weights.reset();
  explorer.target.kind = TargetKind::explorer;
  EXPECT_THROW(navigate_pilot(known(), explorer), InvalidArgument);
}

}  // namespace navigated_pilot_test
}  // namespace mindgap::design
