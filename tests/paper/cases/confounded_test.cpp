#include "paper/cases/confounded/confounded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "mindgap/base/error.h"
#include "mindgap/mdp/graph.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/world/history.h"
#include "mindgap/world/history_error.h"
#include "mindgap/world/projection.h"

namespace mindgap::cases::confounded {
namespace confounded_test {

const double kWideSd = 1 / std::sqrt(3.0);

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

// How many of the 100 worlds have an optimal policy that leads to the far region, and in how many the
// simulator's does.
std::array<int, 2> worlds_that_go_far(const Dials& dials) {
  std::array<int, 2> count{0, 0};
  for (const std::uint64_t seed : world_seeds()) {
    const trial::Problem problem = confounded::problem(dials, seed);
    const std::array<mdp::Mdp, 2> models = {world::deployment_projection(problem.truth),
                                            problem.belief.simulator()};
    for (std::size_t i = 0; i < 2; ++i) {
      const mdp::Policy policy = mdp::solve(models[i], {.threads = 1}).policy;
      count[i] += mdp::reachable(models[i], mdp::start_states(models[i]), &policy).back();
    }
  }
  return count;
}

void expect_regions(const Dials& dials, std::int32_t home, std::int32_t links, std::int32_t far) {
  const Regions found = regions(dials);
  EXPECT_EQ(found.home, home);
  EXPECT_EQ(found.links, links);
  EXPECT_EQ(found.far, far);
}

TEST(ConfoundedWorlds, Regions) {
  expect_regions({}, 11, 3, 6);  // round(.3 * 20) = 6
  expect_regions({.reach = 0}, 20, 0, 0);
  expect_regions({.reach = .02}, 20, 0, 0);  // round(.4) = 0
  expect_regions({.reach = 1}, 4, 3, 13);    // home keeps 4
  expect_regions({.states = 10}, 5, 2, 3);   // two links below 15 states
  expect_regions({.states = 15, .reach = .2}, 9, 3, 3);
}

TEST(ConfoundedWorlds, EveryWorldIsAsDescribed) {
  for (const std::uint64_t seed : world_seeds()) {
    const world::HiddenModel world = truth({}, seed);
    const mdp::Mdp real = world::deployment_projection(world);
    EXPECT_EQ(mdp::strongly_connected_components(real).count, 1) << seed;
    const world::HistoryError error = world::history_error(world, 1);
    EXPECT_LT(error.reward.value, 1e-12) << seed;
    EXPECT_LT(error.transition.value, 1e-12) << seed;
    const auto [low, high] = std::ranges::minmax(world.reward());
    EXPECT_TRUE(low >= 0 && high <= 1) << seed;
    const auto [least, most] = std::ranges::minmax(world.variance());
    EXPECT_TRUE(least >= .01 && most <= .05) << seed;
    int doors = 0;
    for (std::int32_t k = 0; k < real.pairs(); ++k) {
      const auto size = real.row_begin()[k + 1] - real.row_begin()[k];
      const std::int32_t s = real.state_of_pair(k);
      if (s >= 14) {
        EXPECT_TRUE(size == 4 || size == 5) << seed;  // with the way back to the gate
      } else if (s >= 11 || (size == 2 && ++doors > 0)) {
        EXPECT_EQ(size, 2) << seed;
      } else {
        EXPECT_TRUE(size == 3 || size == 4) << seed;
      }
    }
    EXPECT_EQ(doors, 1) << seed;
  }
}

// Neither answer to "is it worth going there" is the rule, and the simulators never say yes.
TEST(ConfoundedWorlds, FarIsWorthGoingForInAGoodPartOfWorlds) {
  EXPECT_EQ(worlds_that_go_far({}), (std::array<int, 2>{39, 0}));
}

TEST(ConfoundedWorlds, WithoutConfoundingHistoryTellsTheTruthOfItsTime) {
  const world::HiddenModel none = truth({.confounding = 0}, 3), some = truth({}, 3);
  const auto bias = [](const world::HiddenModel& world) {
    return largest_difference(world::calibration_kernel(world).reward(),
                              world::calibration_marginal(world).reward());
  };
  EXPECT_LT(bias(none), 1e-12);
  EXPECT_GT(bias(some), .01);
  EXPECT_LT(largest_difference(world::calibration_kernel(none).probability(),
                               world::calibration_marginal(none).probability()),
            1e-12);
}

// At home nothing is cut off: .3 + .7 leaves room for an effect of .3. So rewards are linear in the dial.
TEST(ConfoundedWorlds, RewardsAreLinearInConfounding) {
  const world::HiddenModel none = truth({.confounding = 0}, 5), half = truth({}, 5),
                           full = truth({.confounding = 1}, 5);
  double largest = 0;
  for (std::size_t cell = 0; cell < 11 * 3 * 2; ++cell) {
    const double effect = full.reward()[cell] - none.reward()[cell];
    EXPECT_NEAR(half.reward()[cell] - none.reward()[cell], effect / 2, 1e-15);
    EXPECT_LE(std::abs(effect), .3);
    largest = std::max(largest, std::abs(effect));
  }
  EXPECT_GT(largest, .2);
}

TEST(ConfoundedWorlds, DriftMovesTheHiddenStateAlone) {
  const world::HiddenModel none = truth({.drift = 0}, 7), half = truth({}, 7), full = truth({.drift = 1}, 7);
  EXPECT_TRUE(std::ranges::equal(none.deployment(), none.calibration()));
  EXPECT_GT(largest_difference(full.deployment(), full.calibration()), .1);
  for (std::size_t i = 0; i < full.deployment().size(); ++i) {
    EXPECT_NEAR(half.deployment()[i] - half.calibration()[i],
                (full.deployment()[i] - full.calibration()[i]) / 2, 1e-15);
  }
  EXPECT_TRUE(std::ranges::equal(none.calibration(), full.calibration()));
  EXPECT_TRUE(std::ranges::equal(none.behaviour(), full.behaviour()));
  EXPECT_TRUE(std::ranges::equal(none.reward(), full.reward()));
}

// A simulator by the book: means and frequencies of the same record, added up afresh.
TEST(ConfoundedBelief, IsWhatHistoryTells) {
  const Dials dials;
  const world::HiddenModel world = truth(dials, 11);
  const belief::Belief belief = belief_from_history(dials, world, 11);
  const mdp::Mdp& simulator = belief.simulator();
  const world::History history =
      world::sample_history(world, 11, 1, dials.history, world::HistoryHidden::calibration);
  ASSERT_EQ(history.pair.size(), 2000u);
  double squares = 0, freedom = 0;
  std::vector<double> count(60, 0), mean(60, 0);
  for (std::int32_t k = 0; k < 60; ++k) {
    for (std::size_t i = 0; i < 2000; ++i) {
      if (history.pair[i] != k) continue;
      count[k] += 1;
      mean[k] += history.reward[i];
    }
    if (count[k] == 0) continue;
    mean[k] /= count[k];
    for (std::size_t i = 0; i < 2000; ++i) {
      if (history.pair[i] == k) squares += std::pow(history.reward[i] - mean[k], 2);
    }
    freedom += count[k] - 1;
  }
  const double variance = squares / freedom;
  for (std::int32_t k = 0; k < 60; ++k) {
    EXPECT_NEAR(simulator.reward()[k], mean[k], 1e-12);
    EXPECT_NEAR(belief.observation_variance()[k], variance, 1e-12);
    const auto entries = static_cast<double>(simulator.row_begin()[k + 1] - simulator.row_begin()[k]);
    for (auto i = simulator.row_begin()[k]; i < simulator.row_begin()[k + 1]; ++i) {
      double moves = 0;
      for (std::size_t j = 0; j < 2000; ++j) {
        moves += history.pair[j] == k && history.next_state[j] == simulator.next_state()[i] ? 1 : 0;
      }
      EXPECT_NEAR(simulator.probability()[i], (moves + 1 / entries) / (count[k] + 1), 1e-12);
    }
    // odds 3: B = 2 / sqrt(3) sqrt(v), of which half counts as one standard deviation.
    const double sd =
        count[k] == 0 ? kWideSd : std::min(kWideSd, std::sqrt(variance / count[k] + variance / 3));
    EXPECT_NEAR(belief.prior().reward_sd[k], sd, 1e-12);
    if (count[k] == 0) {
      EXPECT_EQ(belief.prior().transition_strength[k], entries);
    }
  }
}

// The record's limit is the calibration kernel: every visit of a pair is an independent draw from it.
TEST(ConfoundedBelief, ALongHistoryEstimatesTheCalibrationKernel) {
  const Dials dials{.history = 40'000};
  const world::HiddenModel world = truth(dials, 2);
  const mdp::Mdp kernel = world::calibration_kernel(world);
  const std::vector<double> variance = world::observational_variance(world);
  const belief::Belief belief = belief_from_history(dials, world, 2);
  const world::History history =
      world::sample_history(world, 2, 1, dials.history, world::HistoryHidden::calibration);
  int compared = 0;
  for (std::int32_t k = 0; k < kernel.pairs(); ++k) {
    const auto n = static_cast<double>(std::ranges::count(history.pair, k));
    if (n < 100) continue;
    ++compared;
    EXPECT_LT(std::abs(belief.simulator().reward()[k] - kernel.reward()[k]), 5 * std::sqrt(variance[k] / n))
        << k;
    for (auto i = kernel.row_begin()[k]; i < kernel.row_begin()[k + 1]; ++i) {
      const double p = kernel.probability()[i];
      EXPECT_LT(std::abs(belief.simulator().probability()[i] - p), 5 * std::sqrt(p * (1 - p) / n) + 1 / n)
          << k;
    }
  }
  EXPECT_GE(compared, 25);  // of the 33 pairs at home
}

TEST(ConfoundedBelief, IsPessimisticAndWideOutOfReach) {
  for (const std::uint64_t seed : world_seeds()) {
    const trial::Problem problem = confounded::problem({}, seed);
    for (std::int32_t k = problem.truth.pair_begin()[14]; k < problem.truth.pairs(); ++k) {
      EXPECT_EQ(problem.belief.simulator().reward()[k], 0) << seed;
      EXPECT_EQ(problem.belief.prior().reward_sd[static_cast<std::size_t>(k)], kWideSd) << seed;
    }
  }
}

TEST(ConfoundedBelief, WithoutHistoryThereIsTheGuess) {
  const trial::Problem problem = confounded::problem({.history = 0}, 1);
  for (const double reward : problem.belief.simulator().reward()) EXPECT_EQ(reward, 0);
  for (const double sd : problem.belief.prior().reward_sd) EXPECT_EQ(sd, kWideSd);
  for (const double variance : problem.belief.observation_variance()) EXPECT_EQ(variance, .25);
}

TEST(ConfoundedCase, EveryTrialIsAWorldOfItsOwn) {
  ASSERT_EQ(world_seeds().size(), 100u);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(world_seeds()[i], i + 1);
  const auto made = find_case("confounded").make({});
  const auto& tabular = dynamic_cast<const trial::TabularCase&>(*made);
  EXPECT_EQ(tabular.problem(0).truth, truth({}, 1));
  EXPECT_EQ(tabular.problem(99).truth.name(), "confounded world 100");
  EXPECT_FALSE(tabular.problem(107).truth == tabular.problem(7).truth);
  EXPECT_EQ(tabular.problem(107).truth, problem({}, 108).truth);
  EXPECT_EQ(made->default_trials(), 100);
  // The worlds do not depend on the case's seed.
  const auto other = find_case("confounded").make({.seed = 7});
  EXPECT_EQ(dynamic_cast<const trial::TabularCase&>(*other).problem(3).truth, truth({}, 4));
}

// All 100 worlds at once: should a number of any of them change, one of these sums does.
TEST(ConfoundedCase, TheHundredWorldsStayTheSame) {
  double rewards = 0, laws = 0, rows = 0, simulated = 0;
  for (const std::uint64_t seed : world_seeds()) {
    const trial::Problem problem = confounded::problem({}, seed);
    const world::HiddenModel& world = problem.truth;
    for (std::size_t c = 0; c < world.reward().size(); ++c) {
      rewards +=
          static_cast<double>(c + 1) * (world.reward()[c] + world.variance()[c] + world.behaviour()[c]);
    }
    for (std::size_t i = 0; i < world.deployment().size(); ++i) {
      laws += static_cast<double>(i + 1) * (world.deployment()[i] + 2 * world.calibration()[i]);
    }
    for (std::size_t i = 0; i < world.probability().size(); ++i) {
      rows += world.probability()[i] *
              (world.next_state()[i] + world.next_hidden()[i] + static_cast<double>(i % 7));
    }
    for (const double reward : problem.belief.simulator().reward()) simulated += reward;
  }
  EXPECT_NEAR(rewards, 574944.6841671553, 1e-6);
  EXPECT_NEAR(laws, 123002.16407681756, 1e-6);
  EXPECT_NEAR(rows, 148163.25390769978, 1e-6);
  EXPECT_NEAR(simulated, 1657.8182440434302, 1e-8);
}

TEST(ConfoundedCase, EveryShapeLoads) {
  for (const Dials& dials :
       {Dials{.hidden = 1}, Dials{.hidden = 5, .actions = 2}, Dials{.states = 10, .reach = 1},
        Dials{.confounding = 1, .drift = 1}, Dials{.confounding = 0, .drift = 0, .reach = 0},
        Dials{.states = 10, .actions = 2, .confounding = 1, .reach = .06}}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_NO_THROW(problem(dials, seed)) << seed;
  }
  const auto made =
      find_case("confounded").make({.options = {{"states", "30"}, {"reach", "0"}, {"hidden", "3"}}});
  const auto& tabular = dynamic_cast<const trial::TabularCase&>(*made);
  EXPECT_EQ(tabular.problem(0).truth.states(), 30);
  EXPECT_EQ(tabular.problem(0).truth.hidden(), 3);
  EXPECT_EQ(tabular.problem(0).truth.find_state("far 1"), -1);
}

TEST(ConfoundedCase, BadDialsThrow) {
  EXPECT_THROW(problem({.states = 9}, 1), InvalidArgument);
  EXPECT_THROW(problem({.hidden = 0}, 1), InvalidArgument);
  EXPECT_THROW(problem({.actions = 1}, 1), InvalidArgument);
  EXPECT_THROW(problem({.confounding = -.1}, 1), InvalidArgument);
  EXPECT_THROW(problem({.drift = 1.1}, 1), InvalidArgument);
  EXPECT_THROW(problem({.reach = NAN}, 1), InvalidArgument);
  EXPECT_THROW(problem({.history = -1}, 1), InvalidArgument);
  EXPECT_THROW(problem({.odds = .5}, 1), InvalidArgument);
  EXPECT_THROW(problem({.discount = 1}, 1), InvalidArgument);
  EXPECT_THROW(find_case("confounded").make({.options = {{"drift", "2"}}}), InvalidArgument);
}

}  // namespace confounded_test
}  // namespace mindgap::cases::confounded
