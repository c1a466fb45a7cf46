#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/program.h"

namespace mindgap::app {
namespace solve_test {

// Optimal start values that others published or that follow exactly: Gymnasium's FrozenLake (slippery) and
// CliffWalking by value iteration on the environments' own tables, the forest model of pymdptoolbox (26.244
// exactly), Puterman (1994), section 3.2.2 and 4.6.1, the stochastic inventory problem.
struct Reference {
  std::string model;
  double value;
  double tolerance;
};
void PrintTo(const Reference& reference, std::ostream* out) {  // NOLINT: the name is GoogleTest's
  *out << reference.model;
}

class ReferenceModels : public testing::TestWithParam<std::tuple<Reference, std::string>> {};

TEST_P(ReferenceModels, HaveTheirPublishedValue) {
  const auto& [reference, method] = GetParam();
  const Finished run = mindgap_run({"solve", source_path("tests/models/" + reference.model), "--format",
                                    "json", "--method", method, "--tolerance", "1e-13"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  EXPECT_NEAR(json["value_at_start"], reference.value, reference.tolerance);
  EXPECT_LE(json["bounds"][0], reference.value + reference.tolerance);
  EXPECT_GE(json["bounds"][1], reference.value - reference.tolerance);
  EXPECT_LE(json["policy_loss_bound"], 1e-8);
  EXPECT_EQ(json["status"], "converged");
}

INSTANTIATE_TEST_SUITE_P(Solve, ReferenceModels,
                         testing::Combine(testing::Values(Reference{"frozenlake4", 0.180471578397, 5e-13},
                                                          Reference{"frozenlake8", 0.048250204081, 5e-13},
                                                          Reference{"cliffwalking", -7.4581341717, 5e-11},
                                                          Reference{"forest3", 26.244, 1e-9}),
                                          testing::Values("auto", "vi", "mpi", "gs", "pi")),
                         [](const auto& test) {
                           return std::get<0>(test.param).model + "_" + std::get<1>(test.param);
                         });

TEST(Solve, PutermansInventoryOverThreeSteps) {
  const TemporaryFolder folder;
  const std::string model = source_path("tests/models/puterman_inventory");
  // From each stock alone: the model with its start moved there.
  const std::vector<double> wanted{67.0 / 16, 129.0 / 16, 194.0 / 16, 227.0 / 16};
  double mean = 0;
  for (const double v : wanted) mean += v / 4;
  const Finished run =
      mindgap_run({"solve", model, "--horizon", "3", "--format", "json", "--out", folder / "policy.csv"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NEAR(run.json()["value_at_start"], mean, 1e-12);
  EXPECT_EQ(run.json()["horizon"], 3);
  EXPECT_EQ(run.json()["discount"], 1);
  const std::string states = read_text(model + "/states.csv");
  for (int stock = 0; stock < 4; ++stock) {
    const TemporaryFolder copy;
    std::filesystem::copy(model, copy.path(), std::filesystem::copy_options::recursive);
    std::string text = "name,start\n";
    std::istringstream lines(states);
    std::string line;
    std::getline(lines, line);
    for (int s = 0; std::getline(lines, line); ++s) {
      text += line.substr(0, line.find(',')) + (s == stock ? ",1\n" : ",0\n");
    }
    write_text(copy.path() / "states.csv", text);
    const Finished one = mindgap_run({"solve", copy.path().string(), "--horizon", "3", "--format", "json"});
    ASSERT_EQ(one.exit_code, 0) << one.err;
    EXPECT_NEAR(one.json()["value_at_start"], wanted[stock], 1e-12);
  }
}

TEST(Solve, JsonHasItsKeys) {
  const Finished run = mindgap_run({"solve", source_path("examples/vans"), "--format", "json"});
  const auto json = run.json();
  for (const char* key : {"states", "pairs", "nonzeros", "discount", "horizon", "value_at_start", "bounds",
                          "policy_loss_bound", "status", "iterations", "seconds", "unreached_states"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["states"], 40);
  EXPECT_EQ(json["pairs"], 40 + 2 * 63);  // staying, and both directions of 63 edges
  EXPECT_TRUE(json["horizon"].is_null());
  EXPECT_NEAR(json["value_at_start"], 8 * 0.05 / (1 - 0.95), 1e-9);  // eight tests a day in A for ever
  // Ties go to the first action, "stay": only the eight starting zones are ever seen.
  EXPECT_EQ(json["unreached_states"].size(), 32U);
  EXPECT_EQ(json["impossible_states"], 32);
}

TEST(Solve, TextTellsAPlannerWhatTheyWant) {
  const Finished run = mindgap_run({"solve", source_path("examples/vans")});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  for (const char* part :
       {"Mobile testing vans: 40 states", "from the start: 8\n", "certified to within", "100.0 %  group A",
        "0.0 %  group B", "never sees 32 of 40 states", "only an experiment"}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << "\n" << run.out;
  }
}

TEST(Solve, TheExampleIsWhatItsGeneratorWrites) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program(MINDGAP_MAKE_VANS, {folder / "vans"}).exit_code, 0);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "vans")) {
    const std::string checked_in = source_path("examples/vans/" + entry.path().filename().string());
    EXPECT_EQ(read_text(entry.path()), read_text(checked_in)) << checked_in;
    ++files;
  }
  EXPECT_EQ(files, 6);
}

TEST(Solve, WritesThePolicy) {
  const TemporaryFolder folder;
  const Finished run =
      mindgap_run({"solve", source_path("tests/models/forest3"), "--out", folder / "policy.csv"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(read_text(folder / "policy.csv"),
            "state,action,probability\nyoung,wait,1\nmiddle,wait,1\nold,wait,1\n");
}

TEST(Solve, StopsAtTheTimeLimitWithValidBounds) {
  const Finished run = mindgap_run({"solve", source_path("tests/models/frozenlake8"), "--time-limit", "1e-9",
                                    "--discount", "0.9999", "--format", "json"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_EQ(run.json()["status"], "time_limit");
  EXPECT_LT(run.json()["bounds"][0], run.json()["bounds"][1]);
}

TEST(Solve, LumpsAndMaps) {
  const TemporaryFolder folder;
  const std::string lake = source_path("tests/models/frozenlake8"), file = folder / "lake.h5";
  ASSERT_EQ(mindgap_run({"convert", lake, file}).exit_code, 0);
  const auto wanted = mindgap_run({"solve", lake, "--format", "json"}).json();
  const auto mapped = mindgap_run({"solve", file, "--mapped", "--format", "json"}).json();
  EXPECT_EQ(mapped["bounds"], wanted["bounds"]);
  EXPECT_EQ(mapped["unreached_states"], wanted["unreached_states"]);
  const Finished lumped =
      mindgap_run({"solve", file, "--mapped", "--lump", "--classes", folder / "classes.csv", "--format",
                   "json", "--out", folder / "policy.csv"});
  ASSERT_EQ(lumped.exit_code, 0) << lumped.err;
  EXPECT_LT(lumped.json()["lumped"]["classes"], wanted["states"]);  // all holes are alike
  EXPECT_LE(lumped.json()["bounds"][0], wanted["bounds"][1]);
  EXPECT_GE(lumped.json()["bounds"][1], wanted["bounds"][0]);
  const std::string classes = read_text(folder / "classes.csv");
  EXPECT_EQ(std::count(classes.begin(), classes.end(), '\n'), wanted["states"].get<int>() + 1);
  expect_refused(mindgap_run({"solve", lake, "--mapped"}), "is a folder, expected a file");
  expect_refused(mindgap_run({"solve", file, "--classes", folder / "c.csv"}), "--lump");
  expect_refused(mindgap_run({"solve", file, "--lump", "--horizon", "3"}), "--lump");
}

TEST(Solve, SaysWhatTheEngineForSeveralProcessesTakes) {
  const TemporaryFolder folder;
  const std::string file = folder / "forest.h5";
  ASSERT_EQ(mindgap_run({"convert", source_path("tests/models/forest3"), file}).exit_code, 0);
  ::setenv("MINDGAP_MPI_LIBRARY", (folder / "nowhere.so").c_str(), 1);
  expect_refused(mindgap_run({"solve", file, "--engine", "petsc"}),
                 "apt-get install libpetsc-real-dev libopenmpi-dev openmpi-bin");
  ::unsetenv("MINDGAP_MPI_LIBRARY");
  expect_refused(mindgap_run({"solve", file, "--engine", "spark"}), "--engine");
  expect_refused(mindgap_run({"solve", file, "--engine", "petsc", "--lump"}), "--lump");
}

TEST(Solve, RefusesWhatItCannotDo) {
  const std::string forest = source_path("tests/models/forest3");
  expect_refused(mindgap_run({"solve", forest, "--discount", "1"}), "without --horizon it must be");
  expect_refused(mindgap_run({"solve", forest, "--discount", "1.1"}), "discount must be from 0 to 1");
  expect_refused(mindgap_run({"solve", forest, "--discount", "nan"}), "discount must be from 0 to 1");
  expect_refused(mindgap_run({"solve", forest, "--discount", "-0.1", "--horizon", "3"}), "discount must be");
  expect_refused(mindgap_run({"solve", forest, "--horizon", "0"}), "--horizon");
  expect_refused(mindgap_run({"solve", forest, "--horizon", "3", "--method", "vi"}), "--horizon");
  expect_refused(mindgap_run({"solve", forest, "--horizon", "3", "--time-limit", "1"}), "--horizon");
  expect_refused(mindgap_run({"solve", forest, "--horizon", "2000000000"}), "steps");
  expect_refused(mindgap_run({"solve", forest, "--tolerance", "0"}), "tolerance");
  expect_refused(mindgap_run({"solve", forest, "--tolerance", "inf"}), "tolerance");
  expect_refused(mindgap_run({"solve", forest, "--method", "simplex"}), "unknown method 'simplex'");
  expect_refused(mindgap_run({"solve", forest, "--threads", "-1"}), "--threads");
  expect_refused(mindgap_run({"solve", source_path("tests/models/puterman_inventory")}), "discount is 1");
  const TemporaryFolder folder;
  expect_refused(mindgap_run({"solve", forest, "--out", folder / "nowhere/policy.csv"}),
                 "nowhere/policy.csv");
}

TEST(Solve, ThreadsDoNotChangeTheResult) {
  const std::string model = source_path("tests/models/frozenlake8");
  auto one = mindgap_run({"solve", model, "--format", "json", "--threads", "1"}).json();
  auto seven = mindgap_run({"solve", model, "--format", "json", "--threads", "7"}).json();
  one.erase("seconds");
  seven.erase("seconds");
  EXPECT_EQ(one, seven);
}

// Of docs/howto/errors-that-are-shared.md; values by hand: the robust policy stays where it is, and the worst
// member pays .8 a step there, discount .95.
TEST(Solve, OnePolicyForAllMembers) {
  const Finished run =
      mindgap_run({"solve", source_path("examples/rivals"), "--policy", "robust", "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  EXPECT_EQ(json["policy"], "robust");
  EXPECT_NEAR(json["value_at_start"], .8 / .05, 1e-9);
  double least = 1e300;
  for (const auto& member : json["members"]) least = std::min<double>(least, member["value"]);
  EXPECT_EQ(json["value_at_start"], least);
  EXPECT_GE(json["upper_bound"], json["value_at_start"]);

  const Finished one = mindgap_run({"solve", source_path("examples/vans"), "--policy", "average"});
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_NE(one.err.find("wants an ensemble"), std::string::npos) << one.err;
  const Finished both =
      mindgap_run({"solve", source_path("examples/rivals"), "--policy", "average", "--horizon", "5"});
  EXPECT_EQ(both.exit_code, 2);
}

}  // namespace solve_test
}  // namespace mindgap::app
