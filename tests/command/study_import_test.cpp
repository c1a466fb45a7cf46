#include "mindgap/command/study_import.h"

#include <nlohmann/json.hpp>

#include "study/field.h"

namespace mindgap::command {
namespace study_import_test {

const std::string kColumns =
    "format = \"mindgap-columns/1\"\n[columns]\nunit = \"van\"\nstep = { column = \"day\", minus = 1 }\n"
    "reward = \"earned\"\nnext_state = { column = \"went\", values = { N = \"north\", E = \"east\" }, "
    "keep_others = true }\nstatus = { column = \"visit\", values = { yes = \"ok\", no = \"void\" } }\n"
    "censored = { column = \"full\", values = { x = \"at_least\" } }\n";

class StudyImport : public study::StudyTest {
 protected:
  StudyImport() {
    start(4);
    ask();
  }
  StudyImportRequest request(const std::string& rows, const std::string& columns = kColumns) const {
    return {.folder = path("s").string(),
            .results = {study::text_file("visits.csv", "van,day,earned,went,visit,full\n" + rows)},
            .columns = {study::text_file("columns.toml", columns)}};
  }
  std::string said(const StudyImportRequest& asked) const {
    const std::string before = study_anchor(path("s").string()).anchor.head;
    std::string message = "nothing";
    try {
      study_import(asked);
    } catch (const Error& error) {
      message = error.what();
      EXPECT_EQ(study_anchor(path("s").string()).anchor.head, before)
          << "something was recorded: " << message;
    }
    return message;
  }
  std::string observations() const {
    return nlohmann::json::parse(study_export_json(path("s").string()))["observations"].dump();
  }
};

const std::string kRows = "u0,1,2.5,N,yes,\nu1,1,,E,no,\nu2,1,12,south,yes,x\n";

// The same results, recorded by hand into a study that began in the same way, are the same rows of the log.
TEST_F(StudyImport, RecordsWhatRecordWould) {
  const study::State state = study::read_study(*at("s"));
  std::string by_hand = "unit,step,state,action,reward,next_state,censored,status\n";
  const char* rest[] = {"2.5,north,,ok", ",east,,void", "12,south,at_least,ok"};
  for (std::int32_t u = 0; u < 3; ++u) {
    const study::AssignmentRow& row = state.assignments[state.find_assignment(u, 0)];
    by_hand += state.units[u].name + ",0," + state.mdp().state_name(row.state) + "," +
               state.mdp().action_name(row.action) + "," + rest[u] + "\n";
  }
  study::StudyOptions options;
  options.horizon = 8;
  study::begin_study(*at("hand"), study::row_of_places(), study::units_in(4, 4), options, study::kWriter, 1);
  study::assign(*at("hand"), {}, study::kWriter);
  study::record(*at("hand"), study::text_file("results.csv", by_hand), {}, study::kWriter);

  const StudyImported done = study_import(request(kRows));
  EXPECT_EQ(done.recorded.results.rows.size(), 3u);
  EXPECT_FALSE(done.dry_run);
  const auto rows_of = [&](const std::string& name) {
    nlohmann::json rows = nlohmann::json::parse(study_export_json(path(name).string()))["observations"];
    for (auto& row : rows) {
      row.erase("time");
      row.erase("hash");
    }
    return rows.dump();
  };
  EXPECT_EQ(rows_of("s"), rows_of("hand"));
  EXPECT_TRUE(check().good);
  // An export is cumulative: what is known already is no news.
  const StudyImported again = study_import(request(kRows));
  EXPECT_EQ(again.recorded.results.already, 3);
  EXPECT_TRUE(again.recorded.results.rows.empty());
}

TEST_F(StudyImport, ADryRunSaysWhatWouldBeRecordedAndRecordsNothing) {
  StudyImportRequest asked = request(kRows + "u3,1,1,N,yes,\n", kColumns + "[except]\nvan = [\"u3\"]\n");
  asked.dry_run = true;
  const std::string before = observations();
  const StudyImported dry = study_import(asked);
  EXPECT_EQ(observations(), before);
  EXPECT_EQ(dry.left_out, 1);
  const nlohmann::json told = nlohmann::json::parse(dry.json());
  ASSERT_EQ(told["rows"].size(), 3u);
  EXPECT_EQ(told["dry_run"], true);
  EXPECT_EQ(told["rows"][2]["line"], 4);
  EXPECT_EQ(told["rows"][2]["bound"], "at_least");
  EXPECT_EQ(told["rows"][2]["effect"], "new");
  const std::string text = dry.text();
  for (const char* wanted :
       {"no visit", "at least 12", "south", "nothing was recorded. It would have recorded 3",
        "1 row left out by the mapping"})
    EXPECT_NE(text.find(wanted), std::string::npos) << wanted << " in\n" << text;
  asked.dry_run = false;
  EXPECT_EQ(nlohmann::json::parse(study_import(asked).json())["rows"], told["rows"]);
}

// The last row is bad: nothing of the file is taken, and the message says where.
TEST_F(StudyImport, AllRowsOrNone) {
  EXPECT_EQ(said(request(kRows + "u9,1,1,N,yes,\n")),
            "visits.csv:5: column 'van': the unit is not in the study (got 'u9')");
  EXPECT_EQ(
      said(request(kRows + "u3,2,1,N,yes,\n")),
      "visits.csv:5: column 'day': step 1 of unit 'u3' was never assigned (its last one so far is step 0)");
  const std::string unknown = said(request(kRows + "u3,1,1,nowhere,yes,\n"));
  EXPECT_NE(unknown.find("visits.csv:5: "), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("column 'went': the next state is unknown"), std::string::npos) << unknown;
  EXPECT_EQ(said(request(kRows + "u0,1,3,,yes,\n")),
            "visits.csv:5: column 'earned': step 0 of unit 'u0' has another reward in line 2: 2.5 (got '3')");
  EXPECT_EQ(said(request(kRows + "u3,1,,,yes,\n")),
            "visits.csv:5: neither the reward nor the next state is there: is it void?");
  EXPECT_EQ(said(request(kRows)), "nothing");
}

TEST_F(StudyImport, CorrectsOnlyWhenAsked) {
  study_import(request(kRows));
  StudyImportRequest asked = request("u0,1,3,N,yes,\n");
  EXPECT_NE(said(asked).find("visits.csv:2: step 0 of unit 'u0' has another result in the log"),
            std::string::npos);
  asked.correct = asked.dry_run = true;
  EXPECT_EQ(nlohmann::json::parse(study_import(asked).json())["rows"][0]["effect"], "corrects");
  asked.dry_run = false;
  EXPECT_EQ(study_import(asked).recorded.results.corrected, 1);
  EXPECT_TRUE(check().good);
}

TEST_F(StudyImport, LaterRowsComplete) {
  study_import(request("u0,1,2,,yes,\n"));
  StudyImportRequest asked = request("u0,1,2,N,yes,\n");
  asked.dry_run = true;
  EXPECT_EQ(nlohmann::json::parse(study_import(asked).json())["rows"][0]["effect"], "completes");
  // Two halves of one result in one export.
  EXPECT_EQ(study_import(request("u2,1,2,,yes,\nu2,1,,south,yes,\n")).recorded.results.rows.size(), 1u);
}

TEST(StudyImportStates, ADryRunNamesNewStates) {
  const std::string folder = ::testing::TempDir() + "mindgap-import-states-" + std::to_string(::getpid());
  std::filesystem::remove_all(folder);
  study::StudyOptions options;
  options.horizon = 4;
  options.allow_new_states = true;
  study::begin_study(*study::storage_at(folder), study::row_of_places(), study::units_in(4, 4), options,
                     study::kWriter, 1);
  study::assign(*study::storage_at(folder), {}, study::kWriter);
  StudyImportRequest asked{
      .folder = folder,
      .results = {study::text_file("visits.csv", "van,day,earned,went,visit,full\nu0,1,1,harbour,yes,\n")},
      .columns = {study::text_file("columns.toml", kColumns)},
      .dry_run = true};
  const StudyImported dry = study_import(asked);
  EXPECT_NE(dry.text().find("harbour"), std::string::npos);
  EXPECT_EQ(study::read_study(*study::storage_at(folder)).mdp().states(), 4);
  asked.dry_run = false;
  study_import(asked);
  EXPECT_EQ(study::read_study(*study::storage_at(folder)).mdp().states(), 5);
  std::filesystem::remove_all(folder);
}

}  // namespace study_import_test
}  // namespace mindgap::command
