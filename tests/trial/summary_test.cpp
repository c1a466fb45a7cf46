#include "mindgap/trial/summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mindgap/base/error.h"

namespace mindgap::trial {
namespace summary_test {

// values[planner][horizon][trial], put where Results has them.
Results results_of(std::vector<std::string> planners, std::vector<std::int64_t> horizons,
                   const std::vector<std::vector<std::vector<double>>>& values) {
  Results results{.planners = std::move(planners), .horizons = std::move(horizons)};
  for (std::size_t trial = 0; trial < values[0][0].size(); ++trial) {
    results.trials.push_back(100 + trial);
    for (const auto& of_planner : values) {
      for (const auto& of_horizon : of_planner) results.value.push_back(of_horizon[trial]);
    }
  }
  return results;
}

Results three_trials() {
  return results_of({"plan", "oracle", "sop"}, {5, 10},
                    {{{5, 15, 25}, {2, 2, 2}}, {{10, 20, 30}, {1, 1, 1}}, {{4, 16, 19}, {1, 1, 1}}});
}

// 97.5 % quantile of Student's t with 2 degrees of freedom, in closed form.
const double kStudent2 = .95 * std::sqrt(2 / (1 - .95 * .95));

void expect_interval(const std::optional<stats::Interval>& interval, double center, double width) {
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->lower, center - width, 1e-10);
  EXPECT_NEAR(interval->upper, center + width, 1e-10);
}

// Horizon 5. plan over oracle: means 15 / 20; residuals x - .75 y = -2.5, 0, 2.5 with sd 2.5;
// se = 2.5 / (sqrt(3) 20). plan - sop = 1, -1, 6: mean 2, 10 % of 20; residuals d - .1 y = 0, -3, 3 with
// sd 3. Ranks 1.5, 1.5, 3; W- = 1.5; of 8 signs 3 give that or less: p = 6/8.
TEST(Summarise, HandValues) {
  const auto rows = summarise(three_trials(), {"plan"}, "sop");
  ASSERT_EQ(rows.size(), 2U);
  const SummaryRow& row = rows[0];
  EXPECT_EQ(row.planner, "plan");
  EXPECT_EQ(row.horizon, 5);
  EXPECT_EQ(row.trials, 3);
  EXPECT_EQ(row.mean, 15);
  EXPECT_EQ(row.percent_of_oracle, 75);
  expect_interval(row.interval, 75, 100 * kStudent2 * 2.5 / (std::sqrt(3.0) * 20));
  EXPECT_DOUBLE_EQ(row.difference, 10);
  expect_interval(row.difference_interval, 10, 100 * kStudent2 * 3 / (std::sqrt(3.0) * 20));
  EXPECT_EQ(row.mean_difference, 2);
  expect_interval(row.mean_difference_interval, 2, kStudent2 * std::sqrt(13.0 / 3));  // variance 13 of three
  EXPECT_EQ(row.p_value, .75);
  EXPECT_EQ(row.p_method, "exact");
  // Differences 1, -1, 6: t = 2 / sqrt(13/3); with 2 degrees of freedom P(|T| > t) = 1 - t / sqrt(2 + t^2).
  const double t = 2 / std::sqrt(13.0 / 3);
  EXPECT_NEAR(row.t_p_value.value(), 1 - t / std::sqrt(2 + t * t), 1e-12);
}

// Horizon 10: 2 against 1 in every trial, so no error; three equal differences: p = 2/8.
TEST(Summarise, NothingVaries) {
  const SummaryRow row = summarise(three_trials(), {"plan"}, "sop").at(1);
  EXPECT_EQ(row.horizon, 10);
  EXPECT_EQ(row.percent_of_oracle, 200);
  expect_interval(row.interval, 200, 0);
  EXPECT_EQ(row.difference, 100);
  expect_interval(row.difference_interval, 100, 0);
  EXPECT_EQ(row.p_value, .25);
}

TEST(Summarise, RowsByHorizonThenAsAsked) {
  const auto rows = summarise(three_trials(), {"sop", "plan", "oracle"}, "sop");
  std::vector<std::string> names;
  std::vector<std::int64_t> horizons;
  for (const SummaryRow& row : rows) {
    names.push_back(row.planner);
    horizons.push_back(row.horizon);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"sop", "plan", "oracle", "sop", "plan", "oracle"}));
  EXPECT_EQ(horizons, (std::vector<std::int64_t>{5, 5, 5, 10, 10, 10}));
  EXPECT_EQ(rows[0].percent_of_oracle, 65);
  EXPECT_EQ(rows[0].difference, 0);  // the reference against itself
  expect_interval(rows[0].difference_interval, 0, 0);
  EXPECT_EQ(rows[0].p_value, 1);
  EXPECT_EQ(rows[2].percent_of_oracle, 100);
  expect_interval(rows[2].interval, 100, 0);
}

TEST(Summarise, OneTrialHasNoInterval) {
  const auto rows = summarise(results_of({"oracle", "sop"}, {1}, {{{8}}, {{2}}}), {"sop"}, "oracle");
  EXPECT_EQ(rows.at(0).percent_of_oracle, 25);
  EXPECT_EQ(rows.at(0).difference, -75);
  EXPECT_FALSE(rows.at(0).interval.has_value());
  EXPECT_FALSE(rows.at(0).difference_interval.has_value());
  EXPECT_EQ(rows.at(0).p_value, 1);
}

TEST(Summarise, SaysWhereThePValueIsApproximate) {
  std::vector<double> sop(201, 1), oracle(201, 2);
  const auto rows = summarise(results_of({"oracle", "sop"}, {1}, {{oracle}, {sop}}), {"sop"}, "oracle");
  EXPECT_EQ(rows.at(0).p_method, "normal approximation");
  EXPECT_GT(rows.at(0).p_value, 0);
  EXPECT_LT(rows.at(0).p_value, 1e-40);
}

// A percentage of nothing, or of a loss, would be upside down.
TEST(Summarise, NoPercentageOfAnOracleThatLoses) {
  for (const std::vector<double>& oracle : {std::vector<double>{1, -1}, std::vector<double>{-3, -1}}) {
    const SummaryRow row =
        summarise(results_of({"oracle", "sop", "asop"}, {1}, {{oracle}, {{2, 2}}, {{1, 2}}}), {"sop"}, "asop")
            .at(0);
    EXPECT_TRUE(std::isnan(row.percent_of_oracle));
    EXPECT_TRUE(std::isnan(row.difference));
    EXPECT_FALSE(row.interval.has_value());
    EXPECT_FALSE(row.difference_interval.has_value());
    EXPECT_EQ(row.mean, 2);
    EXPECT_EQ(row.p_value, 1);
  }
}

TEST(Summarise, WithoutAnOracleDifferencesRemain) {
  const auto rows =
      summarise(results_of({"plan", "sop"}, {1}, {{{5, 15, 25}}, {{4, 16, 19}}}), {"plan"}, "sop");
  EXPECT_TRUE(std::isnan(rows.at(0).percent_of_oracle));
  EXPECT_TRUE(std::isnan(rows.at(0).difference));
  EXPECT_FALSE(rows.at(0).interval.has_value());
  EXPECT_EQ(rows.at(0).mean, 15);
  EXPECT_EQ(rows.at(0).mean_difference, 2);
  expect_interval(rows.at(0).mean_difference_interval, 2, kStudent2 * std::sqrt(13.0 / 3));
  EXPECT_EQ(rows.at(0).p_value, .75);
}

TEST(Summarise, BadArguments) {
  const Results good = three_trials();
  EXPECT_THROW(summarise(good, {"plan", "none"}, "sop"), InvalidArgument);
  EXPECT_THROW(summarise(good, {"plan"}, "none"), InvalidArgument);
  EXPECT_THROW(summarise(Results{.planners = {"oracle"}, .horizons = {1}}, {"oracle"}, "oracle"),
               InvalidArgument);
  Results short_of_one = good;
  short_of_one.value.pop_back();
  EXPECT_THROW(summarise(short_of_one, {"plan"}, "sop"), InvalidArgument);
  Results undefined = good;
  undefined.value[3] = std::nan("");
  EXPECT_THROW(summarise(undefined, {"plan"}, "sop"), InvalidArgument);
}

}  // namespace summary_test
}  // namespace mindgap::trial
