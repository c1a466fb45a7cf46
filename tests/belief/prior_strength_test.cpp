#include "mindgap/belief/prior_strength.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"

namespace mindgap::belief {
namespace prior_strength_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Pairs whose true means are N(0, 1/strength) around a simulator that states variance 1, which is right, each
// with n normal rewards.
std::vector<PilotPair> simulated_pairs(std::int64_t pairs, int n, double strength, std::uint64_t trial) {
  base::Stream stream({.seed = 20240613, .purpose = base::Purpose::test, .trial = trial});
  std::vector<PilotPair> result;
  std::vector<double> rewards(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < pairs; ++i) {
    const double theta = base::normal(stream) / std::sqrt(strength);
    PilotPair pair{static_cast<double>(n), 0, 0, 0, 1};
    for (double& reward : rewards) pair.mean += (reward = theta + base::normal(stream)) / n;
    for (const double reward : rewards)
      pair.variance += (reward - pair.mean) * (reward - pair.mean) / (n - 1);
    result.push_back(pair);
  }
  return result;
}

// n = 21: c = 18/20. z^2 = 21 * .25 / .5 = 10.5 and 0: sum (c z^2 - 1) = 9.45 - 2 = 7.45, and sum c n/v =
// .9 * (42 + 42) * 2 = 151.2. Truncated: 168 / 9.5.
TEST(EffectiveStrength, HandValue) {
  const std::vector<PilotPair> pairs{
      {21, 1.5, .5, 1, 2}, {21, 3, .5, 3, 2}, {19, 9, .5, 1, 2}, {30, 9, 0, 1, 2}};
  const StrengthEstimate ours = effective_strength(pairs);
  EXPECT_NEAR(ours.strength, 151.2 / 7.45, 1e-12);
  EXPECT_EQ(ours.basis, StrengthBasis::estimated);
  EXPECT_EQ(ours.used, 2);
  EXPECT_EQ(ours.too_few, 1);
  EXPECT_EQ(ours.without_spread, 1);
  EXPECT_NEAR(truncated_strength(pairs).strength, 168 / 9.5, 1e-12);
}

// For a truth of 20 at n = 20 ours gives 20. z^2 is 2 t^2 with t a Student t of 19 degrees, so the paper's
// form goes to n (19/17) / E max(0, 2 t^2 - 1) = 14.0752 (by quadrature); its mean over pilots of about 250
// pairs is the 14.3 of spec/tabular.md 5. One z^2 - 1 has an sd of about 3 where its mean is 1: 40,000 pairs
// give 1.5 %.
void recovers_the_truth(std::int64_t pairs, double tolerance) {
  const auto pilot = simulated_pairs(pairs, 20, 20, static_cast<std::uint64_t>(pairs));
  EXPECT_NEAR(effective_strength(pilot).strength, 20, 4 * tolerance * 20);
  EXPECT_NEAR(truncated_strength(pilot).strength, 14.0752, 4 * tolerance * 14.0752);
}

TEST(EffectiveStrength, RecoversTheTruthWhereThePapersFormIsBiased) {
  recovers_the_truth(40'000, .015);
}

TEST(EffectiveStrengthLong, RecoversTheTruthWhereThePapersFormIsBiased) {
  recovers_the_truth(4'000'000, .0015);
}

TEST(EffectiveStrength, OtherTruths) {
  EXPECT_NEAR(effective_strength(simulated_pairs(20'000, 50, 3, 1)).strength, 3, .2);
  EXPECT_NEAR(effective_strength(simulated_pairs(20'000, 25, 100, 2)).strength, 100, 40);
}

// A simulator that is right: the sum is as often below 0 as above, and never says 2.
TEST(EffectiveStrength, AgreementIsTrustedNotDoubted) {
  const std::vector<PilotPair> exact{{20, 1, .5, 1, 2}, {20, 2, .5, 2, 2}};
  const StrengthEstimate ours = effective_strength(exact);
  EXPECT_EQ(ours.strength, 1e6);
  EXPECT_EQ(ours.basis, StrengthBasis::agreement);
  EXPECT_EQ(truncated_strength(exact).strength, 2);  // the paper's
  EXPECT_EQ(effective_strength(exact, {.upper = 50}).strength, 50);
}

TEST(EffectiveStrength, NoDataFallsBack) {
  EXPECT_EQ(effective_strength({}).strength, 2);
  EXPECT_EQ(effective_strength({}).basis, StrengthBasis::no_data);
  const std::vector<PilotPair> few{{19, 5, 1, 0, 1}};
  EXPECT_EQ(effective_strength(few, {.fallback = 3}).strength, 3);
  EXPECT_EQ(truncated_strength(few, {.fallback = 3}).strength, 3);
}

TEST(EffectiveStrength, FloorAndScale) {
  const std::vector<PilotPair> far{{20, 100, 1, 0, 1}};
  EXPECT_EQ(effective_strength(far).strength, 1);
  EXPECT_EQ(truncated_strength(far).strength, 1);
  // Rewards in other units (x -> 10 x): the same strength.
  const auto pilot = simulated_pairs(100, 20, 5, 3);
  auto scaled = pilot;
  for (PilotPair& pair : scaled) {
    pair.mean *= 10;
    pair.variance *= 100;
    pair.stated_variance *= 100;
  }
  EXPECT_NEAR(effective_strength(scaled).strength, effective_strength(pilot).strength, 1e-9);
}

TEST(EffectiveStrength, BadArgumentsThrow) {
  const auto throws = [](const PilotPair& pair) {
    const std::vector<PilotPair> pairs{{20, 0, 1, 0, 1}, pair};
    EXPECT_THROW(effective_strength(pairs), InvalidArgument);
    EXPECT_THROW(truncated_strength(pairs), InvalidArgument);
  };
  for (const double bad : {kNone, kInfinity, -1.0}) {
    throws({bad, 0, 1, 0, 1});
    throws({20, 0, bad, 0, 1});
  }
  for (const double bad : {kNone, kInfinity}) {
    throws({20, bad, 1, 0, 1});
    throws({20, 0, 1, bad, 1});
  }
  for (const double bad : {kNone, kInfinity, 0.0, -1.0}) {
    throws({20, 0, 1, 0, bad});
    EXPECT_THROW(effective_strength({}, {.fallback = bad}), InvalidArgument);
    EXPECT_THROW(effective_strength({}, {.lower = bad}), InvalidArgument);
    EXPECT_THROW(effective_strength({}, {.upper = bad}), InvalidArgument);
  }
  for (const double bad : {kNone, kInfinity, 19.9}) {
    EXPECT_THROW(effective_strength({}, {.minimum_count = bad}), InvalidArgument);
  }
  EXPECT_THROW(effective_strength({}, {.lower = 3, .upper = 2}), InvalidArgument);
}

// c = .5 1 0 1, g = 1 .25 .5 0: 1 + 19 * (.5, .25, 0, 0).
TEST(SelfConsistencyStrength, HandValues) {
  const std::vector<double> rollout{2, 0, 0, 3}, stated{4, 0, 3, 3}, sensitivity{8, 2, 4, 0};
  EXPECT_EQ(self_consistency_strength(rollout, stated, sensitivity), (std::vector<double>{10.5, 5.75, 1, 1}));
  EXPECT_EQ(self_consistency_strength(stated, rollout, sensitivity), (std::vector<double>{10.5, 5.75, 1, 1}));
  EXPECT_EQ(self_consistency_strength(rollout, stated, std::vector<double>(4), {.lower = 2}),
            std::vector<double>(4, 2));
  EXPECT_TRUE(self_consistency_strength({}, {}, {}).empty());
}

TEST(SelfConsistencyStrength, BadArgumentsThrow) {
  const std::vector<double> good{1, 1}, shorter{1};
  EXPECT_THROW(self_consistency_strength(good, shorter, good), InvalidArgument);
  EXPECT_THROW(self_consistency_strength(good, good, shorter), InvalidArgument);
  for (const double value : {kNone, kInfinity, -1.0}) {
    const std::vector<double> bad{1, value};
    EXPECT_THROW(self_consistency_strength(bad, good, good), InvalidArgument);
    EXPECT_THROW(self_consistency_strength(good, bad, good), InvalidArgument);
    EXPECT_THROW(self_consistency_strength(good, good, bad), InvalidArgument);
    EXPECT_THROW(self_consistency_strength(good, good, good, {.lower = value}), InvalidArgument);
    EXPECT_THROW(self_consistency_strength(good, good, good, {.upper = value}), InvalidArgument);
  }
  EXPECT_THROW(self_consistency_strength(good, good, good, {.lower = 21}), InvalidArgument);
}

}  // namespace prior_strength_test
}  // namespace mindgap::belief
