#include "mindgap/trial/sweep.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "mindgap/base/error.h"
#include "mindgap/trial/run.h"
#include "trial/fake_case.h"

namespace mindgap::trial {
namespace sweep_test {

std::string message_of(const SweepOptions& options) {
  try {
    completed(FakeCase(), options);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Sweep, RunsEveryPlannerOnEveryTrialAtEveryHorizon) {
  const FakeCase on;
  const Results results = run_sweep(on, {.first_trial = 5});
  EXPECT_EQ(results.planners, on.default_planners());
  EXPECT_EQ(results.horizons, on.default_horizons());
  ASSERT_EQ(results.trials, (std::vector<std::uint64_t>{5, 6, 7, 8, 9, 10, 11}));
  for (std::size_t t = 0; t < 7; ++t) {
    for (std::size_t p = 0; p < 3; ++p) {
      for (std::size_t h = 0; h < 2; ++h) {
        EXPECT_EQ(results.at(t, p, h), on.value(results.planners[p], results.trials[t], results.horizons[h]));
      }
    }
  }
  EXPECT_EQ(results.column(results.place_of("asop"), 1)[2], on.value("asop", 7, 20));
  EXPECT_THROW(results.place_of("thompson"), InvalidArgument);
  EXPECT_EQ(on.runs, 21);
}

TEST(Sweep, ShardsMakeTheWholeAndThreadsChangeNothing) {
  const FakeCase on;
  const Results whole = run_sweep(on, {.trials = 10, .run = {.threads = 1}});
  EXPECT_EQ(run_sweep(on, {.trials = 10, .run = {.threads = 5}}).value, whole.value);
  std::map<std::uint64_t, double> seen;
  for (std::int64_t shard = 1; shard <= 3; ++shard) {
    const Results part = run_sweep(on, {.trials = 10, .shard = shard, .shards = 3});
    for (std::size_t t = 0; t < part.trials.size(); ++t) {
      EXPECT_TRUE(seen.emplace(part.trials[t], part.at(t, 1, 1)).second);
    }
  }
  ASSERT_EQ(seen.size(), 10u);
  for (std::size_t t = 0; t < 10; ++t) EXPECT_EQ(seen[whole.trials[t]], whole.at(t, 1, 1));
}

TEST(Sweep, FinishedTrialsAreNotRunAgain) {
  const FakeCase on;
  const Results first = run_sweep(on, {.trials = 4});
  on.runs = 0;
  std::mutex guard;
  std::vector<std::uint64_t> told;
  std::int64_t last = 0;
  SweepOptions options{.trials = 6};
  options.run.listener.progress = [&](const std::string&, std::int64_t done, std::int64_t total) {
    const std::lock_guard lock(guard);
    EXPECT_EQ(total, 18);
    last = std::max(last, done);
  };
  const Results all = run_sweep(on, options, first, [&](std::uint64_t trial, std::span<const double> values) {
    const std::lock_guard lock(guard);
    told.push_back(trial);
    EXPECT_EQ(values.size(), 6u);
    EXPECT_EQ(values[5], on.value("asop", trial, 20));
  });
  EXPECT_EQ(on.runs, 6);
  EXPECT_EQ(last, 18);
  std::sort(told.begin(), told.end());
  EXPECT_EQ(told, (std::vector<std::uint64_t>{4, 5}));
  EXPECT_EQ(all.value, run_sweep(on, {.trials = 6}).value);
}

TEST(Sweep, MistakesAreNamed) {
  EXPECT_EQ(message_of({.planners = {"asap"}}),
            "fake: there is no planner 'asap'; there are: asop, oracle, sop, thompson");
  EXPECT_EQ(message_of({.planners = {"sop", "sop"}}), "fake: planner 'sop' is listed twice");
  EXPECT_EQ(message_of({.horizons = {0}}), "fake: horizon is 0, but must be from 1 to 1000000000");
  EXPECT_EQ(message_of({.horizons = {20, 10}}), "fake: horizons must ascend, but 10 follows 20");
  EXPECT_EQ(message_of({.trials = -1}), "fake: trials is -1, but must be from 1 to 1000000000");
  EXPECT_NE(message_of({.trials = 1'000'000'000}).find("are more results than one run keeps"),
            std::string::npos);
  EXPECT_EQ(message_of({.shard = 3, .shards = 2}), "fake: shard is 3, but must be from 1 to 2");
}

class WithoutOracle : public FakeCase {
 public:
  std::vector<PlannerName> planners() const override { return {{"sop", ""}, {"asop", ""}}; }
  std::vector<std::string> default_planners() const override { return {"sop"}; }
};

TEST(Describe, TheOracleIsRunWhereThereIsOne) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(describe(FakeCase(), {.planners = {"sop"}}, "asop", 1).planners,
            (Names{"sop", "oracle", "asop"}));
  EXPECT_EQ(describe(WithoutOracle(), {}, "asop", 1).planners, (Names{"sop", "asop"}));
  EXPECT_THROW(describe(WithoutOracle(), {}, "oracle", 1), InvalidArgument);
}

}  // namespace sweep_test
}  // namespace mindgap::trial
