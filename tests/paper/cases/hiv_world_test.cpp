#include "paper/cases/hiv/world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/log_pmf.h"
#include "paper/cases/hiv/tests_of_a_day.h"

namespace mindgap::cases::hiv {
namespace hiv_world_test {

World new_world(const HivOptions& options, const Geography& geography, std::uint64_t trial = 0) {
  return World(options, geography, draw_maps(options, geography, trial), trial);
}

TEST(HivMaps, TheClusterIsInTheTruthAlone) {
  const HivOptions options;
  const Geography geography(options);
  const Maps maps = draw_maps(options, geography, 3);
  EXPECT_EQ(maps.truth[39], .30);
  for (const std::size_t j : {38, 31, 30}) EXPECT_EQ(maps.truth[j], .18);
  for (std::size_t j = 0; j < 40; ++j) {
    EXPECT_NEAR(maps.simulator[j], geography.in_b(static_cast<Zone>(j)) ? .02 : .05, .02);
  }
  EXPECT_NE(maps.truth[0], draw_maps(options, geography, 4).truth[0]);
}

// Diagonals too, and nothing of region A; the noise of the other zones is the same wherever the cluster is.
TEST(HivMaps, TheClusterMoves) {
  HivOptions options;
  const Geography geography(options);
  const Maps corner = draw_maps(options, geography, 0);
  options.cluster = Cell{0, 4};
  const Maps moved = draw_maps(options, geography, 0);
  EXPECT_EQ(moved.truth[4], .30);
  for (const std::size_t j : {5, 12, 13}) EXPECT_EQ(moved.truth[j], .18);
  EXPECT_LT(moved.truth[3], .1);
  EXPECT_EQ(moved.truth[20], corner.truth[20]);
  EXPECT_EQ(moved.simulator, corner.simulator);
}

// Means and standard deviations over 400 trials of 16 zones without the cluster: errors of the mean are
// .005/80 and .002/80 (4 standard errors wide).
TEST(HivMaps, LawOfTheNoise) {
  HivOptions options;
  options.factor = 5;
  const Geography geography(options);
  double truth = 0, squares = 0, simulated = 0, count = 0;
  for (std::uint64_t trial = 0; trial < 400; ++trial) {
    const Maps maps = draw_maps(options, geography, trial);
    for (const Zone zone : geography.region_b()) {
      const auto j = static_cast<std::size_t>(zone);
      if (maps.truth[j] >= .18) continue;
      truth += maps.truth[j];
      squares += (maps.truth[j] - .04) * (maps.truth[j] - .04);
      simulated += maps.simulator[j];
      ++count;
    }
  }
  EXPECT_EQ(count, 6400);
  EXPECT_NEAR(truth / count, .04, 4 * .005 / 80);
  EXPECT_NEAR(std::sqrt(squares / count), .005, 4 * .005 / std::sqrt(2 * 6400));
  EXPECT_NEAR(simulated / count, .06, 4 * .002 / 80);
}

struct Day {
  double tests = 0, positives = 0;
};

Day draw(const TestsOfADay& day, std::uint64_t word, double chance) {
  Day drawn;
  day.draw(std::span(&word, 1), std::span(&chance, 1), std::span(&drawn.tests, 1),
           std::span(&drawn.positives, 1));
  return drawn;
}

// P(k or less of n), by base's log of the probability.
double binomial_cdf(std::int64_t k, std::int64_t n, double p) {
  double sum = 0;
  for (std::int64_t i = 0; i <= k; ++i) sum += std::exp(base::binomial_log_pmf(i, n, p));
  return sum;
}

// The tests are base's Poisson of the same word. With u the place of the word among those with as many tests,
// (w - P(fewer)) / P(as many), the positives are the smallest k with P(k or less) >= u.
TEST(HivTests, AreInversionsOfOneWord) {
  for (const double mean : {8.0, .3, 9.99}) {
    const TestsOfADay day(mean);
    ASSERT_TRUE(day.one_word());
    for (std::uint64_t i = 0; i < 3000; ++i) {
      base::Stream stream({1, base::Purpose::test, i});
      const std::uint64_t word = base::Stream(stream).next();
      const double chance = static_cast<double>(i) / 3000;
      const Day drawn = draw(day, word, chance);
      const std::int64_t n = std::max<std::int64_t>(1, base::poisson(stream, mean));
      ASSERT_EQ(drawn.tests, n);
      double fewer = 0;
      for (std::int64_t k = 0; n > 1 && k < n; ++k) fewer += std::exp(base::poisson_log_pmf(k, mean));
      const double as_many = std::exp(base::poisson_log_pmf(n, mean)) + (n == 1 ? std::exp(-mean) : 0);
      const double u = (static_cast<double>(word) * 0x1p-64 - fewer) / as_many;
      const auto k = static_cast<std::int64_t>(drawn.positives);
      ASSERT_LE(0, k);
      ASSERT_LE(k, n);
      if (chance == 0) continue;
      if (k < n) {
        ASSERT_LE(u, binomial_cdf(k, n, chance) + 1e-9) << i;
      }
      ASSERT_GE(u, binomial_cdf(k - 1, n, chance) - 1e-9) << i;
    }
  }
}

// P(n) = 8^n e^-8 / n! by 40,000 words in chi-square's place: each within 5 standard errors. Two positives of
// five with chance .3: 10 .09 .343.
TEST(HivTests, Law) {
  constexpr int kWords = 40'000;
  const TestsOfADay day(8);
  base::Stream stream({3, base::Purpose::test});
  std::vector<double> count(20);
  double fives = 0, twos = 0;
  for (int i = 0; i < kWords; ++i) {
    const Day drawn = draw(day, stream.next(), .3);
    if (drawn.tests < 20) ++count[static_cast<std::size_t>(drawn.tests)];
    fives += drawn.tests == 5 ? 1 : 0;
    twos += drawn.tests == 5 && drawn.positives == 2 ? 1 : 0;
  }
  EXPECT_EQ(count[0], 0);
  for (int n = 1; n < 20; ++n) {
    const double p = std::exp(base::poisson_log_pmf(n, 8)) + (n == 1 ? std::exp(-8) : 0);
    EXPECT_NEAR(count[static_cast<std::size_t>(n)], kWords * p, 5 * std::sqrt(kWords * p) + 1) << n;
  }
  const double p = 10 * .09 * .343;
  EXPECT_NEAR(twos / fives, p, 5 * std::sqrt(p * (1 - p) / fives));
}

TEST(HivTests, EndsAndOrder) {
  const TestsOfADay day(8);
  base::Stream stream({4, base::Purpose::test});
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t word = stream.next();
    EXPECT_EQ(draw(day, word, 0).positives, 0);
    EXPECT_EQ(draw(day, word, 1).positives, draw(day, word, 1).tests);
    double last = 0;
    for (int step = 0; step <= 20; ++step) {
      const double positives = draw(day, word, step / 20.0).positives;
      EXPECT_GE(positives, last);
      last = positives;
    }
  }
  // The words at the ends: one test, and more than ever happens.
  EXPECT_EQ(draw(day, 0, .5).tests, 1);
  EXPECT_EQ(draw(day, 0, .5).positives, 0);
  EXPECT_GT(draw(day, ~std::uint64_t{0}, .5).tests, 40);
}

// As many teams as there are: nothing depends on who is drawn beside whom.
TEST(HivTests, TeamsAreDrawnAloneOrTogether) {
  const TestsOfADay day(8);
  base::Stream stream({5, base::Purpose::test});
  for (std::size_t teams = 0; teams < 20; ++teams) {
    std::vector<std::uint64_t> words(teams);
    std::vector<double> chance(teams), tests(teams), positives(teams);
    stream.fill(words);
    for (double& p : chance) p = base::uniform(stream);
    day.draw(words, chance, tests, positives);
    for (std::size_t i = 0; i < teams; ++i) {
      const Day alone = draw(day, words[i], chance[i]);
      EXPECT_EQ(tests[i], alone.tests);
      EXPECT_EQ(positives[i], alone.positives);
    }
  }
}

// A busy team: both counts are base's own. Means within 4 standard errors of 2,000 draws.
TEST(HivTests, ManyTestsADay) {
  const TestsOfADay day(50);
  EXPECT_FALSE(day.one_word());
  double tests = 0, positives = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    base::Stream stream({2, base::Purpose::test, i});
    Day drawn;
    day.draw(stream, .6, drawn.tests, drawn.positives);
    tests += drawn.tests / 2000.0;
    positives += drawn.positives / 2000.0;
    EXPECT_LE(drawn.positives, drawn.tests);
  }
  EXPECT_NEAR(tests, 50, 4 * std::sqrt(50 / 2000.0));
  EXPECT_NEAR(positives, 30, 4 * std::sqrt(30 / 2000.0));
}

TEST(HivWorld, AColdZoneWarmsUpOnceADay) {
  HivOptions options;
  options.teams = 2;
  options.starts = Starts::nearest;
  options.cold_yield = .001;
  options.prevalence_b = .5;
  options.prevalence_sd = 0;
  options.surroundings = .5;
  const Geography geography(options);
  World world = new_world(options, geography);
  const Zone door = 20;
  world.live_one_day(std::vector<Zone>{door, 19});
  // Cold: the chance of any positive in three days of two teams at .0005 is below 3 %; this seed has none.
  for (int day = 1; day < 3; ++day) {
    world.live_one_day(std::vector<Zone>{door, door});
    EXPECT_EQ(world.diagnosed()[20], 0);
  }
  // Two teams for two days and one for one: three days with a team, so now it is warm.
  world.live_one_day(std::vector<Zone>{door, door});
  EXPECT_GT(world.diagnosed()[20], 0);
}

// Of teams that were in the same zones, too, all is the same on the first day; the numbers of tests are for
// ever, also where one that moved does not test.
TEST(HivWorld, TheSameLuckWhoeverPlans) {
  for (const bool transit : {true, false}) {
    for (const double mean : {8.0, 12.0}) {
      HivOptions options;
      options.transit_tests = transit;
      options.tests_per_day = mean;
      const Geography geography(options);
      World one = new_world(options, geography), other = new_world(options, geography);
      std::vector<Zone> stay(one.position().begin(), one.position().end()), move = stay;
      move[0] = 1;
      for (int day = 0; day < 6; ++day) {
        const std::span<const TeamDay> a = one.live_one_day(stay), b = other.live_one_day(move);
        ASSERT_EQ(a.size(), 8);
        for (std::size_t team = 0; team < 8; ++team) {
          if (team > 0 || day > 0 || transit) {
            EXPECT_EQ(a[team].tests, b[team].tests);
          }
          if (team > 0 && day == 0) {
            EXPECT_EQ(a[team].positives, b[team].positives);
          }
        }
      }
    }
  }
}

TEST(HivWorld, WhoMovedDoesNotTestWhereTransitDoesNotCount) {
  HivOptions options;
  options.transit_tests = false;
  const Geography geography(options);
  World world = new_world(options, geography);
  std::vector<Zone> next(world.position().begin(), world.position().end());
  next[3] = 11;
  const std::span<const TeamDay> tests = world.live_one_day(next);
  EXPECT_EQ(tests[3].tests, 0);
  EXPECT_GT(tests[2].tests, 0);
}

TEST(HivWorld, ATeamMovesOneCell) {
  const HivOptions options;
  const Geography geography(options);
  World world = new_world(options, geography);
  std::vector<Zone> next(world.position().begin(), world.position().end());
  next[3] = 4;  // through the wall
  EXPECT_THROW(world.live_one_day(next), InvalidArgument);
  next[3] = 40;
  EXPECT_THROW(world.live_one_day(next), InvalidArgument);
  next[3] = -1;
  EXPECT_THROW(world.live_one_day(next), InvalidArgument);
}

// With everybody infected and nobody able to be found twice, a zone of 300 people has 300 cases at most, up
// to what the last day's teams find at once; without depletion there is no end.
TEST(HivWorld, FoundCasesDeplete) {
  HivOptions options;
  options.population_a = 30;
  options.prevalence_a = .5;
  HivOptions depleting = options;
  depleting.depletion = true;
  const Geography geography(options);
  World stays = new_world(options, geography);
  World depletes = new_world(depleting, geography);
  const std::vector<Zone> next(stays.position().begin(), stays.position().end());
  for (int day = 0; day < 200; ++day) {
    stays.live_one_day(next);
    depletes.live_one_day(next);
  }
  EXPECT_GT(stays.cases_found(), 8 * 200 * 3);
  EXPECT_LE(depletes.cases_found(), 8 * 30 + 8 * 20);
  EXPECT_GT(depletes.cases_found(), 8 * 29);
}

}  // namespace hiv_world_test
}  // namespace mindgap::cases::hiv
