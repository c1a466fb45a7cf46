#include "mindgap/base/error.h"

#include <gtest/gtest.h>

namespace mindgap {
namespace {

TEST(Error, ModelMessageNamesEveryPartThatIsKnown) {
  const InvalidModel error("probability must be from 0 to 1",
                           {"m/transitions.csv", 17, "zone 3", "stay", "-0.5"});
  EXPECT_STREQ(
      error.what(),
      "m/transitions.csv:17: state 'zone 3', action 'stay': probability must be from 0 to 1 (got '-0.5')");
  EXPECT_EQ(error.where().line, 17);
}

TEST(Error, ModelMessageLeavesOutWhatIsNot) {
  EXPECT_STREQ(InvalidModel("no states", {}).what(), "no states");
  EXPECT_STREQ(InvalidModel("no states", {.file = "states.csv"}).what(), "states.csv: no states");
}

TEST(Error, ModelMessageNamesTheHiddenState) {
  EXPECT_STREQ(InvalidModel("bad", {.state = "s", .action = "a", .hidden = "h"}).what(),
               "state 's', hidden 'h', action 'a': bad");
  EXPECT_STREQ(InvalidModel("bad", {.hidden = "h"}).what(), "hidden 'h': bad");
}

TEST(Error, PrintableEscapesAndCuts) {
  EXPECT_EQ(base::printable("a\nb\x01"), "a\\x0ab\\x01");
  EXPECT_EQ(base::printable(std::string(100, 'x'), 5), "xxxxx...");
}

}  // namespace
}  // namespace mindgap
