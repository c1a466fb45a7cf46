#include "mindgap/report/table.h"

#include <gtest/gtest.h>

namespace mindgap::report {
namespace table_test {

const Table kTable{
    "Lock", {"planner", "T = 5", "note"}, {{"sop", "32.8", "a, \"b\""}, {"été", "-100", "x|y"}}};

TEST(Table, TextLinesUpWithNumbersToTheRight) {
  EXPECT_EQ(to_text(kTable),
            "Lock\n"
            "planner  T = 5  note\n"
            "sop       32.8  a, \"b\"\n"
            "été       -100  x|y\n");
}

TEST(Table, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(to_csv(kTable), "planner,T = 5,note\nsop,32.8,\"a, \"\"b\"\"\"\nété,-100,x|y\n");
}

TEST(Table, MarkdownEscapesBars) {
  EXPECT_EQ(to_markdown(kTable),
            "### Lock\n\n| planner | T = 5 | note |\n|---|---:|---|\n| sop | 32.8 | a, \"b\" |\n"
            "| été | -100 | x\\|y |\n");
}

TEST(Table, AColumnWithoutNumbersIsText) {
  EXPECT_EQ(to_text({"", {"a", "b"}, {{"-", "x"}, {"", "yy"}}}), "a  b\n-  x\n   yy\n");
}

}  // namespace table_test
}  // namespace mindgap::report
