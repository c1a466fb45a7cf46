#include "paper/cases/hiv/spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <tuple>

#include "mindgap/gap/contraction.h"
#include "paper/cases/hiv/world.h"

// Golden numbers of spec/hiv.md.
namespace mindgap::cases::hiv {
namespace hiv_spread_test {

HivOptions noiseless() {
  HivOptions options;
  options.prevalence_sd = options.simulated_a_sd = options.simulated_b_sd = 0;
  return options;
}

struct Spread {
  HivOptions options = noiseless();
  Geography geography{options};
  Transmission transmission = transmission_of(options, geography);
  Maps maps = draw_maps(options, geography, 0);
  std::vector<double> nobody = std::vector<double>(40, 0.0), share = std::vector<double>(40);

  void day(std::vector<double>& map) { spread_one_day(geography, transmission, nobody, map, share); }
  double mean(const std::vector<double>& map, std::span<const Zone> zones) const {
    double sum = 0;
    for (const Zone j : zones) sum += map[static_cast<std::size_t>(j)];
    return sum / static_cast<double>(zones.size());
  }
  double radius(const std::vector<double>& map) const {
    return gap::contraction(spread_jacobian(geography, transmission, map), 40, 1).spectral_radius;
  }
};

TEST(HivSpread, GoldenTrueMap) {
  Spread spread;
  std::vector<double> map = spread.maps.truth;
  for (int day = 0; day < 50; ++day) spread.day(map);
  EXPECT_NEAR(spread.mean(map, spread.geography.region_a()), .059185, 1e-6);
  EXPECT_NEAR(spread.mean(map, spread.geography.region_b()), .086102, 1e-6);
  EXPECT_NEAR(map[39], .328136, 1e-6);
  for (int day = 50; day < 400; ++day) spread.day(map);
  EXPECT_NEAR(spread.mean(map, spread.geography.region_a()), .180662, 1e-6);
  EXPECT_NEAR(spread.mean(map, spread.geography.region_b()), .229255, 1e-6);
  EXPECT_NEAR(map[39], .559171, 1e-6);
}

TEST(HivSpread, GoldenSimulatorAfterADay) {
  Spread spread;
  std::vector<double> map = spread.maps.simulator;
  spread.day(map);
  EXPECT_NEAR(map[0], .05014250, 1e-8);
  EXPECT_NEAR(map[19], .05017575, 1e-8);
  EXPECT_NEAR(map[20], .02009310, 1e-8);
  EXPECT_NEAR(map[39], .02005880, 1e-8);
}

TEST(HivSpread, GoldenRadii) {
  const Spread spread;
  EXPECT_NEAR(spread.radius(spread.maps.simulator), 1.0035347653, 1e-9);
  EXPECT_NEAR(spread.radius(spread.maps.truth), 1.0033371909, 1e-9);
  std::vector<double> adjacency(1600, 0.0);
  for (Zone j = 0; j < 40; ++j) {
    for (const Zone k : spread.geography.neighbours(j)) {
      const Zone place = j * 40 + k;
      adjacency[static_cast<std::size_t>(place)] = 1;
    }
  }
  EXPECT_NEAR(gap::contraction(adjacency, 40, 1).spectral_radius, 3.4213558943, 1e-9);
}

TEST(HivSpread, TheJacobianIsTheDerivative) {
  Spread spread;
  const std::vector<double> jacobian =
      spread_jacobian(spread.geography, spread.transmission, spread.maps.truth);
  constexpr double kStep = 1e-6;
  for (std::size_t k = 0; k < 40; ++k) {
    std::vector<double> up = spread.maps.truth, down = up;
    up[k] += kStep;
    down[k] -= kStep;
    spread.day(up);
    spread.day(down);
    for (std::size_t j = 0; j < 40; ++j) {
      EXPECT_NEAR(jacobian[j * 40 + k], (up[j] - down[j]) / (2 * kStep), 1e-8) << j << " " << k;
    }
  }
}

// p = .3, N = 300, D = 100: I = .3 * 200 + .1 * 100 = 70.
TEST(HivSpread, TreatedPeopleTransmitATenth) {
  Spread spread;
  std::vector<double> diagnosed(40, 0.0);
  diagnosed[39] = 100;
  infectious_share(spread.transmission, spread.maps.truth, diagnosed, spread.share);
  EXPECT_NEAR(spread.share[39], 70.0 / 300, 1e-15);
  EXPECT_NEAR(spread.share[38], .18, 1e-15);
}

TEST(HivSpread, PrevalenceNeverFallsAndIsClipped) {
  Spread spread;
  std::vector<double> map(40, .79999), before = map;
  spread.day(map);
  for (const double p : map) EXPECT_EQ(p, kHighestPrevalence);
  map.assign(40, 0.0);
  spread.day(map);
  for (const double p : map) EXPECT_EQ(p, kLowestPrevalence);
  map = spread.maps.truth;
  for (int day = 0; day < 100; ++day) {
    before = map;
    spread.day(map);
    for (std::size_t j = 0; j < 40; ++j) EXPECT_GE(map[j], before[j]);
  }
}

// On grids of all widths, with a number of diagnosed that grows here and there up to all.
TEST(HivSpread, TheEpidemicLivesByTheSameMap) {
  for (const auto& [rows, columns, wall, corridors] :
       std::vector<std::tuple<int, int, int, std::vector<std::int32_t>>>{
           {5, 8, 4, {2}}, {3, 6, 3, {0, 2}}, {4, 3, 1, {}}, {1, 6, 5, {0}}, {7, 13, 6, {1, 2, 6}}}) {
    HivOptions options;
    options.rows = rows;
    options.columns = columns;
    options.wall = wall;
    options.corridors = corridors;
    const Geography geography(options);
    const Transmission transmission = transmission_of(options, geography);
    std::vector<double> map = draw_maps(options, geography, 0).truth, share(map.size()),
                        diagnosed(map.size());
    Epidemic epidemic(geography, transmission, map);
    for (std::size_t day = 0; day < 300; ++day) {
      const std::size_t zone = (day * day + day / 7) % map.size();
      diagnosed[zone] = std::min(transmission.population[zone], diagnosed[zone] + 75);
      epidemic.diagnose(zone, diagnosed[zone]);
      spread_one_day(geography, transmission, diagnosed, map, share);
      epidemic.spread_one_day();
      ASSERT_EQ(epidemic.prevalence().size(), map.size());
      for (std::size_t j = 0; j < map.size(); ++j) {
        ASSERT_NEAR(epidemic.prevalence()[j], map[j], 1e-14) << columns << " " << day << " " << j;
      }
    }
  }
}

TEST(HivSpread, TheEpidemicIsClipped) {
  const Spread spread;
  const std::vector<double> high(40, .79999), low(40, 0.0);
  Epidemic above(spread.geography, spread.transmission, high),
      below(spread.geography, spread.transmission, low);
  above.spread_one_day();
  below.spread_one_day();
  for (const double p : above.prevalence()) EXPECT_EQ(p, kHighestPrevalence);
  for (const double p : below.prevalence()) EXPECT_EQ(p, kLowestPrevalence);
}

// Mean field: SOP staying on its starts finds (8 + e^-8) p a day and team, 8 + e^-8 = E max(1, Poisson(8)).
TEST(HivSpread, GoldenMeanField) {
  Spread spread;
  std::vector<double> map = spread.maps.truth, diagnosed(40, 0.0);
  const std::vector<Zone> teams = spread.geography.starts(Starts::first, 8);
  double found = 0;
  std::vector<double> by_day;
  for (int day = 0; day < 400; ++day) {
    for (const Zone zone : teams) {
      const auto j = static_cast<std::size_t>(zone);
      const double positives = (8 + std::exp(-8)) * map[j];
      found += positives;
      diagnosed[j] = std::min(spread.transmission.population[j], diagnosed[j] + positives);
    }
    spread_one_day(spread.geography, spread.transmission, diagnosed, map, spread.share);
    by_day.push_back(found);
  }
  EXPECT_NEAR(by_day[49], 173.890603, 1e-6);
  EXPECT_NEAR(by_day[99], 379.805500, 1e-6);
  EXPECT_NEAR(by_day[199], 911.267113, 1e-6);
  EXPECT_NEAR(by_day[399], 2600.519413, 1e-6);
}

}  // namespace hiv_spread_test
}  // namespace mindgap::cases::hiv
