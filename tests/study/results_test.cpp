#include "mindgap/study/results.h"
#include "mindgap/view/study.h"

#include "study/field.h"

namespace mindgap::study {
namespace results_test {

class ResultsTest : public StudyTest {
 protected:
  // Everybody at step 0; where unit 0 is and what it does.
  void begin() {
    start(8, 6);
    first_.emplace(ask());
    const AssignmentRow& row = first_->state.assignments[0];
    action_ = row.action == 0 ? "stay" : "go";
    other_ = row.action == 0 ? "go" : "stay";
  }
  std::string refused(const std::string& lines, bool correct = false) {
    const Digest before = head();
    std::string said = message([&] { take(lines, correct); });
    EXPECT_EQ(head(), before) << "something was written";
    return said;
  }
  Digest head() { return at("s")->begin_reading()->head(); }
  std::string u0(const std::string& rest) const { return "u0,0,north," + action_ + "," + rest + "\n"; }

  std::optional<Assigned> first_;
  std::string action_, other_;
};

TEST_F(ResultsTest, ComeInAnyOrderAndOnlyOnce) {
  begin();
  const Truth field = truth();
  std::vector<std::string> lines;
  for (const std::int32_t i : first_->assignments)
    lines.push_back(field.line(first_->state, first_->state.assignments[i]));
  std::reverse(lines.begin(), lines.end());
  const Recorded some = take(kHeader + lines[0] + "\n" + lines[3] + "\n" + lines[0] + "\n");
  EXPECT_EQ(some.results.rows.size(), 2u);
  EXPECT_EQ(some.results.already, 1);
  std::string all = kHeader;
  for (const std::string& line : lines) all += line + "\n";
  EXPECT_EQ(take(all).results.rows.size(), 6u);
  const Digest before = head();
  const Recorded again = take(all);
  EXPECT_EQ(again.results.rows.size(), 0u);
  EXPECT_EQ(again.results.already, 8);
  EXPECT_EQ(head(), before);  // nothing new, nothing written
  EXPECT_TRUE(check().good) << check().problem;
}

TEST_F(ResultsTest, ContradictionsAreRefusedWithTheirLine) {
  begin();
  take(kHeader + u0("1.5,north"));
  EXPECT_EQ(refused(kHeader + u0("1.5,north") + u0("2,north")),
            "results.csv:3: step 0 of unit 'u0' has another result in the log: action '" + action_ +
                "', reward 1.5, next state 'north', and here action '" + action_ +
                "', reward 2, next state 'north'; to replace it, record it as a correction (--correct)");
  EXPECT_NE(refused(kHeader + u0("1.5,east")).find("results.csv:2: step 0 of unit 'u0' has another result"),
            std::string::npos);
  const std::string u4 =
      "u4,0,north," + std::string(first_->state.assignments[4].action == 0 ? "stay" : "go");
  EXPECT_NE(refused(kHeader + u4 + ",1,north\n" + u4 + ",2,north\n")
                .find("results.csv:3: step 0 of unit 'u4' has another result in line 2"),
            std::string::npos);
  EXPECT_EQ(
      refused(kHeader + std::string("u4,0,east,stay,1,east\n")),
      "results.csv:2: unit 'u4' was in state 'north' at step 0, not in 'east': correct the next_state of the "
      "step before, or this line");
}

TEST_F(ResultsTest, WhatWasNeverAskedForIsRefused) {
  begin();
  EXPECT_EQ(refused(kHeader + std::string("nobody,0,north,stay,1,north\n")),
            "results.csv:2: the unit is not in the study (got 'nobody')");
  EXPECT_EQ(refused(kHeader + std::string("u0,1,north,stay,1,north\n")),
            "results.csv:2: step 1 of unit 'u0' was never assigned (its last one so far is step 0)");
  EXPECT_EQ(refused(kHeader + std::string("u0,-1,north,stay,1,north\n")),
            "results.csv:2: the step must be a whole number from 0 (got '-1')");
  EXPECT_NE(refused(kHeader + std::string("u0,0,moon,stay,1,north\n")).find("results.csv:2:"),
            std::string::npos);
  EXPECT_NE(refused(kHeader + u0("1,moon")).find("the next state is unknown"), std::string::npos);
  EXPECT_NE(refused(kHeader + u0("nan,north")).find("the reward must be finite"), std::string::npos);
  EXPECT_NE(refused(kHeader + u0("1e101,north")).find("the reward must be finite"), std::string::npos);
  EXPECT_NE(refused(kHeader + u0(",")).find("neither the reward nor the next state"), std::string::npos);
  EXPECT_NE(
      refused("unit,step,state,action,reward,next_state,status\nu0,0,north," + action_ + ",1,north,lost\n")
          .find("the status must be ok or void"),
      std::string::npos);
  EXPECT_NE(
      refused("unit,step,state,action,reward,next_state,censored\nu0,0,north," + action_ + ",1,north,2\n")
          .find("censored must be 0, 1 (or at_least), or at_most"),
      std::string::npos);
  EXPECT_NE(refused("unit,step\nu0,0\n").find("state"), std::string::npos);
}

TEST_F(ResultsTest, AreAllTakenOrNone) {
  begin();
  EXPECT_NE(refused(kHeader + u0("1,north") + "u1,0,east,stay,1,moon\n"), "no error");
  EXPECT_EQ(study_status(*at("s")).summary.results, 0);
}

TEST_F(ResultsTest, ADeviationIsKeptAndNotUsed) {
  begin();
  const Recorded recorded = take(kHeader + std::string("u0,0,north,") + other_ + ",100,north\n");
  EXPECT_TRUE(recorded.results.rows[0].deviation);
  const Status found = study_status(*at("s"));
  ASSERT_EQ(found.summary.deviations, 1);
  EXPECT_EQ(found.summary.deviating[0].unit, 0);
  const belief::Belief now = knowledge_now(found.state).now;
  for (std::int32_t k = 0; k < now.simulator().pairs(); ++k) EXPECT_EQ(now.rewards_seen()[k].count, 0);
  EXPECT_TRUE(found.summary.pairs.empty());
  EXPECT_TRUE(check().good);
}

TEST_F(ResultsTest, AnImpossibleMoveIsKeptAndReported) {
  begin();
  const Recorded recorded = take(kHeader + u0("1,south"));
  ASSERT_EQ(recorded.results.impossible.size(), 1u);
  const Status found = study_status(*at("s"));
  EXPECT_EQ(found.summary.impossible, 1);
  ASSERT_EQ(found.summary.flagged.size(), 1u);  // the simulator says never, and it happened
  EXPECT_EQ(found.summary.flagged[0].p_value, 0);
  EXPECT_EQ(found.state.places[0].state, 2);
}

TEST_F(ResultsTest, VoidAndPartialOnesAreCompletedLater) {
  begin();
  take("unit,step,state,action,reward,next_state,status\nu0,0,north," + action_ + ",,,void\n");
  Status found = study_status(*at("s"));
  EXPECT_EQ(found.summary.void_results, 1);
  ASSERT_FALSE(found.summary.waiting.empty());
  EXPECT_TRUE(found.summary.waiting[0].place_unknown);  // nobody knows where it is
  EXPECT_EQ(ask().state.places[0].next_step, 1);        // so it gets nothing
  Recorded completed =
      take("unit,step,state,action,reward,next_state,status\nu0,0,north," + action_ + ",,east,void\n");
  EXPECT_EQ(completed.results.completed, 1);
  EXPECT_EQ(completed.state.observations.back().replaces, 0);
  EXPECT_EQ(ask().state.places[0].next_step, 2);
  // A reward now, the place later; and the other way round.
  const std::string u4 =
      "u4,0,north," + std::string(first_->state.assignments[4].action == 0 ? "stay" : "go");
  take(kHeader + u4 + ",1.25,\n");
  EXPECT_EQ(study_status(*at("s")).summary.partial, 1);
  completed = take(kHeader + u4 + ",,north\n");
  EXPECT_EQ(completed.results.completed, 1);
  EXPECT_EQ(completed.state.observations.back().reward, 1.25);
  EXPECT_EQ(completed.state.observations.back().next_state, 0);
  EXPECT_EQ(take(kHeader + u4 + ",1.25,\n").results.already, 1);  // says less than the log: nothing new
  EXPECT_TRUE(check().good) << check().problem;
}

// What a correction leaves empty stays as it is known; only a void one takes the reward away.
TEST_F(ResultsTest, ACorrectionKeepsWhatItLeavesEmpty) {
  begin();
  take(kHeader + u0("1.5,east"));
  take(kHeader + u0("2.5,"), true);
  State state = study_status(*at("s")).state;
  EXPECT_EQ(state.observations.back().reward, 2.5);
  EXPECT_EQ(state.observations.back().next_state, 1);
  take(kHeader + u0(",north"), true);
  state = study_status(*at("s")).state;
  EXPECT_EQ(state.observations.back().reward, 2.5);
  EXPECT_EQ(state.observations.back().next_state, 0);
  ask();  // step 1 is assigned from there
  const std::string header = "unit,step,state,action,reward,next_state,status\n";
  take(header + "u0,0,north," + action_ + ",,,void\n", true);
  state = study_status(*at("s")).state;
  EXPECT_TRUE(state.observations.back().is_void);
  EXPECT_FALSE(state.observations.back().has_reward);
  EXPECT_EQ(state.observations.back().next_state, 0);
  EXPECT_TRUE(check().good) << check().problem;
}

TEST_F(ResultsTest, AnImpossibleMoveOfAVoidResultIsReported) {
  begin();
  const Recorded recorded =
      take("unit,step,state,action,reward,next_state,status\nu0,0,north," + action_ + ",,south,void\n");
  EXPECT_EQ(recorded.results.impossible.size(), 1u);
  const Status found = study_status(*at("s"));
  ASSERT_EQ(found.summary.impossible, 1);
  EXPECT_EQ(found.summary.impossible_moves[0].next_state, 2);
  EXPECT_TRUE(found.summary.flagged.empty());  // it says nothing else
}

// One reward has sd sqrt(1 + .25) before the study, about the simulated .5 or 0: 111 is within 100 of them,
// 113 is not.
TEST_F(ResultsTest, AFarRewardIsSaidAndKept) {
  begin();
  EXPECT_TRUE(take(kHeader + u0("111,north")).results.far.empty());
  EXPECT_EQ(take(kHeader + u0("113,north"), true).results.far.size(), 1u);
  Status found = study_status(*at("s"));
  ASSERT_EQ(found.summary.far_rewards.size(), 1u);
  EXPECT_EQ(found.summary.far_rewards[0].reward, 113);
  EXPECT_NE(view::warnings_of(found).back().find("1 reward(s) more than 100 standard deviations"),
            std::string::npos);
  EXPECT_GT(
      knowledge_now(found.state).now.reward_mean(pair_of(found.state.mdp(), found.state.observations[1])),
      50);
  EXPECT_EQ(take(kHeader + u0("-1e100,north"), true).results.far.size(), 1u);
  take(kHeader + u0("1,north"), true);
  found = study_status(*at("s"));
  EXPECT_TRUE(found.summary.far_rewards.empty());
  EXPECT_EQ(view::warnings_of(found), std::vector<std::string>{});
}

TEST_F(ResultsTest, WhatIsNotUtf8IsEscaped) {
  begin();
  EXPECT_EQ(refused(kHeader + std::string("u\xff\xc3,0,north,stay,1,north\n")),
            "results.csv:2: the unit is not in the study (got 'u\\xff\\xc3')");
  EXPECT_EQ(refused(kHeader + std::string("\xc3\xbc,0,north,stay,1,north\n")),
            "results.csv:2: the unit is not in the study (got '\xc3\xbc')");
}

TEST_F(ResultsTest, ACensoredOneIsALowerBound) {
  begin();
  take("unit,step,state,action,reward,next_state,censored\nu0,0,north," + action_ + ",3,north,1\n");
  const Status found = study_status(*at("s"));
  EXPECT_EQ(found.summary.censored, 1);
  const belief::Belief now = knowledge_now(found.state).now;
  const std::int32_t pair = pair_of(found.state.mdp(), found.state.observations[0]);
  EXPECT_GT(now.reward_mean(pair), found.state.mdp().reward()[pair] + 1);
  EXPECT_LT(now.reward_variance(pair), 1);
}

TEST_F(ResultsTest, AnUpperBoundIsKeptAndLowersTheMean) {
  begin();
  const std::string header = "unit,step,state,action,reward,next_state,censored\n";
  take(header + "u0,0,north," + action_ + ",-3,north,at_most\n");
  const Status found = study_status(*at("s"));
  EXPECT_EQ(found.summary.censored, 1);
  EXPECT_TRUE(found.state.observations[0].censored && found.state.observations[0].at_most);
  const belief::Belief now = knowledge_now(found.state).now;
  const std::int32_t pair = pair_of(found.state.mdp(), found.state.observations[0]);
  EXPECT_LT(now.reward_mean(pair), found.state.mdp().reward()[pair] - 1);
  EXPECT_LT(now.reward_variance(pair), 1);
  EXPECT_NE(refused(header + "u0,0,north," + action_ + ",-3,north,at_least\n").find("reward at most -3"),
            std::string::npos);
}

TEST_F(ResultsTest, ACorrectionNamesWhatItReplaces) {
  begin();
  take(kHeader + u0("1.5,north"));
  const Recorded corrected = take(kHeader + u0("2.5,north"), true);
  EXPECT_EQ(corrected.results.corrected, 1);
  EXPECT_EQ(corrected.state.observations[1].replaces, 0);
  EXPECT_FALSE(corrected.state.holds(0));
  const belief::Belief now = knowledge_now(corrected.state).now;
  EXPECT_EQ(now.rewards_seen()[pair_of(corrected.state.mdp(), corrected.state.observations[1])].mean, 2.5);
  take(kHeader + u0("2.5,east"), true);  // step 1 is not assigned yet
  ask();
  EXPECT_NE(refused(kHeader + u0("2.5,north"), true).find("step 1 was assigned from it"), std::string::npos);
  take(kHeader + u0("0.5,east"), true);
  EXPECT_EQ(study_status(*at("s")).summary.replaced, 3);
  EXPECT_TRUE(check().good) << check().problem;
}

}  // namespace results_test
}  // namespace mindgap::study
