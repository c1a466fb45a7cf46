#include "mindgap/view/compare.h"

#include <gtest/gtest.h>

namespace mindgap::view {
namespace compare_test {

TEST(CaseWarnings, AreWordedHere) {
  EXPECT_EQ(
      text_of(trial::CaseWarning(trial::ImpossibleRows{3, 40, .25})),
      "in 3 of 40 rows the truth makes moves that the simulator calls impossible (with a probability of "
      "up to 0.25): planners that learn will find the simulator refuted");
  EXPECT_EQ(text_of(trial::CaseWarning(trial::ImpossibleMoves{1, 4})),
            "1 of 4 moves in this world (25 %) were to states that the simulator calls impossible from where "
            "the unit was; planners that learn doubt the simulator from the first such move on");
  EXPECT_EQ(text_of(trial::CaseWarning(trial::UnreachableStates{{"(0,4)", "(0,5)"}, 40})),
            "no unit can reach 2 of 40 states: (0,4) (0,5)");
}

TEST(ListOfPlanners, HasALineEach) {
  EXPECT_EQ(
      list_of({{"sop", "the simulator's policy"}, {"asop", "the same, updated"}}, "planner", "what it does"),
      "planner  what it does\n"
      "sop      the simulator's policy\n"
      "asop     the same, updated\n");
}

}  // namespace compare_test
}  // namespace mindgap::view
