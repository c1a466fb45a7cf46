#include "mindgap/design/occupancy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "design/tiny_models.h"
#include "gap/golden_models.h"
#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/policy.h"

namespace mindgap::design {
namespace occupancy_test {

using mdp::Mdp;
using mdp::Policy;

double sum(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0);
}

// Two rooms: from the first, action 1 leads on. One unit, two steps: by hand the corner that wants the second
// room is (1 visit of go, 1 visit of stay there).
TEST(Occupancy, FiniteByHand) {
  const Mdp mdp = gap::dense_mdp(.9, {1, 0}, 2, {0, 0, 0, 0}, {{1, 0}, {0, 1}, {0, 1}, {0, 1}});
  const auto pilot = finite_occupancies(mdp, {3, 0}, 2);
  EXPECT_EQ(pilot->budget(), 6);
  const Corner corner = pilot->best(std::vector<double>{0, 0, 1, 0});
  EXPECT_EQ(corner.counts, (std::vector<double>{0, 3, 3, 0}));
  EXPECT_EQ(corner.worth, 3);
  EXPECT_NEAR(corner.bound, 3, 1e-12);
  EXPECT_EQ(corner.pair[0], 1);      // step 0 in room 0: go
  EXPECT_EQ(corner.pair[2 + 1], 2);  // step 1 in room 1: stay
}

TEST(Occupancy, CountsSumToTheBudgetAndNoPolicyBeatsTheBound) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Mdp mdp = mdp::random_mdp(seed, {.states = 7, .actions = 3});
    std::vector<double> positions(7, 0.0), price(static_cast<std::size_t>(mdp.pairs()));
    positions[seed % 7] = 2;
    positions[(seed + 3) % 7] += 1;
    for (std::size_t k = 0; k < price.size(); ++k) price[k] = std::sin(static_cast<double>(7 * k + seed));
    const auto finite = finite_occupancies(mdp, positions, 5);
    const auto discounted = discounted_occupancies(mdp, positions, 15);
    for (const auto& pilot : {finite.get(), discounted.get()}) {
      const Corner corner = pilot->best(price);
      EXPECT_NEAR(sum(corner.counts), 15, 1e-9);
      EXPECT_LE(corner.worth, corner.bound);
      EXPECT_NEAR(corner.worth, corner.bound, 1e-7);
      std::vector<double> uniform = Policy::uniform(mdp).probability_of_pair(mdp), pi;
      for (std::int64_t t = 0; t < pilot->steps(); ++t) pi.insert(pi.end(), uniform.begin(), uniform.end());
      const std::vector<double> counts = pilot->counts(pi);
      EXPECT_NEAR(sum(counts), 15, 1e-9);
      EXPECT_LE(std::inner_product(price.begin(), price.end(), counts.begin(), 0.0), corner.bound);
    }
  }
}

// A stationary policy's counts against the library's own occupancies.
TEST(Occupancy, AgreesWithTheOccupanciesOfPolicies) {
  const Mdp mdp = mdp::random_mdp(3, {.states = 6, .actions = 2});
  const std::vector<double> start(mdp.start().begin(), mdp.start().end());
  const Policy policy = Policy::uniform(mdp);
  const std::vector<double> pi = policy.probability_of_pair(mdp);
  std::vector<double> over_time;
  for (int t = 0; t < 4; ++t) over_time.insert(over_time.end(), pi.begin(), pi.end());
  const std::vector<double> n = finite_occupancies(mdp, start, 4)->counts(over_time);
  const std::vector<double> visits = mdp::finite_occupancy(mdp, policy, 4);
  const std::vector<double> m = discounted_occupancies(mdp, start, 1)->counts(pi);
  const std::vector<double> share = mdp::discounted_visitation(mdp, policy).share;
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    EXPECT_NEAR(n[k], visits[mdp.state_of_pair(k)] * pi[k], 1e-13);
    EXPECT_NEAR(m[k], share[mdp.state_of_pair(k)] * pi[k], 1e-11);
  }
}

// Prices per step and state against all policies, and the visits of the one found.
TEST(Occupancy, BestAtStepsIsTheBestOfAllPolicies) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Small small(seed);
    const Occupancy& pilot = *small.pilot;
    const Enumerated all = enumerate_policies(pilot);
    std::vector<double> step_price(all.visits[0].size());
    for (std::size_t i = 0; i < step_price.size(); ++i)
      step_price[i] = std::cos(static_cast<double>(3 * i + seed));
    double best = -INFINITY;
    for (std::size_t j = 0; j < all.counts.size(); ++j) {
      const double worth =
          std::inner_product(small.cost.begin(), small.cost.end(), all.counts[j].begin(), 0.0) +
          std::inner_product(step_price.begin(), step_price.end(), all.visits[j].begin(), 0.0);
      best = std::max(best, worth);
    }
    const Corner corner = pilot.best_at_steps(small.cost, step_price);
    EXPECT_NEAR(corner.worth, best, 1e-12) << seed;
    EXPECT_GE(corner.bound, best) << seed;
    EXPECT_NEAR(corner.bound, best, 1e-12) << seed;
    const std::vector<double> visits = pilot.step_visits(corner.pair);
    EXPECT_NEAR(sum(visits), pilot.budget(), 1e-12);
    EXPECT_NEAR(std::inner_product(small.cost.begin(), small.cost.end(), corner.counts.begin(), 0.0) +
                    std::inner_product(step_price.begin(), step_price.end(), visits.begin(), 0.0),
                best, 1e-12);
  }
}

TEST(Occupancy, BadArguments) {
  const Mdp mdp = gap::m3();
  EXPECT_THROW(finite_occupancies(mdp, {0, 0, 0}, 5), InvalidArgument);
  EXPECT_THROW(finite_occupancies(mdp, {1, 0}, 5), InvalidArgument);
  EXPECT_THROW(finite_occupancies(mdp, {1, -1, 1}, 5), InvalidArgument);
  EXPECT_THROW(finite_occupancies(mdp, {1, 0, 0}, 0), InvalidArgument);
  EXPECT_THROW(discounted_occupancies(mdp, {1, 0, 0}, 0), InvalidArgument);
  EXPECT_THROW(discounted_occupancies(mdp.with_discount(1), {1, 0, 0}, 3), InvalidArgument);
  const auto finite = finite_occupancies(mdp, {1, 0, 0}, 2),
             discounted = discounted_occupancies(mdp, {1, 0, 0}, 2);
  const std::vector<double> price(6, 0.0);
  EXPECT_THROW(finite->best_at_steps(price, std::vector<double>(5)), InvalidArgument);
  EXPECT_THROW(finite->step_visits(std::vector<std::int32_t>{0, 0, 0, 0, 0, 0}), InvalidArgument);
  EXPECT_THROW(discounted->best_at_steps(price, std::vector<double>(3)), InvalidArgument);
  EXPECT_THROW(discounted->step_visits(std::vector<std::int32_t>{0, 2, 4}), InvalidArgument);
}

}  // namespace occupancy_test
}  // namespace mindgap::design
