#include "mindgap/gap/allocation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/gap/stateless.h"

namespace mindgap::gap {
namespace allocation_test {

double phi(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}
double cdf(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

// Clark (1961): E max(X, Y) = m1 Phi(a) + m2 Phi(-a) + t phi(a), t^2 = s1^2 + s2^2, a = (m1 - m2)/t.
TEST(ExpectedLargest, TwoInClosedForm) {
  const double cases[][4] = {{0, 1, 0, 1}, {1, .5, .2, 2}, {3, .1, -1, .2}, {0, 1, .5, 0}, {2, 0, 1, 0}};
  for (const auto& [m1, s1, m2, s2] : cases) {
    const double t = std::hypot(s1, s2), a = (m1 - m2) / t;
    const double exact = t == 0 ? std::max(m1, m2) : m1 * cdf(a) + m2 * cdf(-a) + t * phi(a);
    EXPECT_NEAR(expected_largest(std::vector<double>{m1, m2}, std::vector<double>{s1, s2}), exact, 1e-9);
  }
}

// E max of k standard normal variables: 3/(2 sqrt(pi)) for three, 1.0293753730 for four.
TEST(ExpectedLargest, SeveralStandardNormals) {
  EXPECT_NEAR(expected_largest(std::vector<double>(3, 0.), std::vector<double>(3, 1.)),
              1.5 * std::numbers::inv_sqrtpi, 1e-9);
  EXPECT_NEAR(expected_largest(std::vector<double>(4, 0.), std::vector<double>(4, 1.)), 1.0293753730, 1e-9);
}

// Two actions of which one is known: only its units teach, and the gain is nu psi(d/nu) as in stateless.h.
TEST(Allocation, ValueWhereOneActionIsKnown) {
  const AllocationProblem problem{50, .9, {1, .6}, {0, .5}, 2};
  for (const double units : {0., 3., 20.}) {
    const double nu = std::sqrt(.0625 * units / (2 + .25 * units));
    const double exact = -.4 * units + .9 * 50 * (units == 0 ? 0 : nu * unit_normal_loss(.4 / nu));
    EXPECT_NEAR(allocation_value(problem, std::vector<double>{50 - units, units}), exact, 1e-8);
  }
}

// Every split of 12 units over three actions.
TEST(Allocation, AgainstEverySplit) {
  const AllocationProblem problems[] = {{12, 1, {1, .9, .5}, {.2, .6, 1}, 1},
                                        {12, .8, {.5, .5, .4}, {1, .3, .6}, .5},
                                        {12, 1, {2, 0, .1}, {.1, .4, .2}, 1},
                                        {12, 1, {1, .2, .8}, {0, 2, .1}, 4}};
  for (const AllocationProblem& problem : problems) {
    double best = -1e300;
    for (int a = 0; a <= 12; ++a) {
      for (int b = 0; a + b <= 12; ++b) {
        const std::vector<double> counts{static_cast<double>(a), static_cast<double>(b),
                                         static_cast<double>(12 - a - b)};
        best = std::max(best, allocation_value(problem, counts));
      }
    }
    const Allocation found = best_allocation(problem);
    EXPECT_NEAR(found.value, best, 1e-9 * (1 + std::abs(best)));
    EXPECT_TRUE(found.condition_holds);
    std::int64_t units = 0;
    for (const ActionIndex& action : found.actions) units += action.units;
    EXPECT_EQ(units, 12);
  }
}

// Against draws of the model itself: means, outcomes of the first period, the better posterior mean.
TEST(Allocation, ValueIsThatOfTheModel) {
  const AllocationProblem problem{40, .9, {1, .8, .7}, {.3, .5, .8}, 1.5};
  const std::vector<double> counts{25, 9, 6};
  constexpr int kDraws = 200'000;
  double sum = 0, squares = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    base::Stream stream({7, base::Purpose::test, static_cast<std::uint64_t>(draw)});
    double earned = 0, most = -1e300, chosen = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double truth = problem.mean[a] + problem.sd[a] * base::normal(stream);
      const double seen = truth + std::sqrt(1.5 / counts[a]) * base::normal(stream);
      const double variance = problem.sd[a] * problem.sd[a], weight = variance / (variance + 1.5 / counts[a]);
      const double posterior = problem.mean[a] + weight * (seen - problem.mean[a]);
      earned += counts[a] * truth;
      if (posterior > most) {
        most = posterior;
        chosen = truth;
      }
    }
    const double value = earned + .9 * 40 * chosen - (1 + .9) * 40 * 1;
    sum += value;
    squares += value * value;
  }
  const double mean = sum / kDraws, error = std::sqrt((squares / kDraws - mean * mean) / kDraws);
  EXPECT_NEAR(allocation_value(problem, counts), mean, 4 * error);
}

// The paper's condition for deploying looks at the first unit, which does not pay where outcomes are noisy:
// it says deploy although an experiment is worth more than 20.
TEST(Allocation, TheFirstUnitSaysTooLittle) {
  const Allocation found = best_allocation({1000, 1, {.5, 0}, {0, 1}, 100});
  EXPECT_TRUE(found.deploy_passes_condition);
  EXPECT_GT(found.gain, 20);
  EXPECT_GT(found.actions[1].units, 20);
  const Allocation sure = best_allocation({100, 1, {5, 0}, {.1, .1}, 1});
  EXPECT_EQ(sure.gain, 0);
  EXPECT_EQ(sure.actions[0].units, 100);
}

TEST(Allocation, Refusals) {
  const AllocationProblem good{10, 1, {1, 0}, {1, 1}, 1};
  const auto refused = [&](const std::function<void(AllocationProblem&)>& spoil) {
    AllocationProblem bad = good;
    spoil(bad);
    EXPECT_THROW(best_allocation(bad), InvalidArgument);
  };
  refused([](auto& p) { p.units = 0; });
  refused([](auto& p) { p.discount = 1.5; });
  refused([](auto& p) { p.mean = {1}; });
  refused([](auto& p) { p.sd = {1}; });
  refused([](auto& p) { p.sd = {1, -1}; });
  refused([](auto& p) { p.mean = {1, NAN}; });
  refused([](auto& p) { p.observation_variance = 0; });
}

}  // namespace allocation_test
}  // namespace mindgap::gap
