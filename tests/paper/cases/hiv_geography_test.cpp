#include "paper/cases/hiv/geography.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "paper/cases/hiv/options.h"

namespace mindgap::cases::hiv {
namespace hiv_geography_test {

Zone at(std::int32_t row, std::int32_t column) {
  return row * 8 + column;
}

std::vector<Zone> walk(const Geography& geography, Navigation how, Zone from, Zone to) {
  std::vector<Zone> way;
  for (Zone here = from; here != to;) {
    const Zone next = geography.step(how, here, to);
    if (next == here) break;
    way.push_back(here = next);
  }
  return way;
}

// spec/hiv.md 1.
TEST(HivGeography, TheWallHasOneDoor) {
  const Geography geography{HivOptions{}};
  std::size_t edges = 0;
  std::set<std::pair<Zone, Zone>> across;
  for (Zone j = 0; j < geography.zones(); ++j) {
    for (const Zone k : geography.neighbours(j)) {
      ++edges;
      if (!geography.in_b(j) && geography.in_b(k)) across.insert({j, k});
    }
  }
  EXPECT_EQ(edges, 2 * 63);
  EXPECT_EQ(across, (std::set<std::pair<Zone, Zone>>{{at(2, 3), at(2, 4)}}));
  EXPECT_EQ(geography.region_a().size(), 20);
  EXPECT_EQ(geography.region_b().size(), 20);
  EXPECT_EQ(geography.name(39), "(4,7)");
}

// spec/hiv.md, golden numbers.
TEST(HivGeography, GoldenDistancesAndPaths) {
  const Geography geography{HivOptions{}};
  EXPECT_EQ(geography.distance(at(0, 0), at(4, 7)), 11);
  EXPECT_EQ(geography.distance(at(0, 3), at(4, 7)), 8);
  EXPECT_EQ(geography.distance(at(0, 3), at(0, 4)), 5);
  EXPECT_EQ(walk(geography, Navigation::shortest, at(0, 0), at(4, 7)),
            (std::vector<Zone>{at(1, 0), at(2, 0), at(2, 1), at(2, 2), at(2, 3), at(2, 4), at(3, 4), at(4, 4),
                               at(4, 5), at(4, 6), at(4, 7)}));
  EXPECT_EQ(walk(geography, Navigation::blind, at(0, 0), at(4, 7)).back(), at(0, 3));
  EXPECT_EQ(walk(geography, Navigation::blind, at(4, 7), at(0, 0)).back(), at(4, 4));
  EXPECT_EQ(walk(geography, Navigation::blind, at(2, 0), at(2, 6)).back(), at(2, 6));
}

TEST(HivGeography, AShortestWayIsAsLongAsTheDistance) {
  HivOptions options;
  options.corridors = {0, 4};
  const Geography geography(options);
  for (Zone from = 0; from < geography.zones(); ++from) {
    EXPECT_EQ(geography.step(Navigation::shortest, from, from), from);
    EXPECT_EQ(geography.step(Navigation::blind, from, from), from);
    for (Zone to = 0; to < geography.zones(); ++to) {
      EXPECT_EQ(walk(geography, Navigation::shortest, from, to).size(), geography.distance(from, to));
      EXPECT_EQ(geography.distance(from, to), geography.distance(to, from));
    }
  }
}

TEST(HivGeography, WithoutACorridorTheRegionsAreApart) {
  HivOptions options;
  options.corridors = {};
  const Geography geography(options);
  EXPECT_EQ(geography.distance(at(2, 3), at(2, 4)), -1);
  EXPECT_EQ(geography.step(Navigation::shortest, at(2, 3), at(2, 4)), at(2, 3));
  EXPECT_EQ(geography.starts(Starts::nearest, 2), (std::vector<Zone>{0, 1}));
}

TEST(HivGeography, Starts) {
  const Geography geography{HivOptions{}};
  EXPECT_EQ(geography.starts(Starts::first, 8), (std::vector<Zone>{0, 1, 2, 3, 8, 9, 10, 11}));
  // Distances to (2,4): (2,3) 1; (1,3), (2,2), (3,3) 2.
  EXPECT_EQ(geography.starts(Starts::nearest, 4),
            (std::vector<Zone>{at(2, 3), at(1, 3), at(2, 2), at(3, 3)}));
}

TEST(HivGeography, TopZonesBreakTiesByNumber) {
  const std::vector<double> score = {1, 3, 3, 0, 3, 2};
  EXPECT_EQ(top_zones(score, 4), (std::vector<Zone>{1, 2, 4, 5}));
  EXPECT_EQ(top_zones(score, std::vector<Zone>{5, 3, 0}, 2), (std::vector<Zone>{5, 0}));
  EXPECT_EQ(top_zones(score, std::vector<Zone>{5, 3}, 9).size(), 2);
}

// Against a stable sort: scores that are apart, tied, below 0, or apart in their last digits only.
TEST(HivGeography, TopZonesAreTheFirstOfASort) {
  base::Stream stream({1, base::Purpose::test});
  for (int round = 0; round < 2000; ++round) {
    const auto zones = static_cast<std::size_t>(base::uniform_index(stream, 70) + 1);
    const auto count =
        static_cast<std::size_t>(base::uniform_index(stream, static_cast<std::int64_t>(zones)) + 1);
    std::vector<double> score(zones);
    for (double& x : score) {
      x = 2 * base::uniform(stream) - 1;
      if (round % 3 == 1) x = std::floor(10 * x);
      if (round % 3 == 2) x = .3 + 1e-14 * std::floor(1000 * x);
    }
    std::vector<Zone> sorted(zones);
    std::iota(sorted.begin(), sorted.end(), 0);
    const auto of = [&](Zone zone) { return score[static_cast<std::size_t>(zone)]; };
    std::stable_sort(sorted.begin(), sorted.end(), [&](Zone i, Zone j) { return of(i) > of(j); });
    sorted.resize(count);
    ASSERT_EQ(top_zones(score, count), sorted) << round;
  }
  EXPECT_EQ(top_zones(std::vector<double>{2, 1}, 5), (std::vector<Zone>{0, 1}));
  EXPECT_TRUE(top_zones(std::vector<double>{2, 1}, 0).empty());
}

TEST(HivGeography, NearIsADayAtMost) {
  const Geography geography{HivOptions{}};
  for (Zone from = 0; from < 40; ++from) {
    for (Zone to = 0; to < 40; ++to) {
      const std::int32_t days = geography.distance(from, to);
      EXPECT_EQ(geography.near(from, to), days == 0 || days == 1);
    }
  }
}

void expect_refused(const HivOptions& options, const std::string& part) {
  try {
    options.validate();
    FAIL() << part;
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(HivOptions, WhatCannotBeIsNamedWithItsValue) {
  EXPECT_NO_THROW(HivOptions{}.validate());
  expect_refused({.rows = 0}, "rows is 0");
  expect_refused({.columns = 1}, "columns is 1");
  expect_refused({.wall = 8}, "wall is 8");
  expect_refused({.corridors = {5}}, "corridors is 5");
  expect_refused({.teams = 1}, "teams is 1");
  expect_refused({.teams = 21}, "teams is 21");
  expect_refused({.rows = 2, .columns = 5, .corridors = {0}, .teams = 8}, "region B has 2 zones");
  expect_refused({.tests_per_day = 0}, "tests_per_day is 0");
  expect_refused({.warmup_days = -1}, "warmup_days is -1");
  expect_refused({.cold_yield = 1.5}, "cold_yield is 1.5");
  expect_refused({.prevalence_sd = -1}, "prevalence_sd is -1");
  expect_refused({.cluster = Cell{4, 3}}, "cluster is 4,3");
  expect_refused({.cluster = Cell{5, 7}}, "cluster is 5,7");
  expect_refused({.epicentre = 1.2}, "epicentre is 1.2");
  expect_refused({.factor = .5}, "factor is 0.5");
  expect_refused({.within = -.1}, "within is -0.1");
  expect_refused({.between = -.1}, "between is -0.1");
  expect_refused({.treatment = 2}, "treatment is 2");
  expect_refused({.prior_strength = -1}, "prior_strength is -1");
  expect_refused({.optimism = -1}, "optimism is -1");
}

}  // namespace hiv_geography_test
}  // namespace mindgap::cases::hiv
