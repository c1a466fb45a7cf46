#include <fcntl.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>
#include <regex>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "app/program.h"

namespace mindgap::app {
namespace decide_test {

const std::string kVans = "examples/vans";

// decide on the vans with their coverage, and whatever more.
std::vector<std::string> arguments(std::vector<std::string> more) {
  std::vector<std::string> all{"decide", source_path(kVans), "--coverage",
                               source_path(kVans + "/coverage.csv")};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<std::string> small(std::vector<std::string> more) {
  std::vector<std::string> all{"--units",  "8",  "--horizon", "20",
                               "--worlds", "30", "--plans",   "sop,asop,pilot-8x4"};
  all.insert(all.end(), more.begin(), more.end());
  return arguments(all);
}

// The program while it runs.
class Started {
 public:
  explicit Started(const std::vector<std::string>& given) {
    std::vector<std::string> all{MINDGAP_PROGRAM};
    all.insert(all.end(), given.begin(), given.end());
    std::vector<char*> pointers;
    pointers.reserve(all.size() + 1);
    for (std::string& argument : all) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    const std::string out = folder_ / "out", err = folder_ / "err";
    process_ = ::fork();
    if (process_ != 0) return;
    ::close(0);
    ::open("/dev/null", O_RDONLY);
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
    ::execv(pointers[0], pointers.data());
    ::_exit(99);
  }
  ~Started() {
    if (process_ > 0 && !ended_) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  void interrupt() const { ::kill(process_, SIGINT); }

  // Until it has computed for so long; false where it ended before.
  bool worked(double seconds) const {
    while (cpu_seconds() < seconds) {
      siginfo_t state{};
      ::waitid(P_PID, static_cast<id_t>(process_), &state, WEXITED | WNOHANG | WNOWAIT);
      if (state.si_pid == process_) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  }

  Finished finish() {
    int status = 0;
    ::wait4(process_, &status, 0, &usage_);
    ended_ = true;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(folder_ / "out"),
            read_text(folder_ / "err")};
  }

  // All that it took, of one core; after finish().
  double used() const {
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage_.ru_utime) + seconds(usage_.ru_stime);
  }

 private:
  // Fields 14 and 15 of /proc/PID/stat, after the name in brackets.
  double cpu_seconds() const {
    const std::string text = read_text("/proc/" + std::to_string(process_) + "/stat");
    const std::size_t after = text.rfind(')');
    if (after == std::string::npos) return 0;
    std::istringstream fields(text.substr(after + 1));
    std::string skipped;
    for (int field = 3; field < 14; ++field) fields >> skipped;
    double user = 0, system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }

  TemporaryFolder folder_;
  pid_t process_ = -1;
  bool ended_ = false;
  rusage usage_{};
};

std::vector<std::string> listing(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.push_back(entry.path().filename().string());
  return names;
}

TEST(DecideCommand, JsonHasItsKeys) {
  const Finished run = mindgap_run(small({"--format", "json"}));
  ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 3) << run.err;
  const auto json = run.json();
  for (const char* key :
       {"verdict", "plans", "recommended", "gain", "gain_interval", "cost", "break_even_step",
        "probability_of_loss", "evpi", "evpi_local", "evpi_reach", "worlds", "seconds", "assumptions",
        "gain_over_learning", "gain_over_undirected", "nothing_to_learn", "warnings", "refuted"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  ASSERT_EQ(json["plans"].size(), 3U);
  for (const auto& plan : json["plans"]) {
    for (const char* key : {"name", "value", "standard_error", "difference_to_best", "interval",
                            "exploration", "window", "replan_every"})
      EXPECT_TRUE(plan.contains(key)) << key;
    EXPECT_LE(plan["range_lower"], plan["value"]);
    EXPECT_GE(plan["range_upper"], plan["value"]);
    EXPECT_EQ(plan["interval"].size(), 2U);
  }
  for (const char* key : {"units", "steps", "routes"}) EXPECT_TRUE(json["recommended"].contains(key)) << key;
  EXPECT_EQ(json["worlds"], 30);
  EXPECT_EQ(json["units"], 8);
  EXPECT_EQ(json["horizon"], 20);
  EXPECT_NEAR(json["evpi"].get<double>(), json["evpi_local"].get<double>() + json["evpi_reach"].get<double>(),
              1e-6);
  EXPECT_EQ(json["gain_interval"].size(), 2U);
  EXPECT_GE(json["assumptions"].size(), 5U);
  // One pilot against asop, and nothing undirected.
  EXPECT_EQ(json["gain_over_learning"]["plan"], "pilot-8x4");
  EXPECT_EQ(json["gain_over_learning"]["other"], "asop");
  EXPECT_EQ(json["gain_over_learning"]["interval"].size(), 2U);
  EXPECT_EQ(json["gain_over_learning"]["worlds"], 30);
  EXPECT_TRUE(json["gain_over_undirected"].is_null());
  EXPECT_TRUE(json["refuted"].is_null());
}

TEST(DecideCommand, SaysWhatRoutesAreWorthBesideUndirectedExploration) {
  const std::vector<std::string> both = {"--units",  "8",  "--horizon", "20",
                                         "--worlds", "30", "--plans",   "sop,asop,thompson,pilot-8x4"};
  const Finished text = mindgap_run(arguments(both));
  std::vector<std::string> more = both;
  more.insert(more.end(), {"--format", "json"});
  const auto json = mindgap_run(arguments(more)).json();
  const auto& gain = json["gain_over_undirected"];
  EXPECT_EQ(gain["plan"], "pilot-8x4");
  EXPECT_EQ(gain["other"], "thompson");
  EXPECT_NE(text.out.find("gain of designed routes (pilot-8x4 over thompson)"), std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("80 % of models"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("+- (Monte Carlo)"), std::string::npos) << text.out;
}

// Two states; action 1 of the first leads to the second for certain and pays 2 there. 40 of 40 tries stayed.
TEST(DecideCommand, ALogThatDisprovesTheSimulatorIsWarnedOf) {
  const TemporaryFolder folder;
  write_text(folder / "model.toml",
             "format = \"mindgap-model/1\"\nname = \"sure\"\ndiscount = 0.9\nstates = \"states.csv\"\n"
             "actions = [\"stay\", \"go\"]\nrewards = \"rewards.csv\"\ntransitions = \"transitions.csv\"\n"
             "[prior]\nreward_sd = 0.5\ntransition_strength = 5.0\n[observation]\nreward_variance = 1.0\n");
  write_text(folder / "states.csv", "name,start\nhome,1\naway,0\n");
  write_text(folder / "rewards.csv", "state,action,reward\nhome,stay,0\nhome,go,0\naway,stay,2\naway,go,2\n");
  write_text(folder / "transitions.csv",
             "state,action,next_state,probability\nhome,stay,home,1\nhome,go,away,1\naway,stay,away,1\n"
             "away,go,away,1\n");
  std::string log = "unit,step,state,action,reward,next_state\n";
  for (int step = 0; step < 40; ++step) log += "a," + std::to_string(step) + ",home,go,0,home\n";
  write_text(folder / "log.csv", log);
  const std::vector<std::string> asked = {"decide",    folder.path().string(),
                                          "--units",   "1",
                                          "--horizon", "20",
                                          "--worlds",  "10",
                                          "--plans",   "sop,asop",
                                          "--log",     folder / "log.csv"};
  const Finished text = mindgap_run(asked);
  const std::size_t warning = text.out.find("Warning: the log refutes the simulator in 1 of the 1");
  ASSERT_NE(warning, std::string::npos) << text.out;
  EXPECT_LT(warning, text.out.find("Verdict:"));
  std::vector<std::string> more = asked;
  more.insert(more.end(), {"--format", "json"});
  const auto json = mindgap_run(more).json();
  EXPECT_EQ(json["refuted"]["off_support"], 40);
  EXPECT_EQ(json["refuted"]["moves"], 40);
  EXPECT_EQ(json["refuted"]["visited_rows"], 1);
  EXPECT_EQ(json["refuted"]["refuted_rows"], 1);
  EXPECT_EQ(json["warnings"].size(), 1U);
}

// The same file as coverage and as log means opposite things: which was assumed is said.
TEST(DecideCommand, HistoryIsRecognised) {
  const TemporaryFolder folder;
  std::string rows = "unit,step,state,action,reward,next_state\n", assigned = rows;
  assigned.insert(assigned.size() - 1, ",probability");
  for (int unit = 0; unit < 30; ++unit) {
    const std::string row = "u" + std::to_string(unit) + ",0,zone-0-0,stay,1,zone-0-0";
    rows += row + "\n";
    assigned += row + ",0.5\n";
  }
  write_text(folder / "history.csv", rows);
  write_text(folder / "assigned.csv", assigned);
  const auto run = [&](const std::string& option, const std::string& file) {
    return mindgap_run({"decide", source_path(kVans), "--units", "2", "--horizon", "5", "--worlds", "4",
                        "--plans", "sop,asop", option, folder / file});
  };
  EXPECT_NE(run("--log", "history.csv").err.find("looks like history: 30 units"), std::string::npos);
  EXPECT_NE(run("--coverage", "history.csv").err.find("was taken as history"), std::string::npos);
  EXPECT_EQ(run("--log", "assigned.csv").err.find("looks like history"), std::string::npos);
  expect_refused(run("--coverage", "assigned.csv"), "Give it as log");
}

TEST(DecideCommand, VansExperimentAndSayWhere) {
  const Finished run = mindgap_run(arguments({"--units", "8", "--horizon", "100", "--plans",
                                              "sop,asop,pilot-8x10", "--worlds", "40", "--format", "json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  EXPECT_EQ(json["verdict"], "experiment");
  EXPECT_EQ(json["recommended"]["plan"], "pilot-8x10");
  ASSERT_EQ(json["recommended"]["routes"].size(), 8U);
  for (const auto& route : json["recommended"]["routes"])
    EXPECT_EQ(route["likely_states"].size(), route["likely_actions"].size());
  EXPECT_GT(json["gain_interval"][0], 0);
  EXPECT_GT(json["evpi"], json["gain"]);
}

std::string in_text(const nlohmann::json& number) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.4g", number.get<double>());
  return digits;
}

TEST(DecideCommand, TextSaysTheSameAsJson) {
  const Finished text = mindgap_run(small({})), structured = mindgap_run(small({"--format", "json"}));
  EXPECT_EQ(text.exit_code, structured.exit_code);
  const auto json = structured.json();
  std::string verdict = json["verdict"];
  for (char& c : verdict) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_NE(text.out.find("Verdict: " + verdict), std::string::npos) << text.out;
  for (const auto& number :
       {json["gain"], json["gain_interval"][0], json["gain_interval"][1], json["evpi"], json["evpi_local"],
        json["evpi_reach"], nlohmann::json(100 * json["probability_of_loss"].get<double>())}) {
    EXPECT_NE(text.out.find(in_text(number)), std::string::npos) << in_text(number) << "\n" << text.out;
  }
  for (const auto& plan : json["plans"]) {
    EXPECT_NE(text.out.find(plan["name"].get<std::string>()), std::string::npos);
    EXPECT_NE(text.out.find(in_text(plan["value"])), std::string::npos) << text.out;
  }
  // Long lines are wrapped.
  const std::string unwrapped = std::regex_replace(text.out, std::regex("\\n +"), " ");
  for (const auto& line : json["assumptions"])
    EXPECT_NE(unwrapped.find(line.get<std::string>()), std::string::npos) << line << unwrapped;
}

TEST(DecideCommand, TheSameForAnyNumberOfThreads) {
  std::vector<nlohmann::json> results;
  for (const char* threads : {"1", "2", "3"}) {
    const Finished run = mindgap_run(small({"--threads", threads, "--format", "json"}));
    auto json = run.json();
    json.erase("seconds");
    results.push_back(json);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(DecideCommand, AHorizonShorterThanAnyPilotComparesTheRest) {
  const Finished run =
      mindgap_run(arguments({"--units", "8", "--horizon", "1", "--worlds", "10", "--format", "json"}));
  ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 3) << run.err;
  EXPECT_NE(run.err.find("shorter than any pilot"), std::string::npos) << run.err;
  const auto plans = run.json()["plans"];
  EXPECT_GE(plans.size(), 3U);
  for (const auto& plan : plans) EXPECT_EQ(plan["steps"], 0);
  const Finished some = mindgap_run(arguments({"--units", "8", "--horizon", "4", "--worlds", "10", "--plans",
                                               "sop,asop,pilot-8x4,pilot-2x9", "--format", "json"}));
  EXPECT_NE(some.err.find("pilot-8x4, pilot-2x9"), std::string::npos) << some.err;
  EXPECT_EQ(some.json()["plans"].size(), 2U);
}

TEST(DecideCommand, RefusesWhatMakesNoSense) {
  const auto refused = [](std::vector<std::string> more, const std::string& wanted) {
    expect_refused(mindgap_run(arguments(std::move(more))), wanted);
  };
  refused({"--units", "0", "--horizon", "20"}, "--units");
  refused({"--units", "-3", "--horizon", "20"}, "--units");
  refused({"--units", "100000000000", "--horizon", "20"}, "--units");
  refused({"--units", "8", "--horizon", "0"}, "--horizon");
  refused({"--units", "8", "--horizon", "20", "--plans", "sop,pilto-8x4"}, "pilto-8x4");
  refused({"--units", "8", "--horizon", "20", "--plans", "pilot-9x4"}, "only 8 units");
  refused({"--units", "8", "--horizon", "20", "--plans", "pilot-8x20"}, "no plan is left");
  refused({"--units", "8", "--horizon", "20", "--worlds", "1"}, "--worlds");
  refused({"--units", "8", "--horizon", "20", "--worlds", "2.5"}, "--worlds");
  refused({"--units", "8", "--horizon", "20", "--worlds", "many"}, "many");
  refused({"--units", "8", "--horizon", "20", "--tipping", "--objective", "discounted"}, "--tipping");
  refused({"--units", "8", "--horizon", "20", "--objective", "money"}, "--objective");
  refused({"--units", "8", "--horizon", "20", "--device", "tpu"}, "--device");
  setenv("MINDGAP_CUDA_LIBRARY", "/nowhere/libmindgap_cuda.so", 1);
  refused({"--units", "8", "--horizon", "20", "--device", "gpu"}, "MINDGAP_CUDA=ON");
  unsetenv("MINDGAP_CUDA_LIBRARY");
  refused({"--units", "8", "--horizon", "20", "--indifference", "2"}, "--indifference");
  refused({"--units", "8", "--horizon", "20", "--time-limit", "0"}, "--time-limit");
  refused({"--units", "8", "--horizon", "20", "--target", "moon"}, "moon");
  refused({"--horizon", "20"}, "--units");
}

TEST(DecideCommand, PositionsMustBeThoseOfTheUnits) {
  const TemporaryFolder folder;
  write_text(folder / "at.csv", "unit,state\nred,zone-0-0\nblue,zone-1-1\n");
  expect_refused(mindgap_run(small({"--positions", folder / "at.csv"})),
                 "2 units have a position, but there are to be 8");
  const Finished run = mindgap_run(arguments(
      {"--units", "2", "--horizon", "20", "--worlds", "20", "--plans", "sop,pilot-2x9", "--indifference", "0",
       "--positions", folder / "at.csv", "--out", folder / "plan.json", "--format", "json"}));
  ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 3) << run.err;
  const std::string plan = read_text(folder / "plan.json");
  EXPECT_NE(plan.find("red"), std::string::npos);
  EXPECT_NE(plan.find("blue"), std::string::npos);
}

TEST(DecideCommand, WithoutAPilotThereIsNoPlanToWriteAndItSaysSo) {
  const TemporaryFolder folder;
  const Finished run = mindgap_run(arguments({"--units", "8", "--horizon", "9", "--worlds", "4", "--plans",
                                              "sop,asop", "--out", folder / "plan.json"}));
  EXPECT_NE(run.err.find("plan.json is not written"), std::string::npos) << run.err;
  EXPECT_TRUE(listing(folder).empty());
}

TEST(DecideCommand, ALogPricesTheNextBatch) {
  const std::string log = source_path(kVans + "/pilot.csv");
  const std::vector<std::string> four = {"--units", "4",       "--horizon",          "20",    "--worlds",
                                         "30",      "--plans", "sop,asop,pilot-4x4", "--log", log};
  const Finished text = mindgap_run(arguments(four));
  EXPECT_NE(text.out.find("Next batch (4 units over 4 steps)"), std::string::npos) << text.out;
  std::vector<std::string> more = four;
  more.insert(more.end(), {"--format", "json"});
  const auto json = mindgap_run(arguments(more)).json();
  ASSERT_TRUE(json["stopping"].is_object());
  for (const char* key : {"worth", "cost", "net", "interval", "go_on", "certain"})
    EXPECT_TRUE(json["stopping"].contains(key)) << key;
  EXPECT_EQ(json["stopping"]["go_on"], json["stopping"]["net"].get<double>() > 0);
  EXPECT_NE(text.out.find(json["stopping"]["go_on"] ? ": go on" : ": stop"), std::string::npos);
  // Without a log nothing has been tried yet, and nothing is to be stopped.
  EXPECT_TRUE(mindgap_run(small({"--format", "json"})).json()["stopping"].is_null());
  // Eight units are not those of the log, and the program says so.
  EXPECT_NE(mindgap_run(small({"--log", log})).err.find("has other units"), std::string::npos);
}

// A computation that would take hours is not begun. What it takes to say so is less than a second of one
// core.
TEST(DecideCommand, AReportThatCannotBeWrittenIsRefusedBeforeComputing) {
  const TemporaryFolder folder;
  for (const char* option : {"--report", "--out"}) {
    for (const std::string& path : {folder / "missing/report.html", folder.path().string()}) {
      Started program(arguments({"--units", "8", "--horizon", "100", "--worlds", "1000000", option, path}));
      const Finished run = program.finish();
      expect_refused(run, path);
      EXPECT_LT(program.used(), 1);
    }
  }
  EXPECT_TRUE(listing(folder).empty());
}

TEST(DecideCommand, CtrlCPrintsWhatIsKnownAndLeavesNoFile) {
  const TemporaryFolder folder;
  Started program(
      arguments({"--units", "8", "--horizon", "100", "--worlds", "1000000", "--plans", "sop,asop,pilot-8x10",
                 "--out", folder / "plan.json", "--report", folder / "report.html", "--format", "json"}));
  ASSERT_TRUE(program.worked(1));
  program.interrupt();
  const Finished run = program.finish();
  EXPECT_EQ(run.exit_code, 130) << run.err;
  const auto json = run.json();
  EXPECT_EQ(json["interrupted"], true);
  EXPECT_GT(json["worlds"], 0);
  EXPECT_LT(json["worlds"], 1000000);
  EXPECT_TRUE(json["gain"].is_null());
  EXPECT_GT(json["plans"][0]["value"], 0);
  EXPECT_TRUE(listing(folder).empty());
}

TEST(DecideCommand, CtrlCInText) {
  Started program(
      arguments({"--units", "8", "--horizon", "100", "--worlds", "1000000", "--plans", "sop,asop"}));
  ASSERT_TRUE(program.worked(1));
  program.interrupt();
  const Finished run = program.finish();
  EXPECT_EQ(run.exit_code, 130);
  EXPECT_NE(run.out.find("(interrupted)"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("Verdict:"), std::string::npos) << run.out;
}

// One batch of these worlds takes minutes: the first signal waits for it, the second does not.
TEST(DecideCommand, ASecondCtrlCEndsAtOnce) {
  Started program(
      arguments({"--units", "20000", "--horizon", "5000", "--worlds", "1000", "--plans", "sop,asop"}));
  ASSERT_TRUE(program.worked(1));
  program.interrupt();
  ASSERT_TRUE(program.worked(1.5));
  program.interrupt();
  const Finished run = program.finish();
  EXPECT_EQ(run.exit_code, 130);
  EXPECT_EQ(run.out, "");
}

// What would help is said, and nothing else: the clock had no part in it.
TEST(DecideCommand, UndecidedSaysWhatItWouldTake) {
  const Finished run =
      mindgap_run(arguments({"--units", "8", "--horizon", "1", "--worlds", "10", "--plans", "sop,thompson"}));
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_NE(run.out.find("Verdict: UNDECIDED after 10 sampled models"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("sampled models would settle it: --worlds "), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("--time-limit"), std::string::npos) << run.out;
}

TEST(DecideCommand, CostsDelayUptakeAndTheWorstWorlds) {
  const auto plain = mindgap_run(small({"--format", "json"})).json();
  const Finished run = mindgap_run(
      small({"--pilot-cost", "5", "--unit-cost", "2", "--unit-step-cost", "0.25", "--format", "json"}));
  const auto paid = run.json();
  // 8 units for 4 steps.
  EXPECT_NEAR(plain["plans"][2]["value"].get<double>() - paid["plans"][2]["value"].get<double>(), 5 + 16 + 8,
              1e-9);
  EXPECT_EQ(plain["plans"][1]["value"], paid["plans"][1]["value"]);
  const auto& size = paid["curve"]["sizes"][0];
  EXPECT_NEAR(size["cost"].get<double>(), 29, 1e-9);
  EXPECT_NEAR(size["net"].get<double>(),
              size["worth"].get<double>() - size["forgone"].get<double>() - size["cost"].get<double>(), 1e-9);
  EXPECT_EQ(paid["terms"]["unit_cost"], 2);
  const auto later = mindgap_run(small({"--delay", "8", "--uptake", "0.5", "--format", "json"})).json();
  EXPECT_LT(later["plans"][2]["value"], plain["plans"][2]["value"]);
  const auto worst = mindgap_run(small({"--objective", "cvar:0.1", "--format", "json"})).json();
  EXPECT_EQ(worst["objective"], "cvar:0.1");
  for (int p = 0; p < 3; ++p) EXPECT_LT(worst["plans"][p]["value"], plain["plans"][p]["value"]);
  for (const char* key : {"evppi", "groups", "curve"}) EXPECT_TRUE(plain[key].is_object()) << key;
  EXPECT_TRUE(plain["tornado"].is_null());
  double shares = 0;
  for (const auto& plan : plain["plans"]) shares += plan["share_best"].get<double>();
  EXPECT_NEAR(shares, 1, 1e-9);
}

TEST(DecideCommand, TermsThatMakeNoSenseAreRefused) {
  const auto refused = [](std::vector<std::string> options, const std::string& said) {
    const Finished run = mindgap_run(small(std::move(options)));
    EXPECT_EQ(run.exit_code, 2) << said;
    EXPECT_NE(run.err.find(said), std::string::npos) << run.err;
  };
  refused({"--pilot-cost", "-1"}, "--pilot-cost");
  refused({"--uptake", "1.5"}, "--uptake is 1.5, but must be from 0 to 1");
  refused({"--delay", "1.5"}, "--delay is 1.5, but must be a whole number");
  refused({"--objective", "cvar:2"}, "--objective is 'cvar:2'");
  refused({"--objective", "best"}, "total, discounted or cvar:SHARE");
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "costs.csv").string();
  write_text(path, "state,action,cost\nzone-0-0,fly,1\n");
  refused({"--pair-costs", path}, "costs.csv:2:");
}

TEST(DecideCommand, DrawsAreATableThatVoiReads) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "draws.csv").string();
  const Finished run = mindgap_run(arguments({"--units", "8", "--horizon", "20", "--worlds", "60", "--plans",
                                              "sop,asop,pilot-8x4", "--draws", path, "--format", "json"}));
  ASSERT_TRUE(std::filesystem::exists(path)) << run.err;
  const Finished valued = mindgap_run(
      {"voi", path, "--plans", "sop,asop,pilot-8x4", "--about", "reward zone-0-7/stay", "--format", "json"});
  ASSERT_EQ(valued.exit_code, 0) << valued.err;
  const auto plans = valued.json()["plans"];
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_NEAR(plans[p]["mean"].get<double>(), run.json()["plans"][p]["value"].get<double>(), 1e-9);
    EXPECT_NEAR(plans[p]["share_best"].get<double>(), run.json()["plans"][p]["share_best"].get<double>(),
                1e-9);
  }
}

// The budget is counted in work: what does not fit is said, and the status tells.
TEST(DecideCommand, AMapThatIsCutSaysSo) {
  const Finished run = mindgap_run(small({"--tipping", "--time-limit", "0.01", "--format", "json"}));
  EXPECT_EQ(run.exit_code, 3) << run.err;
  const auto map = run.json()["tipping"][0];
  EXPECT_FALSE(map["left_out"].empty());
  EXPECT_FALSE(map["sentence"].get<std::string>().empty());
  const Finished text = mindgap_run(small({"--tipping", "--time-limit", "0.01"}));
  EXPECT_NE(text.out.find("Left out: prior width"), std::string::npos) << text.out;
}

TEST(DecideCommand, TippingOfPilotsAlone) {
  const Finished run = mindgap_run(arguments({"--units", "8", "--horizon", "10", "--worlds", "4", "--plans",
                                              "pilot-8x4", "--tipping", "--format", "json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  ASSERT_FALSE(json["tipping"][0]["cells"].empty());
  for (const auto& cell : json["tipping"][0]["cells"]) EXPECT_GT(cell["horizon"], 4);
}

// Where the text is for people it fits one screen, but for the assumptions.
TEST(DecideCommand, TextIsShort) {
  const Finished run = mindgap_run(small({}));
  const std::size_t assumptions = run.out.find("It assumes:");
  ASSERT_NE(assumptions, std::string::npos);
  EXPECT_LT(std::count(run.out.begin(), run.out.begin() + static_cast<std::ptrdiff_t>(assumptions), '\n'),
            40);
}

}  // namespace decide_test
}  // namespace mindgap::app
