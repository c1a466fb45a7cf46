#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include "app/program.h"

namespace mindgap::app {
namespace study_verify_test {

// A study of four vans that has begun.
class StudyFile : public ::testing::Test {
 protected:
  void SetUp() override {
    write_text(folder_ / "units.csv", "unit,state\na,zone-0-0\nb,zone-0-1\nc,zone-0-2\nd,zone-0-3\n");
    const Finished begun =
        run({"init", study(), "--model", source_path("examples/vans"), "--units", folder_ / "units.csv",
             "--coverage", source_path("examples/vans/coverage.csv"), "--horizon", "6", "--format", "json"});
    ASSERT_EQ(begun.exit_code, 0) << begun.err;
    head_ = begun.json()["head"];
  }
  std::string study() const { return folder_ / "study"; }
  std::string file() const { return study() + "/study.db"; }
  Finished run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "study");
    return mindgap_run(arguments);
  }
  pid_t begin_export(const std::string& out) const {
    const pid_t child = fork();
    if (child != 0) return child;
    ::close(1);
    ::close(2);
    execl(MINDGAP_PROGRAM, MINDGAP_PROGRAM, "study", "export", study().c_str(), "--out", out.c_str(),
          nullptr);
    _exit(127);
  }
  static void stop(pid_t child) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }

  TemporaryFolder folder_;
  std::string head_;
};

// Whatever is wrong with the file: an answer, never nothing.
TEST_F(StudyFile, ADamagedFileIsAnAnswerInJson) {
  const std::string good = read_text(file());
  const auto damaged = [&](const std::string& bytes) {
    write_text(file(), bytes);
    const Finished found = run({"verify", study(), "--format", "json"});
    EXPECT_EQ(found.exit_code, 2);
    EXPECT_EQ(found.err, "");
    const auto json = found.json();
    EXPECT_EQ(json["ok"], false);
    EXPECT_EQ(json["verified"], false);
    EXPECT_NE(json["problem"], "");
    EXPECT_EQ(run({"verify", study()}).exit_code, 2);
  };
  for (const std::size_t at : {0u, 16u, 18u, 20u, 24u, 60u, 63u, 68u, 71u, 99u, 100u, 5000u}) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 2);
    damaged(bytes);
  }
  damaged("");
  damaged("no database at all");
  damaged(good.substr(0, 5000));
  write_text(file(), good);
  const auto json = run({"verify", study(), "--format", "json"}).json();
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["problem"], nullptr);
  EXPECT_FALSE(json.contains("events_since_head"));
}

// As another program leaves a page that it wrote: the same rows, and no checksum.
TEST_F(StudyFile, PagesAreSignedAnew) {
  const std::string good = read_text(file());
  std::string bytes = good;
  std::fill(bytes.end() - 16, bytes.end(), '\0');
  write_text(file(), bytes);
  expect_refused(run({"verify", study()}), "study verify DIR --sign");
  const Finished found = run({"verify", study(), "--sign", "--head", head_});
  EXPECT_EQ(found.exit_code, 0) << found.err;
  EXPECT_TRUE(read_text(file()) == good);
  EXPECT_EQ(run({"assign", study()}).exit_code, 0);
}

TEST_F(StudyFile, VerifyFindsANotedRow) {
  const std::string begun = read_text(file());
  ASSERT_EQ(run({"assign", study()}).exit_code, 0);
  const Finished text = run({"verify", study(), "--head", head_});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("The row that you noted is there; events added since: 1."), std::string::npos);
  const auto json = run({"verify", study(), "--head", head_, "--format", "json"}).json();
  EXPECT_EQ(json["events_since_head"], 1);
  const std::string later = json["head"];
  write_text(file(), begun);  // as it was yesterday
  EXPECT_EQ(run({"verify", study(), "--head", head_}).exit_code, 0);
  expect_refused(run({"verify", study(), "--head", later}), "no row has the hash " + later);
  const Finished gone = run({"verify", study(), "--head", later, "--format", "json"});
  EXPECT_EQ(gone.exit_code, 2);
  EXPECT_EQ(gone.json()["ok"], false);
  EXPECT_EQ(gone.json()["events_since_head"], nullptr);
  expect_refused(run({"verify", study(), "--head", "abc"}), "64 hexadecimal digits");
  expect_refused(run({"verify", study(), "--head", ""}), "--head is empty");
}

// Killed while it removes what another killed one left, an export leaves that marked: as long as anything
// of it is there, nobody takes it for a finished one.
TEST_F(StudyFile, AKilledCleanUpLeavesTheMark) {
  const std::filesystem::path left = folder_ / "out.tmp-99-0";
  const auto count = [&] { return std::distance(std::filesystem::directory_iterator(left), {}); };
  std::filesystem::create_directories(left);
  write_text(left / ".unfinished", "");
  for (int i = 0; i < 5000; ++i) write_text(left / std::to_string(i), "");
  const pid_t child = begin_export(folder_ / "out");
  while (count() > 5000) std::this_thread::yield();
  stop(child);
  ASSERT_GT(count(), 0);
  EXPECT_TRUE(std::filesystem::exists(left / ".unfinished"));
}

// Killed at any moment, an export is the old one, the new one, or (where there was none) not there.
TEST_F(StudyFile, AKilledExportIsWhole) {
  std::mt19937_64 random(3);
  const std::string out = folder_ / "out";
  for (int round = 0; round < 40; ++round) {
    if (round == 20) {
      ASSERT_EQ(run({"assign", study()}).exit_code, 0);
    }
    if (round < 10) std::filesystem::remove_all(out);
    const pid_t child = begin_export(out);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
    stop(child);
    if (!std::filesystem::exists(out)) continue;
    const Finished found = run({"verify", out, "--format", "json"});
    ASSERT_EQ(found.exit_code, 0) << found.out;
    const auto rows = read_text(out + "/assignments.jsonl");
    EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), found.json()["assignments"].get<int>());
    EXPECT_TRUE(std::filesystem::exists(out + "/model/model.toml"));
  }
}

}  // namespace study_verify_test
}  // namespace mindgap::app
