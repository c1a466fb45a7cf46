#include "mindgap/study/sqlite_storage.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "mindgap/base/listener.h"
#include "mindgap/study/export.h"
#include "mindgap/study/pages.h"
#include "mindgap/view/study.h"
#include "study/field.h"
#include "study/old_file.h"

namespace mindgap::study {
namespace store_test {

class SqliteStorageTest : public StudyTest {
 protected:
  // What a stranger with SQLite can do who knows about the pages' checksums, or does not.
  std::string meddle(const std::string& sql, bool knows = true) {
    sqlite3* handle = nullptr;
    sqlite3_open_v2(path("s/study.db").c_str(), &handle, SQLITE_OPEN_READWRITE,
                    knows ? checked_pages() : nullptr);
    const int code = sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr);
    std::string said = code == SQLITE_OK ? "" : sqlite3_errmsg(handle);
    sqlite3_close(handle);
    return said;
  }

  // What `deed` says as a user who is not root: user 1001 owns the study, 1002 does not. Where the tests are
  // not run by root there is one user only.
  std::string as_user(unsigned user, const std::function<void()>& deed) {
    if (::getuid() != 0) return message(deed);
    int ends[2];
    if (::pipe(ends) != 0) return "no pipe";
    const pid_t child = ::fork();
    if (child == 0) {
      std::string said = "cannot be another user";
      if (::setgid(user) == 0 && ::setuid(user) == 0) said = message(deed);
      const bool told = ::write(ends[1], said.data(), said.size()) >= 0;
      ::_exit(told ? 0 : 1);
    }
    ::close(ends[1]);
    std::string said;
    char buffer[512];
    for (ssize_t size = 0; (size = ::read(ends[0], buffer, sizeof buffer)) > 0;)
      said.append(buffer, static_cast<std::size_t>(size));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status == 0 ? said : "died: " + said;
  }
  void hand_over() {
    if (::getuid() != 0) return;
    std::filesystem::permissions(path(""), std::filesystem::perms(0777));
    for (const char* name : {"s", "s/study.db", "s/study.db-wal", "s/study.db-shm"}) {
      if (std::filesystem::exists(path(name))) {
        ASSERT_EQ(::chown(path(name).c_str(), 1001, 1001), 0);
      }
    }
  }
  void mode(const char* name, unsigned bits) {
    std::filesystem::permissions(path(name), std::filesystem::perms(bits));
  }
};

// FIPS 180-4's example, "abc".
TEST(Sha256, KnownAnswer) {
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_F(SqliteStorageTest, RowsAreNeitherChangedNorDeleted) {
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
TEST_F(SqliteStorageTest, EveryColumnIsCoveredByTheChain) {
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
    EXPECT_NE(check().problem.find("layout"), std::string::npos) << change << check().problem;
    // Not only verify looks.
    EXPECT_NE(message([&] { study_status(*at("s")); }), "no error") << change;
    EXPECT_NE(message([&] { ask(); }), "no error") << change;
    ASSERT_EQ(
        meddle(fmt::format(
            "CREATE TRIGGER {0}_keeps_content BEFORE UPDATE ON {0} BEGIN SELECT RAISE(ABORT, 'a study only "
            "grows: rows are neither changed nor deleted'); END",
            table)),
        "");
    EXPECT_FALSE(check().good) << change;
  }
  std::filesystem::copy_file(saved, path("s/study.db"), std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(check().good);
}

// Another program that writes leaves checksums behind that are wrong, whatever it wrote.
TEST_F(SqliteStorageTest, EveryCommandNoticesThatAnotherProgramWrote) {
  start();
  play(truth(), 2);
  ASSERT_EQ(meddle("INSERT INTO event SELECT number + 1, time, program, kind, content, data, 0, 0, 0, hash "
                   "FROM event ORDER BY number DESC LIMIT 1",
                   false),
            "");
  for (const auto& deed : std::vector<std::function<void()>>{[&] { study_status(*at("s")); }, [&] { ask(); },
                                                             [&] { play(truth()); }})
    EXPECT_NE(message(deed).find("another program wrote to it"), std::string::npos) << message(deed);
  EXPECT_NE(check().problem.find("does not match its checksum"), std::string::npos) << check().problem;
}

// Another program that only reads, but closes last, writes what waits into the file: nothing is lost.
TEST_F(SqliteStorageTest, PagesAreSignedAnewWhereTheLogIsWhole) {
  start();
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path("s/study.db").c_str(), &other), SQLITE_OK);
  sqlite3_exec(other, "SELECT count(*) FROM event", nullptr, nullptr, nullptr);
  play(truth(), 2);
  const std::string head = check().head;
  sqlite3_close(other);
  EXPECT_NE(message([&] { ask(); }).find("study verify DIR --sign"), std::string::npos);
  EXPECT_NE(check().problem.find("study verify DIR --sign"), std::string::npos) << check().problem;
  EXPECT_FALSE(verify_and_sign(*at("s"), 1, std::string(64, '0')).good);
  EXPECT_FALSE(check().good);
  const Verification found = verify_and_sign(*at("s"), 1, head);
  EXPECT_TRUE(found.good) << found.problem;
  EXPECT_EQ(found.events_since, 0);
  play(truth());
  EXPECT_TRUE(check().good) << check().problem;
  EXPECT_EQ(listing(path("s")), std::vector<std::string>{"study.db"});
  // Rows that do not follow are not signed.
  ASSERT_EQ(meddle("DROP TRIGGER event_keeps_content; UPDATE event SET time = 'x' WHERE number = 3", false),
            "");
  const std::string meddled = read(path("s/study.db"));
  EXPECT_FALSE(verify_and_sign(*at("s"), 1).good);
  EXPECT_TRUE(read(path("s/study.db")) == meddled);
}

// Version 1 had the same tables, and pages without checksums.
TEST_F(SqliteStorageTest, AnOlderFileIsBroughtForward) {
  start();
  play(truth());
  write_as_version_1(path("s/study.db"));
  ASSERT_EQ(read(path("s/study.db"))[20], '\0');
  EXPECT_NE(message([&] { study_status(*at("s")); }).find("older version"), std::string::npos);
  EXPECT_NE(check().problem.find("older version"), std::string::npos);
  play(truth());
  EXPECT_EQ(read(path("s/study.db"))[20], static_cast<char>(kReserved));
  EXPECT_NE(meddle("DELETE FROM event").find("a study only grows"), std::string::npos);
  EXPECT_TRUE(check().good) << check().problem;
  const Log log = at("s")->begin_reading()->read_log();
  EXPECT_EQ(log.events[4].kind, "migrate");
  EXPECT_EQ(log.events[4].content, "{\"from\":1,\"to\":2}");
}

TEST_F(SqliteStorageTest, RefusesWhatIsNoStudyOfItsVersion) {
  EXPECT_EQ(message([&] { study_status(*at("s")); }), "s/study.db: there is no study; study init begins one");
  start();
  EXPECT_EQ(message([&] { start(); }), "s/study.db: there is a study already");
  ASSERT_EQ(meddle("PRAGMA user_version = 3"), "");
  for (const auto& deed : std::vector<std::function<void()>>{[&] { study_status(*at("s")); }, [&] { ask(); },
                                                             [&] { redesign(*at("s"), true, kWriter); }}) {
    EXPECT_NE(message(deed).find("newer version of mindgap (file version 3, this program knows 2)"),
              std::string::npos);
  }
  ASSERT_EQ(meddle("PRAGMA user_version = 0"), "");
  for (const auto& deed :
       std::vector<std::function<void()>>{[&] { study_status(*at("s")); }, [&] { ask(); }}) {
    EXPECT_EQ(
        message(deed),
        "s/study.db: it says that it is a study of version 0, which there never was: it was not made by "
        "mindgap, or its first page is damaged");
  }
  EXPECT_EQ(message([&] { start(); }), "s/study.db: there is a study already");
  write("t/study.db",
        "this is no database, only a text that is long enough to have a header of a hundred bytes, "
        "which is what SQLite reads first of all");
  EXPECT_NE(message([&] { study_status(*at("t")); }).find("no study"), std::string::npos);
}

// Killed while it began: the file is there, and there is nothing in it.
TEST_F(SqliteStorageTest, BeginsOverWhereABeginningWasCutShort) {
  write("s/study.db", "");
  EXPECT_NE(message([&] { study_status(*at("s")); }).find("no study"), std::string::npos);
  start();
  play(truth());
  EXPECT_TRUE(check().good) << check().problem;
}

// Who looks leaves nothing behind, and nothing that keeps the owner from writing.
TEST_F(SqliteStorageTest, LookingDoesNotLockTheOwnerOut) {
  start();
  study_status(*at("s"));
  EXPECT_EQ(listing(path("s")), std::vector<std::string>{"study.db"});
  hand_over();
  const auto look = [&] { study_status(*at("s")); };
  mode("s/study.db", 0444);
  EXPECT_EQ(as_user(1001, look), "no error");
  EXPECT_NE(as_user(1001, [&] { ask(); }).find("read-only"), std::string::npos);
  mode("s/study.db", 0644);
  EXPECT_EQ(as_user(1001, [&] { play(truth()); }), "no error");
  mode("s", 0777);
  EXPECT_EQ(as_user(1002, look), "no error");
  EXPECT_EQ(as_user(1001, [&] { play(truth()); }), "no error");
  EXPECT_EQ(listing(path("s")), std::vector<std::string>{"study.db"});
  // As another program, or an earlier version, leaves them.
  write("s/study.db-wal", "");
  write("s/study.db-shm", std::string(32768, '\0'));
  mode("s/study.db-wal", 0444);
  mode("s/study.db-shm", 0444);
  EXPECT_EQ(as_user(1001, [&] { play(truth()); }), "no error");
  EXPECT_EQ(check().assignments, 36);
  EXPECT_TRUE(check().good) << check().problem;
}

// In a folder that may not be written to.
TEST_F(SqliteStorageTest, ReadsInAClosedFolder) {
  start();
  {
    const auto reader = at("s")->begin_reading();
    play(truth());
    std::filesystem::copy_file(path("s/study.db-wal"), path("waits"));
  }
  play(truth());
  hand_over();
  const auto look = [&] { study_status(*at("s")); };
  mode("s", 0555);
  EXPECT_EQ(as_user(1001, look), "no error");
  mode("s", 0755);
  write("s/study.db-wal", "");
  mode("s", 0555);
  EXPECT_EQ(as_user(1001, look), "no error");
  EXPECT_EQ(as_user(1002, look), "no error");
  mode("s", 0755);
  std::filesystem::copy_file(path("waits"), path("s/study.db-wal"),
                             std::filesystem::copy_options::overwrite_existing);
  mode("s", 0555);
  EXPECT_NE(as_user(1001, look).find("copy both files"), std::string::npos) << as_user(1001, look);
  // Where that is a matter of moments (a writer is making its files), the reader waits for it.
  const pid_t other = ::fork();
  if (other == 0) {
    ::usleep(60'000);
    mode("s", 0755);
    ::_exit(0);
  }
  EXPECT_EQ(as_user(1001, look), "no error");
  int status = 0;
  ::waitpid(other, &status, 0);
  mode("s", 0755);
}

// Who may not write reads without locks: a writer that begins meanwhile is no damage.
TEST_F(SqliteStorageTest, AWriterOvertakesWhoMayOnlyLook) {
  if (::getuid() != 0) GTEST_SKIP() << "takes two users";
  start();
  play(truth(), 2);
  hand_over();
  ::usleep(50'000);
  const auto write_more = [&] { EXPECT_EQ(as_user(1001, [&] { play(truth(), 2); }), "no error"); };
  int go[2], gone[2];
  ASSERT_EQ(::pipe(go) + ::pipe(gone), 0);
  const pid_t writer = ::fork();
  if (writer == 0) {
    char c = 0;
    if (::read(go[0], &c, 1) == 1) write_more();
    ::_exit(::write(gone[1], &c, 1) == 1 ? 0 : 1);
  }
  EXPECT_EQ(as_user(1002,
                    [&] {
                      const std::unique_ptr<Transaction> reader = at("s")->begin_reading();
                      if (reader->head() == Digest{}) throw StoreError("nothing");
                      char c = 0;
                      if (::write(go[1], &c, 1) != 1 || ::read(gone[0], &c, 1) != 1) throw StoreError("pipe");
                      if (!reader->overtaken()) throw StoreError("not overtaken");
                    }),
            "no error");
  int status = 0;
  ::waitpid(writer, &status, 0);
  EXPECT_EQ(status, 0);
  for (const int end : {go[0], go[1], gone[0], gone[1]}) ::close(end);
  EXPECT_TRUE(check().good) << check().problem;
}

TEST_F(SqliteStorageTest, WhoMayOnlyLookNeverSeesDamageBesideAWriter) {
  if (::getuid() != 0) GTEST_SKIP() << "takes two users";
  start(12, 40);
  hand_over();
  const pid_t writer = ::fork();
  if (writer == 0) ::_exit(as_user(1001, [&] { play(truth(), 30); }) == "no error" ? 0 : 1);
  int status = 0;
  const auto said = as_user(1002, [&] {
    for (int i = 0; i < 60; ++i) {
      try {
        study_status(*at("s"));
        export_study(*at("s"), path("out"));
      } catch (const StoreError& error) {
        if (std::string(error.what()).find("try again") == std::string::npos) throw;
      }
      const Verification found = verify(*at("s"), 1);
      if (!found.good && found.problem.find("try again") == std::string::npos)
        throw StoreError(found.problem);
    }
  });
  EXPECT_EQ(said, "no error");
  ::waitpid(writer, &status, 0);
  EXPECT_EQ(status, 0);
}

// A number that does not fit: rows of an event that is gone, and an event whose rows are.
TEST_F(SqliteStorageTest, TheWaitForAnotherWriterIsEndedByWhoWaits) {
  struct Enough {};
  start();
  sqlite3* other = nullptr;
  sqlite3_open_v2(path("s/study.db").c_str(), &other, SQLITE_OPEN_READWRITE, checked_pages());
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  int asked = 0;
  {
    const base::Listening here({.look = [&] {
      if (++asked == 5) throw Enough();
    }});
    EXPECT_THROW(ask(), Enough);
  }
  EXPECT_EQ(asked, 5);
  {  // who does not end it gets what it waits for
    const base::Listening here({.look = [&] {
      if (++asked == 10) sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
    }});
    EXPECT_EQ(ask().added, 12);
  }
  sqlite3_close(other);
  EXPECT_TRUE(check().good);
}

TEST_F(SqliteStorageTest, MissingRowsAreNoticedByEveryCommand) {
  start();
  play(truth(), 2);
  ASSERT_EQ(meddle("DROP TRIGGER observation_keeps_rows; DELETE FROM observation WHERE number > 20"), "");
  EXPECT_NE(message([&] { ask(); }).find("rows of an event are missing"), std::string::npos);
  ASSERT_EQ(meddle("DROP TRIGGER event_keeps_rows; DELETE FROM event WHERE number > 5"), "");
  EXPECT_NE(message([&] { ask(); }).find("there are rows that no event accounts for"), std::string::npos);
  ASSERT_EQ(meddle("DELETE FROM observation WHERE number = 3"), "");
  EXPECT_NE(message([&] { ask(); }).find("observation 2 is followed by 4"), std::string::npos);
}

TEST_F(SqliteStorageTest, AClockThatJumpsIsSaidAndNothingElse) {
  start();
  assign(*at("s"), {}, {"test", "2026-02-01T09:00:00Z"});
  const Status found = study_status(*at("s"));
  ASSERT_TRUE(found.summary.clock_back);
  EXPECT_EQ(found.summary.clock_back->entry, 2u);
  EXPECT_EQ(found.summary.clock_back->after, "2026-02-01T09:00:00Z");
  EXPECT_NE(view::warnings_of(found)[0].find("the clock went back between entries 2 and 3"),
            std::string::npos);
  EXPECT_TRUE(check().good);
}

// SQLite follows links and keeps what waits beside the file itself: so must whoever looks for damage there.
TEST_F(SqliteStorageTest, ALinkedFileIsTheFileItself) {
  start();
  std::filesystem::create_directories(path("linked"));
  std::filesystem::create_symlink(path("s/study.db"), path("linked/study.db"));
  const auto reader = at("s")->begin_reading();  // who is still there keeps others from tidying up
  play(truth(), 2);
  ASSERT_GT(std::filesystem::file_size(path("s/study.db-wal")), 0u);
  EXPECT_EQ(study_status(*at("linked")).summary.results, 24);
  EXPECT_EQ(study_status(*storage_at(path("linked/study.db"))).summary.results, 24);
  // A reader who may not write sees all of it, too.
  hand_over();
  mode("s/study.db", 0444);
  EXPECT_EQ(as_user(1002,
                    [&] {
                      if (study_status(*at("linked")).summary.results != 24)
                        throw StoreError("not all of it");
                    }),
            "no error");
  mode("s/study.db", 0644);
  // A bit of what waits has changed: seen through the link as well.
  std::filesystem::create_directories(path("k"));
  for (const char* name : {"study.db", "study.db-wal"})
    std::filesystem::copy_file(path("s") / name, path("k") / name);
  std::string waiting = read(path("k/study.db-wal"));
  waiting[32 + 24 + 1000] = static_cast<char>(waiting[32 + 24 + 1000] ^ 4);
  write("k/study.db-wal", waiting);
  std::filesystem::remove(path("linked/study.db"));
  std::filesystem::create_symlink(path("k/study.db"), path("linked/study.db"));
  EXPECT_NE(verify(*at("linked"), 1).problem.find("has changed since it was written"), std::string::npos);
  EXPECT_THROW(assign(*at("linked"), {}, kWriter), StoreError);
}

TEST_F(SqliteStorageTest, AFileWithTwoNamesIsNotWrittenTo) {
  start();
  std::filesystem::create_hard_link(path("s/study.db"), path("other.db"));
  EXPECT_NE(message([&] { ask(); }).find("the file has 2 names (hard links)"), std::string::npos);
  EXPECT_TRUE(check().good);
  std::filesystem::remove(path("other.db"));
  EXPECT_EQ(ask().added, 12);
}

TEST_F(SqliteStorageTest, WhatWaitsAndCannotBeOpenedIsRefused) {
  if (::getuid() != 0) GTEST_SKIP() << "needs two users";
  start();
  {
    const auto reader = at("s")->begin_reading();
    play(truth());
    std::filesystem::create_directories(path("k"));
    for (const char* name : {"study.db", "study.db-wal"})
      std::filesystem::copy_file(path("s") / name, path("k") / name);
  }
  mode("", 0777), mode("k", 0755), mode("k/study.db", 0644), mode("k/study.db-wal", 0600);
  EXPECT_NE(
      as_user(1002, [&] { study_status(*at("k")); }).find("study.db-wal: cannot open: Permission denied"),
      std::string::npos);
}

// Nothing may be written any more, as on a full disk: who only reads needs no room.
TEST_F(SqliteStorageTest, ReadersNeedNoRoomOnTheDisk) {
  start();
  play(truth());
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto without_room = [&](const std::function<void()>& deed) {
    const rlimit none{0, before.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
    deed();
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  };
  const auto read_all = [&](const std::string& name) {
    EXPECT_EQ(message([&] { EXPECT_EQ(study_status(*at(name)).summary.results, 12); }), "no error");
    const Verification found = verify(*at(name), 1);
    EXPECT_TRUE(found.good) << found.problem;
  };
  without_room([&] { read_all("s"); });
  // The same with rows that wait in the write-ahead log, where a checkpoint had no room either.
  {
    const auto reader = at("s")->begin_reading();
    take(truth().results(ask()).substr(0, 41));  // the header alone: nothing
    std::filesystem::create_directories(path("k"));
    for (const char* name : {"study.db", "study.db-wal"})
      std::filesystem::copy_file(path("s") / name, path("k") / name);
  }
  ASSERT_GT(std::filesystem::file_size(path("k/study.db-wal")), 0u);
  const std::string waiting = read(path("k/study.db-wal"));
  without_room([&] { read_all("k"); });
  EXPECT_EQ(read(path("k/study.db-wal")), waiting);
  EXPECT_EQ(study_status(*at("k")).summary.assigned, 24);
  std::signal(SIGXFSZ, old_handler);
}

}  // namespace store_test
}  // namespace mindgap::study
