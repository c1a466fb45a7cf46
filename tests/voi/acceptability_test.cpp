#include "mindgap/voi/acceptability.h"

#include <gtest/gtest.h>

#include "mindgap/base/error.h"

namespace mindgap::voi::acceptability_test {
namespace {

TEST(AcceptabilityTest, shares_and_losses_by_hand) {
  // Worlds: 1st best is p, 2nd is q, in the 3rd p and r tie.
  const std::vector<std::vector<double>> values = {{3, 0, 5}, {1, 4, 0}, {0, 1, 5}};
  const Acceptability found = acceptability(values);
  EXPECT_DOUBLE_EQ(found.share[0], 1.5 / 3);
  EXPECT_DOUBLE_EQ(found.share[1], 1.0 / 3);
  EXPECT_DOUBLE_EQ(found.share[2], .5 / 3);
  EXPECT_DOUBLE_EQ(found.loss[0].mean, 4.0 / 3);
  EXPECT_DOUBLE_EQ(found.loss[1].mean, (2.0 + 5) / 3);
  EXPECT_DOUBLE_EQ(found.loss[2].mean, (3.0 + 3) / 3);
}

TEST(AcceptabilityTest, empty_and_uneven_tables) {
  EXPECT_TRUE(acceptability({}).share.empty());
  const std::vector<std::vector<double>> uneven = {{1, 2}, {1}};
  EXPECT_THROW(acceptability(uneven), InvalidArgument);
}

}  // namespace
}  // namespace mindgap::voi::acceptability_test
