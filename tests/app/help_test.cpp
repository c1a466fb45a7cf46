// Help, what was probably meant, colours, interruption, man pages and completion.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <sstream>

#include "app/program.h"

namespace mindgap::app {
namespace help_test {

// The program with variables of the environment, through a shell: "COLUMNS=50".
Finished run_in_shell(const std::string& line) {
  return run_program("/bin/sh", {"-c", "PATH=\"$(dirname '" MINDGAP_PROGRAM "'):$PATH\"; " + line});
}

// The same on a terminal of its own, with everything it shows in `out`. `script` gives it one.
Finished run_on_terminal(const std::string& line, int columns = 80) {
  const std::string inside =
      "stty cols " + std::to_string(columns) + "; PATH=\"$(dirname " MINDGAP_PROGRAM "):$PATH\" " + line;
  return run_program("/bin/sh", {"-c", "TERM=xterm script -qec \"$0\" /dev/null", inside});
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Help, BareProgramAndGroupsPrintTheirHelp) {
  const Finished bare = mindgap_run({});
  EXPECT_EQ(bare.exit_code, 0);
  EXPECT_EQ(bare.out, mindgap_run({"--help"}).out);
  EXPECT_EQ(bare.out, mindgap_run({"help"}).out);
  EXPECT_TRUE(contains(bare.out, "Commands:\n  check "));
  EXPECT_EQ(mindgap_run({"study"}).out, mindgap_run({"study", "--help"}).out);
  EXPECT_TRUE(contains(mindgap_run({"study", "key"}).out, "Usage: mindgap study key COMMAND"));
  EXPECT_TRUE(contains(mindgap_run({"study", "key"}).out, "mindgap study key VERB --help"));
}

TEST(Help, OfACommandIsTheSameBothWays) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"decide"}, {"study", "init"}, {"study", "key", "new"}}) {
    std::vector<std::string> asked = {"help"}, option = words;
    asked.insert(asked.end(), words.begin(), words.end());
    option.emplace_back("--help");
    const Finished help = mindgap_run(asked);
    EXPECT_EQ(help.exit_code, 0) << help.err;
    EXPECT_EQ(help.out, mindgap_run(option).out);
    EXPECT_TRUE(contains(help.out, "--seed"));
  }
  expect_refused(mindgap_run({"help", "decied"}), "there is no command 'decied'; did you mean decide?");
}

TEST(Help, ShortVersion) {
  EXPECT_EQ(mindgap_run({"-V"}).out, mindgap_run({"--version"}).out);
  EXPECT_EQ(mindgap_run({"-V"}).out.rfind("mindgap ", 0), 0U);
}

TEST(Help, KeepsToTheWidthAndSplitsNoWord) {
  std::string wide = run_in_shell("COLUMNS=100000 mindgap decide --help").out;
  for (const int columns : {50, 72, 80, 132}) {
    const std::string help =
        run_in_shell("COLUMNS=" + std::to_string(columns) + " mindgap decide --help").out;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
      const bool one_word = line.find(' ', line.find_first_not_of(' ')) == std::string::npos;
      EXPECT_TRUE(static_cast<int>(line.size()) <= columns || one_word) << columns << ": " << line;
    }
    // The same words in the same order: none is split, none is lost.
    std::istringstream narrow_words(help), wide_words(wide);
    std::string one, other;
    while (narrow_words >> one) {
      if (one == "\\") continue;  // an example that goes on in the next line
      ASSERT_TRUE(wide_words >> other);
      EXPECT_EQ(one, other);
    }
    EXPECT_FALSE(wide_words >> other) << other;
  }
}

TEST(Help, DoesNotBreakLimitsAndDefaults) {
  for (const int columns : {60, 72, 80, 100}) {
    const std::string help =
        run_in_shell("COLUMNS=" + std::to_string(columns) + " mindgap decide --help").out;
    for (const char* whole : {"[from 0 to 4096]", "[0 or more]", "[default: total]", "[from 0 to 1]"})
      EXPECT_TRUE(contains(help, whole)) << columns << ": " << whole;
    EXPECT_EQ(help.find('\x1f'), std::string::npos);
  }
}

TEST(Help, OfCompareHasOnlyTheOptionsOfTheCaseAskedFor) {
  const std::string none = mindgap_run({"compare", "--help"}).out;
  EXPECT_FALSE(contains(none, "Options of hiv"));
  EXPECT_TRUE(contains(none, "mindgap compare CASE --help"));
  const std::string treasure = mindgap_run({"compare", "treasure", "--help"}).out;
  EXPECT_TRUE(contains(treasure, "Options of treasure:"));
  EXPECT_TRUE(contains(treasure, "--truth"));
  EXPECT_FALSE(contains(treasure, "--corridors"));
  EXPECT_TRUE(contains(mindgap_run({"help", "compare", "hiv"}).out, "--corridors"));
  const std::string world = mindgap_run({"compare", "my-world", "--help"}).out;
  EXPECT_TRUE(contains(world, "Options of world folders:"));
  EXPECT_TRUE(contains(world, "--simulator"));
}

TEST(Usage, SaysWhatWasProbablyMeant) {
  const std::string vans = source_path("examples/vans");
  expect_refused(mindgap_run({"decied", vans}), "did you mean decide? See mindgap --help");
  expect_refused(mindgap_run({"study", "asign", "x"}), "did you mean assign? See mindgap study --help");
  expect_refused(mindgap_run({"decide", vans, "--unit", "8", "--horizon", "5"}),
                 "there is no option '--unit'; did you mean --units? See mindgap decide --help");
  expect_refused(mindgap_run({"decide", vans, "--unit=8", "--horizon", "5"}), "did you mean --units?");
  expect_refused(mindgap_run({"compare", "treasure", "--trial", "5"}),
                 "there is no option '--trial'; did you mean --trials? See mindgap compare --help");
  expect_refused(mindgap_run({"solve", vans, "-fast"}), "there is no option '-fast'");
  expect_refused(mindgap_run({"solve", vans, "--xyzzy"}),
                 "there is no option '--xyzzy'; see mindgap solve --help");
  expect_refused(mindgap_run({"check", vans, "more"}), "'more' is one argument too many");
  expect_refused(mindgap_run({"study", "init"}), "see mindgap study init --help");
  expect_refused(mindgap_run({"--hepl"}), "did you mean --help? See mindgap --help");
  expect_refused(mindgap_run({"decide", vans, "--units", "x", "--horizon", "5"}),
                 "--units is 'x', but must be a whole number; see mindgap decide --help");
  expect_refused(mindgap_run({"decide", vans, "--units", "2", "--horizon", "5", "--indifference", "x"}),
                 "--indifference: 'x' is not a number");
}

TEST(Usage, RangesAreSaidInFewDigits) {
  const std::string vans = source_path("examples/vans");
  const std::vector<std::string> decide = {"decide", vans, "--units", "2", "--horizon", "5"};
  for (const char* value : {"0", "-1", "nan", "inf"}) {
    std::vector<std::string> words = decide;
    words.insert(words.end(), {"--time-limit", value});
    const Finished run = mindgap_run(words);
    expect_refused(run, std::string("--time-limit: must be above 0, but is ") + value);
    EXPECT_LT(run.err.size(), 120U) << run.err;
  }
  std::vector<std::string> words = decide;
  words.insert(words.end(), {"--indifference", "2"});
  expect_refused(mindgap_run(words), "--indifference: must be from 0 to 1, but is 2");
  expect_refused(mindgap_run({"check", vans, "--threads", "9999"}), "must be from 0 to 4096, but is 9999");
  expect_refused(mindgap_run({"check", vans, "--threads", "two"}), "'two' is not a number");
}

TEST(Terminal, VerdictIsBoldAndErrorsAreRedUnlessNoColorForbidsIt) {
  const std::string decide = "mindgap decide " + source_path("examples/vans") +
                             " --units 2 --horizon 5 --worlds 4 --plans sop,asop --quiet";
  const Finished shown = run_on_terminal(decide);
  EXPECT_TRUE(contains(shown.out, "\x1b[1mVerdict: ")) << shown.out << shown.err;
  const Finished plain = run_on_terminal("NO_COLOR=1 " + decide);
  EXPECT_TRUE(contains(plain.out, "Verdict: "));
  EXPECT_FALSE(contains(plain.out, "\x1b["));
  EXPECT_TRUE(contains(run_on_terminal("mindgap solve nowhere").out, "\x1b[1;31mmindgap: error:\x1b[0m"));
  EXPECT_FALSE(contains(run_on_terminal("NO_COLOR=1 mindgap solve nowhere").out, "\x1b[1;31m"));
  EXPECT_FALSE(contains(run_in_shell(decide).out, "\x1b["));
}

TEST(Terminal, HelpIsAsWideAsTheTerminal) {
  const std::string help = run_on_terminal("NO_COLOR=1 mindgap compare --help", 60).out;
  std::istringstream lines(help);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);)
    longest = std::max(longest, line.size() - (line.ends_with('\r') ? 1 : 0));
  EXPECT_LE(longest, 60U);
  EXPECT_GT(longest, 50U);
}

TEST(Terminal, InterruptionLeavesOneLineThatSaysWhatIsKept) {
  const std::string start = "mindgap compare treasure --trials 1000000 --planners sop ";
  const std::string stop = "& job=$!; sleep 0.5; kill -TERM $job; wait $job";
  const Finished nothing = run_in_shell(start + stop);
  EXPECT_EQ(nothing.exit_code, 130);
  EXPECT_EQ(nothing.err, "mindgap: interrupted; nothing is kept (--out FOLDER keeps finished trials)\n");
  const TemporaryFolder folder;
  const Finished kept = run_in_shell(start + "--out " + (folder / "results") + " " + stop);
  EXPECT_EQ(kept.exit_code, 130);
  EXPECT_EQ(kept.err, "mindgap: interrupted; finished trials are kept in " + (folder / "results") +
                          "; the same command goes on from there\n");
}

TEST(Manual, HasAPageForEveryCommandAndEveryOption) {
  const TemporaryFolder folder;
  ASSERT_EQ(mindgap_run({"write-manual", folder / "manual", "2026-01-31"}).exit_code, 0);
  const std::filesystem::path pages = folder.path() / "manual/man/man1";
  for (const char* name : {"mindgap", "mindgap-decide", "mindgap-study", "mindgap-study-key-new"}) {
    EXPECT_TRUE(std::filesystem::exists(pages / (std::string(name) + ".1"))) << name;
  }
  const std::string decide = read_text(pages / "mindgap-decide.1");
  EXPECT_EQ(decide.rfind(".TH MINDGAP\\-DECIDE 1 \"2026-01-31\"", 0), 0U);
  // A long line of the footer is filled to the reader's width, an example stays as it is.
  const std::string program = read_text(pages / "mindgap.1");
  EXPECT_TRUE(contains(program, "\n.PP\nExit status: 0 done"));
  EXPECT_TRUE(contains(program, "mindgap \\- should you experiment"));
  EXPECT_TRUE(contains(decide, ".nf\n  mindgap decide examples/vans"));
  EXPECT_TRUE(contains(decide, "\\fB\\-\\-time\\-limit\\fR \\fIX\\fR\n"));
  EXPECT_TRUE(contains(read_text(pages / "mindgap-compare.1"), "corridors"));  // options of all cases
}

TEST(Completion, OffersCommandsOptionsAndChoices) {
  const TemporaryFolder folder;
  write_text(folder / "script", mindgap_run({"completion", "bash"}).out);
  const auto offered = [&](const std::string& words, int at) {
    const std::string line = "source " + (folder / "script") + "; COMP_WORDS=(" + words +
                             "); COMP_CWORD=" + std::to_string(at) + "; _mindgap; echo \"${COMPREPLY[*]}\"";
    const Finished run = run_program("/bin/bash", {"-c", line});
    EXPECT_EQ(run.err, "");
    return run.out;
  };
  EXPECT_EQ(offered("mindgap dec", 1), "decide\n");
  EXPECT_EQ(offered("mindgap study ver", 2), "verify\n");
  EXPECT_EQ(offered("mindgap study key ''", 3), "new --help\n");
  EXPECT_EQ(offered("mindgap decide model --time", 3), "--time-limit\n");
  EXPECT_EQ(offered("mindgap decide model --format ''", 4), "text json\n");
  EXPECT_EQ(offered("mindgap help dec", 2), "decide\n");
  EXPECT_EQ(offered("mindgap completion z", 2), "zsh\n");
  for (const char* shell : {"zsh", "fish"}) {
    const Finished script = mindgap_run({"completion", shell});
    EXPECT_EQ(script.exit_code, 0);
    EXPECT_TRUE(contains(script.out, "time-limit")) << shell;
  }
  expect_refused(mindgap_run({"completion", "cmd"}), "bash, zsh or fish");
}

}  // namespace help_test
}  // namespace mindgap::app
