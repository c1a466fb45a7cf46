#include "mindgap/command/study_import.h"
#include "mindgap/server/send_results.h"
#include "server/served.h"

// An export goes into a study that is being served: study import --to.
namespace mindgap::server {
namespace send_test {

class SendTest : public ServedTest {
 protected:
  command::StudyImported checked(const std::string& rows, bool correct = false) const {
    command::StudyImportRequest request;
    request.folder = folder_.string();
    request.results = {study::text_file("visits.csv", "van,day,earned,went\n" + rows)};
    request.columns = {study::text_file("columns.toml",
                                        "format = \"mindgap-columns/1\"\n[columns]\nunit = \"van\"\nstep = "
                                        "\"day\"\nreward = \"earned\"\nnext_state = \"went\"\n")};
    request.correct = correct;
    request.dry_run = true;
    return command::study_import(request);
  }
  SentResults send(const command::StudyImported& found, const std::string& token = "", bool correct = false) {
    return send_results({.url = server_->url(),
                         .token = token,
                         .why = "import of visits.csv",
                         .correct = correct,
                         .rows = found.recorded});
  }
  template <typename Deed>
  static std::string said(Deed deed) {
    try {
      deed();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  }
};

TEST_F(SendTest, RowsAreRecordedOnceAndUnderTheSendersName) {
  add_people();
  const std::string token = People(folder_, HashCost::least).add_token("olga", "import", 1).secret;
  start();
  const command::StudyImported found = checked("u0,0,2.5,north\nu1,0,,east\nu2,0,7,\"west, far\"\n");
  const SentResults sent = send(found, token);
  EXPECT_EQ(sent.recorded, 3);
  EXPECT_TRUE(sent.conflicts.empty() && sent.refused.empty());
  // The same again: it had arrived. Then by the log as it is now: nothing is left to send.
  EXPECT_EQ(send(found, token).recorded, 3);
  const command::StudyImported again =
      checked("u0,0,2.5,north\nu1,0,,east\nu2,0,7,\"west, far\"\nu1,0,4,east\n");
  EXPECT_EQ(again.recorded.results.already, 3);
  EXPECT_EQ(send(again, token).completed, 1);
  const Json audit = owner().get("/api/v1/audit?kind=record").json();
  ASSERT_EQ(audit["total"], 4);
  EXPECT_EQ(audit["events"][0]["who"], "olga");
  EXPECT_EQ(audit["events"][0]["why"], "import of visits.csv");
  stop();
  expect_verified();
}

// What came in between the check and the sending is not overwritten.
TEST_F(SendTest, WhatContradictsByNowIsAConflict) {
  start();
  const command::StudyImported found = checked("u0,0,2.5,north\n");
  const Client client = local();
  EXPECT_EQ(client.post("/api/v1/results", result("u0", 0, 1, sequence(client))).status, 201);
  const SentResults sent = send(found);
  EXPECT_EQ(sent.recorded, 0);
  ASSERT_EQ(sent.conflicts.size(), 1u);
  EXPECT_NE(sent.conflicts[0].find("u0, step 0"), std::string::npos);
  const SentResults corrected = send(checked("u0,0,3,north\n", true), "", true);
  EXPECT_EQ(corrected.corrected, 1);
  stop();
  expect_verified();
}

TEST_F(SendTest, SaysWhyItCannotSend) {
  add_people();
  start();
  const command::StudyImported found = checked("u0,0,2.5,north\nu7,0,1,north\n");
  EXPECT_NE(said([&] { send(found); }).find("give a token (--token-file"), std::string::npos);
  EXPECT_NE(said([&] { send(found, "wrong"); }).find("does not know this token"), std::string::npos);
  const std::string of_viewer = People(folder_, HashCost::least).add_token("vera", "x", 1).secret;
  EXPECT_NE(said([&] { send(found, of_viewer); }).find("not for the role viewer"), std::string::npos);
  // Somebody of the field may send what is theirs.
  const std::string of_field = People(folder_, HashCost::least).add_token("finn", "x", 1).secret;
  const SentResults sent = send(found, of_field);
  EXPECT_EQ(sent.recorded, 1);
  ASSERT_EQ(sent.refused.size(), 1u);
  EXPECT_NE(sent.refused[0].find("not one of yours"), std::string::npos) << sent.refused[0];
  const int port = server_->port();
  stop();
  EXPECT_NE(said([&] {
              send_results({.url = "http://127.0.0.1:" + std::to_string(port), .rows = found.recorded});
            }).find("no answer"),
            std::string::npos);
  EXPECT_NE(said([&] { send_results({.url = "127.0.0.1 8080", .rows = found.recorded}); }), "nothing");
}

}  // namespace send_test
}  // namespace mindgap::server
