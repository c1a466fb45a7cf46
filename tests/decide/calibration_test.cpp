#include "decide/calibration.h"

#include <gtest/gtest.h>

#include <set>

namespace mindgap::decide {
namespace calibration_test {

TEST(Problems, AreAFunctionOfSeedAndNumber) {
  const Problem one = draw_problem(1, 4), same = draw_problem(1, 4), other = draw_problem(2, 4);
  EXPECT_EQ(one.situation.belief().simulator(), same.situation.belief().simulator());
  EXPECT_EQ(one.situation.unit_state, same.situation.unit_state);
  EXPECT_NE(one.situation.belief().simulator().reward()[1], other.situation.belief().simulator().reward()[1]);
}

TEST(Problems, AreOfEveryKind) {
  std::set<std::string> families;
  std::set<std::int64_t> units, horizons;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Problem problem = draw_problem(42, i);
    problem.situation.validate();
    families.insert(problem.family);
    units.insert(problem.situation.units());
    horizons.insert(problem.situation.horizon);
  }
  EXPECT_EQ(families, (std::set<std::string>{"bandit", "grid", "random"}));
  EXPECT_EQ(units, (std::set<std::int64_t>{1, 2, 4, 8}));
  EXPECT_GT(horizons.size(), 15U);
}

// The small version of `make calibrate`: 6 problems with 64 worlds each, judged on 250 fresh ones. Of 6
// intervals of 95 %, fewer than 4 hold with probability .002 only. And no fixed plan is far better.
TEST(Calibration, AFewProblems) {
  CalibrationOptions options;
  options.problems = 6;
  options.worlds = 64;
  options.fresh_worlds = 250;
  const Calibration calibration = calibrate(options);
  const auto stating = static_cast<double>(calibration.stating());
  EXPECT_GE(stating, 3);
  EXPECT_GE(calibration.covered() * stating, stating - 2);
  EXPECT_GE(calibration.of_best_fixed(), .95);
  for (const Judged& judged : calibration.problems) {
    EXPECT_GT(judged.verdict_share, 0) << judged.number;
    EXPECT_LT(judged.verdict_share, 1.05) << judged.number;
  }
}

}  // namespace calibration_test
}  // namespace mindgap::decide
