#include "mindgap/view/decide.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "decide/situations.h"

namespace mindgap::view {
namespace {

// Four units at home; whether the place at the end of the corridor pays is not known.
decide::Situation far_away() {
  const mdp::Mdp mdp = decide::corridor(1, .5);
  belief::Prior prior = decide::even_prior(mdp, .05, 50);
  prior.reward_sd[5] = 3;
  return decide::situation_of(mdp, prior, .25, {0, 0, 0, 0}, 20);
}

bool mentions(const std::vector<std::string>& lines, const std::string& wanted) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(wanted) != std::string::npos; });
}

TEST(Assumptions, SayWhatTheVerdictRestsOn) {
  decide::Situation situation = far_away();
  std::vector<std::string> said = assumptions_of(situation, {});
  EXPECT_TRUE(mentions(said, "is the stated prior; no coverage"));
  EXPECT_TRUE(mentions(said, "drift_sd 0"));
  EXPECT_TRUE(mentions(said, "impossible are impossible"));
  EXPECT_TRUE(mentions(said, "Units (4)"));
  EXPECT_TRUE(mentions(said, "20 steps"));
  EXPECT_TRUE(mentions(said, "after every step,"));
  EXPECT_TRUE(mentions(said, "the same whenever it comes"));

  situation.knowledge.source = belief::PriorSource::coverage;
  situation.knowledge.coverage = {5, 0, 3, 0, 0, 1};
  EXPECT_TRUE(
      mentions(assumptions_of(situation, {}), "The historical data contain 3 of 6 state-action pairs"));
  // With the number that holds, whoever stated it: pairs 1, 3 and 4 have a standard deviation of .05.
  EXPECT_TRUE(mentions(assumptions_of(situation, {}), "The other 3 have only the prior"));
  EXPECT_TRUE(mentions(assumptions_of(situation, {}), "a standard deviation of 0.05."));
  EXPECT_TRUE(mentions(assumptions_of(situation, {}), "no unrecorded factor"));
  EXPECT_TRUE(mentions(assumptions_of(situation, {}), "2 or more"));
  for (const std::string& line : assumptions_of(situation, {}, Reader::page)) {
    EXPECT_EQ(line.find("--"), std::string::npos) << line;  // no options on a page
    EXPECT_EQ(line.find("otherwise"), std::string::npos) << line;
  }
  situation.knowledge.odds = 2.5;
  situation.knowledge.drift_sd = .125;
  decide::DecideOptions options;
  options.objective = decide::Objective::discounted;
  options.simulation.replan_every = 7;
  said = assumptions_of(situation, options);
  EXPECT_TRUE(mentions(said, "2.5 times"));
  EXPECT_TRUE(mentions(said, "0.125"));
  EXPECT_TRUE(mentions(said, "after every 7 steps,"));
  EXPECT_TRUE(mentions(said, "by the model's discount"));
}

// A look of ids or of an adaptive pilot takes too long for so little time; naming the plan takes it in.
TEST(Assumptions, SayWhichDefaultPlansAreTooSlow) {
  decide::DecideOptions options = decide::quick({}, 4);
  EXPECT_TRUE(mentions(assumptions_of(far_away(), options), "would take too long: ids, adaptive-4x2"));
  options.plans = decide::plans_named({"sop", "ids"});
  EXPECT_FALSE(mentions(assumptions_of(far_away(), options), "too long"));
}

TEST(Assumptions, SayHowRewardsAreBounded) {
  mdp::Model model{"bandit", decide::arms({.5, .4})};
  model.reward_variance = .25;
  model.prior = mdp::PriorSpec{.reward_sd = .5};
  const auto said = [&] {
    return assumptions_of({belief::gather_knowledge(model, std::nullopt, std::nullopt), {0}, 100}, {});
  };
  EXPECT_FALSE(mentions(said(), "True mean rewards"));
  model.prior->rewards = mdp::RewardKind::bernoulli;
  EXPECT_TRUE(mentions(said(), "A reward is 0 or 1"));
  model.prior = mdp::PriorSpec{.reward_sd = .5, .reward_min = 0, .reward_max = 1};
  EXPECT_TRUE(mentions(said(), "True mean rewards lie from 0 to 1"));
}

TEST(Refuted, InWords) {
  const mdp::Mdp mdp = decide::corridor(1, 0);
  decide::Refuted found{.moves = 45,
                        .off_support = 40,
                        .visited_pairs = 2,
                        .refuted_pairs = 1,
                        .policy_pairs = 1,
                        .pairs = {1}};
  std::string said = in_words(found, mdp);
  EXPECT_NE(said.find("1 of the 2 state-action pairs"), std::string::npos) << said;
  EXPECT_NE(said.find("40 of 45 moves"), std::string::npos) << said;
  EXPECT_NE(said.find("1 of which today's best policy takes"), std::string::npos) << said;
  EXPECT_EQ(said.find("more"), std::string::npos) << said;
  found = {.moves = 5, .off_support = 0, .visited_pairs = 5, .refuted_pairs = 5, .pairs = {0, 1, 2, 3, 4}};
  said = in_words(found, mdp);
  EXPECT_NE(said.find("none of which"), std::string::npos) << said;
  EXPECT_NE(said.find("and 2 more"), std::string::npos) << said;
  EXPECT_EQ(in_words({.moves = 5, .visited_pairs = 5}, mdp), "");
}

TEST(Notes, SayWhichPlansAreLeftOutAndWhy) {
  using What = decide::Note::What;
  decide::Decision decision;
  decision.notes = {{What::past_horizon, {"pilot-4x5", "pilot-2x9"}, 5},
                    {What::unlimited, {"thompson"}},
                    {What::out_of_time, {"pilot-1x2"}},
                    {What::infeasible, {"pilot-4x1"}},
                    {What::no_pilot_fits},
                    {.what = What::nothing_of_kind, .kind = decide::Kind::experiment}};
  EXPECT_EQ(notes_of(decision),
            (std::vector<std::string>{
                "left out, because it would run past step 5: pilot-4x5, pilot-2x9",
                "left out, because only routes that are designed beforehand keep to limits: thompson",
                "left out, for lack of time to design it: pilot-1x2",
                "left out, because no such pilot keeps to the limits: pilot-4x1",
                "the horizon is shorter than any pilot: none is compared",
                "no plan of the kind 'experiment' is among the plans: nothing is said about it"}));
}

}  // namespace
}  // namespace mindgap::view
