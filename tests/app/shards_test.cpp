#include <gtest/gtest.h>

#include <filesystem>
#include <future>

#include "app/program.h"

// A command whose draws several processes share through a folder.
namespace mindgap::app {
namespace shards_test {

// What differs between two runs of one command: how long they took, and on what they were asked.
void untimed(nlohmann::json& json) {
  if (json.is_object()) {
    for (const char* name : {"seconds", "command", "date", "plan_file", "report_file"}) json.erase(name);
  }
  if (json.is_structured()) {
    for (nlohmann::json& part : json) untimed(part);
  }
}

nlohmann::json result_of(const Finished& run) {
  nlohmann::json found = run.json();
  untimed(found);
  return found;
}

std::vector<std::string> with(std::vector<std::string> command, const std::vector<std::string>& more) {
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

// Two processes at the same time, then merge: the same numbers as one process.
void expect_same_as_one(const std::vector<std::string>& command) {
  const TemporaryFolder folder;
  const auto shard = [&](const char* which) {
    return std::async(std::launch::async, [&, which] {
      return mindgap_run(with(command, {"--shard", which, "--out", folder / "shards", "--threads", "1"}));
    });
  };
  auto one = shard("1/2"), two = shard("2/2");
  const Finished first = one.get(), second = two.get();
  ASSERT_EQ(first.exit_code, 0) << first.err;
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(first.out.find("shard 1/2: computed "), 0U) << first.out;
  const Finished merged = mindgap_run({"merge", folder / "shards", "--format", "json"});
  const Finished alone = mindgap_run(with(command, {"--format", "json"}));
  EXPECT_EQ(merged.exit_code, alone.exit_code) << merged.err;
  ASSERT_FALSE(merged.out.empty()) << merged.err;
  EXPECT_EQ(result_of(merged), result_of(alone));
}

const std::vector<std::string> kDecide = {"decide",     source_path("examples/vans"),
                                          "--units",    "4",
                                          "--horizon",  "20",
                                          "--worlds",   "40",
                                          "--plans",    "sop,asop,beb-1,pilot-2x5",
                                          "--coverage", source_path("examples/vans/coverage.csv")};

TEST(Shards, ADecisionIsThatOfOneProcess) {
  expect_same_as_one(kDecide);
}

TEST(Shards, SoAreTheCellsOfItsMaps) {
  expect_same_as_one({"decide", source_path("examples/vans"), "--units", "2", "--horizon", "5", "--worlds",
                      "8", "--plans", "sop,asop,pilot-2x2", "--tipping"});
}

TEST(Shards, SoAreMembersOfAnEnsemble) {
  expect_same_as_one({"decide", source_path("examples/rivals"), "--units", "3", "--horizon", "10", "--worlds",
                      "30", "--plans", "sop,asop,pilot-2x3"});
  expect_same_as_one({"diagnose", source_path("examples/rivals"), "--draws", "30"});
}

TEST(Shards, SoIsADiagnosis) {
  expect_same_as_one({"diagnose", source_path("examples/vans"), "--coverage",
                      source_path("examples/vans/coverage.csv"), "--draws", "40"});
}

TEST(Shards, SoIsAReproduction) {
  expect_same_as_one({"reproduce", "lock", "--trials", "4"});
}

TEST(Shards, SoIsAValueOfInformation) {
  const TemporaryFolder folder;
  std::string table = "x,y,wait,act\n";
  for (int i = 0; i < 300; ++i) {
    const int x = i * 7919 % 301 - 150, y = i * 104'729 % 307 - 150;
    table += std::to_string(x) + "," + std::to_string(y) + ",0," + std::to_string(x + y / 2) + "\n";
  }
  write_text(folder / "draws.csv", table);
  expect_same_as_one({"voi", folder / "draws.csv", "--plans", "wait,act", "--about", "x", "--about", "y"});
}

TEST(Shards, MergeWritesWhatTheCommandWould) {
  const TemporaryFolder folder;
  const Finished shard = mindgap_run(with(kDecide, {"--shard", "1/1", "--out", folder / "shards"}));
  ASSERT_EQ(shard.exit_code, 0) << shard.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "plan.json"));
  const Finished merged = mindgap_run(
      {"merge", folder / "shards", "--out", folder / "plan.json", "--report", folder / "page.html"});
  EXPECT_LE(merged.exit_code, 3) << merged.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "plan.json"));
  EXPECT_TRUE(std::filesystem::exists(folder / "page.html"));
}

TEST(Shards, MistakesAreNamed) {
  const TemporaryFolder folder;
  expect_refused(mindgap_run(with(kDecide, {"--shard", "1/2"})),
                 "--shard needs --out: the folder that all shards share");
  expect_refused(mindgap_run(with(kDecide, {"--shard", "0/2", "--out", folder / "shards"})),
                 "--shard is '0/2', but must be I/N");
  expect_refused(mindgap_run({"diagnose", source_path("examples/vans"), "--out", folder / "shards"}),
                 "--out is the folder of shards: it needs --shard");
  const Finished shard = mindgap_run(with(kDecide, {"--shard", "1/1", "--out", folder / "shards"}));
  ASSERT_EQ(shard.exit_code, 0) << shard.err;
  expect_refused(mindgap_run(with(kDecide, {"--seed", "7", "--shard", "1/1", "--out", folder / "shards"})),
                 "the folder belongs to another computation: the command was '");
  for (const auto& stage : std::filesystem::directory_iterator(folder / "shards")) {
    if (stage.path().string().find("worlds") != std::string::npos) std::filesystem::remove_all(stage.path());
  }
  expect_refused(mindgap_run({"merge", folder / "shards"}), "(worlds) are still to be computed");
}

}  // namespace shards_test
}  // namespace mindgap::app
