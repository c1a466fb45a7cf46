#include <gtest/gtest.h>

#include <cmath>

#include "mindgap/base/error.h"
#include "paper/reproduce/artefact.h"
#include "paper/reproduce/estimate.h"

namespace mindgap::reproduce {
namespace small_test {

Reproduction run(const std::string& name, const Options& options = {}) {
  return find_artefact(name).run(options);
}

const Line& line(const Reproduction& made, const std::string& what) {
  for (const Line& found : made.lines) {
    if (found.what == what) return found;
  }
  throw InvalidArgument("no line " + what);
}

bool holds(const Reproduction& made, const std::string& begin) {
  for (const Claim& claim : made.claims) {
    if (claim.text.starts_with(begin)) return claim.holds;
  }
  throw InvalidArgument("no claim " + begin);
}

/// What every reproduction has to keep: rows as wide as their table, a reason for every number that does not
/// agree and evidence for every claim; both point to where it is explained.
void expect_well_formed(const Reproduction& made, const std::string& name) {
  EXPECT_EQ(made.name, name);
  EXPECT_FALSE(made.title.empty() || made.unit.empty() || made.method.empty());
  EXPECT_EQ(find_artefact(name).group, "small");
  for (const Line& each : made.lines) {
    EXPECT_TRUE(each.agrees() || each.why.ends_with("see docs/math/departures.md")) << each.what;
  }
  for (const Claim& claim : made.claims) {
    EXPECT_FALSE(claim.evidence.empty()) << claim.text;
    EXPECT_TRUE(claim.holds || claim.evidence.ends_with("see docs/math/departures.md")) << claim.text;
  }
  EXPECT_FALSE(made.data.empty());
  for (const Reproduction::Data& data : made.data) {
    EXPECT_TRUE(data.file.starts_with(name)) << data.file;
    EXPECT_FALSE(data.table.rows.empty());
    for (const auto& row : data.table.rows) EXPECT_EQ(row.size(), data.table.columns.size());
  }
}

std::vector<double> numbers(const Reproduction& made) {
  std::vector<double> all;
  for (const Line& each : made.lines) all.push_back(each.ours);
  return all;
}

// By hand: a stay pays r + .9 (.5 of it again + .5 home), home is worth .9 of a stay: V = .9 r / .145 with r
// the mean reward of a trip. In truth near pays .56, far .44, out 1; in the simulator .52, .58, .1.
TEST(ReproduceSchematic, ByHand) {
  const Reproduction made = run("schematic");
  expect_well_formed(made, "schematic");
  const double worth = .9 / .145;
  const std::vector<double> wanted = {.58 * worth, .44 * worth, .56 * worth, worth, .12 * worth, .44 * worth};
  ASSERT_EQ(made.lines.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(made.lines[i].ours, wanted[i], 1e-6) << made.lines[i].what;
  for (const Claim& claim : made.claims) EXPECT_TRUE(claim.holds) << claim.text;
  ASSERT_EQ(made.figures.size(), 1u);
}

// spec/tabular.md 1.
TEST(ReproduceStateless, Golden) {
  const Reproduction made = run("stateless");
  expect_well_formed(made, "stateless");
  const std::vector<double> golden = {.2760298048, .3799019955, .4091453028, .4363265638,
                                      .88822,      1.00141,     1.03037,     1.05646};
  ASSERT_EQ(made.lines.size(), golden.size());
  for (std::size_t i = 0; i < golden.size(); ++i)
    EXPECT_NEAR(made.lines[i].ours, golden[i], i < 4 ? 1e-10 : 5e-6);
  EXPECT_FALSE(made.lines[4].agrees());
  EXPECT_FALSE(holds(made, "The net value of the best experiment crosses 0 at kappa*"));
  EXPECT_TRUE(holds(made, "The best size decreases in kappa"));
  EXPECT_FALSE(holds(made, "Monte Carlo agrees with the closed form within .5 %"));
  EXPECT_TRUE(holds(made, "Monte Carlo agrees with the closed form within its own error"));
  EXPECT_FALSE(holds(made, "The best size is interior"));
  EXPECT_TRUE(holds(made, "The best size grows as"));
  EXPECT_EQ(made.data[0].table.rows.size(), 4u * 41u);
}

void expect_lock(const Reproduction& made) {
  expect_well_formed(made, "lock");
  EXPECT_EQ(made.lines.size(), 50u);
  EXPECT_EQ(made.data[0].table.rows.size(), 8u * 4u * 5u);
  EXPECT_TRUE(holds(made, "The SOP's share is (1 - c/T)^T"));
  EXPECT_FALSE(holds(made, "The SOP's share decays with T"));
  EXPECT_FALSE(holds(made, "The SEP keeps about 90 %"));
  EXPECT_FALSE(holds(made, "Epsilon-greedy is at about 5 %"));
  EXPECT_TRUE(holds(made, "Epsilon-greedy falls faster"));
  EXPECT_FALSE(holds(made, "The gap to the oracle is not closed"));
  EXPECT_TRUE(holds(made, "With an outside option above eta Rmax"));
  EXPECT_TRUE(holds(made, "With c = 2"));
  EXPECT_FALSE(holds(made, "The gap between SEP and SOP grows with T"));
  EXPECT_TRUE(holds(made, "The gap between SEP and SOP grows with c"));
  EXPECT_TRUE(holds(made, "KG-SEP has 100 %"));
  EXPECT_TRUE(holds(made, "Fisher-SEP is above SEP"));
}

TEST(ReproduceLock, HoldsTogether) {
  expect_lock(run("lock", {.trials = 60}));
}

// With the paper's 300 draws: within 4 standard errors of a difference of two such means, and the rounding of
// the published to whole points.
TEST(ReproduceLock, AgreesWithThePublishedTable) {
  const Reproduction made = run("lock");
  expect_lock(made);
  for (const Line& each : made.lines) {
    const double error = (each.interval->upper - each.interval->lower) / 2 / 1.968;  // t, 299 degrees
    EXPECT_NEAR(each.ours, *each.published, 4 * std::sqrt(2.) * error + .5 + 1e-9) << each.what;
  }
  EXPECT_FALSE(holds(made, "The SOP's standard errors are below .02"));
}

// What the paper says of prop. ts-fork-visitation and theorem conj1-regular.
TEST(ReproduceFork, ClaimsAndGolden) {
  const Reproduction made = run("fork", {.trials = 40});
  expect_well_formed(made, "fork");
  EXPECT_EQ(made.lines.size(), 2u * 9u * 5u + 4u);
  EXPECT_EQ(line(made, "sop, k = 12, every row uncertain").ours, 0);
  EXPECT_EQ(line(made, "asop, k = 6, every row uncertain").ours, 0);
  EXPECT_NEAR(line(made, "asop, k = 4, every row uncertain").ours, 90, .5);
  EXPECT_NEAR(line(made, "asop, k = 12, fork's row uncertain").ours, 100, .1);
  EXPECT_NEAR(line(made, "thompson, k = 12, fork's row uncertain").ours, 100, .5);
  EXPECT_FALSE(holds(made, "The simulator prefers to halt"));
  EXPECT_TRUE(holds(made, "The SOP does not reach"));
  EXPECT_FALSE(holds(made, "Passive learning on posterior means"));
  EXPECT_FALSE(holds(made, "Thompson reaches with probability at most"));
  EXPECT_FALSE(holds(made, "Thompson fails on long chains whatever the prior"));
  EXPECT_FALSE(holds(made, "No member of the regular class gains anything"));
  EXPECT_LT(line(made, "thompson, k = 12, every row uncertain, halting pays .1").ours, 5);
  EXPECT_GT(line(made, "thompson, k = 12, every row uncertain, halting pays .001").ours, 40);
  EXPECT_TRUE(holds(made, "Every row uncertain: the first attempt"));
  EXPECT_FALSE(holds(made, "p* = P(a draw from the prior"));
  EXPECT_TRUE(holds(made, "A directed explorer closes"));
}

TEST(ReproduceSmall, SeedsAndThreads) {
  for (const std::string name : {"lock", "fork"}) {
    const std::vector<double> first = numbers(run(name, {.trials = 5, .run = {.threads = 2}}));
    EXPECT_EQ(first, numbers(run(name, {.trials = 5, .run = {.threads = 1}})));
    EXPECT_NE(first, numbers(run(name, {.trials = 5, .run = {.seed = 43}})));
  }
}

// By hand: 1, 2, 3 of 4 are 25, 50, 75 %: mean 50, sd 25, standard error 25/sqrt(3).
TEST(Estimate, OfAPercentage) {
  const std::vector<double> values = {1, 2, 3};
  const Estimate estimate = percent_of(values, 4);
  EXPECT_NEAR(estimate.mean, 50, 1e-12);
  EXPECT_NEAR(estimate.standard_error, 25 / std::sqrt(3.), 1e-12);
  EXPECT_LT(estimate.interval.lower, 0);  // t with 2 degrees of freedom: 50 +- 4.30 * 14.43
  const std::vector<double> one = {1};
  EXPECT_EQ(percent_of(one, 4).standard_error, 0);
  EXPECT_EQ(percent_of(one, 4).interval.upper, 25);
}

}  // namespace small_test
}  // namespace mindgap::reproduce
