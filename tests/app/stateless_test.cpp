#include <gtest/gtest.h>

#include "app/program.h"

namespace mindgap::app {
namespace stateless_test {

// spec/tabular.md 1: n = 100, unit variances, gamma 1, kappa .5: 14 units, worth 12.191150; the threshold for
// whole units 1.0554, the paper's .43633.
TEST(StatelessCommand, GoldenNumbers) {
  const Finished run = mindgap_run(
      {"stateless", "--units", "100", "--lead", "0.5", "--sd", "1", "--variance", "1", "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  EXPECT_EQ(json["verdict"], "experiment");
  EXPECT_EQ(json["best_units"], 14);
  EXPECT_NEAR(json["value"].get<double>(), 12.191150, 1e-6);
  EXPECT_NEAR(json["threshold"].get<double>(), 1.0554, 1e-4);
  EXPECT_NEAR(json["paper_threshold"].get<double>(), .4363265637937, 1e-9);
  const Finished sure =
      mindgap_run({"stateless", "--units", "100", "--lead", "1.5", "--sd", "1", "--variance", "1"});
  EXPECT_NE(sure.out.find("Do not experiment"), std::string::npos) << sure.out;
}

TEST(StatelessCommand, SeveralActions) {
  const Finished run = mindgap_run({"stateless", "--units", "1000", "--means", "0.5,0", "--sds", "0,1",
                                    "--variance", "100", "--actions", "now,new", "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  EXPECT_EQ(json["actions"][0]["action"], "now");
  EXPECT_EQ(json["actions"][0]["units"].get<int>() + json["actions"][1]["units"].get<int>(), 1000);
  EXPECT_GT(json["gain"], 20);
  EXPECT_TRUE(json["paper_test_deploys"]);
  EXPECT_TRUE(json["condition_holds"]);
}

TEST(StatelessCommand, Refusals) {
  const std::vector<std::string> begin{"stateless", "--units", "10", "--variance", "1"};
  for (const auto& [words, said] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{}, "--lead"},
           {{"--lead", "1"}, "--sd"},
           {{"--lead", "1", "--sd", "0"}, "--sd is 0"},
           {{"--lead", "-1", "--sd", "1"}, "--lead is -1"},
           {{"--lead", "1", "--sd", "1", "--means", "1,2"}, "--means"},
           {{"--means", "1,2", "--sds", "1"}, "--sds 1"},
           {{"--means", "1,2", "--sds", "1,1", "--actions", "a"}, "--actions"}}) {
    std::vector<std::string> all = begin;
    all.insert(all.end(), words.begin(), words.end());
    const Finished run = mindgap_run(all);
    EXPECT_EQ(run.exit_code, 2) << run.out;
    EXPECT_NE(run.err.find(said), std::string::npos) << run.err;
  }
}

}  // namespace stateless_test
}  // namespace mindgap::app
