#include "mindgap/base/suggest.h"

#include <gtest/gtest.h>

#include <vector>

#include "mindgap/base/near_name.h"

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

TEST(Suggest, WhatWasProbablyMeant) {
  EXPECT_EQ(near_name("tompson", kKnown), "thompson");
  EXPECT_EQ(near_name("th", kKnown), "thompson");  // its beginning
  EXPECT_EQ(near_name("sopp", kKnown), "sop");
  EXPECT_EQ(near_name("spe", kKnown), "sep");  // two letters swapped
  EXPECT_EQ(near_name("hepl", std::vector<std::string>{"help"}), "help");
  EXPECT_EQ(near_name("t", kKnown), std::nullopt);
  EXPECT_EQ(near_name("random", kKnown), std::nullopt);
  EXPECT_EQ(near_name("", kKnown), std::nullopt);
  EXPECT_EQ(near_name("sop", {}), std::nullopt);
}

}  // namespace suggest_test
}  // namespace mindgap::base
