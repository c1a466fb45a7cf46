#include "mindgap/stats/multiple_testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mindgap/base/error.h"
#include "stats/scipy_values.h"

namespace mindgap::stats {
namespace multiple_testing_test {

void expect_near(const std::vector<double>& got, const std::vector<double>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-14) << i;
}

// By hand: sorted .01 .02 .03 .04 .05; Holm 5*.01, 4*.02, 3*.03, then the running maximum; BH i-th * 5 / i is
// .05 everywhere.
TEST(MultipleTesting, HandValues) {
  const std::vector<double> p{.03, .01, .05, .02, .04};
  expect_near(bonferroni(p), {.15, .05, .25, .10, .20});
  expect_near(holm(p), {.09, .05, .09, .08, .09});
  expect_near(benjamini_hochberg(p), {.05, .05, .05, .05, .05});
}

// The worked example of Benjamini and Hochberg (1995), section 4.1: 15 p-values; Bonferroni at .05 rejects 3,
// their procedure 4.
TEST(MultipleTesting, BenjaminiHochbergsExample) {
  const std::vector<double> p{.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344,
                              .0459, .3240, .4262, .5719, .6528, .7590, 1.000};
  const auto rejected = [](const std::vector<double>& adjusted) {
    return std::count_if(adjusted.begin(), adjusted.end(), [](double q) { return q <= .05; });
  };
  EXPECT_EQ(rejected(bonferroni(p)), 3);
  EXPECT_EQ(rejected(holm(p)), 3);
  EXPECT_EQ(rejected(benjamini_hochberg(p)), 4);
}

TEST(MultipleTesting, SciPyAndStatsmodels) {
  expect_near(benjamini_hochberg(scipy::kPValues), scipy::kBenjaminiHochberg);
  expect_near(holm(scipy::kPValues), scipy::kHolm);
}

TEST(MultipleTesting, OrderedByStrictness) {
  const std::vector<double> p{.2, 0, .9, 1, .011, .011, .5};
  const auto b = bonferroni(p), h = holm(p), q = benjamini_hochberg(p);
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_LE(p[i], q[i]);
    EXPECT_LE(q[i], h[i]);
    EXPECT_LE(h[i], b[i]);
    EXPECT_LE(b[i], 1);
  }
  EXPECT_EQ(h[4], h[5]);
  EXPECT_EQ(q[4], q[5]);
}

TEST(MultipleTesting, NoneAndBad) {
  EXPECT_TRUE(benjamini_hochberg({}).empty());
  const std::vector<double> above{.5, 1.1}, below{-.1}, none{std::nan("")};
  EXPECT_THROW(bonferroni(above), InvalidArgument);
  EXPECT_THROW(holm(below), InvalidArgument);
  EXPECT_THROW(benjamini_hochberg(none), InvalidArgument);
}

}  // namespace multiple_testing_test
}  // namespace mindgap::stats
