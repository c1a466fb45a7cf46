#include "mindgap/command/study.h"
#include "mindgap/report/page.h"
#include "mindgap/study/deeds.h"
#include "server/served.h"

namespace mindgap::server {
namespace conflict_test {

class ConflictTest : public ServedTest {
 protected:
  Json post(const Client& client, const Json& body, int wanted) {
    const Reply reply = client.post("/api/v1/results", body);
    EXPECT_EQ(reply.status, wanted) << body << " " << reply.body;
    return reply.json();
  }
  Json holding(const Client& client, const std::string& unit) {
    return client.get("/api/v1/results?unit=" + unit).json()["results"][0];
  }
  Json settle(const Client& client, const Json& conflict, const char* choose, int wanted) {
    const Reply reply =
        client.post("/api/v1/conflicts/" + conflict.dump(),
                    {{"id", id()}, {"seen", sequence(client)}, {"choose", choose}, {"why", "asked them"}});
    EXPECT_EQ(reply.status, wanted) << reply.body;
    return reply.json();
  }
  Json correction(const std::string& unit, double reward, std::int64_t seen) {
    Json body = result(unit, 0, reward, seen);
    body["correct"] = true;
    body["why"] = "misread the meter";
    return body;
  }
};

TEST_F(ConflictTest, TheSameIdIsWrittenOnce) {
  start();
  const Client client = local();
  const std::int64_t now = sequence(client);
  const Json body = result("u0", 0, 1, now);
  const Json first = post(client, body, 201);
  for (int i = 0; i < 3; ++i) {
    const Json again = post(client, body, 200);
    EXPECT_EQ(again["event"], first["event"]);
    EXPECT_EQ(again["outcome"], "recorded");
    EXPECT_EQ(again["repeated"], true);
  }
  EXPECT_EQ(sequence(client), now + 1);
  Json other = body;
  other["reward"] = 2;
  EXPECT_EQ(post(client, other, 409)["error"]["code"], "id_reused");
  // Also after the one that holds was corrected, and after a restart.
  post(client, correction("u0", 5, sequence(client)), 201);
  stop();
  start();
  const Client later = local();
  EXPECT_EQ(post(later, body, 200)["repeated"], true);
  EXPECT_EQ(holding(later, "u0")["reward"], 5);
  EXPECT_EQ(later.get("/api/v1/conflicts").json()["conflicts"].size(), 0u);
  stop();
  expect_verified();
}

TEST_F(ConflictTest, ABatchTakesEachByItself) {
  start();
  const Client client = local();
  const std::int64_t now = sequence(client);
  const Json good = result("u0", 0, 1, now), other = result("u0", 0, 2, now),
             unknown = result("nobody", 0, 1, now);
  Json half = result("u1", 0, 1, now);
  half.erase("next_state");
  const Reply reply = client.post("/api/v1/results/batch",
                                  {{"results", {good, unknown, other, half, good, Json("no object")}}});
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json results = reply.json()["results"];
  ASSERT_EQ(results.size(), 6u);
  EXPECT_EQ(results[0]["status"], 201);
  EXPECT_EQ(results[1]["error"]["code"], "unknown_unit");
  EXPECT_EQ(results[2]["outcome"], "conflict");
  EXPECT_EQ(results[3]["outcome"], "recorded");
  EXPECT_EQ(results[4]["repeated"], true);
  EXPECT_EQ(results[5]["status"], 422);
  Json rest = result("u1", 0, 1, now);
  rest.erase("reward");
  EXPECT_EQ(post(client, rest, 201)["outcome"], "completed");
  EXPECT_EQ(holding(client, "u1")["reward"], 1);
  EXPECT_EQ(holding(client, "u1")["next_state"], "north");
  stop();
  expect_verified();
}

// What contradicts is kept; a correction counts only against what its author had seen.
TEST_F(ConflictTest, NothingIsOverwrittenUnseen) {
  add_people();
  start();
  const Client owner = this->owner(), field = this->field();
  const std::int64_t start = sequence(owner);
  post(field, result("u0", 0, 1, start), 201);
  const std::int64_t recorded = sequence(owner);
  const Json other = post(field, result("u0", 0, 2, start), 201);
  EXPECT_EQ(other["reason"], "contradicts");
  EXPECT_EQ(holding(owner, "u0")["reward"], 1);
  EXPECT_EQ(post(owner, correction("u0", 3, recorded), 201)["outcome"], "corrected");
  Json offline = correction("u0", 4, recorded);  // made before that correction was seen
  offline["at"] = "2026-03-01T07:00:00Z";
  const Json late = post(field, offline, 201);
  EXPECT_EQ(late["outcome"], "conflict");
  EXPECT_EQ(late["reason"], "newer_correction");
  EXPECT_EQ(holding(owner, "u0")["reward"], 3);
  const Json conflicts = owner.get("/api/v1/conflicts").json()["conflicts"];
  ASSERT_EQ(conflicts.size(), 2u);
  EXPECT_EQ(conflicts[0]["who"], "finn");
  EXPECT_EQ(conflicts[0]["at"], "2026-03-01T07:00:00Z");
  EXPECT_EQ(conflicts[0]["seen"], recorded);
  EXPECT_EQ(conflicts[0]["why"], "misread the meter");
  EXPECT_EQ(conflicts[0]["against"]["reward"], 3);
  // The status names them, as text, as JSON and in the report; a command that reads sees the same.
  const command::StudyStatus status = command::study_status({folder_.string()});
  const std::string named =
      "conflict " + late["conflict"].dump() +
      ": finn sent u0, step 0: reward 4, led to north, but the log has reward 3, led to "
      "north (newer_correction)";
  EXPECT_NE(status.text().find("2 conflicts to be settled"), std::string::npos) << status.text();
  EXPECT_NE(status.text().find(named), std::string::npos) << status.text();
  EXPECT_NE(report::to_html(status.page()).find(named), std::string::npos);
  const Json told = Json::parse(status.json());
  EXPECT_EQ(told["open_conflicts"], 2);
  EXPECT_EQ(told["conflicts"][1]["who"], "finn");
  EXPECT_EQ(told["conflicts"][1]["sent"]["reward"], 4);
  EXPECT_EQ(owner.get("/api/v1/status").json()["status"]["conflicts"], told["conflicts"]);
  settle(owner, other["conflict"], "keep", 200);
  settle(owner, late["conflict"], "take", 200);
  EXPECT_EQ(command::study_status({folder_.string()}).text().find("conflict"), std::string::npos);
  const Json now = holding(owner, "u0");
  EXPECT_EQ(now["reward"], 4);
  ASSERT_EQ(now["replaced"].size(), 2u);
  EXPECT_EQ(now["replaced"][0]["reward"], 1);
  EXPECT_EQ(owner.get("/api/v1/conflicts").json()["conflicts"].size(), 0u);
  const Json all = owner.get("/api/v1/conflicts?open=0").json()["conflicts"];
  EXPECT_EQ(all[0]["settled"]["choose"], "take");
  EXPECT_EQ(all[0]["settled"]["who"], "olga");
  stop();
  expect_verified();
}

// Where the next step began cannot be taken back; the reward can.
TEST_F(ConflictTest, AUnitThatMovedOn) {
  start();
  const Client client = local();
  post(client, result("u0", 0, 1, sequence(client)), 201);
  EXPECT_EQ(client.post("/api/v1/assignments", {{"id", id()}, {"seen", sequence(client)}}).json()["added"],
            1);
  Json moved = correction("u0", 7, sequence(client));
  moved["next_state"] = "south";
  const Json kept = post(client, moved, 201);
  EXPECT_EQ(kept["reason"], "moved_on");
  EXPECT_EQ(settle(client, kept["conflict"], "take", 409)["error"]["code"], "moved_on");
  settle(client, kept["conflict"], "take_reward", 200);
  EXPECT_EQ(holding(client, "u0")["reward"], 7);
  EXPECT_EQ(holding(client, "u0")["next_state"], "north");
  EXPECT_EQ(post(client, result("u0", 0, 7, 1), 200)["outcome"], "already");
  stop();
  expect_verified();
}

TEST_F(ConflictTest, NewStatesOnlyWhereTheStudyTakesThem) {
  start();
  Json strange = result("u0", 0, 1, 3);
  strange["next_state"] = "the moon";
  EXPECT_EQ(post(local(), strange, 422)["error"]["code"], "unknown_state");
  stop();
  begin(8, true);
  start();
  const Client client = local();
  EXPECT_EQ(post(client, strange, 201)["outcome"], "recorded");
  EXPECT_EQ(client.get("/api/v1/study").json()["states"].size(), 5u);
  stop();
  expect_verified();
}

// Each of these changes one thing in the log that only the new checks can notice: the chain of hashes is made
// anew.
class ForgedLog : public ConflictTest {
 protected:
  // Writes the study again with its events changed by `change`, and verifies that.
  study::Verification forged(const std::function<void(study::Event&)>& change) {
    const study::Log log = study::storage_at(folder_)->begin_reading()->read_log();
    const auto target = path("forged");
    std::filesystem::remove_all(target);
    const auto transaction = study::storage_at(target)->begin(study::Access::create, study::kWriter);
    study::for_each_event(
        log, [&](const study::Event& event, auto units, auto assignments, auto observations) {
          study::Event written = event;
          change(written);
          transaction->append(written, {units.begin(), units.end()}, {assignments.begin(), assignments.end()},
                              {observations.begin(), observations.end()});
        });
    transaction->commit();
    return study::verify(*study::storage_at(target), 1);
  }
  static void replace(study::Event& event, const char* kind, const std::string& from, const std::string& to) {
    const std::size_t at = event.content.find(from);
    if (event.kind == kind && at != std::string::npos) event.content.replace(at, from.size(), to);
  }
};

TEST_F(ForgedLog, IsFoundOut) {
  start();
  const Client client = local();
  const std::int64_t now = sequence(client);
  post(client, result("u0", 0, 1, now), 201);
  const Json kept = post(client, result("u0", 0, 2, now), 201);
  post(client, correction("u0", 3, sequence(client)), 201);
  post(client, result("u0", 0, 3, now), 200);
  settle(client, kept["conflict"], "keep", 200);
  client.post("/api/v1/stop", {{"id", id()}, {"seen", now}, {"why", "enough"}});
  stop();
  EXPECT_TRUE(forged([](study::Event&) {}).good);
  const std::vector<std::function<void(study::Event&)>> forgeries = {
      [](study::Event& e) { replace(e, "record", "\"reward\":1.0", "\"reward\":9.0"); },
      [](study::Event& e) { replace(e, "record", R"("outcome":"recorded")", R"("outcome":"corrected")"); },
      [](study::Event& e) { replace(e, "record", R"("correct":true,")", R"("void":true,")"); },
      [](study::Event& e) { replace(e, "record", "\"seen\":", "\"seen\":9"); },
      [](study::Event& e) { replace(e, "record", R"("who":"local")", R"("who":"")"); },
      [](study::Event& e) { replace(e, "conflict", R"("reason":"contradicts")", R"("reason":"moved_on")"); },
      [](study::Event& e) { replace(e, "conflict", "\"reward\":2.0", "\"reward\":1.0"); },
      [](study::Event& e) { replace(e, "confirm", "\"reward\":3.0", "\"reward\":4.0"); },
      [](study::Event& e) { replace(e, "settle", R"("choose":"keep")", R"("choose":"take")"); },
      [](study::Event& e) { replace(e, "settle", "\"conflict\":", "\"conflict\":1"); },
      [](study::Event& e) { replace(e, "stop", "\"results\":1", "\"results\":2"); },
      [](study::Event& e) {
        if (e.kind == "conflict") e.kind = "confirm";
      },
  };
  for (std::size_t i = 0; i < forgeries.size(); ++i) {
    try {
      EXPECT_FALSE(forged(forgeries[i]).good) << "forgery " << i;
    } catch (const Error&) {  // it cannot even be read
    }
  }
}

// Whoever writes is in the log, with what they had seen; studies without authors stay as they were.
TEST_F(ConflictTest, TheAuditLogSaysWhoWhenAndWhy) {
  add_people();
  start();
  const Client owner = this->owner(), field = this->field();
  Json body = result("u0", 0, 1, sequence(owner));
  body["at"] = "2026-03-01T07:30:00Z";
  post(field, body, 201);
  const Json record = owner.get("/api/v1/audit?kind=record").json()["events"][0];
  EXPECT_EQ(record["who"], "finn");
  EXPECT_EQ(record["role"], "field");
  EXPECT_EQ(record["at"], "2026-03-01T07:30:00Z");
  EXPECT_EQ(record["seen"], body["seen"]);
  EXPECT_EQ(record["summary"], "u0, step 0: reward 1, led to north");
  const Json people = owner.get("/api/v1/audit?kind=people").json();
  ASSERT_EQ(people["total"], 1);
  EXPECT_EQ(people["events"][0]["who"], "command line");
  EXPECT_EQ(owner.get("/api/v1/audit?who=finn").json()["total"], 1);
  EXPECT_EQ(owner.get("/api/v1/audit?unit=u7&kind=record").json()["total"], 0);
  EXPECT_EQ(owner.get("/api/v1/audit?to=2000-01-01").json()["total"], 0);
  const std::string csv = owner.get("/api/v1/audit.csv?kind=record").body;
  EXPECT_NE(csv.find(",record,finn,field,2026-03-01T07:30:00Z,"), std::string::npos) << csv;
  // The field sees nothing of others.
  const Json told = field.get("/api/v1/events").json()["events"];
  for (const Json& event : told) {
    for (const Json& unit : event["units"]) EXPECT_TRUE(unit == "u0" || unit == "u1");
    EXPECT_NE(event["kind"], "people");
  }
  const Json warnings = owner.get("/api/v1/status").json();
  EXPECT_EQ(warnings["open_conflicts"], 0);
  stop();
  expect_verified();
}

}  // namespace conflict_test
}  // namespace mindgap::server
