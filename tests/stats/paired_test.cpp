#include "mindgap/stats/paired.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "mindgap/base/error.h"
#include "stats/samples.h"
#include "stats/scipy_values.h"

namespace mindgap::stats {
namespace paired_test {

using Values = std::vector<double>;

// 1, 2, 3: mean 2, sd 1, se 1/sqrt 3, t = 2 sqrt 3. With 2 degrees of freedom P(|T| >= t) = 1 - t/sqrt(2 +
// t^2) = 1 - sqrt(12/14), and P(|T| <= q) = .95 at q = .95 sqrt(2 / (1 - .95^2)).
TEST(PairedT, HandValue) {
  const PairedT test = paired_t(Values{1, 2, 3});
  EXPECT_EQ(test.trials, 3);
  EXPECT_EQ(test.mean, 2);
  EXPECT_DOUBLE_EQ(test.standard_error.value(), 1 / std::sqrt(3.0));
  EXPECT_NEAR(test.p_value.value(), 1 - std::sqrt(12.0 / 14), 1e-14);
  const double width = .95 * std::sqrt(2 / (1 - .95 * .95)) / std::sqrt(3.0);
  EXPECT_NEAR(test.interval->lower, 2 - width, 1e-12);
  EXPECT_NEAR(test.interval->upper, 2 + width, 1e-12);
}

TEST(PairedT, SciPy) {
  for (const auto& [data, level, p_value, lower, upper] : scipy::kTTests) {
    const PairedT test = paired_t(data, level);
    EXPECT_NEAR(test.p_value.value() / p_value, 1, 1e-11);
    EXPECT_NEAR(test.interval->lower, lower, 1e-12 * std::abs(lower));
    EXPECT_NEAR(test.interval->upper, upper, 1e-12 * std::abs(upper));
  }
}

TEST(PairedT, LimitCases) {
  const PairedT one = paired_t(Values{7});
  EXPECT_EQ(one.mean, 7);
  EXPECT_FALSE(one.standard_error || one.interval || one.p_value);
  const PairedT zeros = paired_t(Values{0, 0, 0});
  EXPECT_EQ(zeros.standard_error, 0);
  EXPECT_EQ(zeros.p_value, 1);
  const PairedT same = paired_t(Values(10, -.1));
  EXPECT_EQ(same.mean, -.1);
  EXPECT_EQ(same.standard_error, 0);
  EXPECT_EQ(same.p_value, 0);
  EXPECT_EQ(same.interval->upper, -.1);
  EXPECT_EQ(paired_t(Values{1, -1}).p_value, 1);
}

TEST(PairedT, SignsAndScales) {
  auto stream = samples::stream(3);
  const Values differences = samples::normals(stream, 25);
  const PairedT plain = paired_t(differences), flipped = paired_t(samples::times(differences, -1));
  EXPECT_EQ(flipped.p_value, plain.p_value);
  EXPECT_EQ(flipped.mean, -plain.mean);
  EXPECT_EQ(flipped.interval->lower, -plain.interval->upper);
  for (const double factor : {0x1p-600, 0x1p600}) {
    EXPECT_EQ(paired_t(samples::times(differences, factor)).p_value, plain.p_value) << factor;
  }
}

// The interval of level 1 - p has one end at 0; a little less and it leaves 0 out.
TEST(PairedT, IntervalAndTestAgree) {
  const Values differences{.3, -.2, .8, .5, 0, 1.1};
  const double p = paired_t(differences).p_value.value();
  EXPECT_GT(paired_t(differences, 1 - p - 1e-9).interval->lower, 0);
  EXPECT_LT(paired_t(differences, 1 - p + 1e-9).interval->lower, 0);
}

TEST(PairedT, BadArguments) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(paired_t(Values{}), InvalidArgument);
  EXPECT_THROW(paired_t(Values{1, nan}), InvalidArgument);
  EXPECT_THROW(paired_t(Values{infinity, 1}), InvalidArgument);
  for (const double level : {0.0, 1.0, nan}) EXPECT_THROW(paired_t(Values{1, 2}, level), InvalidArgument);
}

}  // namespace paired_test
}  // namespace mindgap::stats
