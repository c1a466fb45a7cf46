#include "mindgap/decide/stopping.h"

#include <gtest/gtest.h>

#include <cmath>

#include "decide/bandits.h"
#include "decide/situations.h"
#include "mindgap/base/error.h"

namespace mindgap::decide {
namespace stopping_test {

gap::StatelessProblem problem(double kappa) {
  return {.units = 100, .discount = 1, .prior_mean = kappa, .prior_sd = 1, .observation_variance = 1};
}

BatchPrice price_of(const Situation& situation, std::int64_t explorers, std::int64_t steps, std::int64_t left,
                    std::uint64_t first_draw = 0) {
  design::Design pilot;
  if (explorers > 0 && left > 0) {
    design::DesignOptions how;
    how.units = explorers;
    how.steps = steps;
    pilot = design::design_pilot(situation.knowledge, how);
  }
  return price_batch({situation.belief(), situation.unit_state, pilot, left, 42, first_draw});
}

// m explorers for the first of two steps, then everybody does what is better by then: DeltaV(2m) of
// spec/tabular.md 1 at gamma 1 (bandits.h has the derivation). What is learnt is of use in the one step
// after, and the explorers give up d0 each.
TEST(PriceBatch, IsTheClosedFormOfABandit) {
  for (const double kappa : {.25, .5, 1.2}) {
    const gap::StatelessProblem stated = problem(kappa);
    gap::StatelessProblem solvable =
        stated;  // a belief's own discount must be below 1; the price has its own
    solvable.discount = .9;
    const Situation situation = bandit(solvable);
    for (const std::int64_t explorers : {5, 10}) {
      double sum = 0, variance = 0;
      constexpr int kLooks = 16;
      for (int look = 0; look < kLooks; ++look) {
        const BatchPrice price = price_of(situation, explorers, 1, 2, static_cast<std::uint64_t>(look) << 16);
        EXPECT_EQ(price.draws, 64);
        EXPECT_NEAR(price.cost, static_cast<double>(explorers) * kappa, 1e-9);
        EXPECT_DOUBLE_EQ(price.net, price.worth - price.cost);
        sum += price.net / kLooks;
        variance += price.standard_error * price.standard_error / (kLooks * kLooks);
      }
      const double wanted = gap::experiment_value(stated, 2.0 * static_cast<double>(explorers));
      EXPECT_NEAR(sum, wanted, 4 * std::sqrt(variance)) << kappa << " " << explorers;
      EXPECT_LT(std::sqrt(variance), 2);  // or the line above would say nothing
    }
  }
}

TEST(PriceBatch, SaysStopWhereNothingIsLeftToLearnOrToUse) {
  gap::StatelessProblem known = problem(.5);
  known.discount = .9;
  known.prior_sd = 1e-9;
  const BatchPrice learnt = price_of(bandit(known), 5, 1, 2);
  EXPECT_NEAR(learnt.worth, 0, 1e-6);
  EXPECT_FALSE(learnt.go_on());
  EXPECT_TRUE(learnt.certain());
  gap::StatelessProblem open = problem(.25);
  open.discount = .9;
  const BatchPrice last = price_of(bandit(open), 5, 2, 2);
  EXPECT_EQ(last.worth, 0);
  EXPECT_NEAR(last.cost, 2.5, 1e-9);
  EXPECT_FALSE(last.go_on());
  EXPECT_EQ(price_of(bandit(open), 0, 1, 2).steps, 0);
  EXPECT_EQ(price_of(bandit(open), 5, 1, 0).steps, 0);
}

// A batch whose routes are what the policy does anyway (in the corridor: go, on, stay), where all rewards are
// known: worth nothing, costs nothing. What rounding leaves of its advantages must not read as a profit.
TEST(PriceBatch, ABatchThatChangesNothingIsNoReasonToGoOn) {
  for (int i = 1; i <= 20; ++i) {
    for (std::int32_t s = 0; s < 3; ++s) {
      const mdp::Mdp model = corridor(.1 * i, .3 * i);
      const Situation situation = situation_of(model, even_prior(model, 0, 5), 1, {s, s}, 30);
      design::Design pilot;
      pilot.steps = 3;
      pilot.states = model.states();
      pilot.routes = {{1, 1, {1, 3, 5, 1, 3, 5, 1, 3, 5}}};
      pilot.route_of_unit = {0};
      pilot.counts = std::vector<double>(static_cast<std::size_t>(model.pairs()), 0.0);
      const std::int32_t second = 2 * s + 1;  // action of s
      pilot.counts[static_cast<std::size_t>(second)] = 3;
      const BatchPrice price = price_batch({situation.belief(), situation.unit_state, pilot, 30});
      EXPECT_EQ(price.cost, 0) << i << " " << s;
      EXPECT_FALSE(price.go_on()) << i << " " << s << ": net " << price.net;
    }
  }
}

TEST(PriceBatch, IsTheSameEachTimeAndRefusesMoreExplorersThanUnits) {
  gap::StatelessProblem open = problem(.25);
  open.discount = .9;
  EXPECT_EQ(price_of(bandit(open), 5, 1, 2).net, price_of(bandit(open), 5, 1, 2).net);
  EXPECT_NE(price_of(bandit(open), 5, 1, 2).net, price_of(bandit(open), 5, 1, 2, 1 << 16).net);
  EXPECT_THROW(price_of(bandit(open), 101, 1, 2), InvalidArgument);
}

}  // namespace stopping_test
}  // namespace mindgap::decide
