#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <set>

#include "base/unruly_workers.h"
#include "decide/situations.h"
#include "mindgap/decide/design_numbers.h"
#include "mindgap/decide/tipping.h"
#include "mindgap/decide/tornado.h"
#include "mindgap/gap/evpi.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/trial/sweep.h"
#include "mindgap/voi/samples.h"
#include "trial/fake_case.h"

// A decision that several processes share has the bits of one that one process made.
namespace mindgap::decide {
namespace shared_draws_test {

using base::SharedBy;
using base::UnrulyWorkers;

// Home pays 1 for certain; the far place .5 by the simulator, give or take 1.
Situation far_away() {
  const mdp::Mdp mdp = corridor(1, .5);
  belief::Prior prior = even_prior(mdp, .05, 50);
  prior.reward_sd[5] = 1;
  return situation_of(mdp, prior, .1, {0, 0, 0, 1}, 12);
}

DecideOptions all_stages() {
  DecideOptions options = quick({}, 40);
  options.information_draws = 70;
  return options;
}

// Every number that a decision states, but for seconds.
class Numbers {
 public:
  explicit Numbers(const Decision& made) {
    add(made.recommended, made.worlds, made.verdict.has_value(), made.leaning, made.worlds_needed);
    for (const PlanResult& plan : made.plans) {
      add(plan.screened, plan.worlds, plan.value, plan.standard_error, plan.range.lower, plan.total);
      add(plan.discounted, plan.difference_to_best, plan.interval.lower, plan.share_best.value_or(-1));
      list(plan.mean);
      list(plan.lower);
    }
    for (const auto* one : {&made.against, &made.over_learning, &made.over_undirected, &made.pilot_price}) {
      if (!*one) continue;
      add((*one)->plan, (*one)->other, (*one)->gain, (*one)->gain_interval.lower, (*one)->cost);
      add((*one)->probability_of_loss, (*one)->break_even_step.value_or(-1));
      list((*one)->difference);
    }
    list(made.information.gain);
    list(made.information.deployed);
    add(made.information.total.mean, made.information.local.mean, made.information.reach.standard_error);
    if (made.rows) add(made.rows->all.mean, made.rows->remainder.mean, made.rows->idle);
    if (made.prior_implies)
      add(made.prior_implies->mean, made.prior_implies->lower, made.prior_implies->outside);
    for (const std::vector<double>& values : made.draws.values) list(values);
    if (made.pilot) {
      add(made.pilot->after, made.pilot->gap, made.pilot->target.weights.reward.size());
      list(made.pilot->counts);
      for (const design::Route& route : made.pilot->routes) list(route.pair);
    }
    list(made.priority);
  }

  bool operator==(const Numbers&) const = default;
  std::size_t size() const { return bits_.size(); }

 private:
  template <typename... Values>
  void add(const Values&... values) {
    (bits_.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(values))), ...);
  }
  template <typename List>
  void list(const List& values) {
    add(values.size());
    for (const auto& value : values) add(value);
  }

  std::vector<std::uint64_t> bits_;
};

TEST(SharedDraws, ADecisionHasTheSameBitsWhoeverComputesItsDraws) {
  const Situation situation = far_away();
  const DecideOptions options = all_stages();
  const Decision alone = decide(situation, options);
  ASSERT_TRUE(alone.against && alone.rows && alone.prior_implies && alone.pilot && alone.curve);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    UnrulyWorkers workers(seed);
    const SharedBy shared(&workers);
    const Decision together = decide(situation, options);
    EXPECT_TRUE(Numbers(together) == Numbers(alone)) << seed;
    ASSERT_EQ(together.curve->sizes.size(), alone.curve->sizes.size());
    for (std::size_t i = 0; i < alone.curve->sizes.size(); ++i)
      EXPECT_EQ(together.curve->sizes[i].net.mean, alone.curve->sizes[i].net.mean);
    EXPECT_TRUE(workers.same);
    EXPECT_GT(workers.lost, 0);
    EXPECT_GT(workers.repeated, 0);
    std::set<std::string> names;
    for (const auto& stage : workers.stages) names.insert(stage.name);
    EXPECT_EQ(names, (std::set<std::string>{"designs", "implied", "information", "rows", "worlds"}));
  }
}

TEST(SharedDraws, SoHasOneThatSettlesByItself) {
  const Situation situation = far_away();
  DecideOptions options = quick(plans_named({"sop", "asop", "pilot-2x3"}));
  options.time_limit = 1e6;
  const Decision alone = decide(situation, options);
  options.time_limit = 1e-9;  // which nobody looks at where clocks differ
  options.most_work = 2e5;
  UnrulyWorkers workers(3);
  const SharedBy shared(&workers);
  const Decision together = decide(situation, options);
  EXPECT_TRUE(Numbers(together) == Numbers(alone));
  EXPECT_FALSE(together.out_of_time);
  EXPECT_TRUE(together.cut.empty());
}

// What a worker is told of stages that are over: the digests of their numbers.
class Replay final : public base::Workers {
 public:
  void begin(const std::string&) override {}
  void run(const base::Stage& stage, const Here& here, const Take& take) override {
    stages.push_back({stage.name, stage.first, stage.last});
    const std::vector<double> numbers = here(stage.first, stage.last);
    take(stage.first, stage.last, stage.digest ? stage.digest(stage.first, stage.last, numbers) : numbers);
  }
  std::vector<UnrulyWorkers::Seen> stages;
};

TEST(SharedDraws, WhoIsToldDigestsComesToTheSameStages) {
  const Situation situation = far_away();
  const DecideOptions options = all_stages();
  UnrulyWorkers workers(5);
  Replay replay;
  Decision whole, from_digests;
  {
    const SharedBy shared(&workers);
    whole = decide(situation, options);
  }
  {
    const SharedBy shared(&replay);
    from_digests = decide(situation, options);
  }
  EXPECT_EQ(replay.stages, workers.stages);
  EXPECT_EQ(from_digests.recommended, whole.recommended);
  EXPECT_EQ(from_digests.against->gain, whole.against->gain);
}

TEST(SharedDraws, TippingCellsAndOneWaySensitivityHaveTheSameBits) {
  const Situation situation = far_away();
  DecideOptions options = quick(plans_named({"sop", "asop", "pilot-4x3"}), 30);
  const TippingOptions how{.worlds = 20, .more_worlds = 40, .refinements = 1};
  const auto map = [&] {
    return tipping_map(
        situation, options, TippingAxis::prior_width, {.25, 1, 4}, 1,
        [&](double width) { return widened(situation.knowledge, width); }, how);
  };
  const mdp::Model model{.mdp = situation.belief().simulator()};
  const auto bars = [&](const Decision& decision) {
    return tornado(model, situation, options, decision, std::nullopt, std::nullopt, {}, 16);
  };
  const TippingMap alone = map();
  const Decision decision = decide(situation, options);
  const std::optional<Tornado> alone_bars = bars(decision);
  ASSERT_TRUE(alone_bars);
  UnrulyWorkers workers(7);
  const SharedBy shared(&workers);
  const TippingMap together = map();
  EXPECT_EQ(together.settings, alone.settings);
  ASSERT_EQ(together.cells.size(), alone.cells.size());
  for (std::size_t i = 0; i < alone.cells.size(); ++i) {
    EXPECT_EQ(together.cells[i].gain, alone.cells[i].gain);
    EXPECT_EQ(together.cells[i].gain_interval.lower, alone.cells[i].gain_interval.lower);
    EXPECT_EQ(together.cells[i].verdict, alone.cells[i].verdict);
  }
  const std::optional<Tornado> together_bars = bars(decision);
  ASSERT_EQ(together_bars->bars.size(), alone_bars->bars.size());
  for (std::size_t i = 0; i < alone_bars->bars.size(); ++i)
    EXPECT_EQ(together_bars->bars[i].swing, alone_bars->bars[i].swing);
}

TEST(SharedDraws, ADesignComesBackAsItWas) {
  const Situation situation = far_away();
  const design::Design made = *design_plan(situation, pilot_plan(2, 4), SimulationOptions{}).design;
  for (const bool with_target : {true, false}) {
    std::vector<double> numbers;
    base::NumberWriter writer(numbers);
    write_design(made, with_target, writer);
    base::NumberReader reader(numbers);
    const design::Design read = read_design(reader, with_target ? nullptr : &made.target);
    EXPECT_TRUE(reader.done());
    EXPECT_EQ(static_cast<const design::Pilot&>(read), static_cast<const design::Pilot&>(made));
    EXPECT_EQ(read.counts, made.counts);
    EXPECT_EQ(read.status, made.status);
    EXPECT_EQ(read.after_rounding, made.after_rounding);
    EXPECT_EQ(read.unit_state, made.unit_state);
    EXPECT_EQ(read.contributions_after, made.contributions_after);
    EXPECT_EQ(read.target.weights.reward, made.target.weights.reward);
    EXPECT_EQ(read.target.members, made.target.members);
    EXPECT_EQ(read.constraints_kept, made.constraints_kept);
  }
}

TEST(SharedDraws, TrialsOfAComparisonHaveTheSameBits) {
  const trial::FakeCase on;
  trial::SweepOptions options{.trials = 53};
  const trial::Results alone = run_sweep(on, options);
  const trial::Results some = run_sweep(on, {.trials = 20});
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    UnrulyWorkers workers(seed);
    const SharedBy shared(&workers);
    std::vector<std::uint64_t> kept;
    const trial::Results together = run_sweep(
        on, options, some, [&](std::uint64_t trial, std::span<const double>) { kept.push_back(trial); });
    EXPECT_EQ(together.trials, alone.trials);
    EXPECT_EQ(together.value, alone.value);
    EXPECT_EQ(workers.stages, (std::vector<UnrulyWorkers::Seen>{{"trials", 0, 33}}));
    EXPECT_EQ(kept.size(), 33U);
  }
}

// A trial that broke off elsewhere is run again by who asked, so that its case knows.
class Breaking final : public trial::FakeCase {
 public:
  std::vector<double> run(std::string_view planner, std::uint64_t trial,
                          std::span<const std::int64_t> horizons) const override {
    std::vector<double> values = FakeCase::run(planner, trial, horizons);
    if (trial == 4 && planner == "sop") {
      ++broken;
      values.assign(horizons.size(), std::nan(""));
    }
    return values;
  }
  mutable std::atomic<int> broken{0};
};

TEST(SharedDraws, ATrialThatBreaksOffElsewhereIsSeenHere) {
  const Breaking on;
  UnrulyWorkers workers(2);
  const SharedBy shared(&workers);
  const trial::Results results = run_sweep(on, {.trials = 7, .run = {.threads = 1}});
  EXPECT_TRUE(std::isnan(results.at(4, results.place_of("sop"), 0)));
  EXPECT_EQ(results.at(4, results.place_of("asop"), 0), on.value("asop", 4, 10));
  EXPECT_GE(on.broken, 2);
}

TEST(SharedDraws, PerfectInformationHasTheSameBits) {
  const Situation situation = far_away();
  const mdp::Policy policy = mdp::solve(situation.belief().mean()).policy;
  const auto found = [&] {
    return gap::expected_value_of_perfect_information(situation.belief(), policy, {.draws = 50});
  };
  const gap::Evpi alone = found();
  UnrulyWorkers workers(4);
  const SharedBy shared(&workers);
  const gap::Evpi together = found();
  EXPECT_EQ(together.total.mean, alone.total.mean);
  EXPECT_EQ(together.reach.standard_error, alone.reach.standard_error);
  EXPECT_EQ(together.error_bound, alone.error_bound);
  EXPECT_EQ(together.optimal_visitation, alone.optimal_visitation);
}

TEST(SharedDraws, ValueOfSamplesHasTheSameBits) {
  voi::Draws draws{{"x", "y", "wait", "act"}, std::vector<std::vector<double>>(4), "draws.csv"};
  for (int i = 0; i < 400; ++i) {
    const double x = std::sin(12.9898 * i), y = std::cos(78.233 * i);
    const double row[] = {x, y, 0, x + .5 * y};
    for (std::size_t c = 0; c < 4; ++c) draws.columns[c].push_back(row[c]);
  }
  const voi::SamplesOptions options{
      .plans = {"wait", "act"}, .about = {{"x"}, {"y"}, {"x", "y"}}, .data = {{"y"}}, .cost = {.1}};
  const voi::SampledValue alone = value_of_samples(draws, options);
  UnrulyWorkers workers(6);
  const SharedBy shared(&workers);
  const voi::SampledValue together = value_of_samples(draws, options);
  ASSERT_EQ(together.evppi.size(), 3U);
  ASSERT_EQ(together.evsi.size(), 1U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(together.evppi[i].about, alone.evppi[i].about);
    EXPECT_EQ(together.evppi[i].cross_fitted, alone.evppi[i].cross_fitted);
    EXPECT_EQ(together.evppi[i].interval.lower, alone.evppi[i].interval.lower);
    EXPECT_EQ(together.evppi[i].plug_in_se, alone.evppi[i].plug_in_se);
    EXPECT_EQ(together.evppi[i].model, alone.evppi[i].model);
  }
  EXPECT_EQ(together.enbs[0].value, alone.enbs[0].value);
}

}  // namespace shared_draws_test
}  // namespace mindgap::decide
