#include "decide/design_variation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "decide/situations.h"

namespace mindgap::decide {
namespace design_variation_test {

TEST(LongProblems, AreOfEverySizeAndAFunctionOfSeedAndNumber) {
  std::int32_t most_states = 0;
  std::int64_t most_units = 0, most_steps = 0;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Situation situation = draw_long_problem(42, i).situation;
    situation.validate();
    most_states = std::max(most_states, situation.belief().simulator().states());
    most_units = std::max(most_units, situation.units());
    most_steps = std::max(most_steps, situation.horizon);
  }
  EXPECT_EQ(most_states, 12);
  EXPECT_GT(most_units, 16);
  EXPECT_GT(most_steps, 120);
  EXPECT_EQ(draw_long_problem(42, 3).situation.belief().simulator(),
            draw_long_problem(42, 3).situation.belief().simulator());
}

// One arm is known and the other is not: every design of a pilot tries the other arm, so designs do not
// differ and the gain found again differs by the worlds alone.
TEST(DesignVariation, IsNoneWhereThereIsOneThingToTry) {
  const mdp::Mdp mdp = arms({1, .8});
  const Problem problem{"bandit", situation_of(mdp, {{0, 2}, {1, 1}}, 1, {0, 0, 0, 0}, 40)};
  VariationOptions options;
  options.worlds = 64;
  options.fresh_worlds = 64;
  options.designs = 2;
  options.plans = {plan_from_string("sop"), plan_from_string("asop"), plan_from_string("pilot-4x4")};
  const Variation one = vary(problem, 0, options);
  ASSERT_EQ(one.designs.size(), 2U);
  EXPECT_EQ(one.design_sd, (std::vector<double>{0, 0}));
  EXPECT_GT(one.standard_error, 0);
  EXPECT_NE(one.same, one.stated);  // other worlds
  EXPECT_NEAR(one.same, one.stated, 5 * std::hypot(one.same_error, one.standard_error));
}

}  // namespace design_variation_test
}  // namespace mindgap::decide
