#include <gtest/gtest.h>

#include <filesystem>

#include "app/program.h"

namespace mindgap::app {
namespace compare_test {

Finished compare(std::vector<std::string> more) {
  more.insert(more.begin(), "compare");
  return mindgap_run(more);
}

TEST(CompareCommand, JsonHasItsKeysAndRowsOnlyForThoseListed) {
  const Finished run = compare(
      {"treasure", "--planners", "sop,fisher", "--trials", "3", "--horizons", "90,30", "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  EXPECT_EQ(json["case"], "treasure");
  EXPECT_EQ(json["reference"], "asop");
  ASSERT_EQ(json["rows"].size(), 4u);  // two planners, two horizons; oracle and reference are not listed
  for (const auto& row : json["rows"]) {
    for (const char* key : {"planner", "horizon", "trials", "mean", "percent_of_oracle", "interval",
                            "difference", "difference_interval", "t_p_value", "p_value", "p_method"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
    EXPECT_EQ(row["trials"], 3);
    EXPECT_EQ(row["interval"].size(), 2u);
  }
  EXPECT_EQ(json["rows"][0]["horizon"], 30);
  EXPECT_EQ(json["rows"][3]["planner"], "fisher");
  EXPECT_GT(json["rows"][3]["percent_of_oracle"], 80);
  EXPECT_EQ(json["rows"][3]["p_method"], "exact");
}

TEST(CompareCommand, OneTrialHasNoInterval) {
  const Finished run =
      compare({"lock", "--planners", "sop", "--trials", "1", "--horizons", "5", "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.json()["rows"][0]["interval"].is_null());
  EXPECT_EQ(compare({"lock", "--planners", "sop", "--trials", "1", "--horizons", "5"}).exit_code, 0);
}

TEST(CompareCommand, NoPercentageOfAnOracleThatPays) {
  const std::vector<std::string> base = {"compare", "deepsea",  "--noise", "0",          "--horizons",
                                         "5",       "--trials", "3",       "--planners", "oracle,asop-pilot"};
  auto json = base;
  json.insert(json.end(), {"--format", "json"});
  const auto row = mindgap_run(json).json()["rows"][1];
  EXPECT_TRUE(row["percent_of_oracle"].is_null());
  EXPECT_TRUE(row["difference"].is_null());
  const Finished text = mindgap_run(base);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_EQ(text.out.find("nan"), std::string::npos) << text.out;
}

TEST(CompareCommand, AWorldThatChangedIsNotMixedIn) {
  const TemporaryFolder folder;
  std::filesystem::copy(source_path("tests/models/example_e"), folder / "w",
                        std::filesystem::copy_options::recursive);
  const std::vector<std::string> arguments = {folder / "w", "--trials",   "2",           "--planners",
                                              "asop",       "--horizons", "5",           "--units",
                                              "3",          "--out",      folder / "out"};
  ASSERT_EQ(compare(arguments).exit_code, 0);
  std::string rewards = read_text(folder / "w/rewards.csv");
  const std::size_t digit = rewards.rfind("0.");
  rewards.replace(digit, 2, "1.");
  write_text(folder / "w/rewards.csv", rewards);
  expect_refused(compare(arguments), "other options: content was '");
}

// What is shared is part of what is believed: results of another belief are not mixed in.
TEST(CompareCommand, SharedErrorsThatChangedAreNotMixedIn) {
  const TemporaryFolder folder;
  std::filesystem::copy(source_path("tests/models/example_e_simulator"), folder / "m",
                        std::filesystem::copy_options::recursive);
  const std::string model = read_text(folder / "m/model.toml");
  const auto with_shared = [&](const std::string& sd) {
    write_text(folder / "m/model.toml",
               model + "\n[prior.shared.kernel]\nsd = " + sd + "\nlength = 2.0\nover = \"graph\"\n");
  };
  const std::vector<std::string> arguments = {source_path("tests/models/example_e"),
                                              "--simulator",
                                              folder / "m",
                                              "--reward-sd",
                                              "0.5",
                                              "--trials",
                                              "2",
                                              "--planners",
                                              "asop",
                                              "--horizons",
                                              "5",
                                              "--units",
                                              "3",
                                              "--out",
                                              folder / "out"};
  with_shared("0.5");
  const Finished first = compare(arguments);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(compare(arguments).exit_code, 0);
  with_shared("0.6");
  expect_refused(compare(arguments), "other options: content was '");
}

TEST(CompareCommand, ThreadsAndSeedsDoWhatTheySay) {
  const std::vector<std::string> base = {"confounded", "--planners", "thompson", "--trials", "4",
                                         "--horizons", "40",         "--format", "json"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return compare(more).out;
  };
  EXPECT_EQ(with({"--threads", "1"}), with({"--threads", "3"}));
  EXPECT_NE(with({}), with({"--seed", "43"}));
  EXPECT_NE(with({}), with({"--first-trial", "4"}));
}

TEST(CompareCommand, ResultsAreKeptAndGoOn) {
  const TemporaryFolder folder;
  const std::vector<std::string> base = {"lock", "--planners", "sop,sep",     "--horizons",
                                         "5,10", "--out",      folder / "out"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return compare(more);
  };
  const Finished first = with({"--trials", "5", "--format", "json"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(read_text(folder / "out/summary.json"), first.out);
  const std::string csv = read_text(folder / "out/results.csv");
  EXPECT_EQ(csv.find("trial,planner,horizon,value,check\n0,sop,5,"), 0u);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 5 * 4 * 2);
  EXPECT_EQ(with({"--trials", "5", "--format", "json"}).out, first.out);
  ASSERT_EQ(with({"--trials", "8"}).exit_code, 0);
  EXPECT_EQ(read_text(folder / "out/results.csv").find(csv), 0u);  // the first five are as they were
  expect_refused(with({"--trials", "8", "--errors", "2"}), "other options: errors was '1', now '2'");
  expect_refused(with({"--trials", "8", "--seed", "1"}), "the seed was 42, now 1");
}

TEST(CompareCommand, ShardsMergeToTheSameBytes) {
  const TemporaryFolder folder;
  std::vector<std::string> merge{"merge", "--out", folder / "all"};
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    const std::string part = folder / (std::string("part") + shard[0]);
    const Finished run =
        compare({"lock", "--planners", "sop,kg", "--trials", "7", "--shard", shard, "--out", part});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    merge.push_back(part);
  }
  const Finished merged = mindgap_run(merge);
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  const Finished whole =
      compare({"lock", "--planners", "sop,kg", "--trials", "7", "--out", folder / "whole"});
  EXPECT_EQ(merged.out, whole.out);
  for (const char* name : {"results.csv", "summary.json", "run.json"})
    EXPECT_EQ(read_text(folder / (std::string("all/") + name)),
              read_text(folder / (std::string("whole/") + name)));
  merge.pop_back();
  merge[2] = folder / "less";
  expect_refused(mindgap_run(merge), "shard 3 of 3 is missing");
}

TEST(CompareCommand, AWorldFolderIsACase) {
  const Finished run =
      compare({source_path("tests/models/example_e"), "--planners", "sop,asop,adaptive-fisher", "--trials",
               "5", "--units", "10", "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.json()["rows"].size(), 3u);
  const Finished simulated = compare(
      {source_path("tests/models/example_e"), "--simulator", source_path("tests/models/example_e_simulator"),
       "--planners", "sop", "--trials", "5", "--units", "10", "--reward-sd", ".3", "--format", "json"});
  ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
  EXPECT_EQ(simulated.json()["settings"]["reward-sd"], ".3");
}

TEST(CompareCommand, MistakesAreNamed) {
  expect_refused(compare({"tresure"}), "there is no case or world folder 'tresure'; there are: treasure,");
  expect_refused(compare({"treasure", "--planners", "tomson"}),
                 "there is no planner 'tomson'; there are: thompson,");
  expect_refused(compare({"treasure", "--trials", "0"}), "trials is 0, but must be from 1");
  expect_refused(compare({"treasure", "--units", "0"}), "units is 0");
  expect_refused(compare({"treasure", "--seed", "-1"}), "must not be negative");
  expect_refused(compare({"treasure", "--horizons", "0"}), "horizon is 0");
  expect_refused(compare({"treasure", "--horizons", "10,10"}), "horizons must ascend");
  expect_refused(compare({"treasure", "--navigation", "blind"}), "treasure: there is no option 'navigation'");
  expect_refused(compare({"treasure", "--truth", "x"}), "truth is 'x', but must be one of: published, prior");
  expect_refused(compare({"treasure", "--reference", "nobody"}), "there is no planner 'nobody'");
  expect_refused(compare({"treasure", "--shard", "3/2"}), "--shard is '3/2', but must be I/N");
  expect_refused(compare({"treasure", "--trials", "2", "--shard", "3/3"}),
                 "shard 3 of 3 has none of the 2 trials");
  expect_refused(compare({}), "name a case or a world folder");
  expect_refused(mindgap_run({"merge", "nowhere"}), "nowhere/run.json");
}

TEST(CompareCommand, WarnsOfAGridThatFallsApart) {
  const Finished run =
      compare({"hiv", "--corridors", "none", "--trials", "1", "--planners", "sop", "--horizons", "5"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.err.find("mindgap: warning: "), std::string::npos) << run.err;
}

TEST(CompareCommand, Lists) {
  EXPECT_NE(compare({"--list"}).out.find("confounded"), std::string::npos);
  EXPECT_NE(compare({"treasure", "--list"}).out.find("adaptive-fisher"), std::string::npos);
  EXPECT_NE(compare({"hiv", "--help"}).out.find("Options of hiv"), std::string::npos);
}

TEST(ReproduceCommand, ShowsPublishedBesideOurs) {
  const TemporaryFolder folder;
  const Finished text = mindgap_run({"reproduce", "lock", "--trials", "20", "--out", folder / "data"});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("published"), std::string::npos);
  EXPECT_NE(text.out.find("departures.md"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder / "data/lock-sweep.csv"));
  const Finished json = mindgap_run({"reproduce", "stateless", "--format", "json"});
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const auto artefact = json.json()[0];
  EXPECT_EQ(artefact["artefact"], "stateless");
  EXPECT_NEAR(artefact["lines"][0]["ours"].get<double>(), 0.2760298047981, 1e-9);  // spec/tabular.md 1
  EXPECT_TRUE(artefact["claims"][0].contains("holds"));
}

TEST(ReproduceCommand, ListsAndNamesMistakes) {
  const Finished list = mindgap_run({"reproduce", "--list"});
  for (const char* name : {"stateless", "lock", "fork", "treasure", "hiv-table", "vending-log", "all"})
    EXPECT_NE(list.out.find(name), std::string::npos) << name;
  expect_refused(mindgap_run({"reproduce", "locke"}), "there is no artefact 'locke'; there are: lock,");
  expect_refused(mindgap_run({"reproduce", "lock", "--trials", "1"}), "trials is 1");
  expect_refused(mindgap_run({"reproduce"}), "name an artefact");
}

}  // namespace compare_test
}  // namespace mindgap::app
