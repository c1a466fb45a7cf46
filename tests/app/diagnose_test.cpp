#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "app/program.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/random.h"
#include "mindgap/files/model_file.h"
#include "mindgap/mdp/model.h"

namespace mindgap::app {
namespace diagnose_test {

const std::string kSimulator = "tests/models/example_e_simulator";

Finished diagnose(const std::string& model, std::vector<std::string> more) {
  more.insert(more.begin(), {"diagnose", source_path(model), "--format", "json"});
  return mindgap_run(more);
}

TEST(Diagnose, JsonBeforeAnyPilot) {
  const Finished run = diagnose(kSimulator, {"--draws", "200"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  for (const char* key :
       {"sop_value", "sop_bounds", "unreached_states", "epi", "evpi", "evpi_se", "evpi_local",
        "evpi_local_se", "evpi_reach", "evpi_reach_se", "pvv_prior", "support_threshold"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_LE(json["sop_bounds"][0], json["sop_value"]);
  EXPECT_GE(json["sop_bounds"][1], json["sop_value"]);
  EXPECT_NEAR(json["evpi"].get<double>(), json["evpi_local"].get<double>() + json["evpi_reach"].get<double>(),
              1e-9);
  EXPECT_EQ(json["epi"].size(), 6u);
  EXPECT_GE(json["epi"][0]["epi"], json["epi"][1]["epi"]);
  EXPECT_FALSE(json.contains("residuals"));
  EXPECT_FALSE(json.contains("shift_error"));
}

// spec/tabular.md 5.
TEST(Diagnose, JsonAgainstATruth) {
  const Finished run =
      diagnose(kSimulator, {"--truth", source_path("tests/models/example_e"), "--draws", "0"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  EXPECT_NEAR(json["shift_error"]["reward"], .1333333333, 1e-9);
  EXPECT_NEAR(json["shift_error"]["transition"], .1333333333, 1e-9);
  EXPECT_NEAR(json["confounding"]["reward"], .08, 1e-9);
  EXPECT_NEAR(json["drift"]["reward"], .08, 1e-9);
  EXPECT_NEAR(json["residual_error"]["reward"], .05, 1e-9);
  EXPECT_NEAR(json["residual_error"]["transition"], .0353333333, 1e-9);
  EXPECT_EQ(json["history_error"]["reward"], 0);
  EXPECT_NEAR(json["simulation_lemma_bound"], 5.5433333, 1e-6);
  EXPECT_NEAR(json["simulation_lemma_bound_paper"], 19.9066667, 1e-6);
  ASSERT_EQ(json["pairs"].size(), 6u);
  EXPECT_EQ(json["pairs"][3]["state"], "s1");
  EXPECT_EQ(json["pairs"][3]["action"], "a1");
  EXPECT_NEAR(json["pairs"][3]["confounding"]["reward"], .0184615, 1e-7);
  EXPECT_NEAR(json["pairs"][3]["drift"]["reward"], .02, 1e-9);
  EXPECT_NEAR(json["value_gap"], 0, 1e-9);
  for (const char* key : {"reward", "transition", "policy", "interaction"}) {
    EXPECT_TRUE(json["value_decomposition"].contains(key));
  }
  EXPECT_EQ(json["local_gap"], 0);
  EXPECT_EQ(json["reach_gap"], 0);
  EXPECT_NEAR(json["epi"][0]["epi"], .8685219755, 1e-9);
  EXPECT_TRUE(json["evpi"].is_null());
}

TEST(Diagnose, JsonAfterAPilot) {
  const std::string vans = "examples/vans";
  const Finished run = diagnose(vans, {"--coverage", source_path(vans + "/coverage.csv"), "--odds", "2",
                                       "--log", source_path(vans + "/pilot.csv"), "--draws", "50"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  EXPECT_EQ(json["prior_source"], "coverage");
  EXPECT_EQ(json["odds"], 2);
  EXPECT_EQ(json["log_rows"], 100);
  EXPECT_EQ(json["residuals"].size(), json["covered_pairs"]);
  ASSERT_GT(json["flagged"].size(), 0u);
  EXPECT_TRUE(json["flagged"][0].contains("state"));
  EXPECT_GT(json["epsilon_r"], 1);
  EXPECT_EQ(json["epsilon_p"], 0);
  EXPECT_EQ(json["crossover_horizon"], 0);
  EXPECT_GT(json["update_gain"], 1);
  EXPECT_EQ(json["unreached_states"].size(), 32u);
  EXPECT_EQ(json["routes"].size(), 10u);
  EXPECT_EQ(json["routes"][0]["route"][0]["state"], "zone-1-3");
}

TEST(Diagnose, TextNamesWhatMatters) {
  const Finished run =
      mindgap_run({"diagnose", source_path("examples/vans"), "--coverage",
                   source_path("examples/vans/coverage.csv"), "--draws", "100", "--top", "3"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* wanted :
       {"its best policy earns 8 ", "84 of 166 pairs do not occur", "odds 1:", "zone-0-0 / stay",
        "32 of 40 states", "only an experiment can", "What these numbers assume"}) {
    EXPECT_NE(run.out.find(wanted), std::string::npos) << wanted << "\n" << run.out;
  }
  EXPECT_EQ(run.err, "");
}

// Numbers in the text are those of the JSON, and neither depends on threads.
TEST(Diagnose, SameNumbersForAnyThreads) {
  const Finished one = diagnose(kSimulator, {"--draws", "60", "--threads", "1"});
  const Finished two = diagnose(kSimulator, {"--draws", "60", "--threads", "2"});
  EXPECT_EQ(one.out, two.out);
  EXPECT_NE(one.out, diagnose(kSimulator, {"--draws", "60", "--seed", "7"}).out);
}

TEST(Diagnose, RefusesBadInput) {
  const TemporaryFolder folder;
  const auto refused = [&](std::vector<std::string> more, const std::string& wanted) {
    more.insert(more.begin(), {"diagnose", source_path(kSimulator)});
    expect_refused(mindgap_run(more), wanted);
  };
  const std::string header = "unit,step,state,action,reward,next_state\n";
  write_text(folder / "log.csv", header + "u,0,s0,a0,.1,s1\nu,1,s9,a0,.1,s1\n");
  refused({"--log", folder / "log.csv"}, "log.csv:3: the state is unknown: the simulator has never seen it");
  write_text(folder / "log.csv", header + "u,0,s0,a0,inf,s1\n");
  refused({"--log", folder / "log.csv"}, "the reward must be finite");
  write_text(folder / "coverage.csv", "state,action,count\ns0,a7,3\n");
  refused({"--coverage", folder / "coverage.csv"}, "coverage.csv:2");
  refused({"--coverage", folder / "none.csv"}, "none.csv");
  refused({"--odds", ".5"}, "odds is 0.5");
  refused({"--reward-sd", "-1"}, "reward_sd is -1, but must be zero or more");
  refused({"--transition-strength", "0"}, "transition_strength is 0, but must be positive");
  refused({"--drift-sd", "nan"}, "drift_sd is nan");
  refused({"--truth", source_path("examples/vans")}, "world.toml");
  refused({"--truth", folder / "nowhere"}, "nowhere");
  refused({"--level", "0"}, "--level");
  expect_refused(mindgap_run({"diagnose", source_path("tests/models/forest3")}), "states no prior");
}

TEST(Diagnose, LargeRewardsAreAnErrorOnlyWhenStrict) {
  const TemporaryFolder folder;
  write_text(folder / "log.csv",
             "unit,step,state,action,reward,next_state\nu,5,s0,a0,.1,s1\nu,0,s1,a0,9,s1\nu,0,s2,a0,.3,s0\n");
  const Finished lenient = diagnose(kSimulator, {"--log", folder / "log.csv", "--draws", "0"});
  ASSERT_EQ(lenient.exit_code, 0);
  EXPECT_EQ(lenient.json()["large_reward_lines"], nlohmann::json::array({3}));
  EXPECT_EQ(lenient.json()["repeated_lines"], nlohmann::json::array({4}));
  EXPECT_NE(lenient.err.find("beyond reward_max = 1"), std::string::npos) << lenient.err;
  expect_refused(mindgap_run({"diagnose", source_path(kSimulator), "--log", folder / "log.csv", "--draws",
                              "0", "--strict"}),
                 "in line 3");
}

// A move the simulator calls impossible is a finding.
TEST(Diagnose, ImpossibleTransitionsAreFindings) {
  const TemporaryFolder folder;
  write_text(folder / "log.csv",
             "unit,step,state,action,reward,next_state\nvan,0,zone-0-0,stay,0,zone-4-7\n");
  const Finished run = diagnose("examples/vans", {"--log", folder / "log.csv", "--draws", "0"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto found = run.json()["impossible_transitions"];
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["next_state"], "zone-4-7");
  EXPECT_EQ(found[0]["count"], 1);
}

TEST(Diagnose, AJacobianSaysWhetherThePastFades) {
  const TemporaryFolder folder;
  write_text(folder / "fades.csv", "0.5,0.1\n0,0.4\n");
  const auto fades = diagnose(kSimulator, {"--jacobian", folder / "fades.csv", "--draws", "0"});
  ASSERT_EQ(fades.exit_code, 0) << fades.err;
  EXPECT_NEAR(fades.json()["contraction"]["spectral_radius"], .5, 1e-12);
  EXPECT_EQ(fades.err, "");
  write_text(folder / "grows.csv", "1.1,0\n0,0.4\n");
  const auto grows = diagnose(kSimulator, {"--jacobian", folder / "grows.csv", "--draws", "0"});
  EXPECT_EQ(grows.json()["contraction"]["contracting"], false);
  EXPECT_NE(grows.err.find("do not contract"), std::string::npos) << grows.err;
  write_text(folder / "bad.csv", "1,2\n");
  expect_refused(mindgap_run({"diagnose", source_path(kSimulator), "--jacobian", folder / "bad.csv"}),
                 "square");
}

// The coverage an HDF5 file carries counts without being named.
TEST(Diagnose, CoverageInTheModelFile) {
  const TemporaryFolder folder;
  mdp::Model model = files::read_model(source_path(kSimulator));
  model.coverage.assign(static_cast<std::size_t>(model.mdp.pairs()), 25.0);
  files::write_model(model, folder / "e.h5");
  const Finished run = mindgap_run({"diagnose", folder / "e.h5", "--format", "json", "--draws", "0"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.json()["prior_source"], "coverage");
  EXPECT_EQ(run.json()["unmeasured_share"], 0);
}

// A lottery decides half of the time, else somebody who sees h, which adds 1: action a1 looks .5 better than
// it is. The record in text, JSON and page; without the column nothing is said about instruments.
TEST(DiagnoseCommand, HistoryWithAnInstrument) {
  const TemporaryFolder folder;
  std::string rows = "unit,step,state,action,reward,next_state,instrument\n", plain = rows;
  plain.replace(plain.find(",instrument"), 11, "");
  base::Stream stream({7, base::Purpose::test, 0, 0});
  for (int i = 0; i < 3000; ++i) {
    const int h = base::uniform(stream) < .5 ? 1 : 0, z = base::uniform(stream) < .5 ? 1 : 0;
    const int a = base::uniform(stream) < .5 ? z : h;
    const double reward = .2 * a + h + .1 * base::normal(stream);
    const std::string row = "u" + std::to_string(i % 50) + "," + std::to_string(i / 50) + ",s" +
                            std::to_string(i % 3) + ",a" + std::to_string(a) + "," + std::to_string(reward) +
                            ",s" + std::to_string(i / 3 % 3);
    rows += row + (z == 1 ? ",drawn\n" : ",not drawn\n");
    plain += row + "\n";
  }
  std::ofstream(folder / "history.csv") << rows;
  std::ofstream(folder / "plain.csv") << plain;
  const Finished run = diagnose(kSimulator, {"--draws", "0", "--history", folder / "history.csv"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto found = run.json()["history_test"]["instrument"];
  EXPECT_EQ(found["values"].size(), 2u);
  EXPECT_EQ(found["rows"], 3000);
  EXPECT_EQ(found["weak"], 0);
  ASSERT_EQ(found["pairs"].size(), 6u);
  for (const auto& pair : found["pairs"]) {
    const bool one = pair["action"] == "a1";
    EXPECT_NEAR(pair["estimate"].get<double>(), .5 + (one ? .2 : 0),
                4 * pair["estimate_error"].get<double>());
    EXPECT_NEAR(pair["confounding"].get<double>(), one ? .25 : -.25, .1);
    EXPECT_LT(pair["bonferroni"], .05);
    EXPECT_TRUE(pair["by_unit"]);
  }
  const Finished said = mindgap_run({"diagnose", source_path(kSimulator), "--draws", "0", "--history",
                                     folder / "history.csv", "--report", folder / "page.html"});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  for (const char* words : {"first-stage F", "at 6 of 6", "through the action", "by the instrument"})
    EXPECT_NE(said.out.find(words), std::string::npos) << words << said.out;
  std::ifstream page(folder / "page.html");
  const std::string html((std::istreambuf_iterator<char>(page)), {});
  EXPECT_NE(html.find("Confounding of mean rewards, by the instrument"), std::string::npos);
  const Finished without = diagnose(kSimulator, {"--draws", "0", "--history", folder / "plain.csv"});
  ASSERT_EQ(without.exit_code, 0) << without.err;
  EXPECT_FALSE(without.json()["history_test"].contains("instrument"));
  EXPECT_NE(without.out.find("nor an instrument"), std::string::npos);
}

// Whether what the numbers rest on holds: in JSON, text and page.
TEST(DiagnoseCommand, ChecksItself) {
  const std::string vans = source_path("examples/vans");
  const std::vector<std::string> words{"diagnose",
                                       vans,
                                       "--coverage",
                                       vans + "/coverage.csv",
                                       "--odds",
                                       "2",
                                       "--log",
                                       vans + "/pilot.csv",
                                       "--calibration",
                                       vans + "/pilot.csv",
                                       "--draws",
                                       "50",
                                       "--precision-factor",
                                       "3"};
  std::vector<std::string> json_words = words;
  json_words.insert(json_words.end(), {"--format", "json"});
  const Finished run = mindgap_run(json_words);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto checks = run.json()["checks"];
  EXPECT_EQ(checks["delta_method"]["draws"], 50);
  EXPECT_NEAR(checks["delta_method"]["ratio"].get<double>(), 1,
              .1 + 4 * checks["delta_method"]["ratio_se"].get<double>());
  EXPECT_GT(checks["delta_method"]["second_order"]["total"], 0);
  EXPECT_EQ(checks["precision"]["bound"], 9);
  EXPECT_LE(checks["precision"]["worst"], 9);
  EXPECT_EQ(checks["propensity_odds"]["variance_ratio"], (std::vector<double>{.5, 2}));
  EXPECT_FALSE(checks["positivity"]["holds"]);
  EXPECT_TRUE(checks["prior_strength"]["calibrated"]);
  EXPECT_TRUE(checks["prior_strength"]["kappa_eff"].is_object());
  const Finished said = mindgap_run(words);
  EXPECT_NE(said.out.find("Checks of these numbers"), std::string::npos) << said.out;
}

}  // namespace diagnose_test
}  // namespace mindgap::app
