#include "mindgap/study/permutation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "study/field.h"

namespace mindgap::study {
namespace permutation_tests {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Units with these arms, in these states.
State arms(const std::vector<Arm>& arm, double control_share, const std::vector<std::int32_t>& place = {}) {
  State state{.model = row_of_places()};
  state.options.control_share = control_share;
  for (std::size_t u = 0; u < arm.size(); ++u)
    state.units.push_back({"u" + std::to_string(u), place.empty() ? 0 : place[u], "", arm[u]});
  return state;
}

constexpr Arm kExplore = Arm::explore, kControl = Arm::control;

// Of the 6 ways to choose 2 of 4, {1, 2} against {3, 4} and its mirror image differ by 2 or more.
TEST(Permutation, FourUnitsByHand) {
  const std::vector<double> mean = {1, 2, 3, 4};
  const auto found = permutation_test(arms({kControl, kControl, kExplore, kExplore}, .5), mean, 1);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->exact);
  EXPECT_EQ(found->arrangements, 6);
  EXPECT_NEAR(found->p_value, 2.0 / 6, 1e-12);
  EXPECT_NEAR(found->adjusted, 2.0 / 6 * std::numbers::pi * std::numbers::pi / 6, 1e-12);
  EXPECT_EQ(permutation_test(arms({kControl, kControl, kExplore, kExplore}, .5), mean, 3)->adjusted,
            1);  // 2/6 pi^2 9/6 is more than 1
}

// Three units and a share of .5: one control or two, each with probability 1/2. With one, only unit 0 gives a
// difference of 1 (of 3); with two, only the other two do (of 3).
TEST(Permutation, HowManyControlsThereAreIsDrawnToo) {
  const auto found =
      permutation_test(arms({kControl, kExplore, kExplore}, .5), std::vector<double>{0, 1, 1}, 1);
  EXPECT_EQ(found->arrangements, 6);
  EXPECT_NEAR(found->p_value, 1.0 / 3, 1e-12);
}

// Arms are drawn among the units of a state: with one unit in each of two states and a share of .5 there is
// one control always, in the first state or in the second with probability 1/2.
TEST(Permutation, KeepsToTheStates) {
  const auto found = permutation_test(arms({kControl, kExplore}, .5, {0, 1}), std::vector<double>{0, 5}, 1);
  EXPECT_EQ(found->arrangements, 2);
  EXPECT_NEAR(found->p_value, 1, 1e-12);
  // Two states of two units, one control in each: 4 ways. By hand, of the
  // means 0, 1 | 10, 12; controls 0 and 10: |6.5 - 5| = 1.5; 0 and 12: |5.5 - 6| = .5; 1 and 10: .5; 1 and
  // 12: 1.5.
  const auto two = permutation_test(arms({kControl, kExplore, kControl, kExplore}, .5, {0, 0, 1, 1}),
                                    std::vector<double>{0, 1, 10, 12}, 1);
  EXPECT_EQ(two->arrangements, 4);
  EXPECT_NEAR(two->p_value, .5, 1e-12);
}

// Under the hypothesis p is at most u with chance at most u, over all arrangements that may be drawn.
TEST(Permutation, IsValidAtEveryLevel) {
  const std::vector<double> mean = {.3, -1, 2.5, 2.5, 7, .1, 0};
  std::vector<double> p;
  for (std::size_t a = 0; a < 7; ++a) {
    std::vector<Arm> arm(7, kExplore);
    arm[a] = kControl;
    p.push_back(permutation_test(arms(arm, 1.0 / 7), mean, 1)->p_value);
  }
  for (const double u : p) {
    double at_most = 0;
    for (const double other : p) at_most += other <= u + 1e-12 ? 1.0 / 7 : 0;
    EXPECT_LE(at_most, u + 1e-9);
  }
}

TEST(Permutation, ManyUnitsAreDrawnAgainInstead) {
  std::vector<Arm> arm(60, kExplore);
  std::vector<double> mean;
  for (std::size_t u = 0; u < 60; ++u) {
    if (u < 4) arm[u] = kControl;
    mean.push_back(u < 4 ? -10 - static_cast<double>(u) : static_cast<double>(u % 7));
  }
  const auto found = permutation_test(arms(arm, 4.0 / 60), mean, 1);
  EXPECT_FALSE(found->exact);
  EXPECT_EQ(found->arrangements, kRedraws);
  EXPECT_NEAR(found->p_value, 1e-4, 1e-9);  // 1 of 487,635 arrangements is as extreme: none of the drawn ones
  const auto alike = permutation_test(arms(arm, 4.0 / 60), std::vector<double>(60, 2.5), 1);
  EXPECT_EQ(alike->p_value, 1);
}

TEST(Permutation, UnitsWithoutAResultAreLeftOut) {
  EXPECT_FALSE(
      permutation_test(arms({kControl, kExplore, kExplore}, .3), std::vector<double>{kNone, 1, 2}, 1));
  // Of {1, 2} against {3}: choosing 2 of 4 where the last has no result: controls {1, 2}: |3 - 1.5| = 1.5;
  // {1, 3}: 0; {2, 3}: 1.5; {1, -}: |2.5 - 1| = 1.5; {2, -}: 0; {3, -}: 1.5.
  const auto found = permutation_test(arms({kControl, kControl, kExplore, kExplore}, .5),
                                      std::vector<double>{1, 2, 3, kNone}, 1);
  EXPECT_NEAR(found->p_value, 4.0 / 6, 1e-12);
}

}  // namespace permutation_tests
}  // namespace mindgap::study
