// How the program speaks: exit codes, one line of error, help with an example. What each malformed file is
// told is tested with the readers (tests/mdp); here the program's side of a sample of them.
#include <gtest/gtest.h>

#include "app/program.h"

namespace mindgap::app {
namespace usage_test {

TEST(Usage, HelpHasAnExample) {
  for (const std::string command : {"check", "solve", "convert"}) {
    const Finished run = mindgap_run({command, "--help"});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_NE(run.out.find("Example:\n  mindgap " + command), std::string::npos) << run.out;
    for (const char* option : {"--format", "--seed", "--threads", "--quiet"}) {
      EXPECT_NE(run.out.find(option), std::string::npos) << option;
    }
  }
  EXPECT_EQ(mindgap_run({"--help"}).exit_code, 0);
  EXPECT_EQ(mindgap_run({"--version"}).out.rfind("mindgap ", 0), 0U);
}

TEST(Usage, MistakesAreExitTwoAndOneLine) {
  expect_refused(mindgap_run({"dance"}), "dance");
  expect_refused(mindgap_run({"solve"}), "MODEL");
  expect_refused(mindgap_run({"solve", source_path("examples/vans"), "--fast"}), "--fast");
  expect_refused(mindgap_run({"solve", source_path("examples/vans"), "--format", "xml"}), "xml");
  expect_refused(mindgap_run({"solve", source_path("examples/vans"), "--horizon", "ten"}), "ten");
}

// One change each to a good model; the message must name the file and what is wrong.
struct Damage {
  std::string name, file, text, wanted;
};

void PrintTo(const Damage& damage, std::ostream* out) {  // NOLINT: the name is GoogleTest's
  *out << damage.name;
}

class DamagedModel : public testing::TestWithParam<Damage> {};

TEST_P(DamagedModel, IsRefusedByEveryCommand) {
  const TemporaryFolder folder;
  std::filesystem::copy(source_path("tests/models/forest3"), folder.path() / "model");
  const std::filesystem::path file = folder.path() / "model" / GetParam().file;
  if (GetParam().text == "<gone>") {
    std::filesystem::remove(file);
  } else {
    write_text(file, GetParam().text);
  }
  const std::string model = folder / "model";
  expect_refused(mindgap_run({"check", model}), GetParam().wanted);
  expect_refused(mindgap_run({"solve", model, "--out", folder / "policy.csv"}), GetParam().wanted);
  expect_refused(mindgap_run({"convert", model, folder / "out.h5"}), GetParam().wanted);
  int entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++entries;
  EXPECT_EQ(entries, 1) << "something was written";
}

const std::string kRewards = "state,action,reward\nyoung,wait,0\nyoung,cut,0\nmiddle,wait,0\nmiddle,cut,1\n";

INSTANTIATE_TEST_SUITE_P(
    Usage, DamagedModel,
    testing::Values(
        Damage{"missing_file", "rewards.csv", "<gone>", "rewards.csv"},
        Damage{"missing_column", "rewards.csv", "state,action\nyoung,wait\n", "rewards.csv:1"},
        Damage{"unknown_state", "rewards.csv", kRewards + "oak,wait,4\n", "rewards.csv:6: "},
        Damage{"unknown_action", "rewards.csv", kRewards + "old,burn,4\n", "burn"},
        Damage{"infinite_reward", "rewards.csv", kRewards + "old,wait,inf\nold,cut,2\n", "rewards.csv:6: "},
        Damage{"pair_without_reward", "rewards.csv", kRewards + "old,wait,4\n", "action 'cut'"},
        Damage{"bad_sum", "transitions.csv",
               "state,action,next_state,probability\nyoung,cut,young,1\nyoung,wait,young,0.5\nyoung,wait,old,"
               "0.4\n"
               "middle,wait,old,1\nmiddle,cut,young,1\nold,wait,old,1\nold,cut,young,1\n",
               "transitions.csv:3: state 'young', action 'wait'"},
        Damage{"negative", "transitions.csv", "state,action,next_state,probability\nyoung,wait,young,-1\n",
               "transitions.csv:2"},
        Damage{"nan", "transitions.csv", "state,action,next_state,probability\nyoung,wait,young,nan\n",
               "transitions.csv:2"},
        Damage{"bad_start", "states.csv", "name,start\nyoung,0.5\nmiddle,0\nold,0.4\n", "states.csv"},
        Damage{"twice", "states.csv", "name\nyoung\nyoung\nold\n", "states.csv:3"},
        Damage{"empty", "states.csv", "", "states.csv"},
        Damage{"garbage", "states.csv", std::string("\0\1\2\xff\xfe,\n\0", 8), "states.csv"},
        Damage{"toml", "model.toml", "format = \n", "model.toml"}),
    [](const auto& test) { return test.param.name; });

TEST(Usage, ClosedStreamsDoNotChangeTheExitCode) {
  const std::string program = MINDGAP_PROGRAM;
  EXPECT_EQ(run_program("/bin/sh", {"-c", program + " solve nowhere 2>&-"}).exit_code, 2);
  EXPECT_EQ(run_program("/bin/sh", {"-c", program + " --version >&-"}).exit_code, 2);
  expect_refused(mindgap_run({"solve", "two\nlines"}), "two\\x0alines");
}

TEST(Usage, FullDiskIsAnError) {
  const std::string command =
      std::string(MINDGAP_PROGRAM) + " check " + source_path("examples/vans") + " >/dev/full";
  const Finished run = run_program("/bin/sh", {"-c", command});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("standard output"), std::string::npos);
}

}  // namespace usage_test
}  // namespace mindgap::app
