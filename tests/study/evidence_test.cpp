#include "mindgap/study/evidence.h"

#include <numbers>
#include <random>

#include "mindgap/base/tails.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/study/comparison.h"
#include "mindgap/study/price.h"
#include "mindgap/study/summary.h"
#include "study/memory.h"

namespace mindgap::study {
namespace evidence_test {

// Results of one unit, as given: (batch, state, action, reward, next state).
struct Line {
  std::int32_t batch, state, action;
  double reward;
  std::int32_t next_state;
};

State with_results(const std::vector<Line>& lines, const mdp::Model& model = row_of_places()) {
  State state{.model = model, .options = {.horizon = 100}};
  state.units.push_back({"u", 0, "", Arm::explore});
  state.batches.resize(3);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    state.assignments.push_back({.unit = 0,
                                 .step = static_cast<std::int32_t>(i),
                                 .state = line.state,
                                 .action = line.action,
                                 .batch = line.batch});
    ObservationRow row{
        .unit = 0, .step = static_cast<std::int32_t>(i), .state = line.state, .action = line.action};
    row.has_reward = true;
    row.reward = line.reward;
    row.next_state = line.next_state;
    state.observations.push_back(row);
    state.result.push_back(static_cast<std::int32_t>(i));
    state.about.push_back(static_cast<std::int32_t>(i));
  }
  return state;
}

// Rewards of north, stay (simulated .5) with prior sd 1 and v = 1: one at 1.5 has S = 1, so
// log e = log(1/2)/2 + 1/(2 (1 + 1)). Moves of north, go, row (.1, .9), strength 5: two stays have
// Dirichlet-multinomial probability (.5/5)(1.5/6) = .025 against .01, so e = 2.5.
TEST(Evidence, ByHand) {
  const State state =
      with_results({{0, 0, 0, 1.5, 0}, {0, 0, 1, 0, 0}, {0, 0, 1, 0, 0}}, row_of_places(1, 1));
  const auto found = evidence_against_simulator(state, knowledge_before(state));
  EXPECT_NEAR(found[0].log_reward, std::log(.5) / 2 + .25, 1e-12);
  EXPECT_EQ(found[0].log_transition, 0);  // one way only
  EXPECT_NEAR(found[1].log_transition, std::log(2.5), 1e-12);
  EXPECT_NEAR(found[1].log_reward, std::log(1.0 / 3) / 2, 1e-12);  // two rewards as simulated
  EXPECT_NEAR(found[1].p_value, 1 / ((2.5 + std::sqrt(1.0 / 3)) / 2), 1e-12);
  EXPECT_EQ(found[2].p_value, 1);
  EXPECT_EQ(found[0].rewards, 1);
  EXPECT_EQ(found[0].mean_reward, 1.5);
}

// Under the hypothesis the mean of an e-value is 1: exactly, over all outcomes of three moves.
TEST(Evidence, RowEValuesHaveMeanOne) {
  double mean = 0;
  for (int bits = 0; bits < 8; ++bits) {
    std::vector<Line> lines;
    double p = 1;
    for (int i = 0; i < 3; ++i) {
      const bool moves = (bits >> i & 1) != 0;
      lines.push_back({0, 0, 1, 0, moves ? 1 : 0});
      p *= moves ? .9 : .1;
    }
    const State state = with_results(lines);
    mean += p * std::exp(evidence_against_simulator(state, knowledge_before(state))[1].log_transition);
  }
  EXPECT_NEAR(mean, 1, 1e-12);
}

// One batch cannot show drift: the best constant is at least as likely as any filter.
TEST(Drift, NeedsTwoBatches) {
  std::vector<Line> lines;
  lines.reserve(50);
  for (int i = 0; i < 50; ++i) lines.push_back({0, 0, 0, i < 25 ? -2.0 : 3.0, 0});
  const State state = with_results(lines);
  const Drift drift = drift_between_batches(state, knowledge_before(state));
  EXPECT_EQ(drift.batches, 1);
  EXPECT_LE(drift.log_e, 0);
  EXPECT_TRUE(drift.pairs.empty());
}

// Rewards of 1e8 where the model states a standard deviation of .6: both sums of the evidence are about 1e16,
// and what is left of their difference is rounding.
TEST(Drift, IsNotMadeOfRounding) {
  for (const std::int32_t batches : {1, 2}) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      std::mt19937_64 bits(seed);
      std::vector<Line> lines;
      for (int i = 0; i < 60; ++i) {
        const double noise = static_cast<double>(bits() >> 11) * 0x1p-53 - .5;
        lines.push_back({i * batches / 60, 0, 0, 1e8 + 2 * noise, 0});
      }
      const State state = with_results(lines, row_of_places(.36, 1));
      const Drift drift = drift_between_batches(state, knowledge_before(state));
      EXPECT_FALSE(drift.alarm) << "batches " << batches << " seed " << seed << " log e " << drift.log_e;
    }
  }
}

TEST(Drift, IsSeenWhereRewardsOrMovesChange) {
  std::vector<Line> rewards, moves, none;
  for (int i = 0; i < 160; ++i) {
    const std::int32_t batch = i < 80 ? 0 : 1;
    const double noise = i % 2 == 0 ? .3 : -.3;
    rewards.push_back({batch, 0, 0, noise + (batch == 0 ? 1.0 : 2.0), 0});
    none.push_back({batch, 0, 0, noise + 1, 0});
    moves.push_back({batch, 0, 1, 0, (batch == 0 ? i % 5 : (i + 1) % 5) < (batch == 0 ? 1 : 4) ? 0 : 1});
  }
  const State changed = with_results(rewards), moved = with_results(moves), same = with_results(none);
  const Drift found = drift_between_batches(changed, knowledge_before(changed));
  EXPECT_TRUE(found.alarm);
  EXPECT_EQ(found.pairs[0].pair, 0);
  EXPECT_NEAR(found.pairs[0].mean_before, 1, 1e-12);
  EXPECT_NEAR(found.pairs[0].mean_last, 2, 1e-12);
  EXPECT_TRUE(drift_between_batches(moved, knowledge_before(moved)).alarm);
  EXPECT_FALSE(drift_between_batches(same, knowledge_before(same)).alarm);  // wrong everywhere, but steady
}

// Units in an arm each; per unit the steps that have a result, with a reward where it is positive.
State with_steps(const std::vector<Arm>& arms, const std::vector<std::vector<int>>& steps) {
  State state{.model = row_of_places(), .options = {.horizon = 10}};
  for (std::size_t u = 0; u < arms.size(); ++u) {
    const auto unit = static_cast<std::int32_t>(u);
    state.units.push_back({"u", 0, "", arms[u]});
    for (std::size_t t = 0; t <= steps[u].size(); ++t) {  // the one after the last result is pending
      const auto step = static_cast<std::int32_t>(t);
      state.assignments.push_back({.unit = unit, .step = step, .arm = arms[u]});
      state.result.push_back(-1);
      if (t == steps[u].size()) continue;
      ObservationRow row{.unit = unit, .step = step};
      row.has_reward = steps[u][t] > 0;
      row.is_void = !row.has_reward;
      state.result.back() = static_cast<std::int32_t>(state.observations.size());
      state.about.push_back(static_cast<std::int32_t>(state.assignments.size()) - 1);
      state.observations.push_back(row);
    }
  }
  return state;
}

// Four units, two of them controls. All of the controls short: 1 of C(4, 2) ways, twice that for two sides.
TEST(SampleRatio, ByHand) {
  const std::vector<Arm> arms{Arm::explore, Arm::explore, Arm::control, Arm::control};
  SampleRatio found = sample_ratio(with_steps(arms, {{1}, {1}, {}, {}}));
  EXPECT_EQ(found.due_steps, 0);  // pending: nobody is further
  EXPECT_EQ(found.results_explore, 2);
  EXPECT_EQ(found.assigned_control, 2);
  EXPECT_EQ(found.p_value, 1);
  found = sample_ratio(with_steps(arms, {{1, 1}, {1, 1}, {}, {}}));
  EXPECT_EQ(found.due_steps, 1);
  EXPECT_EQ(found.short_explore, 0);
  EXPECT_EQ(found.short_control, 2);
  EXPECT_NEAR(found.p_value, 2.0 / 6, 1e-12);
  found = sample_ratio(with_steps(arms, {{1, 1, 1}, {1, 0, 1}, {1, 1}, {1, 1}}));  // one is void
  EXPECT_EQ(found.due_steps, 2);
  EXPECT_EQ(found.short_explore, 1);
  EXPECT_EQ(found.short_control, 0);
  EXPECT_NEAR(found.p_value, 1, 1e-12);
  EXPECT_EQ(sample_ratio(State{.model = row_of_places()}).p_value, 1);
}

TEST(SampleRatio, PendingIsNotMissing) {
  State state = begin_in_memory(row_of_places(), units_in(100, 4), {.horizon = 4, .control_share = .5});
  design_in_memory(state);
  const Truth truth{row_of_places().mdp};
  step_in_memory(state, truth);
  EXPECT_EQ(sample_ratio(state).p_value, 1);
  const std::vector<std::int32_t> all = state.result;
  for (std::size_t i = 0; i < state.assignments.size(); ++i)
    if (state.assignments[i].arm == Arm::control) state.result[i] = -1;  // their file comes tomorrow
  EXPECT_FALSE(sample_ratio(state).alarm);
  state.result = all;
  step_in_memory(state, truth);
  EXPECT_FALSE(sample_ratio(state).alarm);
  for (std::size_t i = 0; i < 100; ++i)  // two thirds of the controls' never come
    if (state.assignments[i].arm == Arm::control && i % 3 != 0) state.result[i] = state.result[100 + i] = -1;
  EXPECT_TRUE(sample_ratio(state).alarm);
}

// Units come short by chance, those of some states more often than others and for several steps on end: at
// one look p is below .05 in at most 5 % of draws of the arms.
TEST(SampleRatio, HasItsLevelWhereShortnessHangsTogether) {
  const int draws = 2000;
  int rejected = 0, short_units = 0;
  for (int i = 0; i < draws; ++i) {
    base::Stream words({77, base::Purpose::world, static_cast<std::uint64_t>(i), 0, 0});
    std::vector<std::int32_t> places;
    std::vector<std::vector<int>> steps;
    for (std::int32_t u = 0; u < 60; ++u) {
      places.push_back(u % 3);
      const bool lost = base::uniform(words) < .1 + .2 * (u % 3);
      steps.push_back(lost && u % 2 == 0 ? std::vector<int>{1}
                                         : std::vector<int>{1, lost ? 0 : 1, 1, lost ? 0 : 1, 1});
    }
    const SampleRatio found =
        sample_ratio(with_steps(draw_arms(places, .3, static_cast<std::uint64_t>(i)), steps));
    rejected += found.p_value < .05;
    short_units += static_cast<int>(found.short_control + found.short_explore);
  }
  EXPECT_GT(short_units, 10 * draws);
  EXPECT_GT(base::binomial_upper_tail(rejected, draws, .05), .001) << rejected;
}

// By hand: one step, explorers 1..5 and controls 0, 0, 1, 1, 3: means 3 and 1, variances of the mean
// (10/4)/5 and (6/4)/5.
TEST(Difference, ByHand) {
  State state{.model = row_of_places(1, 1), .options = {.horizon = 10}};
  const double rewards[] = {1, 2, 3, 4, 5, 0, 0, 1, 1, 3};
  for (std::int32_t i = 0; i < 10; ++i) {
    const Arm arm = i < 5 ? Arm::explore : Arm::control;
    state.units.push_back({"u", 0, "", arm});
    state.assignments.push_back({.unit = i, .arm = arm});
    ObservationRow row{.unit = i};
    row.has_reward = true;
    row.reward = rewards[i];
    state.observations.push_back(row);
    state.result.push_back(i);
    state.about.push_back(i);
  }
  const Difference found = difference_to_control(state);
  EXPECT_EQ(found.steps, 1);
  EXPECT_NEAR(found.difference, 2, 1e-12);
  const double level = 1 - .05 * 6 / (std::numbers::pi * std::numbers::pi);  // of the first look
  const stats::Interval wanted = stats::student_interval(2, std::sqrt(.5 + .3), 5, level);
  EXPECT_NEAR(found.interval->lower, wanted.lower, 1e-12);
  EXPECT_NEAR(found.interval->upper, wanted.upper, 1e-12);
  state.observations[7].censored = true;  // what is above the bound may make up for anything
  EXPECT_FALSE(difference_to_control(state).interval);
  EXPECT_EQ(difference_to_control(state).censored, 1);
  state.observations[7].censored = false;
  state.observations[7].has_reward = false;  // the reward is still out
  EXPECT_EQ(difference_to_control(state).steps, 0);
  state.observations[7].has_reward = true;
  state.result[3] = -1;  // a result that is out holds the step back
  EXPECT_EQ(difference_to_control(state).steps, 0);
}

TEST(NextBatchPrice, IsNothingWhereNothingCanBeLearntOrUsed) {
  mdp::Model sure = row_of_places(0);
  sure.prior->transition_strength = 1e12;
  State state = begin_in_memory(sure, units_in(10, 4), {.horizon = 20});
  design_in_memory(state);
  const decide::BatchPrice none = next_batch_price(state, knowledge_now(state));
  EXPECT_NEAR(none.worth, 0, 1e-9);
  EXPECT_FALSE(none.interval.lower > 0);
  State last = begin_in_memory(row_of_places(), units_in(10, 4), {.horizon = 1});
  design_in_memory(last);
  EXPECT_EQ(next_batch_price(last, knowledge_now(last)).worth, 0);
}

TEST(NextBatchPrice, PaysWhereMuchIsAtStakeAndIsTheSameEachTime) {
  State state = begin_in_memory(row_of_places(3), units_in(40, 4), {.horizon = 200});
  design_in_memory(state);
  const decide::BatchPrice worth = next_batch_price(state, knowledge_now(state)),
                           again = next_batch_price(state, knowledge_now(state));
  EXPECT_TRUE(worth.go_on() && worth.certain());
  EXPECT_EQ(worth.worth, again.worth);
  EXPECT_GT(worth.standard_error, 0);
  EXPECT_NEAR(worth.interval.upper - worth.interval.lower, 2 * 1.96 * worth.standard_error, 1e-9);
  EXPECT_NEAR(worth.net, worth.worth - worth.cost, 1e-12);
  EXPECT_EQ(worth.draws, 64);
}

// With its limits: explorers that may only do what the policy does learn nothing more, and give up nothing.
TEST(NextBatchPrice, IsOfTheBatchThatWouldBeAssigned) {
  State state = begin_in_memory(row_of_places(3), units_in(40, 4), {.horizon = 200});
  design_in_memory(state);
  EXPECT_GT(next_batch_price(state, knowledge_now(state)).cost, 0);
  state.options.limits.forbidden.assign(static_cast<std::size_t>(state.mdp().pairs()), 1);
  for (const std::int32_t pair : best_policy(state, 1)) state.options.limits.forbidden[pair] = 0;
  const decide::BatchPrice price = next_batch_price(state, knowledge_now(state));
  EXPECT_EQ(price.explorers, 32);
  EXPECT_NEAR(price.cost, 0, 1e-9);
  EXPECT_EQ(price.worth, 0);
}

// A world in which the simulator is right, looked at after every step, with a new design half-way: how many
// of so many studies ever claim that it is wrong, that the world moved, or that explorers earn more.
struct Claims {
  int any = 0, flagged = 0, drift = 0, difference = 0;
};

Claims false_claims(int studies, std::int32_t units, int steps) {
  Claims claims;
  for (int i = 0; i < studies; ++i) {
    const mdp::Model model = row_of_places();
    StudyOptions options{.horizon = steps,
                         .control_share = .3,
                         .batch_steps = steps / 2,
                         .seed = static_cast<std::uint64_t>(i)};
    State state = begin_in_memory(model, units_in(units, 4), options);
    design_in_memory(state);
    const Truth truth{model.mdp, .5, 1000 + static_cast<std::uint64_t>(i)};
    const belief::Knowledge before = knowledge_before(state);
    bool flagged = false, drift = false, difference = false;
    for (int t = 0; t < steps; ++t) {
      if (t == steps / 2) design_in_memory(state);
      step_in_memory(state, truth);
      for (const PairEvidence& one : evidence_against_simulator(state, before))
        flagged = flagged || one.flagged;
      drift = drift || drift_between_batches(state, before).alarm;
      const Difference d = difference_to_control(state);
      difference = difference || (d.interval && d.interval->lower > 0);
    }
    claims.flagged += flagged;
    claims.drift += drift;
    claims.difference += difference;
    claims.any += flagged || drift || difference;
  }
  return claims;
}

TEST(TypeOne, FewFalseClaims) {
  const Claims claims = false_claims(60, 24, 12);
  EXPECT_GT(base::binomial_upper_tail(claims.any, 60, .05), .001) << claims.any;
}

TEST(TypeOneLong, FewFalseClaimsIn500Studies) {
  const Claims claims = false_claims(500, 40, 24);
  RecordProperty("flagged", claims.flagged);
  RecordProperty("drift", claims.drift);
  RecordProperty("difference", claims.difference);
  EXPECT_LE(claims.any, 25) << claims.flagged << " " << claims.drift << " " << claims.difference;
}

// Both actions are the same, so arms differ by luck alone; but luck stays with a unit: from the start it
// falls into a good or a bad place and hardly ever leaves. How many of so many studies ever say that arms
// differ?
int uncovered(int studies, std::int32_t units, int steps) {
  mdp::MdpBuilder builder(.9, 3, 2);
  for (std::int32_t a = 0; a < 2; ++a) {
    builder.set_reward(0, a, 0);
    builder.add_transition(0, a, 1, .5);
    builder.add_transition(0, a, 2, .5);
    for (const std::int32_t s : {1, 2}) {
      builder.set_reward(s, a, s == 1 ? 1 : 0);
      builder.add_transition(s, a, s, .99);
      builder.add_transition(s, a, 3 - s, .01);
    }
  }
  mdp::Model model{.name = "luck", .mdp = builder.build()};
  model.reward_variance = .25;
  model.prior = mdp::PriorSpec{.reward_sd = 1, .transition_strength = 5};
  int missed = 0;
  for (int i = 0; i < studies; ++i) {
    StudyOptions options{
        .horizon = steps, .control_share = .3, .batch_steps = steps, .seed = static_cast<std::uint64_t>(i)};
    State state = begin_in_memory(model, units_in(units, 1), options);
    design_in_memory(state);
    const Truth truth{model.mdp, .5, 5000 + static_cast<std::uint64_t>(i)};
    bool out = false;
    for (int t = 0; t < steps; ++t) {
      step_in_memory(state, truth);
      const Difference d = difference_to_control(state);
      out = out || (d.interval && (d.interval->lower > 0 || d.interval->upper < 0));
    }
    missed += out;
  }
  return missed;
}

TEST(Difference, IntervalsCoverAtAllLooks) {
  const int missed = uncovered(200, 40, 15);
  EXPECT_GT(base::binomial_upper_tail(missed, 200, .05), .001) << missed;
}

TEST(DifferenceLong, IntervalsCoverAtAllLooks) {
  const int missed = uncovered(3000, 20, 40);
  EXPECT_GT(base::binomial_upper_tail(missed, 3000, .05), .001) << missed;
}

}  // namespace evidence_test
}  // namespace mindgap::study
