#include <gtest/gtest.h>

#include "app/program.h"

namespace mindgap::app {
namespace report_test {

/// A page without its markup.
std::string words(const std::string& html) {
  std::string text;
  bool inside = false;
  for (const char c : html.substr(html.find("<body>"))) {
    if (c == '<') inside = true;
    if (!inside) text += c;
    if (c != '>') continue;
    inside = false;
    text += ' ';
  }
  return text;
}

std::string decision(const std::vector<std::string>& more, std::string* html = nullptr) {
  const TemporaryFolder folder;
  const std::string vans = source_path("examples/vans");
  std::vector<std::string> all{"decide",     vans,
                               "--coverage", vans + "/coverage.csv",
                               "--units",    "8",
                               "--horizon",  "20",
                               "--worlds",   "30",
                               "--plans",    "sop,asop,pilot-8x4",
                               "--report",   folder / "page.html"};
  all.insert(all.end(), more.begin(), more.end());
  const Finished run = mindgap_run(all);
  EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 3) << run.err;
  const std::string text = read_text(folder.path() / "page.html");
  if (html != nullptr) *html = text;
  return words(text);
}

void expect_says(const std::string& page, const std::vector<std::string>& wanted) {
  for (const std::string& one : wanted) EXPECT_NE(page.find(one), std::string::npos) << one;
}

TEST(Report, SpeaksTheOwnersLanguage) {
  std::string html;
  const std::string page = decision({}, &html);
  expect_says(page, {"positive tests", "for the next 20 days", "8 vans for 4 days, then update",
                     "deploy as is", "deploy and keep updating", "the head of mobile testing",
                     "Points of CHEERS-VOI", "SHA-256 of the inputs", "mindgap decide", "asked for"});
  EXPECT_EQ(page.find("not stated by the owner"), std::string::npos);
  EXPECT_LT(html.size(), 800'000u);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  // No options but in the command line itself.
  std::size_t options = 0, in_command = 0;
  for (std::size_t at = page.find(" --"); at != std::string::npos; at = page.find(" --", at + 1)) ++options;
  const std::size_t command = page.find("mindgap decide");
  const std::string line = page.substr(command, page.find('\n', command) - command);
  for (std::size_t at = line.find(" --"); at != std::string::npos; at = line.find(" --", at + 1))
    ++in_command;
  EXPECT_EQ(options, in_command);
  EXPECT_GE(in_command, 5u);
}

// Values over a few models do not stand beside values over all of them.
TEST(Report, PlansThatWereDroppedHaveATableOfTheirOwn) {
  const TemporaryFolder folder;
  const std::string vans = source_path("examples/vans");
  const Finished run =
      mindgap_run({"decide", vans, "--coverage", vans + "/coverage.csv", "--units", "8", "--horizon", "20",
                   "--worlds", "32", "--report", folder / "page.html", "--format", "json"});
  const std::string page = words(read_text(folder.path() / "page.html"));
  const std::size_t compared = page.find("Plans compared to the end"),
                    dropped = page.find("Plans dropped early");
  ASSERT_LT(compared, dropped);
  ASSERT_NE(dropped, std::string::npos);
  int screened = 0;
  const auto json = run.json();
  for (const auto& plan : json["plans"]) {
    const std::string code = plan["name"].get<std::string>() + " ";
    const std::size_t in_first = page.find(code, compared);
    if (plan["screened"].get<bool>()) {
      ++screened;
      EXPECT_GT(in_first, dropped) << code;
    } else {
      EXPECT_LT(in_first, dropped) << code;
    }
  }
  EXPECT_GT(screened, 3);
}

TEST(Report, SaysWhatTheOwnerDidNotState) {
  const TemporaryFolder folder;
  const std::filesystem::path model = folder.path() / "forest";
  std::filesystem::copy(source_path("tests/models/forest3"), model);
  write_text(model / "model.toml",
             read_text(model / "model.toml") + "\n[observation]\nreward_variance = 1\n");
  const Finished run = mindgap_run({"decide", model.string(), "--units", "2", "--horizon", "5", "--reward-sd",
                                    "1", "--transition-strength", "5", "--worlds", "10", "--plans", "sop",
                                    "--report", folder / "p.html"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string page = words(read_text(folder.path() / "p.html"));
  expect_says(page, {"not stated by the owner", "5 steps", "2 units"});
}

// The prior of what history never saw has the number that holds, not the model's.
TEST(Report, SaysThePriorThatHolds) {
  EXPECT_NE(decision({}).find("with a standard deviation of 1."), std::string::npos);
  const std::string page = decision({"--reward-sd", "0.25"});
  EXPECT_NE(page.find("with a standard deviation of 0.25."), std::string::npos);
  EXPECT_EQ(page.find("far off"), std::string::npos);
}

TEST(Report, OfDiagnoseDesignAndCompare) {
  const TemporaryFolder folder;
  const std::string vans = source_path("examples/vans"), out = folder / "page.html";
  Finished run =
      mindgap_run({"diagnose", vans, "--coverage", vans + "/coverage.csv", "--draws", "5", "--report", out});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_says(words(read_text(out)), {"Mobile testing vans: where the simulator may be wrong",
                                      "What makes the deployed policy&#39;s value uncertain"});
  run = mindgap_run({"design", vans, "--units", "2", "--steps", "5", "--report", out});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_says(words(read_text(out)), {"Mobile testing vans: a pilot", "Where the pilot goes", "zone-0-0"});
  run = mindgap_run({"compare", "fork", "--planners", "sop,asop", "--trials", "3", "--report", out});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_says(words(read_text(out)), {"Comparison on fork"});
  for (const char* command : {"diagnose", "design"}) {
    std::vector<std::string> all{command, vans, "--report", folder / "missing/page.html"};
    if (std::string(command) == "design") all.insert(all.end(), {"--units", "1", "--steps", "1"});
    expect_refused(mindgap_run(all), "missing");
  }
}

// Names are only names: in titles, pictures, notes and files to save.
TEST(Report, OfAModelWithOddNames) {
  const TemporaryFolder folder;
  write_text(
      folder.path() / "model.toml",
      "format = \"mindgap-model/1\"\nname = \"<script>alert(1)</script>\"\ndiscount = 0.9\nstates = "
      "\"states.csv\"\nactions = [\"a\\\"b'\", \"\xe6\xbc\xa2\xe5\xad\x97\"]\nrewards = "
      "\"rewards.csv\"\ntransitions = \"transitions.csv\"\n[prior]\nreward_sd = 1.0\ntransition_strength = "
      "5.0\n[observation]\nreward_variance = 1.0\n[about]\nunit = \"<b>van</b>\"\n");
  const std::string odd = "]]>&\xe2\x80\xa8<!--", far(300, 'x');
  write_text(folder.path() / "states.csv", "name,x,y\n\"" + odd + "\",0,0\n" + far + ",1,0\n");
  std::string rewards = "state,action,reward\n", moves = "state,action,next_state,probability\n";
  const auto quoted = [](const std::string& name) { return "\"" + name + "\""; };
  for (const std::string& state : {odd, far}) {
    rewards += quoted(state) + ",\"a\"\"b'\",1\n";
    rewards += quoted(state) + ",\xe6\xbc\xa2\xe5\xad\x97,2\n";
    moves += quoted(state) + R"(,"a""b'",)";
    moves += quoted(state) + ",1\n";
    moves += quoted(state) + ",\xe6\xbc\xa2\xe5\xad\x97,";
    moves += quoted(state == odd ? far : odd) + ",1\n";
  }
  write_text(folder.path() / "rewards.csv", rewards);
  write_text(folder.path() / "transitions.csv", moves);
  const Finished run =
      mindgap_run({"decide", folder.path().string(), "--units", "3", "--horizon", "6", "--worlds", "10",
                   "--plans", "sop,asop,pilot-2x2", "--report", folder / "page.html"});
  EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 3) << run.err;
  const std::string html = read_text(folder.path() / "page.html");
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("<b>van"), std::string::npos);
  EXPECT_EQ(html.find("<!--"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;alert(1)"), std::string::npos);
  EXPECT_NE(html.find("<svg"), std::string::npos);
}

}  // namespace report_test
}  // namespace mindgap::app
