#include "mindgap/base/check.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "mindgap/base/error.h"

namespace mindgap::base {
namespace check_test {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What the InvalidArgument says, or "" when nothing is thrown.
std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Check, Finite) {
  EXPECT_EQ(message([] { check_finite("f", "x", -1e300); }), "");
  EXPECT_EQ(message([] { check_finite("f", "x", kNan); }), "f: x is nan, but must be finite");
  EXPECT_EQ(message([] { check_finite("f", "x", -kInfinity); }), "f: x is -inf, but must be finite");
}

TEST(Check, FiniteNamesTheEntry) {
  const std::vector<double> good = {1, 2}, bad = {1, kInfinity};
  EXPECT_EQ(message([&] { check_finite("f", "x", good); }), "");
  EXPECT_EQ(message([&] { check_finite("f", "x", bad); }), "f: x[1] is inf, but must be finite");
}

TEST(Check, Positive) {
  EXPECT_EQ(message([] { check_positive("f", "x", 5e-324); }), "");
  EXPECT_EQ(message([] { check_positive("f", "x", 0.0); }), "f: x is 0, but must be positive");
  EXPECT_EQ(message([] { check_positive("f", "x", kInfinity); }), "f: x is inf, but must be positive");
  EXPECT_EQ(message([] { check_positive("f", "x", kNan); }), "f: x is nan, but must be positive");
}

TEST(Check, Nonnegative) {
  EXPECT_EQ(message([] { check_nonnegative("f", "x", 0.0); }), "");
  EXPECT_EQ(message([] { check_nonnegative("f", "x", -0.5); }), "f: x is -0.5, but must be zero or more");
  const std::vector<double> bad = {0, 1, -2};
  EXPECT_EQ(message([&] { check_nonnegative("f", "x", bad); }), "f: x[2] is -2, but must be zero or more");
}

TEST(Check, ProbabilityAndRangeIncludeTheirEnds) {
  EXPECT_EQ(message([] { check_probability("f", "p", 0); }), "");
  EXPECT_EQ(message([] { check_probability("f", "p", 1); }), "");
  EXPECT_EQ(message([] { check_probability("f", "p", 1.5); }), "f: p is 1.5, but must be from 0 to 1");
  EXPECT_EQ(message([] { check_range("f", "x", 3, 3, 4); }), "");
  EXPECT_EQ(message([] { check_range("f", "x", 2.5, 3, 4); }), "f: x is 2.5, but must be from 3 to 4");
  EXPECT_EQ(message([] { check_range("f", "x", kNan, 3, 4); }), "f: x is nan, but must be from 3 to 4");
}

TEST(Check, Size) {
  EXPECT_EQ(message([] { check_size("f", "x", 3, 3); }), "");
  EXPECT_EQ(message([] { check_size("f", "x", 2, 3); }), "f: x has 2 entries, but must have 3");
}

TEST(Check, Simplex) {
  const std::vector<double> good = {0.25, 0.75, 0}, negative = {1.5, -0.5}, short_sum = {0.5, 0.25};
  EXPECT_EQ(message([&] { check_simplex("f", "p", good); }), "");
  EXPECT_EQ(message([&] { check_simplex("f", "p", negative); }), "f: p[1] is -0.5, but must be zero or more");
  EXPECT_EQ(message([&] { check_simplex("f", "p", short_sum); }), "f: the sum of p is 0.75, but must be 1");
  EXPECT_EQ(message([&] { check_simplex("f", "p", short_sum, 0.25); }), "");
  EXPECT_EQ(message([&] { check_simplex("f", "p", {}); }), "f: the sum of p is 0, but must be 1");
}

}  // namespace check_test
}  // namespace mindgap::base
