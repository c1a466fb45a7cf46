// What an attack from outside has found: each is refused in one line, and nothing ends in a signal.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>

#include "app/program.h"
#include "mindgap/mdp/about.h"

namespace mindgap::app {
namespace attack_test {
namespace fs = std::filesystem;

const std::string kVans = source_path("examples/vans");

TEST(Attack, AnEmptyValueIsNoValue) {
  const TemporaryFolder folder;
  write_text(folder.path() / "units.csv", "unit,state\nu1,home\n");
  using Words = std::vector<std::string>;
  const std::pair<Words, std::string> cases[] = {
      {{"decide", kVans, "--units", "2", "--horizon", "5", "--coverage", ""}, "--coverage"},
      {{"decide", kVans, "--units", "2", "--horizon", "5", "--coverage="}, "--coverage"},
      {{"decide", kVans, "--units", "2", "--horizon", "5", "--log", ""}, "--log"},
      {{"decide", kVans, "--units", "2", "--horizon", "5", "--report", ""}, "--report"},
      {{"decide", kVans, "--units", "2", "--horizon", "5", "--min-share", ""}, "--min-share"},
      {{"diagnose", kVans, "--truth", ""}, "--truth"},
      {{"diagnose", kVans, "--jacobian", ""}, "--jacobian"},
      {{"study", "init", folder / "s", "--model", kVans, "--units", folder / "units.csv", "--horizon", "5",
        "--coverage", ""},
       "--coverage"},
      {{"solve", kVans, "--out", ""}, "--out"},
      {{"check", ""}, "MODEL"},
  };
  for (const auto& [words, option] : cases)
    expect_refused(mindgap_run(words), words.back() == "--coverage=" ? option : option + " is empty");
  EXPECT_FALSE(fs::exists(folder.path() / "s"));
}

TEST(Attack, NumbersThatDoNotFitAreNoOthers) {
  for (const std::string seed : {"18446744073709551616", "99999999999999999999999", "-1"})
    expect_refused(mindgap_run({"solve", kVans, "--seed", seed}), "--seed");
  EXPECT_EQ(mindgap_run({"solve", kVans, "--seed", "18446744073709551615"}).exit_code, 0);
  expect_refused(mindgap_run({"decide", kVans, "--units", "99999999999999999999", "--horizon", "5"}),
                 "--units");
}

// Links in a circle, names beyond the system's limit and folders without permission are the user's to mend.
TEST(Attack, PathsThatCannotBeLookedAtAreExitTwo) {
  const TemporaryFolder folder;
  fs::create_symlink("loop", folder.path() / "loop");
  fs::create_directory(folder.path() / "model");
  fs::create_symlink("loop", folder.path() / "model" / "ensemble.toml");
  fs::create_symlink("model.toml", folder.path() / "model" / "model.toml");
  const std::string loop = folder / "loop", name(300, 'n'), out = folder / "out";
  for (const std::string& bad : {loop, folder / name, folder / ("model/" + name), folder / "model"}) {
    const std::string reason = bad.size() > 200 ? "File name too long" : "Too many levels of symbolic links";
    expect_refused(mindgap_run({"check", bad}), reason);
    expect_refused(mindgap_run({"solve", bad}), reason);
    if (bad == folder / "model") continue;
    expect_refused(mindgap_run({"compare", bad, "--trials", "1"}), reason);
    expect_refused(mindgap_run({"diagnose", kVans, "--truth", bad}), reason);
    expect_refused(mindgap_run({"convert", kVans, bad}), reason);
    expect_refused(mindgap_run({"study", "status", bad}), reason);
    expect_refused(mindgap_run({"study", "verify", bad}), reason);
    expect_refused(mindgap_run({"compare", "lock", "--trials", "1", "--out", bad}), reason);
  }
}

TEST(Attack, PermissionDeniedIsNotNoSuchFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may look anywhere";
  const TemporaryFolder folder;
  fs::copy(kVans, folder.path() / "closed");
  fs::permissions(folder.path() / "closed", fs::perms::none);
  for (const std::string verb : {"check", "solve"})
    expect_refused(mindgap_run({verb, folder / "closed"}), "Permission denied");
  expect_refused(mindgap_run({"study", "status", folder / "closed"}), "Permission denied");
  fs::permissions(folder.path() / "closed", fs::perms::owner_all);
}

void write_model(const fs::path& folder, const std::string& scale, const std::string& prior,
                 const std::string& variance) {
  fs::create_directories(folder);
  write_text(
      folder / "model.toml",
      "format = \"mindgap-model/1\"\ndiscount = 0.9\nstates = \"states.csv\"\nactions = [\"a\", \"b\"]\n"
      "rewards = \"rewards.csv\"\ntransitions = \"transitions.csv\"\n[prior]\n" +
          prior + "[observation]\nreward_variance = " + variance + "\n");
  write_text(folder / "states.csv", "name\ns0\ns1\n");
  write_text(folder / "rewards.csv",
             "state,action,reward\ns0,a,0\ns0,b," + scale + "\ns1,a,-" + scale + "\ns1,b,0\n");
  write_text(folder / "transitions.csv",
             "state,action,next_state,probability\ns0,a,s0,0.25\ns0,a,s1,0.75\ns0,b,s0,0.5\ns0,b,s1,0.5\n"
             "s1,a,s0,0.5\ns1,a,s1,0.5\ns1,b,s1,1\n");
}

// Names of the keys whose value is null.
void collect_nulls(const nlohmann::json& json, const std::string& name, std::set<std::string>& found) {
  if (json.is_null()) found.insert(name);
  if (json.is_array()) {
    for (const auto& part : json) collect_nulls(part, name, found);
  }
  if (json.is_object()) {
    for (const auto& [key, part] : json.items()) collect_nulls(part, key, found);
  }
}

// Numbers at the ends of what is allowed: finite answers, and null only where docs/reference/json.md lists
// it.
TEST(Attack, ExtremeModelsHaveFiniteAnswers) {
  const TemporaryFolder folder;
  std::set<std::string> listed = {"epi",
                                  "break_even_step",
                                  "stopping",
                                  "warning",
                                  "refuted",
                                  "report",
                                  "gain_over_learning",
                                  "pilot_price",
                                  "worlds_needed",
                                  "gain",
                                  "gain_interval",
                                  "prior_implies",
                                  "repeat_worlds",
                                  "share_best",
                                  "expected_loss",
                                  "groups",
                                  "group",
                                  "tornado",
                                  "where",
                                  "precision",
                                  "stated",
                                  "kappa_eff",
                                  "kappa_eff_paper",
                                  "reward_sd",
                                  "variance_se",
                                  "ratio_se",
                                  "navigation",
                                  "sizes"};
  for (const mdp::AboutKey& key : mdp::kAboutKeys) listed.insert(key.name);
  int number = 0;
  for (const char* scale : {"1e-300", "1", "1e100"}) {
    for (const char* prior :
         {"reward_sd = 1e100\ntransition_strength = 1e-12\n", "reward_sd = 0\ntransition_strength = 1e100\n",
          "reward_sd = 1e-300\ntransition_strength = 1\n"}) {
      for (const char* variance : {"0.0", "1e-200", "1e200"}) {
        const std::string model = folder / std::to_string(++number);
        write_model(model, scale, prior, variance);
        for (const std::vector<std::string>& words :
             {std::vector<std::string>{"diagnose", model, "--draws", "20"},
              {"design", model, "--units", "2", "--steps", "3"},
              {"decide", model, "--units", "2", "--horizon", "3", "--worlds", "4"}}) {
          std::vector<std::string> all = words;
          all.insert(all.end(), {"--format", "json"});
          const Finished run = mindgap_run(all);
          ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 3)
              << words[0] << " " << scale << " " << prior << variance << ": " << run.err;
          std::set<std::string> nulls;
          collect_nulls(run.json(), "", nulls);
          for (const std::string& key : nulls)
            EXPECT_TRUE(listed.contains(key))
                << words[0] << " " << scale << " " << prior << variance << ": " << key;
        }
      }
    }
  }
}

TEST(Attack, NumbersBeyondPrecisionAreRefusedWithTheirPlace) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& scale, const std::string& prior, const std::string& variance,
                           const std::string& wanted) {
    write_model(folder.path() / "m", scale, prior, variance);
    for (const std::vector<std::string>& words : {std::vector<std::string>{"diagnose", folder / "m"},
                                                  {"design", folder / "m", "--units", "2", "--steps", "3"},
                                                  {"decide", folder / "m", "--units", "2", "--horizon", "3"}})
      expect_refused(mindgap_run(words), wanted);
  };
  const std::string good = "reward_sd = 1\ntransition_strength = 1\n";
  refused("1", "reward_sd = 1e154\ntransition_strength = 1\n", "1", "m/model.toml:8: reward_sd must be");
  refused("1", "reward_sd = 1\ntransition_strength = 1e-300\n", "1",
          "m/model.toml:9: transition_strength must be");
  refused("1", good, "1e-310", "m/model.toml:11: a reward variance must be");
  refused("1e160", good, "1", "state 's0', action 'b': the reward is beyond 1e100");
}

// HDF5 complained in lines of its own, at the end of the program, about what damaged files had left open.
TEST(Attack, DamagedHdf5IsOneLine) {
  // HDF5 keeps some memory of a file that it failed on, and the program does not ask it to clean up
  // (leave_hdf5_quietly): no leak of ours, and nothing else is looked for here.
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  const TemporaryFolder folder;
  ASSERT_EQ(mindgap_run({"convert", kVans, folder / "good.h5"}).exit_code, 0);
  const std::string good = read_text(folder.path() / "good.h5");
  std::mt19937_64 bits(7);
  int refused = 0;
  for (int i = 0; i < 40; ++i) {
    std::string bad = good;
    for (int change = 0; change < 4; ++change)
      bad[8 + bits() % (bad.size() - 8)] ^= static_cast<char>(1 << bits() % 8);
    write_text(folder.path() / "bad.h5", bad);
    const Finished run = mindgap_run({"check", folder / "bad.h5", "--quiet"});
    ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 2) << run.exit_code << run.err;
    if (run.exit_code == 2) {
      expect_refused(run, "bad.h5");
    } else {
      EXPECT_EQ(run.err, "");
    }
    refused += run.exit_code == 2;
  }
  EXPECT_GT(refused, 10);
}

}  // namespace attack_test
}  // namespace mindgap::app
