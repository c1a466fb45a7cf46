#include "mindgap/program/parameters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"

namespace mindgap::program {
namespace {

TEST(Parameters, QuantilesByHand) {
  EXPECT_DOUBLE_EQ(quantile({.law = Law::uniform, .a = 2, .b = 6}, .25), 3);
  EXPECT_NEAR(quantile({.law = Law::normal, .a = 1, .b = 2}, .975), 1 + 2 * 1.959963984540054, 1e-12);
  EXPECT_NEAR(quantile({.law = Law::lognormal, .a = 0, .b = 1}, .5), 1, 1e-12);
  EXPECT_NEAR(quantile({.law = Law::beta, .a = 1, .b = 2, .low = 10, .high = 20}, .75), 15,
              1e-9);  // 1 - (1-x)^2
  EXPECT_NEAR(quantile({.law = Law::gamma, .a = 1, .b = 3}, .5), 3 * std::log(2), 1e-12);
  // Cut off at 0, the upper half of the standard normal: P(|Z| <= q) = .5.
  EXPECT_NEAR(quantile({.law = Law::normal, .a = 0, .b = 1, .low = 0}, .5), .6744897501960817, 1e-12);
  const Distribution choice{.law = Law::choice, .values = {5, 7}, .weights = {3, 1}};
  EXPECT_EQ(quantile(choice, .7), 5);
  EXPECT_EQ(quantile(choice, .8), 7);
  EXPECT_EQ(quantile({.law = Law::choice, .values = {1, 2, 3}}, .5), 2);
  EXPECT_EQ(lowest(choice), 5);
  EXPECT_EQ(highest(choice), 7);
  EXPECT_EQ(lowest({.law = Law::gamma, .a = 1, .b = 1}), 0);
}

TEST(Parameters, ALatinHypercubeHasOneDrawInEveryShare) {
  const Distribution unit{.law = Law::uniform, .a = 0, .b = 1};
  const std::vector<Distribution> parameters = {unit, unit, unit};
  const std::int32_t draws = 64;
  const std::vector<double> found = latin_hypercube(parameters, draws, 7);
  ASSERT_EQ(found.size(), 3 * 64);
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<int> count(64);
    for (std::size_t i = 0; i < 64; ++i) ++count[static_cast<std::size_t>(found[i * 3 + k] * draws)];
    EXPECT_EQ(*std::min_element(count.begin(), count.end()), 1);
  }
  EXPECT_EQ(latin_hypercube(parameters, draws, 7), found);
  EXPECT_NE(latin_hypercube(parameters, draws, 8), found);
  // A parameter's draws do not depend on which others there are.
  const std::vector<double> alone = latin_hypercube(std::span(parameters).first(1), draws, 7);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(alone[i], found[i * 3]);
}

TEST(Parameters, RefusesBadDistributions) {
  const auto refuses = [](const Distribution& d) {
    EXPECT_THROW(check_distribution("mass", d), InvalidArgument);
  };
  refuses({.law = Law::uniform, .a = 1, .b = 1});
  refuses({.law = Law::uniform, .a = std::nan(""), .b = 1});
  refuses({.law = Law::normal, .a = 0, .b = 0});
  refuses({.law = Law::normal, .a = 0, .b = 1, .low = 2, .high = 1});
  refuses({.law = Law::beta, .a = 0, .b = 1, .low = 0, .high = 1});
  refuses({.law = Law::beta, .a = 1, .b = 1});
  refuses({.law = Law::gamma, .a = -1, .b = 1});
  refuses({.law = Law::lognormal, .a = 0, .b = 1, .low = -2, .high = -1});
  refuses({.law = Law::choice});
  refuses({.law = Law::choice, .values = {1, 2}, .weights = {1}});
  refuses({.law = Law::choice, .values = {1, 2}, .weights = {0, 0}});
  check_distribution("mass", {.law = Law::beta, .a = 2, .b = 1, .low = 0, .high = 1});
  EXPECT_THROW(latin_hypercube({}, 0, 1), InvalidArgument);
}

}  // namespace
}  // namespace mindgap::program
