#include "mindgap/stats/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "mindgap/base/error.h"
#include "stats/scipy_values.h"

namespace mindgap::stats {
namespace interval_test {

// Closed forms: 1 degree of freedom is Cauchy, t = tan(pi level / 2); with 2, t = level sqrt(2 / (1 -
// level^2)).
TEST(StudentInterval, ClosedForms) {
  for (const double level : {.1, .5, .9, .95, .999}) {
    const double cauchy = std::tan(std::numbers::pi * level / 2);
    const Interval one = student_interval(0, 1, 2, level);
    EXPECT_NEAR(one.upper / cauchy, 1, 1e-12) << level;
    EXPECT_EQ(one.lower, -one.upper);
    const double two = level * std::sqrt(2 / (1 - level * level));
    EXPECT_NEAR((student_interval(5, 3, 3, level).upper - 5) / (3 * two), 1, 1e-12) << level;
  }
}

TEST(StudentInterval, SciPy) {
  for (const auto& [degrees_of_freedom, level, t] : scipy::kStudentQuantiles) {
    const auto trials = static_cast<std::int64_t>(degrees_of_freedom) + 1;
    EXPECT_NEAR(student_interval(0, 1, trials, level).upper / t, 1, 1e-11) << trials << " " << level;
  }
}

TEST(StudentInterval, NoErrorNoWidth) {
  const Interval interval = student_interval(1.5, 0, 2, .95);
  EXPECT_EQ(interval.lower, 1.5);
  EXPECT_EQ(interval.upper, 1.5);
}

TEST(StudentInterval, BadArguments) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(student_interval(nan, 1, 3, .95), InvalidArgument);
  EXPECT_THROW(student_interval(0, -1, 3, .95), InvalidArgument);
  EXPECT_THROW(student_interval(0, infinity, 3, .95), InvalidArgument);
  EXPECT_THROW(student_interval(0, 1, 1, .95), InvalidArgument);
  for (const double level : {0.0, 1.0, -.5, 1.5, nan}) {
    EXPECT_THROW(student_interval(0, 1, 3, level), InvalidArgument) << level;
    EXPECT_THROW(check_level("test", level), InvalidArgument) << level;
  }
}

}  // namespace interval_test
}  // namespace mindgap::stats
