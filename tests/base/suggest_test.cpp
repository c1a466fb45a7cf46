#include "mindgap/base/suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace mindgap::base {
namespace suggest_test {

const std::vector<std::string> kKnown = {"sop", "asop", "thompson", "sep"};

TEST(Suggest, TheNearestNameComesFirst) {
  EXPECT_EQ(unknown_name("planner", "tompson", kKnown),
            "there is no planner 'tompson'; there are: thompson, sop, asop, sep");
  EXPECT_EQ(unknown_name("planner", "assop", kKnown),
            "there is no planner 'assop'; there are: asop, sop, thompson, sep");
}

TEST(Suggest, TiesKeepTheOrderGivenAndControlBytesAreShown) {
  EXPECT_EQ(unknown_name("planner", "so\n", kKnown),
            "there is no planner 'so\\x0a'; there are: sop, asop, thompson, sep");
  EXPECT_EQ(unknown_name("case", "x", {}), "there is no case 'x'; there are: ");
}

}  // namespace suggest_test
}  // namespace mindgap::base
