#include <nlohmann/json.hpp>

#include "study/field.h"

namespace mindgap::study {
namespace join_test {

class Joining : public StudyTest {
 protected:
  Joined join(const std::string& rows) {
    return add_units(*at("s"), text_file("more.csv", "unit,state\n" + rows), kWriter);
  }
};

TEST_F(Joining, UnitsJoinWhileTheStudyGoesOn) {
  start(12, 8);
  play(truth(), 3);
  std::string rows;
  for (int u = 0; u < 10; ++u) rows += "n" + std::to_string(u) + ",north\n";
  const Joined joined = join(rows);
  EXPECT_EQ(joined.first, 12u);
  EXPECT_EQ(joined.state.units.size(), 22u);
  std::int64_t controls = 0;
  for (std::size_t u = 12; u < 22; ++u) controls += joined.state.units[u].arm == Arm::control;
  EXPECT_EQ(controls, 2);  // a fifth of ten, by systematic sampling
  const Assigned next = ask();
  EXPECT_EQ(next.added, 22);
  for (const std::int32_t i : next.assignments) {
    const AssignmentRow& row = next.state.assignments[i];
    EXPECT_EQ(row.step, row.unit < 12 ? 3 : 0);
    EXPECT_TRUE(row.unit < 12 || row.arm == Arm::control || row.route >= 0);  // of the design in force
  }
  take(truth().results(next));
  play(truth(), 7);
  const Status status = study_status(*at("s"));
  EXPECT_EQ(status.summary.results, 12 * 8 + 10 * 8);
  EXPECT_EQ(status.summary.phase, Phase::finished);
  const Verification verified = check();
  EXPECT_TRUE(verified.good) << verified.problem;
  EXPECT_EQ(verified.units, 22);
}

TEST_F(Joining, TheComparisonStaysWithTheFirstUnits) {
  start(12, 8);
  play(truth(), 4);
  const Difference before = study_status(*at("s")).summary.difference;
  join("n0,north\nn1,north\n");
  const Summary after = study_status(*at("s")).summary;
  EXPECT_EQ(after.difference.steps, before.steps);
  EXPECT_EQ(after.difference.difference, before.difference);
  EXPECT_EQ(after.ratio.units_explore + after.ratio.units_control, 12);
  EXPECT_EQ(after.units, 14);
}

TEST_F(Joining, ARedesignSendsThemToo) {
  start(8, 8);
  play(truth(), 2);
  join("n0,north\nn1,east\n");
  redesign(*at("s"), true, kWriter, 1);
  play(truth(), 2);
  EXPECT_TRUE(check().good) << check().problem;
}

TEST_F(Joining, BadUnitsAreRefused) {
  start(8, 8);
  EXPECT_NE(message([&] { join("n0,north\nu3,east\n"); }).find("the unit is in the study already (got 'u3')"),
            std::string::npos);
  EXPECT_NE(message([&] { join("n0,moon\n"); }).find("the state is unknown"), std::string::npos);
  EXPECT_EQ(study_status(*at("s")).state.units.size(), 8u);  // none of them
  stop(*at("s"), "enough", kWriter);
  EXPECT_NE(message([&] { join("n0,north\n"); }).find("nobody can join it"), std::string::npos);
}

// Few units: a test in place of the interval, in a study that goes on.
TEST_F(Joining, FewUnitsAreComparedByPermutation) {
  start(8, 4);
  play(truth(), 2);
  const Summary summary = study_status(*at("s")).summary;
  EXPECT_FALSE(summary.difference.interval);
  ASSERT_TRUE(summary.difference.permutation);
  EXPECT_TRUE(summary.difference.permutation->exact);
  EXPECT_GT(summary.difference.permutation->p_value, 0);
  // A study from before there was such a test goes on without.
  StudyOptions old = options_from_json([&] {
    auto json = nlohmann::json::parse(to_json(study_status(*at("s")).state.options));
    json.erase("compare_few");
    return json.dump();
  }());
  EXPECT_FALSE(old.compare_few);
}

class NewStates : public StudyTest {
 protected:
  std::string lost() {  // the first unit ends up in the sea
    std::string text = truth().results(ask());
    const std::size_t line = text.find('\n') + 1, end = text.find('\n', line), comma = text.rfind(',', end);
    return text.replace(comma + 1, end - comma - 1, "sea");
  }
};

TEST_F(NewStates, AreRefusedWithTheRemedy) {
  start(8, 4);
  const std::string said = message([&] { take(lost()); });
  EXPECT_NE(said.find("the next state is unknown: the simulator has never seen it"), std::string::npos)
      << said;
  EXPECT_NE(said.find("study init --allow-new-states"), std::string::npos) << said;
}

TEST_F(NewStates, AreTakenWhereTheStudyAllowsIt) {
  StudyOptions options;
  options.allow_new_states = true;
  start(8, 6, options);
  const Recorded recorded = take(lost());
  EXPECT_EQ(recorded.results.new_states, std::vector<std::string>{"sea"});
  EXPECT_EQ(recorded.state.mdp().states(), 5);
  const Assigned next = ask();
  EXPECT_EQ(next.added, 8);
  std::string text = kHeader;
  for (const std::int32_t i : next.assignments) {
    const AssignmentRow& row = next.state.assignments[i];
    if (row.state == 4) {
      EXPECT_EQ(next.state.mdp().state_name(row.state), "sea");
      text += next.state.units[row.unit].name + ",1,sea," + next.state.mdp().action_name(row.action) +
              ",0,north\n";
    } else {
      text += truth().line(next.state, row) + "\n";
    }
  }
  take(text);
  play(truth(), 2);
  redesign(*at("s"), true, kWriter, 1);
  play(truth(), 2);
  const Verification verified = check();
  EXPECT_TRUE(verified.good) << verified.problem;
  EXPECT_EQ(study_status(*at("s")).state.model.added, std::vector<std::int32_t>{4});
}

}  // namespace join_test
}  // namespace mindgap::study
