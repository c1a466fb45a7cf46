#include "mindgap/voi/tail.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/stats/moments.h"
#include "mindgap/stats/paired.h"

namespace mindgap::voi::tail_test {
namespace {

TEST(TailMeanTest, by_hand) {
  const std::vector<double> values = {5, 1, 4, 2, 3};
  EXPECT_DOUBLE_EQ(tail_mean(values, 1), 3);
  EXPECT_DOUBLE_EQ(tail_mean(values, .4), 1.5);
  EXPECT_DOUBLE_EQ(tail_mean(values, .2), 1);
  // The worst 30 %: all of 1 and half of 2.
  EXPECT_NEAR(tail_mean(values, .3), (1 + .5 * 2) / 1.5, 1e-12);
  EXPECT_EQ(tail_values(values, 1), values);
  EXPECT_THROW(tail_values(values, 0), InvalidArgument);
  EXPECT_THROW(tail_values(values, 1.1), InvalidArgument);
}

// The worst tenth of a standard normal has the mean -phi(z)/.1 with z its 10 % quantile.
TEST(TailMeanTest, of_a_normal) {
  std::vector<double> values;
  values.reserve(100'000);
  for (int i = 0; i < 100'000; ++i) values.push_back(base::normal_quantile((i + .5) / 100'000));
  const double z = base::normal_quantile(.1);
  EXPECT_NEAR(tail_mean(values, .1), -std::exp(-z * z / 2) / std::sqrt(2 * M_PI) / .1, 1e-4);
}

// How often the 95 % interval of a difference of tail means holds the truth. Plan p earns x + .3 y, plan q
// x + .8 z + .2 with x, y, z standard normal: both are normal, so the truth is a closed form.
double coverage(int worlds, double share, int tables) {
  const double z = base::normal_quantile(share);
  const double unit = -std::exp(-z * z / 2) / std::sqrt(2 * M_PI) / share;
  const double truth = unit * std::sqrt(1.09) - (.2 + unit * std::sqrt(1.64));
  int held = 0;
  for (int t = 0; t < tables; ++t) {
    std::vector<double> p, q;
    base::Stream stream({7, base::Purpose::test, static_cast<std::uint64_t>(t)});
    for (int w = 0; w < worlds; ++w) {
      const double x = base::normal(stream);
      p.push_back(x + .3 * base::normal(stream));
      q.push_back(x + .8 * base::normal(stream) + .2);
    }
    std::vector<double> difference = tail_values(p, share);
    const std::vector<double> other = tail_values(q, share);
    for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= other[i];
    const stats::PairedT found = stats::paired_t(difference, .95);
    held += found.interval->lower <= truth && truth <= found.interval->upper;
  }
  return static_cast<double>(held) / tables;
}

TEST(TailMeanTest, intervals_of_differences_cover) {
  // 2,000 tables: the standard error of a coverage of .95 is .005.
  EXPECT_NEAR(coverage(1'024, .1, 2'000), .95, .015);
  EXPECT_NEAR(coverage(256, .25, 2'000), .95, .015);
  EXPECT_GT(coverage(256, .1, 2'000), .92);
}

}  // namespace
}  // namespace mindgap::voi::tail_test
