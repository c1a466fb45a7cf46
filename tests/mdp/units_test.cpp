#include "mindgap/mdp/units.h"

#include <gtest/gtest.h>

#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::mdp {
namespace units_test {

using States = std::vector<std::int32_t>;

TEST(Units, AreSpreadByTheLargestRemainders) {
  EXPECT_EQ(spread_units(std::vector<double>{.5, .3, .2}, 4), (States{0, 0, 1, 2}));  // 2, 1.2, .8
  EXPECT_EQ(spread_units(std::vector<double>{.25, .25, .5}, 1), (States{2}));
  EXPECT_EQ(spread_units(std::vector<double>{.5, .5}, 3),
            (States{0, 0, 1}));  // a tie goes to the lower state
  EXPECT_EQ(spread_units(std::vector<double>{0, 1}, 2), (States{1, 1}));
}

TEST(Units, AtTheStartAreNumberedFromOne) {
  MdpBuilder builder(.9, 2, 1);
  for (const std::int32_t state : {0, 1}) {
    builder.set_reward(state, 0, 0);
    builder.add_transition(state, 0, 1, 1);
  }
  const Mdp mdp = builder.build();  // an even start
  const Units units = units_at_start(mdp, 3);
  EXPECT_EQ(units.names, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(units.state, (States{0, 0, 1}));
  EXPECT_THROW(units_at_start(mdp, 0), InvalidArgument);
  EXPECT_THROW(units_at_start(mdp, kMostUnits + 1), InvalidArgument);
}

TEST(Units, AreWhereTheLogLeavesThem) {
  ObservationLog log;
  for (const char* name : {"a", "b"}) log.units.add(name);
  log.unit = {0, 1, 0, 0};
  log.step = {0, 0, 2, 1};  // in any order
  log.pair = {0, 0, 0, 0};
  log.reward = {0, 0, 0, 0};
  log.next_state = {1, 2, 3, 4};
  const std::optional<Units> units = units_after(log, 2);
  ASSERT_TRUE(units);
  EXPECT_EQ(units->names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(units->state, (States{3, 2}));
  log.next_state[0] = ObservationLog::kNoState;  // it is the last step that says where a unit is
  EXPECT_EQ(units_after(log, 2)->state, units->state);
  log.next_state[2] = ObservationLog::kNoState;
  EXPECT_FALSE(units_after(log, 2));
  log.next_state[2] = 3;
  EXPECT_FALSE(units_after(log, 1));  // one too many
  EXPECT_FALSE(units_after(log, 3));  // one that the log does not have
}

TEST(Units, CountByShares) {
  EXPECT_EQ(shares_of(States{2, 0, 2, 2}, 3), (std::vector<double>{.25, 0, .75}));
}

}  // namespace units_test
}  // namespace mindgap::mdp
