#include "mindgap/command/study.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "mindgap/base/option_name.h"
#include "mindgap/command/decide.h"
#include "mindgap/files/model_file.h"
#include "study/field.h"

namespace mindgap::command {
namespace {

class StudyDoor : public study::StudyTest {
 protected:
  static Source source(const std::string& name, std::string text, bool table = false) {
    return {study::text_file(name, std::move(text)), table};
  }
  std::string folder() const { return path("s").string(); }
  StudyInitRequest beginning() const {
    std::string units = "unit,state\n";
    for (int u = 0; u < 12; ++u) units += "u" + std::to_string(u) + (u % 2 == 0 ? ",north\n" : ",south\n");
    StudyInitRequest request{folder(), study::row_of_places()};
    request.units = source("units.csv", units);
    request.horizon = 6;
    request.run.threads = 1;
    return request;
  }
  std::string results() const { return truth().results(study_assign({folder()}).assigned); }
};

TEST_F(StudyDoor, FromInitToVerify) {
  files::write_model(study::row_of_places(), path("model"));
  StudyInitRequest request = beginning();
  request.model.reset();
  request.model_path = path("model").string();
  std::vector<std::string> told;
  request.run.listener.progress = [&](const std::string& what, auto...) { told.push_back(what); };
  const StudyBegun begun = study_init(request);
  EXPECT_EQ(told.front(), "reading " + path("model").string());
  EXPECT_EQ(begun.begun.state.options.model_path, path("model").string());
  EXPECT_EQ(nlohmann::json::parse(begun.json())["head"], begun.begun.after.head);
  study_check(folder());

  const StudyAssigned assigned = study_assign({folder()});
  EXPECT_EQ(nlohmann::json::parse(assigned.json())["assignments"].size(), 12u);
  EXPECT_EQ(study_record({folder(), source("results.csv", truth().results(assigned.assigned))}).warnings,
            std::vector<std::string>{});
  EXPECT_EQ(study_add_units({folder(), source("more.csv", "unit,state\nlate,east\n")}).joined.first, 12u);
  EXPECT_EQ(study_redesign({folder(), true}).redesigned.state.batches.size(), 2u);
  const StudyKnown known = study_known({folder()});
  EXPECT_EQ(std::accumulate(known.seen.begin(), known.seen.end(), std::int64_t{0}), 12);
  EXPECT_EQ(known.action.size(), 4u);
  EXPECT_EQ(study_stop({folder(), "enough"}).redesigned.state.why, "enough");
  const StudyStatus status = study_status({folder()});
  EXPECT_EQ(status.status.summary.phase, study::Phase::stopped);
  const std::string page = report::to_html(status.page());
  for (const char* wanted :
       {"Stopped: enough", "Hand over the policy below", "The best policy by what is known now",
        "Promised by the simulator, of its policy", "the simulator&#39;s action"})
    EXPECT_NE(page.find(wanted), std::string::npos) << wanted;

  const StudyVerification found = study_verify({folder(), begun.begun.after.head});
  EXPECT_TRUE(found.found.good) << found.found.problem;
  EXPECT_EQ(nlohmann::json::parse(found.json())["events_since_head"], 5);
  EXPECT_FALSE(nlohmann::json::parse(study_verify({folder()}).json()).contains("events_since_head"));
  study_export(folder(), path("out").string());
  EXPECT_EQ(study_export_json(path("out").string()), study_export_json(folder()));
}

// Where arms are not compared, the page has the reason that the command line has; and what comes next.
TEST_F(StudyDoor, ThePageSaysWhatTheStatusSays) {
  study_init(beginning());
  const StudyStatus status = study_status({folder()});
  const std::string reason = "not all results of the first step are in";
  EXPECT_NE(status.text().find(reason), std::string::npos) << status.text();
  const std::string page = report::to_html(status.page());
  EXPECT_NE(page.find("Explorers and controls are not compared, because " + reason), std::string::npos);
  EXPECT_NE(page.find("What to do next"), std::string::npos);
  EXPECT_NE(page.find("Another batch"), std::string::npos);
}

// A table in memory has rows from 0, a file has lines, the first of which names the columns.
TEST_F(StudyDoor, OddResultsAreNamedByLineOrByRow) {
  study_init(beginning());
  std::string text = results();
  const std::size_t second = text.find('\n', text.find('\n') + 1) + 1;
  const std::size_t from = text.find("\",", text.find("\",", second) + 1) + 2;
  text.replace(from, text.find(',', from) - from, "1e9");
  const StudyRecorded from_file = study_record({folder(), source("results.csv", text)});
  ASSERT_EQ(from_file.warnings.size(), 1u);
  EXPECT_TRUE(from_file.warnings[0].starts_with("line 3: ")) << from_file.warnings[0];
  std::filesystem::remove_all(path("s"));
  study_init(beginning());
  study_assign({folder()});
  const StudyRecorded from_table = study_record({folder(), source("results", text, true)});
  ASSERT_EQ(from_table.warnings.size(), 1u);
  EXPECT_TRUE(from_table.warnings[0].starts_with("row 1: ")) << from_table.warnings[0];
  EXPECT_EQ(from_table.recorded.results.lines.front(), 0);
}

TEST_F(StudyDoor, SaysWhatIsMissingInTheWordsOfWhoeverAsks) {
  StudyInitRequest request{folder(), study::row_of_places()};
  const auto said = [&] { return message([&] { study_init(request); }); };
  EXPECT_EQ(said(),
            "study init: --units and --horizon must be given, where the study follows no --plan of a "
            "decision");
  base::speak_to(base::Speech::python);
  EXPECT_EQ(said(),
            "Study.init: units and horizon must be given, where the study follows no decision and no plan");
  base::speak_to(base::Speech::command_line);
  request = beginning();
  request.model.reset();
  EXPECT_EQ(said(), "study init: name the simulator with --model");
  EXPECT_FALSE(std::filesystem::exists(path("s")));
  EXPECT_EQ(message([&] { study_check(folder()); }), "s/study.db: there is no study; study init begins one");
}

TEST_F(StudyDoor, ThePlanOfADecisionSaysEverything) {
  files::write_model(study::row_of_places(), path("model"));
  DecideRequest asked{files::read_model(path("model")), path("model").string()};
  asked.units = 8;
  asked.horizon = 12;
  asked.plans = {"asop", "pilot-4x3"};
  asked.worlds = 4;
  asked.run.threads = 1;
  const Source plan = source("plan.json", decide(asked).pilot_plan());

  StudyInitRequest request{folder()};
  request.plan = plan;
  request.run.threads = 1;
  for (const auto& beside : std::vector<std::function<void(StudyInitRequest&)>>{
           [](StudyInitRequest& r) { r.horizon = 12; }, [](StudyInitRequest& r) { r.prior.unseen = .1; },
           [](StudyInitRequest& r) { r.coverage = source("c.csv", "state,action,count\nnorth,stay,3\n"); }}) {
    StudyInitRequest twice = request;
    beside(twice);
    EXPECT_NE(message([&] { study_init(twice); }).find("says horizon, prior and coverage itself"),
              std::string::npos);
  }
  const StudyBegun begun = study_init(request);
  EXPECT_EQ(begun.begun.state.options.horizon, 12);
  EXPECT_EQ(begun.begun.state.units.size(), 8u);
  EXPECT_EQ(begun.begun.state.options.model_path, path("model").string());
  EXPECT_TRUE(study_verify({folder()}).found.good);
}

}  // namespace
}  // namespace mindgap::command
