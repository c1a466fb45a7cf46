#include "mindgap/decide/verdict.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mindgap/base/error.h"

namespace mindgap::decide {
namespace verdict_test {

using Values = std::vector<std::vector<double>>;
constexpr Kind kDeploy = Kind::deploy, kLearn = Kind::learn, kExperiment = Kind::experiment;

// `center` -+ `spread` by turns, so mean `center` and sample sd spread sqrt(n/(n-1)).
std::vector<double> around(double center, double spread, std::size_t worlds = 100) {
  std::vector<double> values(worlds);
  for (std::size_t i = 0; i < worlds; ++i) values[i] = center + (i % 2 == 0 ? spread : -spread);
  return values;
}

std::vector<double> plus(std::vector<double> values, double shift) {
  for (double& value : values) value += shift;
  return values;
}

Verdict settled(const Values& values, const std::vector<Kind>& kinds, double indifference = .01) {
  return settle(values, kinds, indifference, .95);
}

TEST(Settle, ASimplerKindThatIsCertainlyTiedWins) {
  // 99.5 is within 1 % of 100; what all share (the spread) does not blur that.
  const Verdict verdict =
      settled({around(99.5, 20), around(99.8, 20), around(100, 20)}, {kDeploy, kLearn, kExperiment});
  EXPECT_EQ(verdict.kind, kDeploy);
  // D(sop, pilot) = -.5 + .01 pilot: mean .5, sd .2 -> certain
  EXPECT_TRUE(verdict.settled);
  EXPECT_EQ(verdict.worlds_needed, 100);
}

TEST(Settle, TheBestWinsWhereAllSimplerOnesAreCertainlyWorse) {
  const Verdict verdict =
      settled({around(90, 20), around(95, 20), around(100, 20)}, {kDeploy, kLearn, kExperiment});
  EXPECT_EQ(verdict.kind, kExperiment);
  EXPECT_TRUE(verdict.settled);
}

TEST(Settle, TheMiddleKindWinsWhereItIsTiedAndTheSimplerIsNot) {
  const Verdict verdict =
      settled({around(90, 20), around(99.5, 20), around(100, 20)}, {kDeploy, kLearn, kExperiment});
  EXPECT_EQ(verdict.kind, kLearn);
  EXPECT_TRUE(verdict.settled);
}

// Deploying is 2 below and 1 % of 100 is allowed: D(sop, pilot) = -2 + 1 = -1 in the mean. The pilot's own
// spread of 10 on 100 worlds gives a standard error of about .99 * 10 / sqrt(99) = .995: far from certain.
TEST(Settle, UnsettledWhereTheSpreadHidesIt) {
  const Values values = {std::vector<double>(100, 98.0), around(100, 10)};
  const Verdict verdict = settled(values, {kDeploy, kExperiment});
  EXPECT_EQ(verdict.kind, kExperiment);
  EXPECT_FALSE(verdict.settled);
  // Two contrasts, each at 1 - .05/2 = .975: t_99 = 2.2760 (quantile .9875). The one that matters has
  // mean -1 and standard error .99 * 10/sqrt(99), so ((2.2760 * .99499)/1)^2 = 5.128 times as many worlds.
  EXPECT_NEAR(verdict.worlds_needed, 100 * std::pow(2.2760 * .99 * 10 / std::sqrt(99), 2), 1);
}

TEST(Settle, NoNumberOfWorldsSettlesADifferenceOfJustTheIndifference) {
  // mean_p - mean_q + .5 |mean_q| = 1 - 2 + .5 * 2 = 0, with spread.
  const Verdict verdict = settled({around(1, .5), std::vector<double>(100, 2.0)}, {kDeploy, kExperiment}, .5);
  EXPECT_EQ(verdict.kind, kDeploy);
  EXPECT_FALSE(verdict.settled);
  EXPECT_TRUE(std::isinf(verdict.worlds_needed));
}

// Values are costs: the best is -100 and 1 % of its size is 1, so -100.5 is tied and -102 is not.
TEST(Settle, NegativeValues) {
  EXPECT_EQ(settled({around(-100.5, 5), around(-100, 5)}, {kDeploy, kExperiment}).kind, kDeploy);
  EXPECT_TRUE(settled({around(-100.5, 5), around(-100, 5)}, {kDeploy, kExperiment}).settled);
  EXPECT_EQ(settled({around(-102, 5), around(-100, 5)}, {kDeploy, kExperiment}).kind, kExperiment);
  EXPECT_TRUE(settled({around(-102, 5), around(-100, 5)}, {kDeploy, kExperiment}).settled);
}

TEST(Settle, OneKindAloneIsSettled) {
  const Verdict verdict = settled({around(1, 5), around(2, 5)}, {kLearn, kLearn});
  EXPECT_EQ(verdict.kind, kLearn);
  EXPECT_TRUE(verdict.settled);
}

TEST(Settle, ItDoesNotMatterWhereAKindsPlansStand) {
  const Values values = {around(100, 20), around(90, 20), around(95, 20), around(80, 20)};
  const Verdict verdict = settled(values, {kExperiment, kDeploy, kLearn, kExperiment});
  EXPECT_EQ(verdict.kind, kExperiment);
  EXPECT_TRUE(verdict.settled);
}

TEST(Settle, IdenticalValuesAreTiedWithoutAnyIndifference) {
  const std::vector<double> same = around(3, 2);
  const Verdict verdict = settled({same, same, plus(same, -1)}, {kDeploy, kLearn, kExperiment}, 0);
  EXPECT_EQ(verdict.kind, kDeploy);
  EXPECT_TRUE(verdict.settled);
}

TEST(Settle, IdenticalValuesWithoutSpread) {
  const std::vector<double> zero(10, 0.0);
  for (const double indifference : {0.0, .01}) {
    const Verdict verdict = settled({zero, zero, zero}, {kDeploy, kLearn, kExperiment}, indifference);
    EXPECT_EQ(verdict.kind, kDeploy);
    EXPECT_TRUE(verdict.settled);
  }
}

// Learning has one plan that is certainly better than deploying and one that is not: the kind is as good as
// its best plan.
TEST(Settle, AKindIsAsGoodAsItsBestPlan) {
  const Verdict verdict =
      settled({around(90, 20), around(50, 20), around(100, 20)}, {kDeploy, kLearn, kLearn});
  EXPECT_EQ(verdict.kind, kLearn);
  EXPECT_TRUE(verdict.settled);
}

TEST(Settle, RefusesNoPlansAndOtherNumbersOfKinds) {
  EXPECT_THROW(settled({}, {}), InvalidArgument);
  EXPECT_THROW(settled({around(1, 1)}, {kDeploy, kLearn}), InvalidArgument);
}

// sum 6/(pi^2 j^2) = 1: the error of all looks is the error of the level; the first takes .6079 of it.
TEST(LevelOfLook, AllLooksTogetherSpendTheError) {
  EXPECT_NEAR(1 - level_of_look(.95, 1), .05 * .6079271018540267, 1e-12);
  double spent = 0;
  for (std::int64_t look = 1; look <= 100'000; ++look) spent += 1 - level_of_look(.95, look);
  EXPECT_LT(spent, .05);
  EXPECT_NEAR(spent, .05, 1e-6);
}

TEST(BestOfKind, HighestMeanFirstOfEquals) {
  const Values values = {around(1, 1), around(3, 1), around(3, 1), around(2, 1)};
  const std::vector<Kind> kinds = {kDeploy, kLearn, kLearn, kExperiment};
  EXPECT_EQ(best_of_kind(values, kinds, kDeploy), 0U);
  EXPECT_EQ(best_of_kind(values, kinds, kLearn), 1U);
  EXPECT_EQ(best_of_others(values, kinds, kLearn), 3U);
  EXPECT_EQ(best_of_others(values, kinds, kDeploy), 1U);
  EXPECT_EQ(best_of_kind(values, std::vector<Kind>{kLearn, kLearn, kLearn, kLearn}, kDeploy), std::nullopt);
  EXPECT_EQ(best_of_others(values, std::vector<Kind>{kLearn, kLearn, kLearn, kLearn}, kLearn), std::nullopt);
}

// Two plans that do the same are tied whatever their values: the noise of the indifference, a share of a
// value that may be 0, is no doubt about it.
TEST(Settle, EqualPlansAreTiedHoweverNearTheirValuesAreToZero) {
  std::vector<double> same;
  same.reserve(20);
  for (int w = 0; w < 20; ++w) same.push_back(w % 2 == 0 ? 5 : -5.01);
  const std::vector<std::vector<double>> values = {same, same};
  const std::vector<Kind> kinds = {Kind::deploy, Kind::learn};
  const Verdict verdict = settle(values, kinds, .01, .95);
  EXPECT_EQ(verdict.kind, Kind::deploy);
  EXPECT_TRUE(verdict.settled);
}

}  // namespace verdict_test
}  // namespace mindgap::decide
