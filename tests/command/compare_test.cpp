#include "mindgap/command/compare.h"

#include <gtest/gtest.h>

#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/trial/tabular_case.h"
#include "mindgap/world/without_hidden_state.h"

namespace mindgap::command {
namespace compare_test {

// A ring of three; action 0 stays, 1 goes on, which the truth does with a slip that the simulator denies.
mdp::Mdp ring(double slip) {
  mdp::MdpBuilder builder(.9, 3, 2);
  for (std::int32_t s = 0; s < 3; ++s) {
    builder.set_reward(s, 0, s);
    builder.add_transition(s, 0, s, 1);
    builder.set_reward(s, 1, 0);
    builder.add_transition(s, 1, (s + 1) % 3, 1 - slip);
    if (slip > 0) builder.add_transition(s, 1, (s + 2) % 3, slip);
  }
  return builder.build().with_start({1, 0, 0});
}

trial::TabularCase ring_case(double slip) {
  return {{.name = "ring", .units = 4}, [slip](std::uint64_t) {
            return trial::Problem{{ring(0),
                                   {std::vector<double>(6, 1.0), std::vector<double>(6, 5.0)},
                                   std::vector<double>(6, .25)},
                                  world::without_hidden_state(ring(slip), .25)};
          }};
}

CompareRequest request(std::vector<std::string> planners) {
  CompareRequest request;
  request.planners = std::move(planners);
  request.horizons = {12};
  request.trials = 3;
  request.reference = "sop";
  request.run.threads = 1;
  return request;
}

double mean_of(const CompareAnswer& answer, const std::string& planner) {
  for (const trial::SummaryRow& row : answer.rows)
    if (row.planner == planner) return row.mean;
  ADD_FAILURE() << planner;
  return 0;
}

TEST(Compare, TakesPlansByNameAndPlannersThatAreBrought) {
  const trial::TabularCase on = ring_case(0);
  CompareRequest asked = request({"sop", "mine", "pilot-2x3"});
  asked.others = {{"mine", planner::find_planner("sop").make}};
  const CompareAnswer answer = compare(on, asked);
  EXPECT_EQ(mean_of(answer, "mine"), mean_of(answer, "sop"));
  mean_of(answer, "pilot-2x3");
  const std::string list = list_of_planners(on, asked);
  EXPECT_NE(list.find("a pilot of 2 units over 3 steps, then learn"), std::string::npos) << list;
  EXPECT_NE(list.find("the user's own"), std::string::npos) << list;
  EXPECT_TRUE(answer.warnings.empty());
}

TEST(Compare, TellsWarningsBeforeTheFirstTrial) {
  const trial::TabularCase on = ring_case(.25);
  CompareRequest asked = request({"sop"});
  std::vector<std::string> told;
  bool begun = false;
  asked.run.listener.warning = [&](const std::string& text) {
    EXPECT_FALSE(begun);
    told.push_back(text);
  };
  asked.run.listener.progress = [&](const std::string&, std::int64_t, std::int64_t) { begun = true; };
  const CompareAnswer answer = compare(on, asked);
  ASSERT_EQ(told.size(), 1);
  EXPECT_NE(told[0].find("in 3 of 6 rows"), std::string::npos) << told[0];
  EXPECT_EQ(answer.warnings, told);
  EXPECT_TRUE(begun);
}

TEST(Compare, RefusesNamesThatAreTaken) {
  const trial::TabularCase on = ring_case(0);
  CompareRequest asked = request({"sop"});
  asked.others = {{"asop", planner::find_planner("sop").make}};
  EXPECT_THROW(compare(on, asked), InvalidArgument);
}

}  // namespace compare_test
}  // namespace mindgap::command
