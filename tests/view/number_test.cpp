#include "mindgap/view/number.h"

#include <gtest/gtest.h>

#include <limits>

namespace mindgap::view {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

struct Case {
  double value;
  int digits;
  const char* text;
};

TEST(Number, Table) {
  for (const Case& one : {
           Case{0, 4, "0"},
           {-0.0, 4, "0"},
           {1, 4, "1"},
           {-1.5, 4, "-1.5"},
           {705, 4, "705"},
           {705, 2, "705"},    // not 7e+02: digits before the point are never dropped
           {705.4, 2, "705"},  // but those after it are
           {-705.6, 2, "-706"},
           {95, 1, "95"},
           {9.96, 1, "10"},
           {0.96, 1, "1"},
           {99.96, 3, "100"},
           {999.96, 4, "1000"},  // rounding up adds a digit, not an exponent
           {999.96, 3, "1000"},
           {999999.6, 4, "1000000"},
           {12345.6, 4, "12346"},
           {1234567, 4, "1234567"},
           {1234567.25, 10, "1234567.25"},
           {12345678901.4, 10, "1.23456789e+10"},
           {1234567890.4, 10, "1234567890"},
           {999999999, 4, "999999999"},
           {1e9, 4, "1e+09"},
           {1e12, 4, "1e+12"},
           {-1.23456e12, 4, "-1.235e+12"},
           {0.5, 4, "0.5"},
           {2.0 / 3, 4, "0.6667"},
           {0.00012, 4, "0.00012"},
           {0.000012, 4, "1.2e-05"},
           {1e-9, 4, "1e-09"},
           {-1e-9, 4, "-1e-09"},
           {1e-300, 2, "1e-300"},
           {kInfinity, 4, "inf"},
           {-kInfinity, 4, "-inf"},
           {kNotANumber, 4, "-"},
       }) {
    EXPECT_EQ(number(one.value, one.digits), one.text) << one.value << " with " << one.digits << " digits";
  }
  EXPECT_EQ(number(2.0 / 3), "0.6667");  // four digits where nothing is said
}

TEST(Number, Signed) {
  EXPECT_EQ(signed_number(2), "+2");
  EXPECT_EQ(signed_number(-3.25), "-3.25");
  EXPECT_EQ(signed_number(0), "0");
  EXPECT_EQ(signed_number(-0.0), "0");
  EXPECT_EQ(signed_number(23456.7), "+23457");
  EXPECT_EQ(signed_number(kNotANumber), "-");
}

TEST(Number, FixedForColumns) {
  EXPECT_EQ(fixed(12.345, 1), "12.3");
  EXPECT_EQ(fixed(0, 2), "0.00");
  EXPECT_EQ(fixed(-0.001, 2), "0.00");  // not -0.00
  EXPECT_EQ(fixed(-0.006, 2), "-0.01");
  EXPECT_EQ(fixed(-0.4, 0), "0");
  EXPECT_EQ(fixed(kNotANumber, 2), "-");
  EXPECT_EQ(signed_fixed(0.006, 2), "+0.01");
  EXPECT_EQ(signed_fixed(0.001, 2), "0.00");
  EXPECT_EQ(signed_fixed(-0.001, 2), "0.00");
  EXPECT_EQ(signed_fixed(-1, 2), "-1.00");
}

TEST(Number, EndsOfRangesCanBeToldApart) {
  EXPECT_EQ(range(3, 5), "3 to 5");
  EXPECT_EQ(range(8, 8), "8");
  EXPECT_EQ(range(7.99999, 8.00001), "7.99999 to 8.00001");  // not "8 to 8"
  EXPECT_EQ(range(8 - 1e-14, 8 + 1e-14), "8");               // no ten digits tell them apart
  EXPECT_EQ(range(-1e-20, 0), "-1e-20 to 0");
  EXPECT_EQ(range(-kInfinity, kInfinity), "-inf to inf");
  EXPECT_EQ(range(1234567.1, 1234567.2), "1234567.1 to 1234567.2");
  EXPECT_EQ(bracketed({0, 0}), "[0, 0]");
  EXPECT_EQ(bracketed({-0.0, 2.5}), "[0, 2.5]");
  EXPECT_EQ(bracketed({7.99999, 8.00001}), "[7.99999, 8.00001]");
  EXPECT_EQ(bracketed({1.23456, 2}, 2), "[1.2, 2]");
  EXPECT_EQ(with_range(5, {3, 7.5}), "5 (3 to 7.5)");
  EXPECT_EQ(with_range(705.25, {-2, 23456.7}), "705.2 (-2 to 23457)");
}

TEST(Number, Errors) {
  EXPECT_EQ(with_error(12.3456, 0.4567), "12.35 +- 0.46");
  EXPECT_EQ(with_error(705, 123.4), "705 +- 123");
  EXPECT_EQ(with_error(12.3456, 0), "12.35");
  EXPECT_EQ(with_error(1, 0.25, 4, 3), "1 +- 0.25");
}

TEST(Number, Percentages) {
  EXPECT_EQ(percent(.125), "12.5 %");
  EXPECT_EQ(percent(1), "100.0 %");
  EXPECT_EQ(percent(0), "0.0 %");
  EXPECT_EQ(percent(-0.0), "0.0 %");
  EXPECT_EQ(percent(.0001), "< 0.1 %");
  EXPECT_EQ(percent(-.0001), "0.0 %");  // not -0.0 %
  EXPECT_EQ(percent(.0006), "0.1 %");
  EXPECT_EQ(rough_percent(.1234), "12 %");
  EXPECT_EQ(rough_percent(.0031), "0.31 %");  // not 0 %
  EXPECT_EQ(rough_percent(7.05), "705 %");
  EXPECT_EQ(rough_percent(0), "0 %");
}

TEST(Number, Counts) {
  EXPECT_EQ(count(1, "state"), "1 state");
  EXPECT_EQ(count(0, "state"), "0 states");
  EXPECT_EQ(count(40, "state"), "40 states");
}

}  // namespace
}  // namespace mindgap::view
