#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "app/program.h"

namespace mindgap::app {
namespace study_test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kKills = 30;
#else
constexpr int kKills = 200;
#endif

// A study of vans through the commands alone. The field answers with a reward that is a function of unit and
// step, and moves as the vans do, without slip.
class Vans {
 public:
  explicit Vans(int units = 8, int horizon = 400) {
    std::string table = "unit,state\n";
    for (int u = 0; u < units; ++u)
      table += "van-" + std::to_string(u) + ",zone-0-" + std::to_string(u % 4) + "\n";
    write_text(folder_ / "units.csv", table);
    begun_ = run({"init", study(), "--model", source_path("examples/vans"), "--units", folder_ / "units.csv",
                  "--coverage", source_path("examples/vans/coverage.csv"), "--horizon",
                  std::to_string(horizon), "--batch-steps", "6"});
  }

  std::string study() const { return folder_ / "study"; }
  std::string operator/(const std::string& name) const { return folder_ / name; }
  Finished run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "study");
    return mindgap_run(arguments);
  }
  Finished verb(const std::string& name, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {name, study()});
    return run(more);
  }
  nlohmann::json json(const std::string& name) const {
    const Finished done = verb(name, {"--format", "json"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.exit_code == 0 ? done.json() : nlohmann::json();
  }

  static std::string line(const nlohmann::json& assignment) {
    const std::string state = assignment["state"], action = assignment["action"], unit = assignment["unit"];
    int y = state[5] - '0', x = state[7] - '0';
    if (action == "up") --y;
    if (action == "down") ++y;
    if (action == "left") --x;
    if (action == "right") ++x;
    const int step = assignment["step"];
    return unit + "," + std::to_string(step) + "," + state + "," + action + "," +
           std::to_string((unit.back() + 7 * step) % 5) + ",zone-" + std::to_string(y) + "-" +
           std::to_string(x) + "\n";
  }
  /// Writes what the field says to all assignments, and returns the file.
  std::string results(const nlohmann::json& assigned, const std::string& name = "results.csv") const {
    std::string text = "unit,step,state,action,reward,next_state\n";
    for (const auto& one : assigned["assignments"]) text += line(one);
    write_text(folder_ / name, text);
    return folder_ / name;
  }
  void play(int steps) const {
    for (int i = 0; i < steps; ++i) {
      const Finished done = verb("record", {results(json("assign"))});
      ASSERT_EQ(done.exit_code, 0) << done.err;
    }
  }

  Finished begun_;

 private:
  TemporaryFolder folder_;
};

// Starts the program without waiting.
pid_t launch(const std::vector<std::string>& arguments, const std::string& out,
             rlim_t file_size = RLIM_INFINITY) {
  const pid_t child = fork();
  if (child != 0) return child;
  const int file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  dup2(file, 1);
  dup2(file, 2);
  if (file_size != RLIM_INFINITY) {
    const rlimit limit{file_size, file_size};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  std::vector<char*> words{const_cast<char*>(MINDGAP_PROGRAM)};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execv(MINDGAP_PROGRAM, words.data());
  _exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(StudyCommand, FromUnitsToVerdict) {
  const Vans vans(8, 20);
  ASSERT_EQ(vans.begun_.exit_code, 0) << vans.begun_.err;
  EXPECT_NE(vans.begun_.out.find("Study of 8 units"), std::string::npos) << vans.begun_.out;
  const auto assigned = vans.json("assign");
  ASSERT_EQ(assigned["assignments"].size(), 8u);
  for (const char* key : {"unit", "step", "state", "action", "route", "arm", "probability"})
    EXPECT_TRUE(assigned["assignments"][0].contains(key)) << key;
  EXPECT_EQ(vans.json("assign")["assignments"], assigned["assignments"]);
  EXPECT_TRUE(assigned["assignments"][0]["probability"].is_number_float());
  EXPECT_EQ(assigned["updated"], false);
  vans.play(7);
  const auto status = vans.json("status");
  for (const char* key : {"phase", "results", "pending", "waiting", "flagged", "drift", "sample_ratio",
                          "difference_to_control", "next_batch", "experiment_pays", "pairs", "decisions",
                          "warnings", "head", "simulator_value", "best_value_now"})
    EXPECT_TRUE(status.contains(key)) << key;
  EXPECT_EQ(status["results"], 56);
  EXPECT_EQ(status["updates"], 1);  // at step 5
  EXPECT_EQ(status["decisions"][1]["content"]["results"], 40);
  EXPECT_EQ(vans.verb("redesign").exit_code, 0);
  vans.play(2);
  EXPECT_EQ(vans.verb("stop", {"--why", "the season ends"}).exit_code, 0);
  const Finished text = vans.verb("status");
  for (const char* wanted :
       {"Phase: stopped (the season ends)", "72 of 72 assigned", "Explorers minus controls"})
    EXPECT_NE(text.out.find(wanted), std::string::npos) << wanted << "\n" << text.out;
  const Finished verified = vans.verb("verify");
  EXPECT_EQ(verified.exit_code, 0) << verified.err;
  EXPECT_NE(verified.out.find("2 designs"), std::string::npos) << verified.out;
  EXPECT_EQ(vans.verb("report", {"--out", vans / "page.html"}).exit_code, 0);
  const std::string page = read_text(vans / "page.html");
  for (const char* wanted : {"Stopped: the season ends", "Beliefs against the simulator", "Decisions"})
    EXPECT_NE(page.find(wanted), std::string::npos) << wanted;
  EXPECT_EQ(vans.verb("report", {"--out", vans / "missing" + std::string("/page.html")}).exit_code, 2);
  // A study is never taken for an old export.
  const std::string before = read_text(vans / "study" + std::string("/study.db"));
  EXPECT_EQ(vans.verb("export", {"--out", vans / "study"}).exit_code, 2);
  const Vans other(4, 20);
  EXPECT_EQ(vans.verb("export", {"--out", other / "study"}).exit_code, 2);
  EXPECT_EQ(other.verb("verify").exit_code, 0);
  EXPECT_EQ(read_text(vans / "study" + std::string("/study.db")), before);
  EXPECT_EQ(vans.verb("export", {"--out", vans / "out"}).exit_code, 0);
  EXPECT_EQ(vans.run({"verify", vans / "out"}).exit_code, 0);
  EXPECT_EQ(vans.json("export")["observations"].size(), 72u);
  expect_refused(vans.verb("assign"), "the study was stopped (the season ends)");
}

TEST(StudyCommand, BadInputIsOneLine) {
  const Vans vans(4, 6);
  expect_refused(vans.run({"status", vans / "nowhere"}), "there is no study");
  expect_refused(vans.run({"init", vans.study(), "--model", source_path("examples/vans"), "--units",
                           vans / "units.csv", "--horizon", "6"}),
                 "there is a study already");
  write_text(vans / "units2.csv", "unit,state\na,zone-0-0\na,zone-0-1\n");
  expect_refused(vans.run({"init", vans / "other", "--model", source_path("examples/vans"), "--units",
                           vans / "units2.csv", "--horizon", "6"}),
                 "units2.csv:3: the unit has a second line");
  write_text(vans / "bad.csv",
             "unit,step,state,action,reward,next_state\nvan-0,0,zone-0-0,stay,1,zone-0-0\n");
  expect_refused(vans.verb("record", {vans / "bad.csv"}),
                 "bad.csv:2: step 0 of unit 'van-0' was never assigned");
  expect_refused(vans.verb("stop"), "--why");
  expect_refused(vans.verb("assign", {"--step", "6"}), "steps 0 to 5");
  expect_refused(vans.verb("export"), "--out");
  expect_refused(vans.run({"init", vans / "other", "--model", source_path("examples/vans"), "--units",
                           vans / "units.csv", "--horizon", "6", "--min-share", "A"}),
                 "no share of a group");
}

TEST(StudyCommand, ADamagedFileDoesNotVerify) {
  const Vans vans(4, 6);
  vans.play(2);
  std::string bytes = read_text(vans.study() + "/study.db");
  const std::size_t at = bytes.find("mindgap-study-model/1") + 400;
  bytes[at] = static_cast<char>(bytes[at] ^ 4);
  write_text(vans.study() + "/study.db", bytes);
  expect_refused(vans.verb("verify"), "the study does not verify");
  const Finished json = vans.verb("verify", {"--format", "json"});
  EXPECT_EQ(json.exit_code, 2);
  EXPECT_EQ(json.json()["verified"], false);
}

// The example finds the treasure, and its file verifies.
TEST(StudyCommand, TheExamplePlaysAWholeStudy) {
  const TemporaryFolder folder;
  const std::string bin = std::filesystem::path(MINDGAP_PROGRAM).parent_path().string();
  ASSERT_EQ(std::filesystem::path(MINDGAP_STUDY_FIELD).parent_path().string(), bin);
  const Finished run = run_program(source_path("examples/study/run"), {bin, folder / "example", "10", "32"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* wanted :
       {"Phase: stopped (the horizon is reached)", "320 of 320 assigned", "refuted", "Verified: "})
    EXPECT_NE(run.out.find(wanted), std::string::npos) << wanted << "\n" << run.out;
}

// Everything that was acknowledged is there, whole batches only, and the file verifies.
void expect_whole(const Vans& vans, const std::set<std::pair<std::string, int>>& acknowledged) {
  const auto all = vans.json("export");
  std::map<int, int> assigned, recorded;
  std::set<std::pair<std::string, int>> there;
  for (const auto& one : all["assignments"]) ++assigned[one["step"]];
  for (const auto& one : all["observations"]) {
    ++recorded[one["step"]];
    there.emplace(one["unit"], one["step"]);
    EXPECT_EQ(Vans::line(one).find("van-"), 0u);
  }
  for (const auto& one : acknowledged) EXPECT_EQ(there.count(one), 1u) << one.first << " " << one.second;
  for (const auto& [step, count] : assigned) EXPECT_EQ(count, 8) << "half a batch of assignments at " << step;
  for (const auto& [step, count] : recorded) EXPECT_EQ(count, 8) << "half a batch of results at " << step;
  const Finished verified = vans.verb("verify");
  EXPECT_EQ(verified.exit_code, 0) << verified.err;
}

// assign and record in turn, each killed at a random moment until it gets through.
void survive(int kills, std::uint64_t seed) {
  const Vans vans(8, 4000);
  std::mt19937_64 random(seed);
  std::set<std::pair<std::string, int>> acknowledged;
  int killed = 0;
  double usual = 10'000;  // microseconds of one command, roughly
  while (killed < kills) {
    const auto assigned = vans.json("assign");
    const std::string file = vans.results(assigned);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"study", "record", vans.study(), file},
          {"study", "assign", vans.study()}}) {
      int code = -1;
      for (int tries = 0; code != 0 && tries < 50; ++tries) {
        const auto begin = std::chrono::steady_clock::now();
        const pid_t child = launch(command, vans / "said");
        const bool kill_it = tries < 3;
        if (kill_it) {
          std::this_thread::sleep_for(std::chrono::microseconds(
              static_cast<int>(std::uniform_real_distribution<double>(0, 1.3 * usual)(random))));
          kill(child, SIGKILL);
        }
        code = wait_for(child);
        if (code == -SIGKILL) ++killed;
        const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
        if (code == 0 && !kill_it) usual = .8 * usual + .2 * took.count();
      }
      ASSERT_EQ(code, 0) << read_text(vans / "said");
      if (command[1] != "record") continue;
      for (const auto& one : assigned["assignments"]) acknowledged.emplace(one["unit"], one["step"]);
    }
  }
  expect_whole(vans, acknowledged);
}

TEST(StudyCrash, NothingAcknowledgedIsLost) {
  survive(kKills, 1);
}
TEST(StudyCrashLong, NothingAcknowledgedIsLostIn1000Kills) {
  survive(1000, 2);
}

// Two writers at once, one of them killed now and then: both get through, rows come once.
TEST(StudyCrash, TwoWriters) {
  const Vans vans(8, 400);
  std::set<std::pair<std::string, int>> acknowledged;
  std::mt19937_64 random(5);
  for (int round = 0; round < kKills / 8; ++round) {
    const auto assigned = vans.json("assign");
    const std::string file = vans.results(assigned);
    const std::vector<std::string> command{"study", "record", vans.study(), file};
    const pid_t first = launch(command, vans / "one"), second = launch(command, vans / "two");
    if (round % 2 == 1) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 12'000));
      kill(second, SIGKILL);
    }
    EXPECT_EQ(wait_for(first), 0) << read_text(vans / "one");
    const int code = wait_for(second);
    EXPECT_TRUE(code == 0 || (round % 2 == 1 && code == -SIGKILL)) << read_text(vans / "two");
    for (const auto& one : assigned["assignments"]) acknowledged.emplace(one["unit"], one["step"]);
  }
  expect_whole(vans, acknowledged);
}

// A disk that fills up at every possible size of the file: refused in one line, nothing half, and after room
// is made the same command works.
TEST(StudyCrash, FullDisk) {
  const Vans vans(8, 400);
  std::set<std::pair<std::string, int>> acknowledged;
  vans.play(2);
  const auto size = static_cast<rlim_t>(std::filesystem::file_size(vans.study() + "/study.db"));
  int refused = 0;
#ifdef __SANITIZE_THREAD__
  constexpr rlim_t kLeast = 8192;  // the sanitizer itself writes to a file before main()
#else
  constexpr rlim_t kLeast = 0;
#endif
  for (rlim_t room = kLeast; room < size + 40'000; room += 8192) {
    const auto assigned = vans.json("assign");
    const std::string file = vans.results(assigned);
    const int code = wait_for(launch({"study", "record", vans.study(), file}, vans / "said", room));
    if (code != 0) {
      ++refused;
      EXPECT_EQ(code, 2) << read_text(vans / "said");
      EXPECT_EQ(vans.json("status")["results"].get<int>() % 8, 0);
      EXPECT_EQ(vans.verb("record", {file}).exit_code, 0);
    }
    for (const auto& one : assigned["assignments"]) acknowledged.emplace(one["unit"], one["step"]);
  }
  EXPECT_GT(refused, 0);
  expect_whole(vans, acknowledged);
}

// Exports while somebody writes: each is a study of its own that verifies, as of one moment.
TEST(StudyCrash, ExportsInTheMiddleOfWriting) {
  const Vans vans(8, 400);
  int exports = 0;
  for (int round = 0; round < kKills / 10; ++round) {
    const std::string file = vans.results(vans.json("assign"));
    const pid_t writer = launch({"study", "record", vans.study(), file}, vans / "one");
    const std::string out = vans / ("out" + std::to_string(round));
    const pid_t reader = launch({"study", "export", vans.study(), "--out", out}, vans / "two");
    EXPECT_EQ(wait_for(writer), 0);
    EXPECT_EQ(wait_for(reader), 0) << read_text(vans / "two");
    if (round % 5 != 0) continue;
    const Finished verified = vans.run({"verify", out, "--format", "json"});
    ASSERT_EQ(verified.exit_code, 0) << verified.out;
    EXPECT_EQ(verified.json()["observations"].get<int>() % 8, 0);
    ++exports;
  }
  EXPECT_GT(exports, 0);
}

// As somebody who may read the study but not write it. Root may write anything, so root becomes nobody first.
TEST(StudyCommand, AReadOnlyStudyCanBeReadAndIsNotWritten) {
  const Vans vans(4, 6);
  vans.play(1);
  const std::filesystem::path folder = vans.study();
  const auto as_reader = [&](const std::string& verb) {
    const std::string said = vans / "said";
    write_text(said, "");
    chmod(said.c_str(), 0666);
    const pid_t child = fork();
    if (child == 0) {
      const int file = ::open(said.c_str(), O_WRONLY | O_TRUNC);
      dup2(file, 1);
      dup2(file, 2);
      if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(126);
      execl(MINDGAP_PROGRAM, MINDGAP_PROGRAM, "study", verb.c_str(), folder.c_str(), nullptr);
      _exit(127);
    }
    return wait_for(child);
  };
  chmod(folder.parent_path().c_str(), 0755);
  chmod((folder / "study.db").c_str(), 0444);
  chmod(folder.c_str(), 0555);
  EXPECT_EQ(as_reader("status"), 0) << read_text(vans / "said");
  EXPECT_EQ(as_reader("verify"), 0) << read_text(vans / "said");
  EXPECT_EQ(as_reader("assign"), 2);
  EXPECT_NE(read_text(vans / "said").find("read-only"), std::string::npos) << read_text(vans / "said");
  chmod(folder.c_str(), 0755);
}

}  // namespace study_test
}  // namespace mindgap::app
