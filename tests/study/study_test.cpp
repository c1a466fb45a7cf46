#include "mindgap/study/study.h"
#include "mindgap/files/log_file.h"
#include "mindgap/files/model_file.h"

#include <nlohmann/json.hpp>

#include "mindgap/mdp/observation_log.h"
#include "mindgap/study/export.h"
#include "mindgap/view/study.h"
#include "study/field.h"

namespace mindgap::study {
namespace study_test {

class WholeStudy : public StudyTest {};

TEST_F(WholeStudy, FromAssignmentToVerdictAndBack) {
  start(16, 12);
  play(truth(), 4);
  redesign(*at("s"), true, kWriter, 1);
  play(truth(), 6);
  stop(*at("s"), "the next batch does not pay", kWriter);
  const Status found = study_status(*at("s"));
  EXPECT_EQ(found.summary.results, 16 * 10);
  EXPECT_EQ(found.summary.batches, 2);
  ASSERT_EQ(found.summary.decisions.size(), 4u);
  EXPECT_EQ(found.summary.decisions[2].kind, "update");  // five steps later
  EXPECT_EQ(found.summary.decisions[3].kind, "stop");
  const auto content = nlohmann::json::parse(found.summary.decisions[3].content);
  EXPECT_EQ(content["why"], "the next batch does not pay");
  EXPECT_EQ(content["look"]["results"], 16 * 10);
  const Verification verified = check();
  EXPECT_TRUE(verified.good) << verified.problem;
  EXPECT_EQ(verified.observations, 16 * 10);
  EXPECT_EQ(verified.head, found.after.head);
  EXPECT_EQ(verified.designs, 2);
}

// The posterior is that of the observations, by the belief itself.
TEST_F(WholeStudy, LearnsWhatItSees) {
  start(8, 6);
  play(truth(), 3);
  const State state = study_status(*at("s")).state;
  belief::Belief belief = knowledge_before(state).before;
  for (const ObservationRow& row : state.observations)
    belief.observe(pair_of(state.mdp(), row), row.reward, row.next_state);
  EXPECT_EQ(knowledge_now(state).now.mean(), belief.mean());
}

TEST_F(WholeStudy, ExportsAsOfOneMoment) {
  start(8, 6);
  play(truth(), 3);
  export_study(*at("s"), path("out"));
  EXPECT_EQ(listing(path("out")),
            (std::vector<std::string>{"assignments.csv", "assignments.jsonl", "decisions.jsonl", "model",
                                      "model/model.toml", "model/rewards.csv", "model/states.csv",
                                      "model/transitions.csv", "observations.csv", "observations.jsonl",
                                      "policy.csv", "study.db", "units.csv", "units.jsonl"}));
  const mdp::ObservationLog log = files::read_log(path("out/observations.csv"), row_of_places().mdp);
  const State state = study_status(*at("s")).state;
  ASSERT_EQ(log.size(), state.observations.size());
  for (std::size_t i = 0; i < log.size(); ++i) {
    EXPECT_EQ(log.reward[i], state.observations[i].reward);
    EXPECT_EQ(log.probability[i], state.assignments[state.about[i]].probability);
  }
  EXPECT_TRUE(verify(*at("out"), 1).good) << verify(*at("out"), 1).problem;
  EXPECT_EQ(study_status(*at("out")).after.head, study_status(*at("s")).after.head);
  EXPECT_TRUE(files::same_bits(files::read_model(path("out/model")), row_of_places()));
  const auto json = nlohmann::json::parse(export_json(*at("s")));
  EXPECT_EQ(json["observations"].size(), 24u);
  EXPECT_EQ(json["observations"][3]["reward"], state.observations[3].reward);
  EXPECT_EQ(json["assignments"].size(), 24u);
  EXPECT_EQ(json["units"].size(), 8u);
  EXPECT_EQ(json["decisions"][1]["kind"], "design");
}

TEST_F(WholeStudy, AModelThatChangedIsRefusedWithTheDifference) {
  files::write_model(row_of_places(), path("model"));
  StudyOptions options;
  options.model_path = path("model").string();
  start(8, 6, options);
  play(truth());
  mdp::Model other = row_of_places();
  std::vector<double> reward(other.mdp.reward().begin(), other.mdp.reward().end());
  reward[0] = .75;
  other.mdp = other.mdp.with_reward(reward);
  files::write_model(other, path("model"));
  const std::string said = message([&] { ask(); });
  EXPECT_NE(
      said.find(
          "changed under the study: state 'north', action 'stay': the reward is 0.75, in the study 0.5"),
      std::string::npos)
      << said;
  EXPECT_THROW(take(kHeader), InvalidArgument);
  EXPECT_THROW(stop(*at("s"), "x", kWriter), InvalidArgument);
  EXPECT_NE(view::warnings_of(study_status(*at("s")))[0].find("is not the study's"), std::string::npos);
  EXPECT_TRUE(check().good);  // which needs nothing but the file
  std::filesystem::rename(path("model"), path("away"));
  EXPECT_EQ(ask().added, 8);
}

TEST_F(WholeStudy, UnitsOnceEachAndWhereTheyCanBe) {
  const mdp::Mdp& mdp = row_of_places().mdp;
  const auto units = [&](const std::string& text) { return read_units(text_file("units.csv", text), mdp); };
  EXPECT_EQ(units("unit,state,group\na,north,x\nb,\"west, far\",\n")[1], (UnitRow{"b", 3, "", Arm::explore}));
  EXPECT_EQ(message([&] { units("unit,state\na,north\na,east\n"); }),
            "units.csv:3: the unit has a second line (got 'a')");
  EXPECT_EQ(message([&] { units("unit,state\na,moon\n"); }),
            "units.csv:2: the state is unknown (got 'moon')");
  EXPECT_EQ(message([&] { units("unit,state\n"); }), "units.csv: there are no units");
  EXPECT_NE(message([&] { units("unit,state\n,north\n"); }).find("must have a name"), std::string::npos);
}

TEST_F(WholeStudy, SaysAtOnceWhereAnArmIsTooSmall) {
  const auto warned = [&](std::int32_t units, double share) {
    std::filesystem::remove_all(path("s"));
    StudyOptions options;
    options.control_share = share;
    const std::vector<std::string> said = view::warnings_of(start(units, 6, options));
    return said.empty() ? std::string() : said[0];
  };
  EXPECT_EQ(warned(25, .2), "");
  EXPECT_NE(warned(20, .2).find("4 control(s) and 16 explorer(s)"), std::string::npos);
  EXPECT_NE(warned(20, .8).find("16 control(s) and 4 explorer(s)"), std::string::npos);
  EXPECT_NE(warned(20, 0).find("there are no controls"), std::string::npos);
}

TEST_F(WholeStudy, BadOptionsBeginNothing) {
  StudyOptions options;
  options.control_share = 1;
  EXPECT_THROW(start(8, 6, options), InvalidArgument);
  EXPECT_THROW(start(8, 0), InvalidArgument);
  mdp::Model model = row_of_places();
  model.reward_variance.reset();
  EXPECT_THROW(begin_study(*at("s"), model, units_in(4, 4), {.horizon = 3}, kWriter), InvalidArgument);
  model = row_of_places();
  model.prior.reset();
  EXPECT_THROW(begin_study(*at("s"), model, units_in(4, 4), {.horizon = 3}, kWriter), InvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(path("s")));
  start(8, 6);
  for (const char* why : {"", " ", "\t \n", "\xc2\xa0"})
    EXPECT_THROW(stop(*at("s"), why, kWriter), InvalidArgument);
  EXPECT_THROW(stop(*at("s"), "\xff", kWriter), InvalidArgument);
}

// Studies begun before there were updates have none.
TEST(StudyOptions, WithoutUpdatesWhereTheLogDoesNotSay) {
  std::string text = to_json({.horizon = 7});
  EXPECT_EQ(options_from_json(text).update_every, 5);
  EXPECT_TRUE(options_from_json(text).count_from_units);
  text.erase(text.find("\"update_every\":5,"), 17);
  text.erase(text.find("\"count_from_units\":true,"), 24);
  EXPECT_EQ(options_from_json(text).update_every, 0);
  EXPECT_FALSE(options_from_json(text).count_from_units);
  EXPECT_THROW((StudyOptions{.horizon = 7, .update_every = -1}.validate()), InvalidArgument);
}

TEST(StudyOptions, SurviveTheirJson) {
  StudyOptions options{
      .horizon = 7, .control_share = .1 + .2, .batch_steps = 3, .update_every = 9, .seed = ~std::uint64_t{0}};
  options.limits.minimum_shares = {{"a \"b\"", 1.0 / 3}};
  options.limits.maximum_shares = {{"c", .25}};
  options.limits.forbidden = {0, 1, 0};
  options.limits.capacity = {std::numeric_limits<double>::infinity(), 2, 1.0 / 3};
  options.limits.cost = {1, 0, .1};
  options.limits.cost_budget = 7;
  options.limits.max_loss = -.5;
  options.prior.odds = 2.5;
  options.coverage = {1, 2.5, 1e-300};
  options.model_path = "/x/y";
  const StudyOptions again = options_from_json(to_json(options));
  EXPECT_EQ(to_json(again), to_json(options));
  EXPECT_EQ(again.limits, options.limits);
  EXPECT_EQ(again.coverage, options.coverage);
  EXPECT_EQ(again.control_share, options.control_share);
  EXPECT_EQ(again.seed, options.seed);
  EXPECT_EQ(again.update_every, options.update_every);
  EXPECT_THROW(options_from_json("{}"), StoreError);
  EXPECT_THROW(options_from_json("x"), StoreError);
}

}  // namespace study_test
}  // namespace mindgap::study
