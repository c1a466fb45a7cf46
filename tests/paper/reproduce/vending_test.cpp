#include "paper/reproduce/vending.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mindgap::reproduce::vending {
namespace vending_test {

bool ends_with_reference(const std::string& why) {
  return why.ends_with("see docs/math/departures.md");
}

void expect_well_formed(const Reproduction& result, std::size_t lines, std::size_t claims) {
  EXPECT_EQ(result.lines.size(), lines) << result.name;
  EXPECT_EQ(result.claims.size(), claims) << result.name;
  EXPECT_EQ(find_artefact(result.name).group, "vending");
  EXPECT_EQ(find_artefact(result.name).title, result.title);
  for (const Line& line : result.lines) {
    if (!line.agrees()) {
      EXPECT_TRUE(ends_with_reference(line.why)) << line.what;
    }
  }
  for (const Claim& claim : result.claims) EXPECT_FALSE(claim.evidence.empty()) << claim.text;
  for (const Reproduction::Data& data : result.data) {
    for (const auto& row : data.table.rows) EXPECT_EQ(row.size(), data.table.columns.size());
  }
}

// Ranks decide, not the mean: one large gain among small losses is no evidence of a gain. Of 5 differences W+
// = 5 of 15; P(W+ <= 5) = 10/32 (rank sums up to 5: 0 1 2 3 12 4 13 5 14 23), two-sided 20/32.
TEST(VendingHelpers, OneSided) {
  const double gains[] = {1, 2, 3, 4, 5};
  EXPECT_DOUBLE_EQ(one_sided(stats::wilcoxon_signed_rank(gains)), 1.0 / 32);
  const double mixed[] = {-1, -2, -3, -4, 50};
  EXPECT_DOUBLE_EQ(one_sided(stats::wilcoxon_signed_rank(mixed)), 1 - 10.0 / 32);
}

TEST(VendingHelpers, ALineAgreesWithinBothErrors) {
  EXPECT_TRUE(line_of("x", 70, 2, 72.4, stats::Interval{70.9, 73.9}).agrees());  // hypot(2, 1.5) = 2.5
  EXPECT_FALSE(line_of("x", 70, 2, 72.6, stats::Interval{71.1, 74.1}).agrees());
  const Line apart = line_of("x", 70, 2, 74, stats::Interval{73, 75});
  EXPECT_FALSE(apart.agrees());
  EXPECT_TRUE(ends_with_reference(apart.why));
  EXPECT_TRUE(apart.cause_unknown);
}

TEST(VendingArtefacts, TheLogHasNinetyDays) {
  const Reproduction result = log({.trials = 2, .run = {.threads = 1}});
  expect_well_formed(result, 6, 3);
  ASSERT_EQ(result.data.size(), 2);
  EXPECT_EQ(result.data[0].table.rows.size(), 90 * 5);
  EXPECT_EQ(result.data[0].table.rows[0][2], "pilot");
  for (std::size_t i = 20 * 5; i < 25 * 5; ++i) EXPECT_NE(result.data[0].table.rows[i][2], "pilot");
}

TEST(VendingArtefacts, TheCrossoverIsPredictedAndLookedFor) {
  const Reproduction one = crossover({.trials = 4, .run = {.threads = 1}});
  EXPECT_GE(one.lines.size(), 2u);
  EXPECT_EQ(one.claims.size(), 4u);
  // A law estimated from five days is at a 1-norm of up to 2 from any other, rewards are shares of the
  // largest.
  EXPECT_GT(one.lines[0].ours, 0);
  EXPECT_NEAR(one.lines[1].ours, 200 * one.lines[0].ours, 1e-6 * one.lines[1].ours);
  EXPECT_EQ(one.data[0].table.rows.size(), 32u);
  EXPECT_EQ(one.data[1].table.rows.size(), 4u);
  const Reproduction two = crossover({.trials = 4, .run = {.threads = 2}});
  for (std::size_t i = 0; i < one.lines.size(); ++i) EXPECT_EQ(one.lines[i].ours, two.lines[i].ours);
}

TEST(VendingArtefacts, GainsAreAboveTheSop) {
  const Reproduction result = gains({.trials = 2, .run = {.threads = 1}});
  expect_well_formed(result, 10 * 5, 3);
  for (const Line& line : result.lines) EXPECT_FALSE(line.published.has_value());
}

TEST(VendingArtefacts, TheAblationHasThreeConditions) {
  const Reproduction one = ablation({.trials = 2, .run = {.threads = 1}});
  expect_well_formed(one, 24, 3);
  const Reproduction two = ablation({.trials = 2, .run = {.threads = 2}});
  for (std::size_t i = 0; i < one.lines.size(); ++i) EXPECT_EQ(one.lines[i].ours, two.lines[i].ours);
}

TEST(VendingArtefactsLong, TheTableAndItsClaims) {
  const Reproduction result = table({});
  expect_well_formed(result, 19 * 5, 8);
  const auto holds = [&](const std::string& text) {
    for (const Claim& claim : result.claims) {
      if (claim.text.find(text) != std::string::npos) return claim.holds;
    }
    ADD_FAILURE() << text;
    return false;
  };
  EXPECT_TRUE(holds("SOP degrades monotonically"));
  EXPECT_TRUE(holds("do not explore"));
  EXPECT_TRUE(holds("loses to A-SOP at T = 100"));
  EXPECT_TRUE(holds("overtaken A-SOP by T = 800"));
  EXPECT_TRUE(holds("at T = 1600, paired p < .01"));
  EXPECT_TRUE(holds("Epsilon-greedy is last"));
  EXPECT_TRUE(holds("keeps the days that sold out"));
}

TEST(VendingArtefactsLong, PairedAndConditional) {
  expect_well_formed(paired({}), 19, 2);
  const Reproduction found = conditional({});
  EXPECT_EQ(found.lines.size(), 11);
  EXPECT_EQ(found.claims.size(), 1);
}

}  // namespace vending_test
}  // namespace mindgap::reproduce::vending
