#include <gtest/gtest.h>

#include "app/program.h"
#include "mindgap/base/distributions.h"

namespace mindgap::app {
namespace voi_test {

// Two plans, worth 0 and x1 + x2; x1 ~ N(.3, 1), x2 ~ N(0, .49); d16 is the mean of 16 observations of x1
// with variance 4. EVPI 0.3516, EVPPI 0.2668 and 0.1545, EVSI 0.2267 in closed form.
std::string draws(int count) {
  std::string text = "x1,x2,d16,note,none,act\n";
  for (int i = 0; i < count; ++i) {
    base::Stream stream({4, base::Purpose::test, static_cast<std::uint64_t>(i)});
    const double x1 = .3 + base::normal(stream), x2 = .7 * base::normal(stream);
    const double shown = x1 + .5 * base::normal(stream);
    text += std::to_string(x1) + "," + std::to_string(x2) + "," + std::to_string(shown) + ",a,0," +
            std::to_string(x1 + x2) + "\n";
  }
  return text;
}

struct Table {
  explicit Table(const std::string& text) { write_text(path(), text); }
  std::string path() const { return (folder.path() / "draws.csv").string(); }
  TemporaryFolder folder;
};

TEST(Voi, AnswersInTheOrderAsked) {
  const Table table(draws(20'000));
  const Finished run =
      mindgap_run({"voi", table.path(), "--plans", "none,act", "--about", "x2", "--about", "x1", "--about",
                   "x1,x2", "--data", "d16", "--scale", "10", "--cost", "2", "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  EXPECT_NEAR(json["evpi"].get<double>(), .3516, 4.5 * json["evpi_se"].get<double>());
  ASSERT_EQ(json["evppi"].size(), 3u);
  const double truth[] = {.15452, .26676, .35160};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& part = json["evppi"][i];
    EXPECT_NEAR(part["cross_fitted"].get<double>(), truth[i], 4.5 * part["se"].get<double>()) << i;
    EXPECT_GE(part["plug_in"], part["cross_fitted"]);
  }
  EXPECT_EQ(json["evppi"][0]["about"], std::vector<std::string>{"x2"});
  EXPECT_EQ(json["evppi"][2]["about"], (std::vector<std::string>{"x1", "x2"}));
  const auto& shown = json["evsi"][0];
  EXPECT_NEAR(shown["cross_fitted"].get<double>(), .22671, 4.5 * shown["se"].get<double>());
  EXPECT_DOUBLE_EQ(json["enbs"][0]["value"].get<double>(), 10 * shown["cross_fitted"].get<double>() - 2);
  const Finished said = mindgap_run({"voi", table.path(), "--plans", "none,act", "--about", "x2"});
  EXPECT_NE(said.out.find("Take act"), std::string::npos) << said.out;
  EXPECT_FALSE(
      mindgap_run({"voi", table.path(), "--plans", "none,act", "--format", "json"}).json().contains("enbs"));
}

TEST(Voi, BadInputNamesFileLineAndColumn) {
  const std::string good = draws(60);
  const auto refused = [](const std::string& text, std::vector<std::string> options,
                          const std::string& said) {
    const Table table(text);
    options.insert(options.begin(), {"voi", table.path()});
    const Finished run = mindgap_run(options);
    EXPECT_EQ(run.exit_code, 2) << said;
    EXPECT_NE(run.err.find(said), std::string::npos) << run.err;
  };
  const std::string head = "x,p,q\n1,2,3\n";
  refused(head + "nan,1,2\n", {"--plans", "p,q", "--about", "x"},
          "draws.csv:3: the number in column 'x' is not finite (got 'nan')");
  refused(head + "1,inf,2\n", {"--plans", "p,q"}, "draws.csv:3: the number in column 'p' is not finite");
  refused(head + "1,two,2\n", {"--plans", "p,q"}, "draws.csv:3: the number in column 'p' is not a number");
  refused(head + "1,,2\n", {"--plans", "p,q"}, "draws.csv:3: the number in column 'p' is empty");
  refused(head, {"--plans", "p,r"}, "draws.csv:1: there is no column 'r'");
  refused("x,p,p\n1,2,3\n", {"--plans", "p,x"}, "draws.csv:1: the header has the column 'p' twice");
  refused(good, {"--plans", "act"}, "--plans: one plan is no choice");
  refused(good, {"--plans", "act,act"}, "names the column 'act' twice");
  refused(good, {"--plans", "x1,act", "--about", "none"}, "column 'none' is 0 in every draw");
  refused(draws(20), {"--plans", "none,act", "--about", "x1"}, "20 draws are too few");
  refused(good, {"--plans", "none,act", "--cost", "1"}, "--data");
}

}  // namespace voi_test
}  // namespace mindgap::app
