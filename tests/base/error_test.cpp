#include "mindgap/base/error.h"

#include <gtest/gtest.h>

namespace mindgap {
namespace error_test {

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
  EXPECT_EQ(base::printable(std::string(5, 'x'), 5), "xxxxx");
  // What is not UTF-8: a lone byte, a cut character, an overlong one, a surrogate, beyond U+10FFFF.
  EXPECT_EQ(base::printable("\xff|\xc3|\xc0\x80|\xe0\x80\x80|\xed\xa0\x80|\xf4\x90\x80\x80"),
            "\\xff|\\xc3|\\xc0\\x80|\\xe0\\x80\\x80|\\xed\\xa0\\x80|\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(base::printable("\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80"), "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(base::printable("ab\xc3\xbc", 3), "ab...");  // never half a character
}

}  // namespace error_test
}  // namespace mindgap
