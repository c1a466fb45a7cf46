#include "mindgap/study/store.h"

#include <sqlite3.h>

#include "mindgap/study/schema.h"
#include "study/field.h"

namespace mindgap::study {
namespace {

class StoreTest : public StudyTest {
 protected:
  // What a stranger with SQLite can do.
  std::string meddle(const std::string& sql) {
    sqlite3* handle = nullptr;
    sqlite3_open(path("s/study.db").c_str(), &handle);
    const int code = sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr);
    const std::string said = code == SQLITE_OK ? "" : sqlite3_errmsg(handle);
    sqlite3_close(handle);
    return said;
  }
};

// FIPS 180-4's example, "abc".
TEST(Sha256, KnownAnswer) {
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_F(StoreTest, RowsAreNeitherChangedNorDeleted) {
  start();
  play(truth());
  for (const char* table : {"event", "unit", "assignment", "observation"}) {
    EXPECT_NE(
        meddle(std::string("UPDATE ") + table + " SET number = number + 100").find("a study only grows"),
        std::string::npos);
    EXPECT_NE(meddle(std::string("DELETE FROM ") + table).find("a study only grows"), std::string::npos);
  }
  EXPECT_TRUE(check().good) << check().problem;
}

// Whoever removes the guards is found out, whatever they change.
TEST_F(StoreTest, EveryColumnIsCoveredByTheChain) {
  start();
  play(truth(), 2);
  const std::filesystem::path saved = path("saved.db");
  std::filesystem::copy_file(path("s/study.db"), saved);
  for (const char* change : {"assignment SET unit = 3 WHERE number = 5",
                             "assignment SET step = 1 WHERE number = 5",
                             "assignment SET state = 1 - state WHERE number = 5",
                             "assignment SET action = 1 - action WHERE number = 5",
                             "assignment SET batch = 1 WHERE number = 5",
                             "assignment SET arm = 1 - arm WHERE number = 5",
                             "assignment SET route = 7 WHERE number = 5",
                             "assignment SET probability = .123 WHERE number = 5",
                             "assignment SET draw_probability = .123 WHERE number = 5",
                             "observation SET unit = 3 WHERE number = 5",
                             "observation SET reward = reward + 1e-9 WHERE number = 5",
                             "observation SET reward = NULL WHERE number = 5",
                             "observation SET next_state = NULL WHERE number = 5",
                             "observation SET censored = 1 WHERE number = 5",
                             "observation SET void = 1 WHERE number = 5",
                             "observation SET deviation = 1 WHERE number = 5",
                             "observation SET replaces = 1 WHERE number = 5",
                             "unit SET name = 'x' WHERE number = 5",
                             "unit SET state = 0 WHERE number = 2",
                             "unit SET unit_group = 'x' WHERE number = 5",
                             "unit SET arm = 1 - arm WHERE number = 5",
                             "event SET time = 'x' WHERE number = 3",
                             "event SET program = 'x' WHERE number = 3",
                             "event SET kind = 'x' WHERE number = 3",
                             "event SET content = '{}' WHERE number = 4",
                             "event SET data = x'00' WHERE number = 3",
                             "event SET hash = x'00' WHERE number = 3",
                             "event SET assignments = 11 WHERE number = 3"}) {
    std::filesystem::copy_file(saved, path("s/study.db"), std::filesystem::copy_options::overwrite_existing);
    const std::string table = std::string(change).substr(0, std::string(change).find(' '));
    ASSERT_EQ(meddle("DROP TRIGGER " + table + "_keeps_content; UPDATE " + change), "") << change;
    EXPECT_NE(check().problem.find("layout"), std::string::npos) << change;
    ASSERT_EQ(
        meddle("CREATE TRIGGER " + table + "_keeps_content BEFORE UPDATE ON " + table +
               " BEGIN SELECT RAISE(ABORT, 'a study only grows: rows are neither changed nor deleted'); END"),
        "");
    EXPECT_FALSE(check().good) << change;
  }
  std::filesystem::copy_file(saved, path("s/study.db"), std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(check().good);
}

TEST_F(StoreTest, AnOlderFileIsBroughtForward) {
  start();
  play(truth());
  // Version 0 had no triggers, and said so in its first event.
  std::string drop;
  for (const char* table : {"event", "unit", "assignment", "observation"})
    drop += std::string("DROP TRIGGER ") + table + "_keeps_content; DROP TRIGGER " + table + "_keeps_rows; ";
  ASSERT_EQ(meddle(drop + "PRAGMA user_version = 0"), "");
  EXPECT_NE(message([&] { study_status(path("s")); }).find("older version"), std::string::npos);
  play(truth());
  EXPECT_NE(meddle("DELETE FROM event").find("a study only grows"), std::string::npos);
  EXPECT_TRUE(check().good) << check().problem;
  Store store(path("s"), Access::read);
  const Log log = store.read_log();
  EXPECT_EQ(log.events[4].kind, "migrate");
  EXPECT_EQ(log.events[4].content, "{\"from\":0,\"to\":1}");
}

TEST_F(StoreTest, RefusesWhatIsNoStudyOfItsVersion) {
  EXPECT_EQ(message([&] { study_status(path("s")); }),
            "s/study.db: there is no study; mindgap study init begins one");
  start();
  EXPECT_EQ(message([&] { start(); }), "s/study.db: there is a study already");
  ASSERT_EQ(meddle("PRAGMA user_version = 2"), "");
  for (const auto& deed : std::vector<std::function<void()>>{[&] { study_status(path("s")); }, [&] { ask(); },
                                                             [&] { redesign(path("s"), true, kWriter); }}) {
    EXPECT_NE(message(deed).find("newer version of mindgap (file version 2, this program knows 1)"),
              std::string::npos);
  }
  write("t/study.db",
        "this is no database, only a text that is long enough to have a header of a hundred bytes, "
        "which is what SQLite reads first of all");
  EXPECT_NE(message([&] { study_status(path("t")); }).find("no study"), std::string::npos);
}

// Killed while it began: the file is there, and there is nothing in it.
TEST_F(StoreTest, BeginsOverWhereABeginningWasCutShort) {
  write("s/study.db", "");
  EXPECT_NE(message([&] { study_status(path("s")); }).find("no study"), std::string::npos);
  start();
  play(truth());
  EXPECT_TRUE(check().good) << check().problem;
}

// A number that does not fit: rows of an event that is gone, and an event whose rows are.
TEST_F(StoreTest, MissingRowsAreNoticedByEveryCommand) {
  start();
  play(truth(), 2);
  ASSERT_EQ(meddle("DROP TRIGGER observation_keeps_rows; DELETE FROM observation WHERE number > 20"), "");
  EXPECT_NE(message([&] { ask(); }).find("rows of an event are missing"), std::string::npos);
  ASSERT_EQ(meddle("DROP TRIGGER event_keeps_rows; DELETE FROM event WHERE number > 5"), "");
  EXPECT_NE(message([&] { ask(); }).find("there are rows that no event accounts for"), std::string::npos);
  ASSERT_EQ(meddle("DELETE FROM observation WHERE number = 3"), "");
  EXPECT_NE(message([&] { ask(); }).find("observation 2 is followed by 4"), std::string::npos);
}

TEST_F(StoreTest, AClockThatJumpsIsSaidAndNothingElse) {
  start();
  assign(path("s"), {}, {"test", "2026-02-01T09:00:00Z"});
  const Status found = study_status(path("s"));
  ASSERT_FALSE(found.summary.warnings.empty());
  EXPECT_NE(found.summary.warnings[0].find("the clock went back between entries 2 and 3"), std::string::npos);
  EXPECT_TRUE(check().good);
}

// Any bit of the file: found, or it changed nothing that is stored (free space of a page).
int undetected_flips(const std::filesystem::path& file, const std::filesystem::path& scratch, int flips,
                     std::uint64_t seed, int& harmless) {
  std::string bytes;
  {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    bytes = text.str();
  }
  const auto content = [](const std::filesystem::path& path) {
    Store store(path, Access::read);
    const Transaction transaction(store.database(), false);
    Chain chain;
    for_each_event(store.read_log(),
                   [&](const Event& event, auto units, auto assignments, auto observations) {
                     chain.add(event);
                     for (const auto& row : units) chain.add(row);
                     for (const auto& row : assignments) chain.add(row);
                     for (const auto& row : observations) chain.add(row);
                   });
    return std::pair(hex(chain.head()), schema_difference(store.database()));
  };
  const auto wanted = content(file);
  base::Stream words({seed, base::Purpose::test});
  int undetected = 0;
  for (int i = 0; i < flips; ++i) {
    const auto at =
        static_cast<std::size_t>(base::uniform_index(words, static_cast<std::int64_t>(bytes.size() * 8)));
    std::string flipped = bytes;
    flipped[at / 8] = static_cast<char>(flipped[at / 8] ^ (1 << (at % 8)));
    std::ofstream(scratch, std::ios::binary) << flipped;
    bool found = false;
    try {
      found = !verify(scratch, 1).good;
    } catch (const Error&) {
      found = true;
    }
    if (found) continue;
    ++harmless;
    if (content(scratch) != wanted) {
      ++undetected;
      ADD_FAILURE() << "bit " << at % 8 << " of byte " << at / 8;
    }
  }
  return undetected;
}

TEST_F(StoreTest, AFlippedBitIsFound) {
  start(4, 4);
  play(truth(), 2);
  int harmless = 0;
  EXPECT_EQ(undetected_flips(path("s/study.db"), path("flipped.db"), 150, 1, harmless), 0);
  EXPECT_LT(harmless, 120);  // a small file is mostly free space
}

class StoreTestLong : public StoreTest {};

TEST_F(StoreTestLong, AFlippedBitIsFound) {
  start(400, 8);
  play(truth(), 6);
  int harmless = 0;
  EXPECT_EQ(undetected_flips(path("s/study.db"), path("flipped.db"), 4000, 2, harmless), 0);
  RecordProperty("harmless", harmless);
}

}  // namespace
}  // namespace mindgap::study
