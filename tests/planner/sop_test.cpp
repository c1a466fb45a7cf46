#include <gtest/gtest.h>

#include "planner/small_models.h"

namespace mindgap::planner {
namespace sop_test {

using Pairs = std::vector<std::int32_t>;

// In state 0 action 0 seems to pay .6 and action 1 .5, and both stay there; state 1 pays .1 and leads back.
mdp::Mdp two_rooms() {
  mdp::MdpBuilder builder(.5, 2, 2);
  for (std::int32_t a = 0; a < 2; ++a) {
    builder.set_reward(0, a, a == 0 ? .6 : .5);
    builder.add_transition(0, a, 0, 1);
  }
  builder.set_reward(1, 0, .1);
  builder.add_transition(1, 0, 0, 1);
  return builder.build();
}

Setting setting_of(const mdp::Mdp& mdp) {
  Setting setting{.belief = belief_of(mdp, 1, 1, 1), .units = 1, .horizon = 100};
  setting.options.replan_every = 2;
  return setting;
}

// Action 0 pays 0: after one observation its posterior mean is .3, so A-SOP leaves it. SOP does not, until at
// step 3 it leads to state 1, which the simulator calls impossible; from the replan at step 4 on it is A-SOP.
TEST(Sop, IsFollowedUntilAnImpossibleMoveIsSeen) {
  const Setting setting = setting_of(two_rooms());
  Driven sop("sop", setting), fixed("sop-fixed", setting), asop("asop", setting);
  for (int t = 0; t < 8; ++t) {
    const bool impossible = t == 3;
    EXPECT_EQ(sop.choose({0}), Pairs{t < 4 ? 0 : 1}) << t;
    EXPECT_EQ(fixed.choose({0}), Pairs{0}) << t;
    EXPECT_EQ(asop.choose({0}), Pairs{t < 2 ? 0 : 1}) << t;
    for (Driven* planner : {&sop, &fixed, &asop})
      planner->observe_instead({t < 4 ? 0 : 1}, {t < 4 ? 0 : .5}, {impossible ? 1 : 0});
  }
}

// After the refutation it knows what it saw before: it acts as A-SOP does that was told the same.
TEST(Sop, HasObservedAllAlong) {
  const Setting setting =
      setting_of(uneven());  // state 1 has the single pair 2; (0,0) never leads to state 2
  Driven sop("sop", setting), asop("asop", setting);
  const auto tell = [&](std::int32_t from, std::int32_t pair, double reward, std::int32_t to) {
    for (Driven* planner : {&sop, &asop}) {
      planner->choose({from});
      planner->observe_instead({pair}, {reward}, {to});
    }
  };
  for (int i = 0; i < 5; ++i) tell(2, 4, -3, 1);
  for (int i = 0; i < 4; ++i) tell(2, 5, 2, 2);
  tell(0, 0, .2, 2);
  ASSERT_EQ(sop.step() % 2, 0);
  for (const std::int32_t s : {0, 1, 2}) EXPECT_EQ(sop.choose({s}), asop.choose({s})) << s;
  EXPECT_EQ(sop.choose({2}), Pairs{5});
  EXPECT_EQ(Driven("sop-fixed", setting).choose({2}), Pairs{4});
}

TEST(Sop, IsTheFixedOneWhereTheSimulatorIsNotRefuted) {
  const Setting setting = setting_of(uneven());
  Driven sop("sop", setting), fixed("sop-fixed", setting);
  for (int t = 0; t < 40; ++t) {
    const std::int32_t s = t % 3;
    const Pairs pair = sop.choose({s});
    EXPECT_EQ(pair, fixed.choose({s}));
    const mdp::Mdp& simulator = setting.belief.simulator();
    const std::int32_t to = simulator.next_state()[simulator.row_begin()[pair[0]]];
    sop.observe({-5}, {to});
    fixed.observe({-5}, {to});
  }
}

}  // namespace sop_test
}  // namespace mindgap::planner
