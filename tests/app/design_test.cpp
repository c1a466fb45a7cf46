#include <gtest/gtest.h>

#include <filesystem>

#include "app/program.h"

namespace mindgap::app {
namespace design_test {

const std::string kVans = "examples/vans";

std::vector<std::string> arguments(std::vector<std::string> more) {
  std::vector<std::string> all{"design",     source_path(kVans),
                               "--coverage", source_path(kVans + "/coverage.csv"),
                               "--target",   "ensemble:16"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(DesignCommand, JsonHasItsKeys) {
  const Finished run =
      mindgap_run(arguments({"--units", "3", "--steps", "12", "--odds", "2", "--format", "json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  for (const char* key : {"pvv_before", "pvv_after", "pvv_after_rounding", "relative_gap", "status",
                          "iterations", "seconds", "weights_method", "routes", "counts", "share_by_group"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["status"], "converged");
  EXPECT_LE(json["relative_gap"], 1e-3);
  EXPECT_LT(json["pvv_after"], json["pvv_before"]);
  double visits = 0;
  int units = 0;
  for (const auto& pair : json["counts"]) visits += pair["expected"].get<double>();
  for (const auto& route : json["routes"]) units += route["units"].get<int>();
  EXPECT_NEAR(visits, 36, 1e-9);
  EXPECT_EQ(units, 3);
  EXPECT_NEAR(json["share_by_group"]["A"].get<double>() + json["share_by_group"]["B"].get<double>(), 1, 1e-9);
}

TEST(DesignCommand, TextSaysWhereAndWhy) {
  const Finished run = mindgap_run(arguments({"--units", "3", "--steps", "12", "--odds", "2"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* wanted :
       {"A pilot of 3 units x 12 steps", "certificate: no pilot of this size", "Where to look",
        "unit 1: from zone-0-0", "of the steps in group B", "converged"}) {
    EXPECT_NE(run.out.find(wanted), std::string::npos) << wanted << "\n" << run.out;
  }
}

TEST(DesignCommand, WritesAPlanAProgramCanFollow) {
  const TemporaryFolder folder;
  const Finished run =
      mindgap_run(arguments({"--units", "2", "--steps", "5", "--odds", "2", "--out", folder / "plan.json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto plan = nlohmann::json::parse(read_text(folder / "plan.json"));
  EXPECT_EQ(plan["states"].size(), 40u);
  for (const auto& route : plan["routes"]) {
    EXPECT_EQ(route["actions"].size(), 5u);
    EXPECT_EQ(route["actions"][0].size(), 40u);
  }
}

TEST(DesignCommand, ConstraintsFromFiles) {
  const TemporaryFolder folder;
  // The only way into B is through zone-2-3: forbidding it keeps the pilot in A.
  write_text(folder / "forbid.csv", "state,action\nzone-2-3,right\n");
  const Finished home = mindgap_run(
      arguments({"--units", "3", "--steps", "12", "--forbid", folder / "forbid.csv", "--format", "json"}));
  ASSERT_EQ(home.exit_code, 0) << home.err;
  EXPECT_EQ(home.json()["share_by_group"]["B"], 0);
  write_text(folder / "costs.csv", "state,action,cost\nzone-2-3,right,1\n");
  const Finished cheap =
      mindgap_run(arguments({"--units", "3", "--steps", "12", "--costs", folder / "costs.csv",
                             "--cost-budget", "0", "--format", "json"}));
  ASSERT_EQ(cheap.exit_code, 0) << cheap.err;
  EXPECT_NEAR(cheap.json()["share_by_group"]["B"], 0, 1e-6);
  write_text(folder / "positions.csv", "unit,state\na,zone-2-4\nb,zone-2-4\nc,zone-0-0\n");
  const Finished placed = mindgap_run(arguments(
      {"--units", "2", "--steps", "3", "--positions", folder / "positions.csv", "--format", "json"}));
  ASSERT_EQ(placed.exit_code, 0) << placed.err;
  EXPECT_EQ(placed.json()["others"], 1);
  EXPECT_EQ(placed.json()["routes"][0]["likely_way"][0]["state"], "zone-2-4");
}

// Every spelling of a target, and options before the model.
TEST(DesignCommand, EveryTarget) {
  for (const char* target :
       {"ensemble:8", "difference:8", "sop", "posterior", "softmax:1", "explorer", "uniform"}) {
    const Finished run = mindgap_run({"design", "--max-share", "A=.9", "--units", "3", "--steps", "12",
                                      "--target", target, source_path(kVans), "--format", "json"});
    ASSERT_EQ(run.exit_code, 0) << target << run.err;
    EXPECT_LE(run.json()["pvv_after"], run.json()["pvv_before"]) << target;
    EXPECT_EQ(run.json()["status"], "converged") << target;
  }
}

TEST(DesignCommand, RefusesBadInput) {
  const TemporaryFolder folder;
  const auto refused = [&](std::vector<std::string> more, const std::string& wanted) {
    expect_refused(mindgap_run(arguments(std::move(more))), wanted);
  };
  refused({"--units", "0", "--steps", "5"}, "units");
  refused({"--units", "3", "--steps", "0"}, "steps");
  refused({"--units", "3"}, "--steps");
  refused({"--units", "3", "--steps", "5", "--min-share", "B=.9"}, "'B'");
  refused({"--units", "3", "--steps", "5", "--min-share", "Z=.1"}, "Z");
  refused({"--units", "3", "--steps", "5", "--min-share", "B"}, "GROUP=SHARE");
  expect_refused(
      mindgap_run({"design", source_path(kVans), "--units", "3", "--steps", "5", "--target", "nobody"}),
      "ensemble");
  write_text(folder / "positions.csv", "unit,state\na,zone-9-9\n");
  refused({"--units", "1", "--steps", "5", "--positions", folder / "positions.csv"}, "positions.csv:2");
  write_text(folder / "positions.csv", "unit,state\na,zone-0-0\n");
  refused({"--units", "2", "--steps", "5", "--positions", folder / "positions.csv"},
          "1 units have a position");
  write_text(folder / "positions.csv", "unit,state\na,zone-0-0\nb,zone-0-1\n");
  refused({"--units", "1", "--steps", "5", "--positions", folder / "positions.csv", "--others", "3"},
          "1 units are left for the others");
  std::string all = "state,action\n";
  const std::string rewards = read_text(source_path(kVans + "/rewards.csv"));
  for (std::size_t at = rewards.find('\n') + 1; at < rewards.size(); at = rewards.find('\n', at) + 1) {
    const std::size_t end = rewards.find(',', rewards.find(',', at) + 1);
    all += rewards.substr(at, end - at) + "\n";
  }
  write_text(folder / "forbid.csv", all);
  refused({"--units", "1", "--steps", "5", "--forbid", folder / "forbid.csv"}, "forbidden");
}

// Navigation, other sizes and kept rates: what they say, that a plan can be followed, and what is refused.
TEST(DesignCommand, NavigatesAndSizes) {
  const TemporaryFolder folder;
  const std::string positions = folder / "positions.csv";
  write_text(positions, "unit,state\na,zone-0-0\nb,zone-0-2\nc,zone-1-1\nd,zone-1-3\n");
  const Finished run = mindgap_run(arguments(
      {"--units", "4", "--steps", "12", "--positions", positions, "--navigation", "--bottleneck", "zone-2-4",
       "--sizes", "--size-units", "2,4", "--size-steps", "6,12", "--remove", "0.3", "--format", "json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  const auto& navigation = json["navigation"];
  EXPECT_EQ(navigation["goals"].size(), 4u);
  EXPECT_NEAR(navigation["excess"].get<double>(),
              json["pvv_after_rounding"].get<double>() - navigation["optimum"].get<double>(), 1e-6);
  EXPECT_GE(navigation["bound"], navigation["excess"]);
  EXPECT_EQ(navigation["bottleneck"], std::vector<std::string>{"zone-2-4"});
  EXPECT_EQ(json["sizes"]["grid"].size(), 4u);
  double last = 1e300;
  for (const auto& size : json["sizes"]["grid"]) {
    if (size["units"] == 4) {
      EXPECT_LT(size["pvv"].get<double>(), last);
      last = size["pvv"];
    }
  }
  // The design's own size is in the grid, and its units begin at the same places: the same least variance, to
  // the gaps of both.
  EXPECT_NEAR(last, json["pvv_after"].get<double>(), .02 * last);
  EXPECT_TRUE(json["sizes"]["smallest"]["found"]);
  EXPECT_GE(json["sizes"]["smallest"]["removed"], .3);
  const Finished plain =
      mindgap_run(arguments({"--units", "4", "--steps", "12", "--positions", positions, "--format", "json"}));
  EXPECT_TRUE(plain.json()["navigation"].is_null());
  EXPECT_NEAR(plain.json()["pvv_after"].get<double>(), json["pvv_after"].get<double>(), 1e-2 * last);
  EXPECT_LT(plain.json()["pvv_after_rounding"], json["pvv_after_rounding"]);
  for (const auto& [words, said] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--units", "2", "--steps", "5", "--remove", "0.3"}, "--sizes"},
           {{"--units", "2", "--steps", "5", "--bottleneck", "zone-2-4"}, "--navigation"},
           {{"--units", "2", "--steps", "5", "--navigation", "--bottleneck", "nowhere"}, "nowhere"},
           {{"--units", "2", "--steps", "5", "--sizes", "--size-units", "4,2"}, "ascend"}}) {
    const Finished refused = mindgap_run(arguments(words));
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find(said), std::string::npos) << refused.err;
  }
  const Finished moving = mindgap_run(
      {"design", source_path(kVans), "--units", "2", "--steps", "5", "--navigation", "--target", "explorer"});
  EXPECT_EQ(moving.exit_code, 2);
  EXPECT_NE(moving.err.find("explorer"), std::string::npos) << moving.err;
}

// Published models state neither a prior nor how rewards vary: what is missing is said, and with it stated
// navigation works. A discount of 1 has no value over an infinite horizon.
TEST(DesignCommand, NavigatesPublishedModels) {
  const TemporaryFolder folder;
  for (const std::string name :
       {"cliffwalking", "forest3", "frozenlake4", "frozenlake8", "puterman_inventory"}) {
    const std::string source = source_path("tests/models/" + name), mine = folder / name;
    const auto navigate = [](const std::string& model) {
      return mindgap_run({"design", model, "--units", "3", "--steps", "10", "--navigation"});
    };
    const Finished asked = navigate(source);
    expect_refused(asked, "[prior] in model.toml, or --reward-sd and --transition-strength");
    EXPECT_NE(asked.err.find("reward_variance ([observation] in model.toml)"), std::string::npos);
    std::filesystem::copy(source, mine);
    write_text(mine + "/model.toml", read_text(mine + "/model.toml") +
                                         "\n[prior]\nreward_sd = 0.2\ntransition_strength = 5\n"
                                         "\n[observation]\nreward_variance = 0.25\n");
    const Finished run = navigate(mine);
    if (name == "puterman_inventory") {
      expect_refused(run, "discount is 1, but a design needs one below 1");
      continue;
    }
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NE(run.out.find("goes to"), std::string::npos);
    // Rounding is not shown as a difference.
    EXPECT_EQ(run.out.find("e-1", run.out.find("Navigation:")), std::string::npos) << run.out;
    if (name == "forest3") {
      EXPECT_NE(run.out.find("as the best pilot of this size does"), std::string::npos);
    }
  }
}

TEST(DesignCommand, GroupsKeepTheirRates) {
  const auto share_of_a = [](const std::string& rate) {
    const Finished run =
        mindgap_run(arguments({"--units", "8", "--steps", "25", "--keep-rates", rate, "--format", "json"}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(run.json()["constraints_kept"]);
    return run.json()["share_by_group"]["A"].get<double>();
  };
  // All vans begin in A, and by the current policy they stay there.
  EXPECT_GE(share_of_a("0.8"), .8 - 1e-6);
  EXPECT_NEAR(share_of_a("1"), 1, 1e-6);
  const Finished refused = mindgap_run(arguments({"--units", "2", "--steps", "5", "--keep-rates", "1.5"}));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("keep_rates is 1.5"), std::string::npos) << refused.err;
}

}  // namespace design_test
}  // namespace mindgap::app
