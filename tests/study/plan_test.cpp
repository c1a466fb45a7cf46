#include "mindgap/study/plan.h"
#include "mindgap/files/log_file.h"

#include <map>
#include <nlohmann/json.hpp>

#include "mindgap/mdp/observation_log.h"
#include "mindgap/view/plan_file.h"
#include "mindgap/view/study.h"
#include "study/field.h"

namespace mindgap::study {
namespace plan_test {

constexpr const char* kLog = "unit,step,state,action,reward,next_state\nu0,0,east,stay,1.5,east\n";

// A decision about six units in the row of places, with a log, that recommends a pilot of three.
class Planned : public StudyTest {
 protected:
  Planned()
      : model_(row_of_places()),
        situation_{belief::gather_knowledge(model_, {}, files::parse_log(text_file("log", kLog), model_.mdp),
                                            {.reward_sd = 2}),
                   {0, 0, 0, 1, 1, 3},
                   9} {
    for (const char* name : {"sop", "asop", "thompson", "pilot-3x2"})
      options_.plans.push_back(decide::plan_from_string(name));
    options_.worlds = 16;
    options_.information_draws = 0;
    options_.simulation.run.threads = 1;
    decision_ = decide::decide(situation_, options_);
    recommend("pilot-3x2");
  }

  void recommend(const std::string& name) {
    for (std::size_t p = 0; p < decision_.plans.size(); ++p)
      if (decision_.plans[p].plan.name == name) decision_.recommended = p;
  }
  view::DecideView input() const {
    view::DecideView view{model_, situation_, options_, decision_, tipping_, names_};
    view.prior = {.reward_sd = 2};
    view.log = kLog;
    return view;
  }
  Begun begin(const std::string& text, std::vector<UnitRow> units = {}) {
    StudyOptions options;
    follow_plan(text, "plan.json", model_, options, units);
    return begin_study(*at("s"), model_, units, options, kWriter, 1);
  }

  mdp::Model model_;
  decide::Situation situation_;
  decide::DecideOptions options_;
  decide::Decision decision_;
  std::vector<decide::TippingMap> tipping_;
  std::vector<std::string> names_ = {"a", "b", "c", "d", "e", "f"};
};

TEST_F(Planned, BeginsExactlyWhatWasRecommended) {
  const State state = begin(view::recommended_plan(input())).state;
  const design::Design& pilot = *decision_.pilot;
  EXPECT_EQ(state.options.horizon, 9);
  EXPECT_EQ(state.options.update_every, decide::replanning_of(situation_, options_.simulation));
  const Batch& batch = state.batches.back();
  EXPECT_EQ(batch.steps, 2);
  ASSERT_EQ(batch.routes.size(), pilot.routes.size());
  for (std::size_t r = 0; r < pilot.routes.size(); ++r) EXPECT_EQ(batch.routes[r].pair, pilot.routes[r].pair);
  std::map<std::pair<std::int32_t, std::int32_t>, int> wanted, found;  // units by state and route
  for (std::size_t i = 0; i < pilot.route_of_unit.size(); ++i)
    ++wanted[{pilot.unit_state[i], pilot.route_of_unit[i]}];
  for (std::size_t u = 0; u < state.units.size(); ++u) {
    EXPECT_EQ(state.units[u].name, names_[u]);
    EXPECT_EQ(state.units[u].state, situation_.unit_state[u]);
    if (state.units[u].arm == Arm::explore) ++found[{state.units[u].state, batch.route_of_unit[u]}];
  }
  EXPECT_EQ(found, wanted);
  // The belief, log and overridden prior included, and so the policy that is followed.
  EXPECT_TRUE(knowledge_now(state).now.mean() == situation_.belief().mean());
}

TEST_F(Planned, RunsToItsEndAndVerifies) {
  begin(view::recommended_plan(input()));
  play(truth(), 9);
  const Verification verified = check();
  EXPECT_TRUE(verified.good) << verified.problem;
  EXPECT_EQ(verified.observations, 6 * 9);
  const Difference difference = study_status(*at("s")).summary.difference;
  EXPECT_FALSE(difference.interval);
  ASSERT_TRUE(difference.permutation);
  // Explorers: as drawn, so many of each state's units.
  for (const AssignmentRow& row : study_status(*at("s")).state.assignments) {
    EXPECT_GT(row.draw_probability, 0);
    EXPECT_LE(row.draw_probability, 1);
  }
}

// Where the plan sends all units of a state or none, arms follow from the place, and nothing is compared.
TEST_F(Planned, ArmsThatNobodyDrewAreWarnedOf) {
  situation_.unit_state = {0, 1, 2, 3};
  names_.resize(4);
  decision_ = decide::decide(situation_, options_);
  recommend("pilot-3x2");
  const Begun begun = begin(view::recommended_plan(input()));
  EXPECT_EQ(begun.problem, ArmsProblem::not_drawn);
  ASSERT_EQ(view::warnings_of(begun).size(), 1u);
  EXPECT_NE(view::warnings_of(begun)[0].find("cannot be compared"), std::string::npos);
  play(truth(), 2);
  const auto test = study_status(*at("s")).summary.difference.permutation;
  ASSERT_TRUE(test);
  EXPECT_EQ(test->arrangements, 1);
  EXPECT_EQ(test->p_value, 1);
}

TEST_F(Planned, PassiveLearningAndDeploymentAreRunWithoutRoutes) {
  recommend("asop");
  const State state = begin(view::recommended_plan(input())).state;
  EXPECT_TRUE(state.batches.back().routes.empty());
  EXPECT_EQ(state.options.update_every, decide::replanning_of(situation_, options_.simulation));
  play(truth(), 3);
  EXPECT_TRUE(check().good) << check().problem;
  recommend("sop");
  StudyOptions options;
  std::vector<UnitRow> units;
  follow_plan(view::recommended_plan(input()), "plan.json", model_, options, units);
  EXPECT_EQ(options.update_every, 0);
}

TEST_F(Planned, WhatAStudyCannotRunIsRefused) {
  recommend("thompson");
  const std::string said = message([&] { view::recommended_plan(input()); });
  EXPECT_NE(
      said.find(
          "recommends thompson, which a study cannot run: it can run a pilot with routes (pilot-UxT), asop"),
      std::string::npos)
      << said;
  EXPECT_NE(said.find("The best pilot is pilot-3x2"), std::string::npos) << said;
  EXPECT_EQ(begin(view::pilot_plan(input())).state.batches.back().steps, 2);  // as that message says
}

// The library that reads JSON would turn these into some whole number, without a word.
TEST_F(Planned, NumbersThatAreNotWholeAreRefused) {
  const auto plan = nlohmann::json::parse(view::recommended_plan(input()));
  for (const auto& wrong : {nlohmann::json(1e300), nlohmann::json(2.5), nlohmann::json(~std::uint64_t{0})}) {
    nlohmann::json steps = plan, horizon = plan;
    steps["steps"] = wrong;
    horizon["study"]["horizon"] = wrong;
    EXPECT_THROW(begin(steps.dump()), InvalidModel) << wrong;
    EXPECT_THROW(begin(horizon.dump()), InvalidModel) << wrong;
  }
  nlohmann::json seed = plan;
  seed["study"]["seed"] = -1;
  EXPECT_THROW(begin(seed.dump()), InvalidModel);
}

TEST_F(Planned, AnotherModelOrTooFewUnitsAreRefused) {
  const std::string text = view::recommended_plan(input());
  mdp::Model other = row_of_places(1, .5);
  StudyOptions options;
  std::vector<UnitRow> units;
  EXPECT_NE(message([&] {
              follow_plan(text, "plan.json", other, options, units);
            }).find("not the one that the decision"),
            std::string::npos);
  units = {{"z", 2, "", Arm::explore}};
  EXPECT_NE(message([&] {
              follow_plan(text, "plan.json", model_, options, units);
            }).find("but fewer of the units begin"),
            std::string::npos);
  EXPECT_NE(
      message([&] { planned_start("{\"a\":1}", "plan.json"); }).find("plan.json: this is no plan of mindgap"),
      std::string::npos);
  auto json = nlohmann::ordered_json::parse(text);
  json["routes"][0]["actions"][0][0] = "fly";
  EXPECT_NE(message([&] {
              parse_plan(json.dump(), "plan.json", model_.mdp);
            }).find("state 'north', action 'fly': a route takes an action that is not available"),
            std::string::npos);
}

}  // namespace plan_test
}  // namespace mindgap::study
