#include "paper/cases/vending/briefing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "paper/cases/vending/configuration.h"

namespace mindgap::cases::vending {
namespace vending_briefing_test {

constexpr double kGolden = 1e-4;  // spec/vending.md 6

TEST(VendingBriefing, GoldenConversions) {
  EXPECT_NEAR(conversion(3.45, .32, 2.5), .8052, kGolden);
  EXPECT_NEAR(conversion(2.80, .32, 2.5), .6311, kGolden);
  EXPECT_NEAR(conversion(1.95, .32, 2.5), .1890, kGolden);
  EXPECT_DOUBLE_EQ(conversion(2, .32, 2), .5);
}

TEST(VendingBriefing, GoldenRatesTargetsAndPrices) {
  const Briefing briefing = brief(default_configuration());
  const double rates[] = {2.5425, 1.6186, 1.2769, 1.8528, .8490, 1.6221, 2.1582, 1.2961,
                          .9819,  .6423,  .6134,  .4323,  .8191, .4497,  .6722};
  const std::int32_t targets[] = {5, 3, 3, 4, 2, 3, 4, 3, 2, 1, 1, 1, 2, 1, 1};
  ASSERT_EQ(briefing.simulator_rate.size(), 15);
  for (std::size_t slot = 0; slot < 15; ++slot) {
    EXPECT_NEAR(briefing.simulator_rate[slot], rates[slot], kGolden) << slot;
    EXPECT_EQ(stock_target(briefing, briefing.simulator_rate[slot]), targets[slot]) << slot;
  }
  EXPECT_EQ(briefing.exploit_price, (std::vector<Money>{2'125'000, 3'875'000, 1'875'000}));
  EXPECT_EQ(briefing.explore_price, (std::vector<Money>{1'491'750, 2'720'250, 1'316'250}));
}

TEST(VendingBriefing, GoldenSensitivities) {
  const Briefing briefing = brief(default_configuration());
  const double golden[] = {30.568, 51.561, 25.968, 30.437, 52.356, 23.484, 28.564, 56.668,
                           22.474, 18.998, 37.501, 18.372, 27.653, 40.743, 16.123};
  for (std::size_t slot = 0; slot < 15; ++slot) {
    EXPECT_NEAR(value_sensitivity(briefing, slot, briefing.simulator_rate[slot]), golden[slot],
                5e-4 + kGolden)
        << slot;
  }
}

// floor(2 rate + 1/2), at least 1, at most the capacity 18: .74 -> floor(1.98) = 1, .75 -> floor(2) = 2.
TEST(VendingBriefing, TargetsAreRoundedHalfUp) {
  const Briefing briefing = brief(default_configuration());
  EXPECT_EQ(stock_target(briefing, 0), 1);
  EXPECT_EQ(stock_target(briefing, .74), 1);
  EXPECT_EQ(stock_target(briefing, .75), 2);
  EXPECT_EQ(stock_target(briefing, 1000), 18);
}

// E min(D, 2) = P(D >= 1) + P(D >= 2) = (1 - e^-1) + (1 - 2 e^-1) at rate 1.
TEST(VendingBriefing, ExpectedSales) {
  EXPECT_NEAR(expected_sales(1, 2), 2 - 3 * std::exp(-1), 1e-15);
  EXPECT_EQ(expected_sales(3, 0), 0);
  EXPECT_EQ(expected_sales(0, 5), 0);
  EXPECT_NEAR(expected_sales(2, 60), 2, 1e-12);  // never sold out
  EXPECT_EQ(expected_sales(2000, 18), 18);       // exp(-rate) underflows
}

TEST(VendingBriefing, ExposureIsRelativeToTheExploitPrice) {
  const Briefing briefing = brief(default_configuration());
  for (std::size_t slot = 0; slot < 15; ++slot) {
    const std::size_t product = briefing.product_of(slot);
    EXPECT_EQ(exposure(briefing, slot, briefing.exploit_price[product]), 1);
    EXPECT_GT(exposure(briefing, slot, briefing.explore_price[product]), 1);
    EXPECT_NEAR(briefing.grid_exposure[slot * 4 + 2], 1, 1e-15);
    EXPECT_NEAR(exposure(briefing, slot, money(2 * briefing.wholesale[product])),
                briefing.grid_exposure[slot * 4], 1e-9);
  }
}

// At a rate far above the target the dearest price sells as much as the cheapest.
TEST(VendingBriefing, BestPrice) {
  const Briefing briefing = brief(default_configuration());
  EXPECT_EQ(best_price(briefing, 0, std::vector<double>{100, 100, 100, 100}, 2), 3);
  EXPECT_EQ(best_price(briefing, 0, std::vector<double>{5, .1, .1, .1}, 18), 0);
  EXPECT_EQ(best_price(briefing, 0, std::vector<double>{0, 0, 0, 0}, 18), 0);  // the first of equals
}

}  // namespace vending_briefing_test
}  // namespace mindgap::cases::vending
