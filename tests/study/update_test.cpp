#include "mindgap/study/decisions.h"
#include "study/memory.h"

namespace mindgap::study {
namespace update_test {

class UpdateTest : public StudyTest {};

// Staying in the north pays less than nothing, which nobody knows.
Truth poor_north() {
  mdp::Mdp mdp = row_of_places().mdp;
  std::vector<double> reward(mdp.reward().begin(), mdp.reward().end());
  reward[0] = -2;
  return {mdp.with_reward(std::move(reward))};
}

TEST_F(UpdateTest, AnUpdateBringsANewPolicyAndLeavesTheRoutes) {
  StudyOptions options;
  options.update_every = 3;
  options.batch_steps = 6;
  start(40, 12, options);
  play(poor_north(), 3);
  EXPECT_EQ(study_status(*at("s")).state.policies.size(), 1u);  // not before somebody comes to step 3
  const Assigned fourth = ask();
  EXPECT_TRUE(fourth.updated);
  ASSERT_EQ(fourth.state.policies.size(), 2u);
  EXPECT_EQ(fourth.state.policies[1], best_policy(fourth.state, 1));
  EXPECT_NE(fourth.state.policies[0][0], fourth.state.policies[1][0]);  // or there was nothing to test
  const Batch& batch = fourth.state.batches[0];
  int moved = 0;
  for (const std::int32_t i : fourth.assignments) {
    const AssignmentRow& row = fourth.state.assignments[i];
    EXPECT_EQ(pair_of(fourth.state.mdp(), row),
              batch.pair(row.route, 3, row.state, fourth.state.policies[1]));
    EXPECT_EQ(row.batch, 0);
    moved +=
        row.arm == Arm::control && pair_of(fourth.state.mdp(), row) != fourth.state.policies[0][row.state];
    EXPECT_EQ(row.route, batch.route_of_unit[row.unit]);
  }
  EXPECT_GT(moved, 0);
  const Assigned again = ask();
  EXPECT_FALSE(again.updated);
  EXPECT_EQ(again.state.assignments, fourth.state.assignments);
  EXPECT_EQ(again.assignments, fourth.assignments);
  take(poor_north().results(fourth));
  play(poor_north(), 4);
  const Status found = study_status(*at("s"));
  EXPECT_EQ(found.summary.updates, 2);
  ASSERT_EQ(found.summary.decisions.size(), 3u);
  EXPECT_EQ(found.summary.decisions[1].kind, "update");
  EXPECT_NE(found.summary.decisions[1].content.find("\"results\":120"), std::string::npos);
  for (const AssignmentRow& row : found.state.assignments) {
    if (row.arm == Arm::explore && row.step < 6) continue;
    EXPECT_EQ(row.probability, 1);  // controls, and explorers after their routes, had no choice
  }
  EXPECT_TRUE(check().good) << check().problem;
}

TEST_F(UpdateTest, NothingIsUpdatedWithoutResultsSinceOrWhereNobodyAskedForIt) {
  StudyOptions options;
  options.update_every = 2;
  start(12, 12, options);
  play(truth(), 2);
  redesign(*at("s"), true, kWriter, 1);
  EXPECT_FALSE(ask().updated);  // the design's policy knows as much
  EXPECT_TRUE(check().good) << check().problem;
  std::filesystem::remove_all(path("s"));
  options.update_every = 0;
  start(12, 12, options);
  play(truth(), 7);
  EXPECT_EQ(study_status(*at("s")).summary.updates, 0);
  EXPECT_TRUE(check().good) << check().problem;
}

// Rows that leave out an update, or bring one that was not due, do not verify.
TEST_F(UpdateTest, AMissingUpdateIsFound) {
  for (const bool missing : {true, false}) {
    std::filesystem::remove_all(path("s"));
    StudyOptions options;
    options.update_every = 2;
    start(12, 12, options);
    play(truth(), missing ? 2 : 1);
    const State state = study_status(*at("s")).state;
    {
      const std::unique_ptr<Transaction> transaction = at("s")->begin(Access::write, kWriter);
      missing
          ? transaction->append({.time = kWriter.time, .program = "test", .kind = "assign", .content = "{}"},
                                {}, next_assignments(state), {})
          : transaction->append(decide_update(state, 1), {}, {}, {});
      transaction->commit();
    }
    EXPECT_FALSE(check().good);
    EXPECT_NE(check().problem.find(missing ? "a policy that was to be updated" : "no update was due"),
              std::string::npos)
        << check().problem;
  }
}

// Updates come by results: with half of the units late there are half as many. A unit that runs ahead of all
// others brings its own, and when it is done the others go on having theirs.
TEST_F(UpdateTest, UpdatesComeByResultsAndNobodyHoldsThemUp) {
  StudyOptions options;
  options.update_every = 2;
  start(12, 12, options);
  const Truth field = truth();
  const auto answer = [&](const Assigned& asked, std::int32_t units) {
    std::string text = kHeader;
    for (const std::int32_t i : asked.assignments) {
      const AssignmentRow& row = asked.state.assignments[i];
      if (row.unit < units) text += field.line(asked.state, row) + "\n";
    }
    take(text);
  };
  play(field);
  answer(ask(), 6);
  EXPECT_FALSE(ask().updated);  // 18 results, and two steps of everybody are 24
  take(field.results(ask(1)));
  EXPECT_TRUE(ask().updated);
  EXPECT_TRUE(check().good) << check().problem;
  std::filesystem::remove_all(path("s"));
  start(12, 12, options);
  for (int t = 0; t < 12; ++t) answer(ask(), 1);
  const std::size_t alone = study_status(*at("s")).state.policies.size();
  EXPECT_GT(alone, 3u);
  EXPECT_LT(alone, 8u);
  take(field.results(ask(0)));
  play(field, 8);  // 99 results of the other 11: an update for every 22
  EXPECT_EQ(study_status(*at("s")).state.policies.size(), alone + 4);
  EXPECT_TRUE(check().good) << check().problem;
}

// As ProbabilitiesOfAPathMultiply..., off the routes and with policies that change: each step counts with the
// policy of its own time.
TEST_F(UpdateTest, ProbabilitiesHoldThePolicyOfTheirTime) {
  StudyOptions options;
  options.update_every = 1;
  options.batch_steps = 8;
  start(40, 10, options);
  Truth field = poor_north();
  for (int t = 0; t < 8; ++t) {  // everybody is moved on to the next place but one, which no model foresees
    const Assigned asked = ask();
    std::string text = kHeader;
    for (const std::int32_t i : asked.assignments) {
      const AssignmentRow& row = asked.state.assignments[i];
      std::string line = field.line(asked.state, row);
      line.resize(line.rfind(",\""));
      text += line + ",\"" + row_of_places().mdp.state_name((row.state + 2) % 4) + "\"\n";
    }
    take(text);
  }
  const State state = study_status(*at("s")).state;
  const Batch& batch = state.batches[0];
  int changed = 0;
  for (std::size_t i = 1; i < state.policies.size(); ++i)
    changed += state.policies[i] != state.policies[i - 1];
  EXPECT_GT(changed, 1);
  for (std::int32_t u = 0; u < 40; ++u) {
    if (state.units[u].arm == Arm::control) continue;
    double product = 1;
    for (int t = 0; t < 8; ++t) product *= state.assignments[state.find_assignment(u, t)].probability;
    const std::vector<double> routes = batch.route_probabilities(state.units[u].state);
    double same = 0;
    for (std::int32_t r = 0; r < static_cast<std::int32_t>(routes.size()); ++r) {
      bool agrees = true;
      for (int t = 0; t < 8; ++t) {
        const std::int32_t i = state.find_assignment(u, t);
        const AssignmentRow& row = state.assignments[i];
        const auto& policy = state.policies[state.policy_of[i]];
        agrees = agrees && batch.pair(r, t, row.state, policy) == pair_of(state.mdp(), row);
      }
      if (agrees) same += routes[static_cast<std::size_t>(r)];
    }
    EXPECT_NEAR(product, same, 1e-12) << u;
  }
  EXPECT_TRUE(check().good) << check().problem;
}

}  // namespace update_test
}  // namespace mindgap::study
