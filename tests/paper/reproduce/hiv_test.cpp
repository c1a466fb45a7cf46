#include "paper/reproduce/hiv.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

namespace mindgap::reproduce {
namespace hiv_test {

constexpr std::string_view kWhere = "see docs/math/departures.md";

void expect_well_formed(const Reproduction& result, std::string_view name) {
  EXPECT_EQ(result.name, name);
  for (const Line& line : result.lines) {
    EXPECT_TRUE(std::isfinite(line.ours)) << line.what;
    if (!line.why.empty()) {
      EXPECT_TRUE(std::string_view(line.why).ends_with(kWhere)) << line.why;
    }
  }
  for (const Claim& claim : result.claims) {
    if (!claim.holds) {
      EXPECT_TRUE(std::string_view(claim.evidence).ends_with(kWhere)) << claim.evidence;
    }
  }
  for (const Reproduction::Data& data : result.data) {
    for (const auto& row : data.table.rows) ASSERT_EQ(row.size(), data.table.columns.size()) << data.file;
  }
}

// Exact numbers: spec/hiv.md, golden numbers; norms as in docs/math/departures.md.
TEST(HivReproduction, Contraction) {
  const Reproduction result = hiv_contraction({});
  expect_well_formed(result, "hiv-contraction");
  ASSERT_EQ(result.lines.size(), 8);
  EXPECT_NEAR(result.lines[0].ours, 1.0035347653, 1e-9);
  EXPECT_NEAR(result.lines[1].ours, 1.0033371909, 1e-9);
  EXPECT_NEAR(result.lines[2].ours, 4.6, .05);
  EXPECT_NEAR(result.lines[3].ours, 4.3, .05);
  EXPECT_NEAR(result.lines[4].ours, .0832, 1e-4);
  EXPECT_NEAR(result.lines[5].ours, .0917, 1e-4);
  EXPECT_FALSE(result.lines[0].agrees());
  EXPECT_GT(result.lines[6].ours, result.lines[7].ours);  // the bound of the truncation, and what is left out
  for (const Claim& claim : result.claims)
    EXPECT_EQ(claim.holds, claim.text.find("ysne-truncation") != std::string::npos) << claim.text;
}

TEST(HivReproduction, Table) {
  std::atomic<int> calls = 0;
  Options options;
  options.trials = 1;
  options.run.listener.progress = [&](const std::string&, std::int64_t, std::int64_t) { ++calls; };
  const Reproduction result = hiv_table(options);
  expect_well_formed(result, "hiv-table");
  EXPECT_GT(calls, 0);
  EXPECT_EQ(result.lines.size(), 7 * 5 + 14);
  ASSERT_EQ(result.data.size(), 1);
  EXPECT_EQ(result.data[0].table.rows.size(), 14 * 5);
}

TEST(HivReproduction, NothingDependsOnThreads) {
  Options options;
  options.trials = 3;
  options.run.threads = 1;
  const Reproduction one = hiv_slopes(options);
  options.run.threads = 2;
  const Reproduction two = hiv_slopes(options);
  for (std::size_t i = 0; i < one.lines.size(); ++i) EXPECT_EQ(one.lines[i].ours, two.lines[i].ours);
  EXPECT_EQ(one.data[0].table.rows, two.data[0].table.rows);
}

TEST(HivReproduction, PairedAndSweep) {
  Options options;
  options.trials = 2;
  const Reproduction paired = hiv_paired(options), sweep = hiv_sweep(options);
  expect_well_formed(paired, "hiv-paired");
  EXPECT_EQ(paired.lines.size(), 25);
  expect_well_formed(sweep, "hiv-sweep");
  EXPECT_EQ(sweep.lines.size(), 16);
  EXPECT_EQ(sweep.data[0].table.rows.size(), 4 * 2 * 5);
}

// The curves of 400 days; ten trials are enough for the slopes' first digit (spec/hiv.md: 2.7, 3.3, 13.2).
TEST(HivReproduction, SlopesAndFigure) {
  Options options;
  options.trials = 10;
  const Reproduction slopes = hiv_slopes(options);
  expect_well_formed(slopes, "hiv-slopes");
  EXPECT_NEAR(slopes.lines[2].ours, 13.2, .5);
  for (const Line& line : slopes.lines) {  // the slope of the mean curve is the mean of the slopes
    ASSERT_TRUE(line.interval) << line.what;
    EXPECT_NEAR((line.interval->lower + line.interval->upper) / 2, line.ours, 1e-9) << line.what;
  }
  EXPECT_EQ(slopes.data[0].table.rows.size(), 400);
  options.trials = 4;
  const Reproduction figure = hiv_figure(options);
  expect_well_formed(figure, "hiv-figure");
  ASSERT_EQ(figure.data.size(), 3);
  EXPECT_EQ(figure.data[0].table.rows.size(), 8 * 400);
  EXPECT_EQ(figure.data[2].table.rows.size(), 40);
  double team_days = 0;
  for (const auto& row : figure.data[2].table.rows) team_days += std::stod(row[3]);
  EXPECT_NEAR(team_days, 8 * 400, 1);
  ASSERT_EQ(figure.lines.size(), 6);  // UCRL2, UCBVI: share of trials, times, team-days in region B
  for (std::size_t i = 0; i < 6; i += 3) {
    if (figure.lines[i].ours == 0) continue;
    EXPECT_GT(figure.lines[i + 1].ours, 0);
    EXPECT_GE(figure.lines[i + 2].ours, figure.lines[i + 1].ours);  // a day for each time
  }
}

}  // namespace hiv_test
}  // namespace mindgap::reproduce
