#include "mindgap/design/design.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "gap/golden_models.h"
#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/design/route_search.h"

namespace mindgap::design {
namespace design_test {

using mdp::Mdp;

belief::Knowledge know(const Mdp& mdp, double sd = .3, double strength = 5, double variance = .25) {
  mdp::Model model{"m", mdp};
  model.reward_variance = variance;
  model.prior = mdp::PriorSpec{.reward_sd = sd, .transition_strength = strength};
  return belief::gather_knowledge(model, std::nullopt, std::nullopt);
}

DesignOptions options_of(std::int64_t units, std::int64_t steps, TargetKind kind = TargetKind::ensemble) {
  DesignOptions options;
  options.units = units;
  options.steps = steps;
  options.target.kind = kind;
  options.target.members = 16;
  return options;
}

double sum(std::span<const double> v) {
  return std::accumulate(v.begin(), v.end(), 0.0);
}

TEST(Design, CountsRoutesAndCertificateFitTogether) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Mdp mdp = mdp::random_mdp(seed, {.states = 12, .actions = 3, .successors = 2});
    const belief::Knowledge known = know(mdp);
    const DesignOptions options = options_of(5, 8);
    const Design design = design_pilot(known, options);
    EXPECT_EQ(design.status, MinimumStatus::converged);
    EXPECT_LE(design.relative_gap, 1e-3);
    EXPECT_NEAR(sum(design.counts), 40, 1e-9);
    EXPECT_LE(design.after, design.before);
    EXPECT_GE(design.after_rounding, design.after - design.gap);
    ASSERT_EQ(design.route_of_unit.size(), 5u);
    std::int32_t units = 0;
    for (const Route& route : design.routes) units += route.units;
    EXPECT_EQ(units, 5);
    EXPECT_NEAR(design.after_rounding, sum(design.contributions_after), 1e-9 * design.after_rounding);
    EXPECT_NEAR(design.before, sum(design.contributions_before), 1e-9 * design.before);
  }
}

TEST(Design, SameForAnyThreadsAndSeedsMatter) {
  const belief::Knowledge known = know(mdp::random_mdp(3, {.states = 15, .actions = 3}));
  DesignOptions options = options_of(4, 6);
  options.run.threads = 1;
  const Design one = design_pilot(known, options);
  options.run.threads = 2;
  const Design two = design_pilot(known, options);
  EXPECT_EQ(one.counts, two.counts);
  EXPECT_EQ(one.after, two.after);
  options.run.seed = 7;
  EXPECT_NE(design_pilot(known, options).before, one.before);
}

// What others will see anyway lowers the variance before the pilot, and the pilot then looks elsewhere.
TEST(Design, CreditForTheOthers) {
  const belief::Knowledge known = know(gap::treasure_simulator(), .3, 1e9);
  DesignOptions options = options_of(5, 12);
  const Design alone = design_pilot(known, options);
  EXPECT_EQ(alone.with_credit, alone.before);
  options.others = 50;
  const Design credited = design_pilot(known, options);
  EXPECT_LT(credited.with_credit, credited.before);
  options.use_credit = false;
  EXPECT_EQ(design_pilot(known, options).after, alone.after);
}

// A route that is built forward moves on once it has looked; the design's own corners stay where it is
// steepest.
TEST(Design, WholeUnitsAreNotLeftStanding) {
  const belief::Knowledge known = know(gap::treasure_simulator(), .5, 1e9, .01);
  const DesignOptions options = options_of(2, 20, TargetKind::uniform);
  const Design design = design_pilot(known, options);
  EXPECT_LT(design.after_rounding, .6 * design.before);
}

TEST(Design, ImprovingRoutesNeverHurts) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Mdp mdp = mdp::random_mdp(seed, {.states = 8, .actions = 3, .successors = 2});
    const belief::Knowledge known = know(mdp);
    const gap::PvvWeights weights = gap::pvv_weights(mdp, mdp::Policy::uniform(mdp));
    const Objective objective(weights, gap::precision_of(known.now));
    std::vector<double> positions(8, 0.0);
    positions[0] = 2;
    positions[3] = 1;
    const std::vector<std::int32_t> state{0, 0, 3};
    const auto pilot = finite_occupancies(mdp, positions, 6);
    const ColumnGenerationResult optimum = minimise_by_columns(objective, *pilot);
    RouteAssignment assignment = assign_routes(objective, *pilot, optimum, state);
    const double before = assignment.value;
    improve_routes(objective, *pilot, state, {}, optimum.value, assignment);
    EXPECT_LE(assignment.value, before);
    EXPECT_NEAR(assignment.value, objective.value(assignment.counts), 1e-12 * before);
    EXPECT_NEAR(sum(assignment.counts), 18, 1e-9);
    EXPECT_GE(assignment.value, optimum.value - optimum.gap);
  }
}

TEST(Design, ConstraintsHoldAndUnreachableOnesAreNamed) {
  mdp::Model model = [] {
    const Mdp plain = gap::treasure_simulator();
    mdp::MdpArrays arrays;
    arrays.discount = plain.discount();
    arrays.pair_begin.assign(plain.pair_begin().begin(), plain.pair_begin().end());
    arrays.pair_action.assign(plain.pair_action().begin(), plain.pair_action().end());
    arrays.row_begin.assign(plain.row_begin().begin(), plain.row_begin().end());
    arrays.next_state.assign(plain.next_state().begin(), plain.next_state().end());
    arrays.probability.assign(plain.probability().begin(), plain.probability().end());
    arrays.reward.assign(plain.reward().begin(), plain.reward().end());
    arrays.start.assign(plain.start().begin(), plain.start().end());
    arrays.labels.groups = mdp::NameTable({"A", "B"});
    for (std::int32_t s = 0; s < 24; ++s) arrays.labels.group_of_state.push_back(s % 6 < 3 ? 0 : 1);
    return mdp::Model{"treasure", Mdp(arrays)};
  }();
  model.reward_variance = .01;
  model.prior = mdp::PriorSpec{.reward_sd = .3, .transition_strength = 1e9};
  const belief::Knowledge known = belief::gather_knowledge(model, std::nullopt, std::nullopt);
  DesignOptions options = options_of(20, 15);
  options.limits.minimum_shares = {{"B", .4}};
  const Design design = design_pilot(known, options);
  EXPECT_GE(design.share_by_group[1], .4 - .03);  // whole units; the optimum itself keeps to it exactly
  options.limits.minimum_shares = {{"B", .95}};
  try {
    design_pilot(known, options);
    FAIL() << "no unit can be in B that early";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("'B'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("possible"), std::string::npos) << error.what();
  }
  options.limits.minimum_shares = {{"C", .1}};
  EXPECT_THROW(design_pilot(known, options), InvalidArgument);
}

// A pilot judged again is what the design said of it: by another way of counting what its units observe.
TEST(Design, OfAPilotThatIsThereIsJudgedTheSame) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Mdp mdp = mdp::random_mdp(seed, {.states = 12, .actions = 3, .successors = 2});
    const belief::Knowledge known = know(mdp);
    DesignOptions options = options_of(5, 8);
    options.others = 7;
    const Design design = design_pilot(known, options), judged = judge_pilot(known, options, design);
    EXPECT_EQ(static_cast<const Pilot&>(judged), static_cast<const Pilot&>(design));
    EXPECT_NEAR(judged.after, design.after_rounding, 1e-12 * design.after_rounding);
    EXPECT_EQ(judged.before, design.before);
    EXPECT_NEAR(judged.expected_loss, design.expected_loss, 1e-9);
    for (std::size_t k = 0; k < design.counts.size(); ++k)
      EXPECT_NEAR(judged.counts[k], design.counts[k], 1e-9);
  }
}

TEST(Design, OfAPilotThatIsThereMustFit) {
  const Mdp mdp = mdp::random_mdp(1, {.states = 12, .actions = 3, .successors = 2});
  const belief::Knowledge known = know(mdp);
  DesignOptions options = options_of(5, 8);
  const Design design = design_pilot(known, options);
  EXPECT_THROW(judge_pilot(known, options_of(4, 8), design), InvalidArgument);
  EXPECT_THROW(judge_pilot(known, options_of(5, 7), design), InvalidArgument);
  Pilot narrow = design;
  narrow.states = 11;
  EXPECT_THROW(judge_pilot(known, options, narrow), InvalidArgument);
  options.limits.forbidden.assign(static_cast<std::size_t>(mdp.pairs()), 0);
  for (std::size_t k = 0; k < design.counts.size(); ++k) options.limits.forbidden[k] = design.counts[k] > 0;
  EXPECT_THROW(judge_pilot(known, options, design), InvalidArgument);
}

// All five units begin in state 0, where three are allowed: two too many.
TEST(Design, OfAPilotThatIsThereSaysWhereItIsTooFull) {
  const Mdp mdp = mdp::random_mdp(1, {.states = 12, .actions = 3, .successors = 2});
  const belief::Knowledge known = know(mdp);
  DesignOptions options = options_of(5, 8);
  options.unit_state.assign(5, 0);
  const Design design = design_pilot(known, options);
  const auto violations = [&](double first, double second) {
    options.limits.capacity.assign(12, std::numeric_limits<double>::infinity());
    options.limits.capacity[0] = first;
    options.limits.capacity[1] = second;
    return judge_pilot(known, options, design);
  };
  const Design full = violations(3, 100);
  EXPECT_EQ(full.violations, (std::vector<double>{2, 0}));
  EXPECT_FALSE(full.constraints_kept);
  const Design kept = violations(6, 100);
  EXPECT_EQ(kept.violations, (std::vector<double>{0, 0}));
  EXPECT_TRUE(kept.constraints_kept);
}

TEST(Pilot, SaysWhoIsSentWhere) {
  const Pilot pilot{2, 3, {{1, 1, {0, -1, 2, 3, 4, 5}}, {1, 1, {6, 7, 8, 9, 10, 11}}}, {1, 0}};
  EXPECT_EQ(pilot.pair(0, 1, 2), 11);
  EXPECT_EQ(pilot.pair(1, 0, 0), 0);
  EXPECT_EQ(pilot.pair(1, 0, 1), -1);  // the route does not say
  EXPECT_EQ(pilot.pair(0, 2, 0), -1);  // it is over
  EXPECT_EQ(pilot.pair(2, 0, 0), -1);  // nobody of its own
  const Pilot among = pilot.among(4, std::vector<std::int32_t>{3, 1});
  EXPECT_EQ(among.route_of_unit, (std::vector<std::int32_t>{-1, 0, -1, 1}));
  EXPECT_EQ(among.pair(3, 1, 2), 11);
  EXPECT_EQ(among.pair(0, 0, 0), -1);
  Pilot wider = pilot;
  wider.widen(4);
  for (std::int32_t s = 0; s < 3; ++s) EXPECT_EQ(wider.pair(0, 1, s), pilot.pair(0, 1, s));
  EXPECT_EQ(wider.pair(0, 1, 3), -1);
}

// Targets count from a given start, and from where all units are where that is said.
TEST(Design, TargetsCountFromTheGivenStart) {
  const Mdp mdp = mdp::random_mdp(4, {.states = 12, .actions = 3, .successors = 2});
  std::vector<double> start(12, 0.0);
  start[7] = 1;
  DesignOptions options = options_of(3, 6);
  options.unit_state = {7, 7, 7};
  const Design elsewhere = design_pilot(know(mdp), options);
  options.start = start;
  const Design explicitly = design_pilot(know(mdp), options);
  options.start.clear();
  const Design by_model = design_pilot(know(mdp.with_start(start)), options);
  EXPECT_EQ(explicitly.before, by_model.before);
  EXPECT_EQ(explicitly.after_rounding, by_model.after_rounding);
  EXPECT_NE(explicitly.before, elsewhere.before);
  options.start = {1};
  EXPECT_THROW(design_pilot(know(mdp), options), InvalidArgument);
}

TEST(Design, DiscountedFormIsThePapers) {
  const Mdp mdp = gap::m3();
  mdp::Model model{"M3", mdp};
  model.reward_variance = .25;
  model.prior = mdp::PriorSpec{.reward_sd = .5, .transition_strength = 5};
  const belief::Knowledge known = belief::gather_knowledge(model, std::nullopt, std::nullopt);
  DesignOptions options = options_of(1, 10, TargetKind::policy);
  options.finite = false;
  options.relative_gap = 1e-7;
  options.target.file = "unused";
  EXPECT_THROW(design_pilot(known, options), StoreError);
  options.target.kind = TargetKind::uniform;
  const Design design = design_pilot(known, options);
  EXPECT_NEAR(sum(design.counts), 10, 1e-8);
  EXPECT_TRUE(design.route_of_unit.empty());
}

TEST(Design, BadOptions) {
  const belief::Knowledge known = know(gap::m3());
  EXPECT_THROW(design_pilot(known, options_of(0, 5)), InvalidArgument);
  EXPECT_THROW(design_pilot(known, options_of(5, 0)), InvalidArgument);
  DesignOptions options = options_of(2, 5);
  options.unit_state = {0};
  EXPECT_THROW(design_pilot(known, options), InvalidArgument);
  options.unit_state = {0, 3};
  EXPECT_THROW(design_pilot(known, options), InvalidArgument);
  options = options_of(2, 5);
  options.limits.forbidden.assign(6, 1);
  EXPECT_THROW(design_pilot(known, options), InvalidArgument);
  options = options_of(2, 5);
  options.limits.cost_budget = 3;
  EXPECT_THROW(design_pilot(known, options), InvalidArgument);
  mdp::Model model{"no variance", gap::m3()};
  model.prior = mdp::PriorSpec{.reward_sd = .5, .transition_strength = 5};
  const belief::Knowledge blind = belief::gather_knowledge(model, std::nullopt, std::nullopt);
  EXPECT_THROW(design_pilot(blind, options_of(2, 5)), InvalidArgument);
}

}  // namespace design_test
}  // namespace mindgap::design
