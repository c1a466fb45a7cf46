#include "mindgap/trial/results_folder.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "files/files.h"
#include "mindgap/base/error.h"
#include "trial/fake_case.h"

namespace mindgap::trial {
namespace results_folder_test {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class ResultsFolderTest : public files::FileTest {
 protected:
  // Runs the trials that are open, stopping (as if killed) after `most` of them.
  Results run(const fs::path& folder, const RunDescription& description, int most = 1000) {
    ResultsFolder kept(folder, description);
    SweepOptions options = sweep_options(description);
    options.threads = 1;
    int left = most;
    Results results;
    try {
      results = run_sweep(case_, options, kept.finished(), [&](std::uint64_t trial, auto values) {
        if (left-- <= 0) throw std::runtime_error("killed");
        kept.keep(trial, values);
      });
    } catch (const std::runtime_error&) {
      return {};
    }
    kept.complete(results, description_json(description));
    return results;
  }
  std::string refusal(const fs::path& folder, const RunDescription& description) {
    try {
      ResultsFolder(folder, description);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  const fs::path out_ = path("out");
  FakeCase case_;
};

TEST_F(ResultsFolderTest, AKilledRunGoesOnAndEndsWithTheSameBytes) {
  const RunDescription description = describe(case_, {.trials = 9}, "asop", 42);
  run(path("whole"), description);
  EXPECT_TRUE(run(out_, description, 4).trials.empty());
  EXPECT_FALSE(fs::exists(out_ / "results.csv"));
  std::ofstream(out_ / "finished.csv", std::ios::app) << "4,oracle,10,1";  // cut off in the middle of a line
  case_.runs = 0;
  run(out_, description);
  EXPECT_EQ(case_.runs, 5 * 3);
  for (const char* name : {"results.csv", "summary.json", "run.json"})
    EXPECT_EQ(text_of(out_ / name), text_of(path("whole") / name)) << name;
  EXPECT_FALSE(fs::exists(out_ / "finished.csv"));
}

TEST_F(ResultsFolderTest, HalfATrialIsRunAgain) {
  const RunDescription description = describe(case_, {.trials = 3}, "asop", 42);
  run(out_, description, 2);
  const std::string whole = results_csv(run_sweep(case_, {.trials = 3}));
  const std::size_t first = whole.find("\n2,") + 1, second = whole.find('\n', first) + 1;
  std::ofstream(out_ / "finished.csv", std::ios::app) << whole.substr(first, second - first);
  const ResultsFolder kept(out_, description);
  EXPECT_EQ(kept.finished().trials, (std::vector<std::uint64_t>{0, 1}));
}

// Wherever a digit of a line changes, the folder is refused, on resuming and on merging.
TEST_F(ResultsFolderTest, AChangedDigitIsRefused) {
  const RunDescription description = describe(case_, {.trials = 2}, "asop", 42);
  run(out_, description);
  const std::string good = text_of(out_ / "results.csv");
  int changed = 0;
  for (std::size_t at = good.find('\n') + 1; at < good.size(); ++at) {
    if (std::isdigit(static_cast<unsigned char>(good[at])) == 0) continue;
    std::string bad = good;
    bad[at] = bad[at] == '9' ? '3' : static_cast<char>(bad[at] + 1);
    std::ofstream(out_ / "results.csv") << bad;
    EXPECT_NE(refusal(out_, description).find("does not match its checksum"), std::string::npos) << at;
    EXPECT_THROW(merge({out_}), InvalidModel);
    ++changed;
  }
  EXPECT_GT(changed, 100);
  std::ofstream(out_ / "results.csv") << good;
  EXPECT_EQ(refusal(out_, description), "");
}

// Folders from before there were checksums are read.
TEST_F(ResultsFolderTest, LinesWithoutChecksumsAreRead) {
  const RunDescription description = describe(case_, {.trials = 2}, "asop", 42);
  const Results results = run(out_, description);
  std::istringstream lines(text_of(out_ / "results.csv"));
  std::string text;
  for (std::string line; std::getline(lines, line);) text += line.substr(0, line.rfind(',')) + "\n";
  std::ofstream(out_ / "results.csv") << text;
  EXPECT_EQ(merge({out_}).results.value, results.value);
}

TEST_F(ResultsFolderTest, MoreTrialsKeepThoseThereAre) {
  run(out_, describe(case_, {.trials = 3}, "asop", 42));
  case_.runs = 0;
  const Results results = run(out_, describe(case_, {.trials = 5}, "asop", 42));
  EXPECT_EQ(case_.runs, 2 * 3);
  EXPECT_EQ(results.value, run_sweep(case_, {.trials = 5}).value);
}

TEST_F(ResultsFolderTest, OtherOptionsAreRefusedWithTheDifference) {
  run(out_, describe(case_, {.trials = 3}, "asop", 42));
  const std::string begin = out_.string() + ": the folder holds results of other options: ";
  const std::string end = "; choose another folder";
  EXPECT_EQ(refusal(out_, describe(case_, {.trials = 3}, "asop", 43)),
            begin + "the seed was 42, now 43" + end);
  EXPECT_EQ(refusal(out_, describe(case_, {.trials = 2}, "asop", 42)), begin + "trials was 3, now 2" + end);
  EXPECT_EQ(refusal(out_, describe(case_, {.horizons = {10}, .trials = 3}, "asop", 42)),
            begin + "the list of horizons was 10,20, now 10" + end);
  EXPECT_EQ(refusal(out_, describe(case_, {.planners = {"sop"}, .trials = 3}, "asop", 42)),
            begin + "the list of planners was oracle,sop,asop, now sop,oracle,asop" + end);
  case_.dial = "2";
  EXPECT_EQ(refusal(out_, describe(case_, {.trials = 3}, "asop", 42)), begin + "dial was '1', now '2'" + end);
}

TEST_F(ResultsFolderTest, AFolderOfSomethingElseIsLeftAlone) {
  fs::create_directories(out_);
  std::ofstream(out_ / "thesis.tex") << "x";
  EXPECT_NE(refusal(out_, describe(case_, {}, "asop", 42)).find("holds something else"), std::string::npos);
  std::ofstream(out_ / "run.json") << "{}";
  EXPECT_NE(refusal(out_, describe(case_, {}, "asop", 42)).find("not a description of results"),
            std::string::npos);
  EXPECT_EQ(text_of(out_ / "thesis.tex"), "x");
}

TEST_F(ResultsFolderTest, WhatAKillInTheFirstMomentLeavesIsNoObstacle) {
  fs::create_directories(out_);
  std::ofstream(out_ / "run.json.tmp-17-0") << "half";
  EXPECT_EQ(refusal(out_, describe(case_, {.trials = 3}, "asop", 42)), "");
}

TEST_F(ResultsFolderTest, AnotherProgramIsAnotherRun) {
  RunDescription description = describe(case_, {.trials = 3}, "asop", 42);
  description.program = "mindgap 1";
  run(out_, description);
  description.program = "mindgap 2";
  EXPECT_NE(refusal(out_, description).find("the program was mindgap 1, now mindgap 2"), std::string::npos);
}

TEST_F(ResultsFolderTest, ADescriptionWithoutSenseIsRefused) {
  std::string text = description_json(describe(case_, {.trials = 3}, "asop", 42));
  text.replace(text.find("\"shards\": 1"), 11, "\"shards\": 0");
  EXPECT_THROW(parse_description(text, "run.json"), InvalidArgument);
}

TEST_F(ResultsFolderTest, AFullDiskIsAnErrorThatKeepsWhatIsThere) {
  const RunDescription description = describe(case_, {.trials = 3}, "asop", 42);
  run(out_, description, 1);
  const std::vector<double> values(6, 1.0);
  {
    ResultsFolder kept(out_, description);
    // The disk ends within the next trial's rows.
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{fs::file_size(out_ / "finished.csv") + 20, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    std::string message;
    try {
      kept.keep(1, values);
    } catch (const StoreError& error) {
      message = error.what();
    }
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, old_handler);
    EXPECT_EQ(fs::file_size(out_ / "finished.csv"), small.rlim_cur - 20);  // no half trial stays
    kept.keep(2, values);
    EXPECT_NE(message.find("the trials finished before are kept, the same command goes on"),
              std::string::npos)
        << message;
  }
  const ResultsFolder again(out_, description);
  EXPECT_EQ(again.finished().trials, (std::vector<std::uint64_t>{0, 2}));
}

TEST_F(ResultsFolderTest, ShardsMergeToTheWhole) {
  std::vector<fs::path> parts;
  for (std::int64_t shard = 1; shard <= 3; ++shard) {
    parts.push_back(path(std::to_string(shard)));
    run(parts.back(), describe(case_, {.trials = 8, .shard = shard, .shards = 3}, "asop", 42));
  }
  const Merged merged = merge({parts[2], parts[0], parts[1]});
  EXPECT_EQ(merged.results.value, run_sweep(case_, {.trials = 8}).value);
  EXPECT_EQ(merged.run.shards, 1);
  EXPECT_THROW(merge({parts[0], parts[1]}), InvalidArgument);            // one is missing
  EXPECT_THROW(merge({parts[0], parts[1], parts[1]}), InvalidArgument);  // one is doubled
  run(out_, describe(case_, {.trials = 8, .shard = 3, .shards = 3}, "asop", 43));
  EXPECT_THROW(merge({parts[0], parts[1], out_}), InvalidArgument);  // of another run
  fs::remove(parts[2] / "results.csv");
  EXPECT_THROW(merge(parts), InvalidArgument);  // not complete
  EXPECT_THROW(merge({}), InvalidArgument);
}

}  // namespace results_folder_test
}  // namespace mindgap::trial
