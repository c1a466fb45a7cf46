#include "paper/cases/lock/lock.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "mindgap/base/error.h"
#include "mindgap/trial/sweep.h"
#include "paper/cases/lock/closed_form.h"

namespace mindgap::cases::lock {
namespace lock_test {

const std::array<std::int64_t, 5> kLengths = {5, 10, 15, 20, 30};

Lock lock_of(std::int64_t length, double errors = 1, std::int64_t units = 50) {
  return {.length = length, .errors = errors, .units = units};
}

std::string message_of(const auto& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

// golden_tabular.json (spec/tabular.md 2), c = 1, n = 50.
TEST(LockClosedForm, Golden) {
  const std::array<double, 5> sop = {.32768, .3486784401, .3552643664941443, .3584859224085419,
                                     .3616615134616106};
  const std::array<double, 5> pilot = {.933711914062500, .92633259691298, .9241920631095056,
                                       .9231429086412739, .922095238147392};
  const std::array<double, 5> epsilon = {.2706784157, .22130157888803068, .174120577810999, .135822457502084,
                                         .0819662035773383};
  const std::array<double, 5> sep = {.9, .8000364375, .6421315483406339, .5456273627567675,
                                     .45957755285874907};
  for (std::size_t i = 0; i < kLengths.size(); ++i) {
    const Lock lock = lock_of(kLengths[i]);
    EXPECT_NEAR(sop_share(lock), sop[i], 1e-12);
    EXPECT_NEAR(asop_share(lock), .98, 1e-12);
    EXPECT_NEAR(pilot_share(lock), pilot[i], 1e-12);
    EXPECT_NEAR(epsilon_share(lock), epsilon[i], 1e-12);
    EXPECT_NEAR(sep_share(lock, 5), sep[i], 1e-12);
  }
}

// golden_tabular.json: these were simulated there (the fit of eps_i = .2 .95^i and .85 is spec/tabular.md's),
// to four digits; ours are exact.
TEST(LockExpectedShare, GoldenOfTheSimulatedPlanners) {
  const std::map<std::string, std::array<double, 5>> golden = {
      {"learning-epsilon", {.7575, .5842, .4502, .3468, .2051}},
      {"adaptive-epsilon", {.8211, .6970, .5999, .5226, .4076}},
      {"fisher", {.9850, .9700, .9553, .9414, .9186}},
      {"kg", {1, 1, 1, 1, 1}},
      {"oracle", {1, 1, 1, 1, 1}}};
  for (const auto& [planner, shares] : golden) {
    for (std::size_t i = 0; i < kLengths.size(); ++i)
      EXPECT_NEAR(expected_share(planner, Reading::paper, lock_of(kLengths[i])), shares[i], 5e-4) << planner;
  }
}

// Where the closed form is exact it is the dynamic programme's.
TEST(LockExpectedShare, AgreesWithTheClosedForms) {
  for (const std::int64_t length : {1, 2, 7, 30}) {
    for (const double errors : {0., .25, 1.}) {
      for (const std::int64_t units : {3, 34, 50}) {
        const Lock lock = lock_of(length, errors, units);
        const auto expected = [&](std::string_view planner) {
          return expected_share(planner, Reading::paper, lock);
        };
        EXPECT_NEAR(expected("sop"), sop_share(lock), 1e-12);
        EXPECT_NEAR(expected("asop"), asop_share(lock), 1e-10) << length << " " << errors << " " << units;
        EXPECT_NEAR(expected("epsilon"), epsilon_share(lock), 1e-12);
        EXPECT_NEAR(expected("sep"), sep_share(lock, explorers(lock)), 1e-12);
        if (units - kPilotUnits >= length) {
          EXPECT_NEAR(expected("asop-pilot"), pilot_share(lock), 1e-12);
        }
      }
    }
  }
}

/// Every run of a lock there may be, by actions: an oracle that knows nothing of prefixes and rules.
class Enumeration {
 public:
  Enumeration(std::string planner, std::size_t length, double error, int units)
      : planner_(std::move(planner)), length_(length), error_(error), units_(units) {}

  double share() {
    double total = 0;
    for (unsigned wrong = 0; wrong < 1u << length_; ++wrong) {
      double weight = 1;
      for (std::size_t s = 0; s < length_; ++s) weight *= wrong >> s & 1 ? error_ : 1 - error_;
      total += weight * from(wrong, 0, 0, 0);
    }
    return total / units_;
  }

 private:
  /// Expected arrivals from here on; `known`: states where the right action is known.
  double from(unsigned wrong, unsigned known, int unit, std::size_t state) {
    if (unit == units_) return 0;
    if (state == length_) return 1 + from(wrong, known, unit + 1, 0);
    const double zero = action_zero(unit, known >> state & 1, wrong >> state & 1);
    const unsigned learnt = learns() ? known | 1u << state : known;
    double value = 0;
    if (zero > 0) value += zero * from(wrong, learnt, unit, state + 1);
    if (zero < 1) value += (1 - zero) * from(wrong, learnt, unit + 1, 0);
    return value;
  }

  bool learns() const { return planner_ != "sop" && planner_ != "epsilon"; }

  /// Action 0 is right everywhere; the simulator says 1 where it is wrong.
  double action_zero(int unit, bool known, bool wrong) const {
    const double told = known || !wrong ? 1 : 0;
    if (planner_ == "asop-pilot" && unit < 3) return .5;
    if (planner_ == "epsilon" || planner_ == "learning-epsilon") return .9 * told + .1 * .5;
    if (planner_ == "adaptive-epsilon") {
      const double epsilon = .2 * std::pow(.95, unit);
      return (1 - epsilon) * told + epsilon * .5;
    }
    return told;
  }

  std::string planner_;
  std::size_t length_;
  double error_;
  int units_;
};

TEST(LockExpectedShare, AgreesWithEnumeration) {
  for (const std::string planner :
       {"sop", "asop", "asop-pilot", "epsilon", "learning-epsilon", "adaptive-epsilon"}) {
    for (const std::size_t length : {1u, 2u, 3u}) {
      Enumeration all(planner, length, .8 / static_cast<double>(length), 5);
      EXPECT_NEAR(expected_share(planner, Reading::paper, lock_of(static_cast<std::int64_t>(length), .8, 5)),
                  all.share(), 1e-12)
          << planner << " " << length;
    }
  }
}

// By hand: T = 2, c = 1, n = 10, so each state is wrong with 1/2 and there is one explorer. SEP, paper: the
// explorer learns 1 state with 1/2, 2 with 1/2; nine exploiters arrive with 1/2 or 1: .9 (3/4) = .675.
// Honest: the explorer arrives with 1/4; after it, 1/2 of the time one state is unknown and costs 1/2 a unit:
// (1/4 + 9 - 1/4)/10 = .9.
TEST(LockExpectedShare, SepByHand) {
  const Lock lock = lock_of(2, 1, 10);
  EXPECT_NEAR(expected_share("sep", Reading::paper, lock), .675, 1e-15);
  EXPECT_NEAR(expected_share("sep", Reading::honest, lock), .9, 1e-15);
}

// The directed schedule is the A-SOP's while the simulator is more often right than wrong. At T = 1, c = 1 it
// is always wrong: who takes the other action loses nothing.
TEST(LockExpectedShare, HonestDirectedExplorersActAsAsop) {
  for (const std::int64_t length : kLengths)
    EXPECT_NEAR(expected_share("fisher", Reading::honest, lock_of(length)), .98, 1e-12);
  EXPECT_NEAR(expected_share("fisher", Reading::honest, lock_of(1)), 1, 1e-15);
  EXPECT_NEAR(expected_share("asop", Reading::honest, lock_of(1)), .98, 1e-15);
}

TEST(LockRule, ExplorersAreATenthAndAtMostOnePerState) {
  EXPECT_EQ(explorers(lock_of(30)), 5);
  EXPECT_EQ(explorers(lock_of(3, 1, 500)), 4);
  EXPECT_EQ(explorers(lock_of(3, 1, 9)), 0);
}

TEST(LockRule, BadArgumentsAreNamed) {
  EXPECT_EQ(message_of([] { lock_of(5, 6).validate(); }), "lock: errors is 6, but must be from 0 to 5");
  EXPECT_THROW(lock_of(0).validate(), InvalidArgument);
  EXPECT_THROW(lock_of(5, -1).validate(), InvalidArgument);
  EXPECT_THROW(lock_of(5, std::nan("")).validate(), InvalidArgument);
  EXPECT_THROW(lock_of(5, 1, 0).validate(), InvalidArgument);
  EXPECT_THROW(epsilon_share(lock_of(5), 1.5), InvalidArgument);
  EXPECT_THROW(pilot_share(lock_of(5), 51), InvalidArgument);
  EXPECT_THROW(sep_share(lock_of(5), -1), InvalidArgument);
  EXPECT_THROW(find_rule("asp"), InvalidArgument);
}

std::unique_ptr<trial::Case> make(std::map<std::string, std::string> options = {}, std::uint64_t seed = 42) {
  return info().make({.seed = seed, .options = std::move(options)});
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Every planner at every length within 4.5 standard errors of what is expected (100 comparisons: each
/// exceeds that by chance with probability 7e-6).
void expect_as_expected(const std::string& reading, std::int64_t trials) {
  const auto on = make({{"reading", reading}});
  const trial::Results results = trial::run_sweep(*on, {.trials = trials});
  for (std::size_t p = 0; p < results.planners.size(); ++p) {
    for (std::size_t h = 0; h < results.horizons.size(); ++h) {
      const std::vector<double> column = results.column(p, h);
      const double average = mean(column);
      double squares = 0;
      for (const double value : column) squares += (value - average) * (value - average);
      const double error = std::sqrt(squares) / static_cast<double>(trials);
      const double expected =
          50 * expected_share(results.planners[p], reading == "paper" ? Reading::paper : Reading::honest,
                              lock_of(results.horizons[h]));
      EXPECT_NEAR(average, expected, 4.5 * error + 1e-9) << results.planners[p] << " " << results.horizons[h];
    }
  }
}

TEST(LockCase, SimulationAgreesWithTheExpectation) {
  expect_as_expected("paper", 300);
  expect_as_expected("honest", 300);
}

TEST(LockCaseLong, SimulationAgreesWithTheExpectation) {
  expect_as_expected("paper", 20000);
  expect_as_expected("honest", 20000);
}

TEST(LockCase, EqualSeedsGiveEqualValuesAndOthersDoNot) {
  const trial::SweepOptions options = {.trials = 40, .run = {.threads = 2}};
  const trial::Results first = trial::run_sweep(*make(), options);
  EXPECT_EQ(first.value, trial::run_sweep(*make(), {.trials = 40, .run = {.threads = 1}}).value);
  EXPECT_NE(first.value, trial::run_sweep(*make({}, 43), options).value);
}

// A trial's horizon is a run of its own, whatever else is asked.
TEST(LockCase, HorizonsDoNotDependOnEachOther) {
  const auto on = make();
  for (std::uint64_t trial = 0; trial < 20; ++trial) {
    const std::vector<double> all = on->run("learning-epsilon", trial, kLengths);
    const std::array<std::int64_t, 1> one = {20};
    EXPECT_EQ(on->run("learning-epsilon", trial, one)[0], all[3]);
  }
}

// Common random numbers: what one planner gets bounds what another gets, trial by trial. The number of the
// simulator's errors is seen in the A-SOP's loss; the SOP arrives only where there is none. More errors only
// where c is larger.
TEST(LockCase, PlannersOfATrialMeetTheSameSimulator) {
  const auto on = make(), twice = make({{"errors", "2"}});
  for (std::uint64_t trial = 0; trial < 100; ++trial) {
    const auto sop = on->run("sop", trial, kLengths), asop = on->run("asop", trial, kLengths);
    const auto more = twice->run("asop", trial, kLengths), oracle = on->run("oracle", trial, kLengths);
    for (std::size_t h = 0; h < kLengths.size(); ++h) {
      EXPECT_EQ(sop[h] == 50, asop[h] == 50);
      EXPECT_TRUE(sop[h] == 0 || sop[h] == 50);
      EXPECT_LE(more[h], asop[h]);
      EXPECT_EQ(oracle[h], 50);
    }
  }
}

TEST(LockCase, BadOptionsAreNamed) {
  EXPECT_EQ(message_of([] {
              make({{"errors", "-1"}});
            }),
            "lock: errors is '-1', but must be a number from 0 to 1000000");
  EXPECT_EQ(message_of([] {
              make({{"reading", "papr"}});
            }),
            "lock: reading is 'papr', but must be one of: paper, honest");
  EXPECT_EQ(message_of([] {
              make({{"error", "1"}});
            }),
            "lock: there is no option 'error'; there are: errors, reading, outside, eta");
  EXPECT_EQ(message_of([] { info().make({.units = 0}); }), "lock: units is 0, but must be from 1 to 1000000");
  EXPECT_THROW(make()->run("thompson", 0, kLengths), InvalidArgument);
  EXPECT_THROW(make({{"errors", "6"}})->run("sop", 0, kLengths), InvalidArgument);
}

// Staying out pays .5 and the simulator takes the end for .3: who believes it stays out and never learns
// better. Random actions at the door (epsilon/2 = .05) find the end in the long run. With an eta above the
// outside option everything is as without it.
TEST(LockCase, AnOutsideOptionKeepsPassiveLearningOut) {
  const std::vector<std::string> planners = {"oracle",           "sop", "asop",  "kg",
                                             "learning-epsilon", "sep", "fisher"};
  const auto mean = [](const trial::Results& results, std::string_view planner) {
    double sum = 0;
    const std::vector<double> column = results.column(results.place_of(planner), 0);
    for (const double value : column) sum += value / static_cast<double>(column.size());
    return sum;
  };
  const std::vector<std::int64_t> five = {5};
  const auto out = make({{"outside", ".5"}, {"eta", ".3"}, {"reading", "honest"}});
  const trial::Results results =
      trial::run_sweep(*out, {.planners = planners, .horizons = five, .trials = 100});
  EXPECT_EQ(mean(results, "oracle"), 50);
  for (const char* passive : {"sop", "asop", "kg"}) EXPECT_EQ(mean(results, passive), 25) << passive;
  EXPECT_GT(mean(results, "learning-epsilon"), 25);
  EXPECT_GT(mean(results, "fisher"), 45);
  const auto in = make({{"outside", ".5"}, {"eta", ".6"}, {"reading", "honest"}}),
             without = make({{"reading", "honest"}});
  for (const char* planner : {"sop", "asop", "sep", "fisher"})
    EXPECT_EQ(in->run(planner, 3, five), without->run(planner, 3, five)) << planner;
  EXPECT_THROW(make({{"outside", "2"}}), InvalidArgument);
}

}  // namespace lock_test
}  // namespace mindgap::cases::lock
