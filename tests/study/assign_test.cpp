#include "mindgap/study/assign.h"

#include <map>
#include <set>

#include "mindgap/base/tails.h"
#include "mindgap/mdp/builder.h"
#include "study/memory.h"

namespace mindgap::study {
namespace assign_test {

TEST(DrawArms, EachUnitIsAControlWithTheShareAndNumbersAreEven) {
  const std::vector<std::int32_t> state{0, 0, 0, 1, 1, 2, 0, 3, 3, 3, 0, 1};
  std::vector<int> times(state.size());
  const int draws = 4000;
  for (int seed = 0; seed < draws; ++seed) {
    const std::vector<Arm> arms = draw_arms(state, .3, static_cast<std::uint64_t>(seed));
    int controls = 0;
    for (std::size_t u = 0; u < arms.size(); ++u) {
      times[u] += arms[u] == Arm::control;
      controls += arms[u] == Arm::control;
    }
    EXPECT_GE(controls, 3);  // .3 x 12 = 3.6
    EXPECT_LE(controls, 4);
  }
  for (const int n : times) EXPECT_GT(base::binomial_two_sided(n, draws, .3), 1e-4) << n;
  for (const Arm arm : draw_arms(state, 0, 1)) EXPECT_EQ(arm, Arm::explore);
}

class AssignTest : public StudyTest {};

TEST_F(AssignTest, AskingAgainGivesTheSameAnswer) {
  start();
  const Assigned first = ask(), again = ask();
  EXPECT_EQ(first.added, 12);
  EXPECT_EQ(again.added, 0);
  EXPECT_EQ(first.assignments, again.assignments);
  EXPECT_EQ(first.state.assignments, again.state.assignments);
  EXPECT_TRUE(again.waiting.empty());
  const Assigned by_step = ask(0);
  EXPECT_EQ(by_step.assignments, first.assignments);
  EXPECT_TRUE(ask(1).assignments.empty());
  EXPECT_EQ(ask(1).waiting.size(), 12u);
  EXPECT_THROW(ask(8), InvalidArgument);
  EXPECT_THROW(ask(-1), InvalidArgument);
}

TEST_F(AssignTest, UnitsWithoutAResultAreWaiting) {
  start();
  const Assigned first = ask();
  const Truth field = truth();
  std::string half = kHeader;
  for (std::size_t i = 0; i < 6; ++i) half += field.line(first.state, first.state.assignments[i]) + "\n";
  take(half);
  const Assigned second = ask();
  EXPECT_EQ(second.added, 6);
  EXPECT_EQ(second.assignments.size(), 6u);
  ASSERT_EQ(second.waiting.size(), 6u);
  EXPECT_EQ(second.waiting[0].unit, 6);
  EXPECT_EQ(second.waiting[0].step, 0);
  EXPECT_EQ(second.waiting[0].since, kWriter.time);
  EXPECT_EQ(ask().assignments, second.assignments);
}

TEST_F(AssignTest, EndsAtTheHorizon) {
  start(4, 3);
  play(truth(), 3);
  const Assigned last = ask();
  EXPECT_TRUE(last.assignments.empty());
  EXPECT_EQ(last.finished, 4);
  EXPECT_EQ(study_status(*at("s")).summary.phase, Phase::finished);
  EXPECT_THROW(redesign(*at("s"), true, kWriter), InvalidArgument);
  EXPECT_TRUE(check().good) << check().problem;
}

// The logged probability of an action is how often it comes over seeds, given arm and path: for each seed a
// new study with the same design problem, and what unit 0 is assigned at its first steps. Seeds also move the
// design (its drawn models), so the expected number is the sum of the logged probabilities of "stay".
TEST_F(AssignTest, LoggedProbabilitiesAreTheFrequencies) {
  double expected = 0, variance = 0;
  int stays = 0;
  for (int seed = 0; seed < 300; ++seed) {
    const StudyOptions options{.horizon = 8, .control_share = .3, .seed = static_cast<std::uint64_t>(seed)};
    State state = begin_in_memory(row_of_places(), units_in(6, 1), options);
    design_in_memory(state);
    for (int t = 0; t < 4; ++t) {
      step_in_memory(state, truth());
      const AssignmentRow& row = state.assignments[state.find_assignment(0, t)];
      const double p = row.action == 0 ? row.probability : 1 - row.probability;
      expected += p;
      variance += p * (1 - p);
      stays += row.action == 0;
    }
  }
  EXPECT_LT(std::abs(stays - expected), 4 * std::sqrt(variance) + 1e-9);
  EXPECT_GT(variance, 1);  // or there was nothing to test
}

// Product over the steps of a batch = the sum of the probabilities of all routes that would have led the
// explorer the same way; controls had no choice.
TEST_F(AssignTest, ProbabilitiesOfAPathMultiplyToThoseOfItsRoutes) {
  start(16, 12);
  play(truth(), 4);
  const State state = study_status(*at("s")).state;
  const Batch& batch = state.batches[0];
  for (std::int32_t u = 0; u < 16; ++u) {
    if (state.units[u].arm == Arm::control) {
      for (int t = 0; t < 4; ++t) EXPECT_EQ(state.assignments[state.find_assignment(u, t)].probability, 1);
      continue;
    }
    double product = 1;
    for (int t = 0; t < 4; ++t) product *= state.assignments[state.find_assignment(u, t)].probability;
    const std::vector<double> routes = batch.route_probabilities(state.units[u].state);
    double same = 0;
    for (std::int32_t r = 0; r < static_cast<std::int32_t>(routes.size()); ++r) {
      bool agrees = true;
      for (int t = 0; t < 4; ++t) {
        const AssignmentRow& row = state.assignments[state.find_assignment(u, t)];
        agrees = agrees && batch.pair(r, t, row.state, batch.policy) == pair_of(state.mdp(), row);
      }
      if (agrees) same += routes[static_cast<std::size_t>(r)];
    }
    EXPECT_NEAR(product, same, 1e-12) << u;
  }
}

TEST_F(AssignTest, ControlsFollowThePolicyAndExplorersTheirRoutes) {
  start(40, 10);
  play(truth(), 5);
  const State state = study_status(*at("s")).state;
  const Batch& batch = state.batches[0];
  std::set<std::int32_t> routes;
  for (const AssignmentRow& row : state.assignments) {
    EXPECT_EQ(row.arm, state.units[row.unit].arm);
    if (row.arm == Arm::control) {
      EXPECT_EQ(row.route, -1);
      EXPECT_EQ(pair_of(state.mdp(), row), batch.policy[row.state]);
      EXPECT_EQ(row.draw_probability, .2);
    } else {
      EXPECT_EQ(pair_of(state.mdp(), row), batch.pair(row.route, row.step, row.state, batch.policy));
      routes.insert(row.route);
    }
  }
  EXPECT_GT(routes.size(), 1u);
  EXPECT_EQ(routes.count(-1), 0u);
}

// What a unit is assigned is a function of the states it was seen in: other rewards, same assignments until
// an update.
TEST_F(AssignTest, AssignmentsDoNotLookAtRewards) {
  std::vector<AssignmentRow> seen[2];
  for (int i = 0; i < 2; ++i) {
    std::filesystem::remove_all(path("s"));
    start(20, 10);
    Truth field = truth();
    field.sd = i == 0 ? .1 : 25;
    play(field, 5);
    seen[i] = study_status(*at("s")).state.assignments;
  }
  EXPECT_EQ(seen[0], seen[1]);
}

TEST_F(AssignTest, ARedesignTakesThoseInAndLaterThoseWhoAreOut) {
  start(12, 12);
  play(truth(), 2);
  const Assigned third = ask();
  std::string half = kHeader;
  for (std::size_t i = 0; i < 6; ++i)
    half += truth().line(third.state, third.state.assignments[24 + i]) + "\n";
  take(half);
  const Redesigned made = redesign(*at("s"), true, kWriter, 1);
  const Batch& batch = made.state.batches[1];
  for (std::size_t u = 0; u < 12; ++u) {
    if (made.state.units[u].arm == Arm::control) {
      EXPECT_EQ(batch.route_of_unit[u], Batch::kPolicy);
    } else if (u < 6) {
      EXPECT_GE(batch.route_of_unit[u], 0);
    } else {
      EXPECT_EQ(batch.route_of_unit[u], Batch::kDrawn);
    }
  }
  take(truth().results(third));
  const Assigned next = ask();
  EXPECT_EQ(next.assignments.size(), 12u);
  for (const std::int32_t i : next.assignments) {
    const AssignmentRow& row = next.state.assignments[i];
    EXPECT_EQ(row.batch, 1);
    EXPECT_GT(row.probability, 0);
    EXPECT_GT(row.draw_probability, 0);
    EXPECT_LE(row.probability, 1);
  }
  play(truth(), 2);
  EXPECT_TRUE(check().good) << check().problem;
}

// Two places that nobody leaves. The model begins in the first, but everybody is in the second: what
// explorers should find out is there.
TEST(MakeBatch, CountsFromWhereTheUnitsAre) {
  mdp::MdpBuilder builder(.9);
  builder.add_action("one");
  builder.add_action("other");
  builder.add_state("here", {.start = 1});
  builder.add_state("there");
  for (std::int32_t s = 0; s < 2; ++s) {
    for (std::int32_t a = 0; a < 2; ++a) {
      builder.set_reward(s, a, .1 * a);
      builder.add_transition(s, a, s, 1);
    }
  }
  mdp::Model model{.name = "two places", .mdp = builder.build()};
  model.reward_variance = .25;
  model.prior = mdp::PriorSpec{.reward_sd = 1, .transition_strength = 5};
  std::vector<UnitRow> units = units_in(10, 1);
  for (UnitRow& unit : units) unit.state = 1;
  const State state = begin_in_memory(model, units, {.horizon = 20});
  const Batch batch = make_batch(state, true, 1);
  EXPECT_GT(batch.before, 0);
  EXPECT_LT(batch.after, .1 * batch.before);
  const State old = begin_in_memory(model, units, {.horizon = 20, .count_from_units = false});
  const Batch elsewhere = make_batch(old, true, 1);  // from the model's start nothing can be found out
  EXPECT_EQ(elsewhere.after, elsewhere.before);
}

// A design deals routes for where units are; one that a correction puts elsewhere draws from the routes
// there.
TEST_F(AssignTest, AUnitThatACorrectionMovedDrawsItsRouteWhereItIs) {
  for (std::int32_t to = 0; to < 4; ++to) {
    std::filesystem::remove_all(path("s"));
    StudyOptions options;
    options.control_share = 0;
    options.batch_steps = 6;
    start(3, 12, options);
    const Assigned first = ask();
    take(truth().results(first));
    redesign(*at("s"), true, kWriter, 1);
    const AssignmentRow& row = first.state.assignments[0];
    const mdp::Mdp mdp = row_of_places().mdp;
    const auto quoted = [](const std::string& name) { return ",\"" + name + "\""; };
    take(kHeader + ("u0,0" + quoted(mdp.state_name(row.state)) + quoted(mdp.action_name(row.action)) + ",") +
             quoted(mdp.state_name(to)) + "\n",
         true);
    play(truth(), 5);
    for (const AssignmentRow& one : study_status(*at("s")).state.assignments) {
      EXPECT_GT(one.probability, 0) << to;
      EXPECT_GT(one.draw_probability, 0) << to;
    }
    EXPECT_TRUE(check().good) << check().problem;
  }
}

// Rows of a file may hold anything, also behind hashes made anew: what is not there is never looked up.
TEST(Replay, RefusesRowsAboutWhatIsNotThere) {
  State state = begin_in_memory(row_of_places(), units_in(6, 1), {.horizon = 10});
  design_in_memory(state);
  const std::vector<AssignmentRow> good = next_assignments(state);
  using Change = void (*)(AssignmentRow&);
  const Change changes[] = {
      [](AssignmentRow& row) { row.unit = 6; },     [](AssignmentRow& row) { row.unit = -1; },
      [](AssignmentRow& row) { row.state = 1000; }, [](AssignmentRow& row) { row.state = -7; },
      [](AssignmentRow& row) { row.action = 99; },  [](AssignmentRow& row) { row.batch = 1; },
      [](AssignmentRow& row) { row.route = 1000; }, [](AssignmentRow& row) { row.route = -2; },
      [](AssignmentRow& row) { row.step = 1; },
  };
  for (const Change change : changes) {
    std::vector<AssignmentRow> bad = good;
    change(bad[2]);
    State copy = state;
    EXPECT_THROW(add_event(copy, "assign", bad, {}), StoreError) << &change - changes;
  }
  add_event(state, "assign", good, {});
  const ObservationRow result{.unit = 0, .step = 0, .state = good[0].state, .action = good[0].action};
  using Slip = void (*)(ObservationRow&);
  const Slip slips[] = {
      [](ObservationRow& row) { row.state = 1000; },      [](ObservationRow& row) { row.state = -1; },
      [](ObservationRow& row) { row.next_state = 1000; }, [](ObservationRow& row) { row.next_state = -5; },
      [](ObservationRow& row) { row.step = 3; },          [](ObservationRow& row) { row.replaces = 17; },
  };
  for (const Slip slip : slips) {
    ObservationRow bad = result;
    slip(bad);
    State copy = state;
    EXPECT_THROW(add_event(copy, "record", {}, {bad}), StoreError) << &slip - slips;
  }
  EXPECT_NO_THROW(add_event(state, "record", {}, {result}));
}

TEST_F(AssignTest, SharesOfGroupsAreKeptByTheDesign) {
  StudyOptions options;
  options.limits.minimum_shares = {{"far", .6}};
  start(20, 12, options);
  const State state = study_status(*at("s")).state;
  EXPECT_EQ(state.options.limits.minimum_shares, options.limits.minimum_shares);
  options.limits.minimum_shares = {{"nowhere", .6}};
  std::filesystem::remove_all(path("s"));
  EXPECT_THROW(start(20, 12, options), InvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(path("s")));
}

// With one step each, explorers explore until their results are in.
TEST_F(AssignTest, APhaseLastsUntilItsResultsAreIn) {
  start(12, 1);
  EXPECT_EQ(study_status(*at("s")).summary.phase, Phase::exploring);
  const Assigned asked = ask();
  EXPECT_EQ(study_status(*at("s")).summary.phase, Phase::exploring);
  std::string late, rest = kHeader;
  for (const std::int32_t i : asked.assignments) {
    const AssignmentRow& row = asked.state.assignments[i];
    const std::string line = truth().line(asked.state, row) + "\n";
    (late.empty() && row.arm == Arm::explore ? late : rest) += line;
  }
  take(rest);
  EXPECT_EQ(study_status(*at("s")).summary.phase, Phase::exploring);
  take(kHeader + late);
  EXPECT_EQ(study_status(*at("s")).summary.phase, Phase::finished);
}

TEST_F(AssignTest, AStoppedStudyAssignsNothingButTakesResults) {
  start();
  const Assigned first = ask();
  stop(*at("s"), "enough is known", kWriter);
  EXPECT_THROW(ask(), InvalidArgument);
  EXPECT_THROW(redesign(*at("s"), true, kWriter), InvalidArgument);
  EXPECT_THROW(stop(*at("s"), "again", kWriter), InvalidArgument);
  take(truth().results(first));
  const Status found = study_status(*at("s"));
  EXPECT_EQ(found.summary.phase, Phase::stopped);
  EXPECT_EQ(found.summary.why, "enough is known");
  EXPECT_EQ(found.summary.results, 12);
  EXPECT_TRUE(check().good) << check().problem;
}

}  // namespace assign_test
}  // namespace mindgap::study
