#include <gtest/gtest.h>

#include "mindgap/base/error.h"
#include "paper/cases/stateless/simulate.h"

namespace mindgap::cases::stateless {
namespace stateless_test {

gap::StatelessProblem problem(double kappa) {
  return {.units = 100, .discount = .9, .prior_mean = kappa, .prior_sd = 1, .observation_variance = 1};
}

// 4 standard errors.
TEST(StatelessSimulation, AgreesWithTheClosedForm) {
  for (const double kappa : {0., .25, 1.}) {
    for (const double units : {4., 25., 100.}) {
      const SimulatedValue simulated = simulate_experiment(problem(kappa), units, 100000, 42);
      EXPECT_NEAR(simulated.mean, gap::experiment_value(problem(kappa), units), 4 * simulated.standard_error);
      EXPECT_GT(simulated.standard_error, 0);
    }
  }
}

TEST(StatelessSimulation, IsAFunctionOfItsSeed) {
  const SimulatedValue one = simulate_experiment(problem(.5), 10, 9000, 42, 1);
  EXPECT_EQ(one.mean, simulate_experiment(problem(.5), 10, 9000, 42, 2).mean);
  EXPECT_NE(one.mean, simulate_experiment(problem(.5), 10, 9000, 43, 2).mean);
  EXPECT_EQ(simulate_experiment(problem(.5), 0, 10, 42).mean, 0);
}

TEST(StatelessSimulation, BadArguments) {
  EXPECT_THROW(simulate_experiment(problem(.5), -1, 10, 42), InvalidArgument);
  EXPECT_THROW(simulate_experiment(problem(.5), 101, 10, 42), InvalidArgument);
  EXPECT_THROW(simulate_experiment(problem(.5), 10, 1, 42), InvalidArgument);
  EXPECT_THROW(simulate_experiment(problem(-1), 10, 10, 42), InvalidArgument);
}

}  // namespace stateless_test
}  // namespace mindgap::cases::stateless
