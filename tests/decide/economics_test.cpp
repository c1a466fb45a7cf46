#include "mindgap/decide/economics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "decide/situations.h"
#include "mindgap/belief/ensemble.h"
#include "mindgap/decide/tornado.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/voi/samples.h"

namespace mindgap::decide {
namespace economics_test {

// Two places, each with a sure and an unsure way to earn.
mdp::Mdp two_places() {
  mdp::MdpBuilder builder(.9);
  builder.add_state("a", {.group = "left"});
  builder.add_state("b", {.group = "right"});
  for (const char* action : {"sure", "unsure"}) builder.add_action(action);
  for (const char* state : {"a", "b"}) {
    for (const char* action : {"sure", "unsure"}) builder.add_transition(state, action, state, 1);
    builder.set_reward(state, "sure", 1);
    builder.set_reward(state, "unsure", .8);
  }
  return builder.build();
}

Situation places(double left_sd = 1, double right_sd = .2) {
  const mdp::Mdp mdp = two_places();
  belief::Prior prior = even_prior(mdp, 1e-6, 50);
  prior.reward_sd[1] = left_sd;
  prior.reward_sd[3] = right_sd;
  return situation_of(mdp, prior, .5, {0, 0, 1, 1}, 20);
}

DecideOptions some_plans() {
  DecideOptions options = quick(plans_named({"sop", "asop", "pilot-2x3", "pilot-4x3"}));
  options.worlds = 200;
  options.information_draws = 64;
  return options;
}

// E max(0, N(-.2, s^2)) for each of 2 units and 20 steps.
double worth(double s) {
  const double z = .2 / s;
  return 40 * (s * std::exp(-z * z / 2) / std::sqrt(2 * M_PI) - .2 * .5 * std::erfc(z / std::sqrt(2.0)));
}

TEST(Economics, RowsAddUpToTheValueOfPerfectInformation) {
  const Decision decision = decide(places(), some_plans());
  ASSERT_TRUE(decision.rows);
  const voi::RowsValue& rows = *decision.rows;
  // The same draws, everything drawn: the exact value of perfect information of those draws.
  const double same = std::accumulate(decision.information.gain.begin(),
                                      decision.information.gain.begin() + rows.draws, 0.0) /
                      static_cast<double>(rows.draws);
  EXPECT_NEAR(rows.all.mean + rows.idle, same, 1e-9);
  EXPECT_NEAR(rows.remainder.mean, 0, 1e-9);  // the places do not meet
  EXPECT_EQ(rows.parts[0].group, "left");
  EXPECT_TRUE(rows.parts[0].rewards);
  EXPECT_NEAR(rows.parts[0].value.mean, worth(1), 4 * rows.parts[0].value.standard_error);
  EXPECT_NEAR(rows.parts[1].value.mean, worth(.2), 4 * rows.parts[1].value.standard_error);
}

TEST(Economics, AcceptabilityIsOfThePlansThatWereCompared) {
  const Decision decision = decide(places(), some_plans());
  double shares = 0;
  std::vector<std::vector<double>> values = decision.draws.values;
  ASSERT_EQ(values.size(), 4u);
  for (const PlanResult& plan : decision.plans) {
    ASSERT_TRUE(plan.share_best && plan.expected_loss);
    shares += *plan.share_best;
  }
  EXPECT_NEAR(shares, 1, 1e-9);
  for (std::size_t p = 0; p < 4; ++p) {
    double loss = 0;
    for (std::size_t w = 0; w < 200; ++w) {
      double best = values[0][w];
      for (const auto& column : values) best = std::max(best, column[w]);
      loss += (best - values[p][w]) / 200;
    }
    EXPECT_NEAR(decision.plans[p].expected_loss->mean, loss, 1e-9);
  }
}

TEST(Economics, GroupsOfStatesAndOfUnitsAddUpToThePlans) {
  const Decision decision = decide(places(), some_plans());
  ASSERT_TRUE(decision.groups && decision.against);
  double by_state = 0, by_unit = 0;
  for (const GroupResult& group : decision.groups->groups) {
    if (group.by == GroupResult::By::state) by_state += group.difference;
    if (group.by == GroupResult::By::unit) by_unit += group.difference;
    EXPECT_NEAR(group.difference, group.plan - group.other, 1e-9);
  }
  EXPECT_NEAR(by_state, by_unit, 1e-9);
  // Units stay where they are: both ways of counting are the same, group by group.
  EXPECT_NEAR(decision.groups->groups[0].difference, decision.groups->groups[2].difference, 1e-9);
  EXPECT_GT(decision.groups->groups[0].difference, decision.groups->groups[1].difference);
}

TEST(Economics, CurveIsOnCommonWorldsAndBandsAreSimultaneous) {
  const Decision decision = decide(places(), some_plans());
  ASSERT_TRUE(decision.curve && decision.curve->best);
  EXPECT_EQ(decision.plans[decision.curve->reference].plan.name, "asop");
  ASSERT_EQ(decision.curve->sizes.size(), 2u);
  EXPECT_EQ(decision.curve->sizes[0].units, 2);
  for (const PilotSize& size : decision.curve->sizes) {
    EXPECT_LE(size.net.mean, decision.curve->sizes[*decision.curve->best].net.mean);
    EXPECT_NEAR(size.net.mean, size.worth->mean - size.forgone->mean - size.cost.mean, 1e-9);
    // Wider than one interval at 95 %.
    EXPECT_GT(size.net_interval.upper - size.net_interval.lower, 2 * 1.96 * size.net.standard_error);
  }
}

// Pilots of one and of two steps are near the best; one of 12 steps forgoes much and is behind in every
// model.
PricedSizes priced(const Simulation& simulation, std::vector<std::size_t> whole, std::int64_t worlds) {
  return price_pilots(simulation, {1, 2, 3, 4}, whole, 1, 1'000, worlds, Objective::total, .95);
}

const std::vector<Plan>& sizes_to_price() {
  static const std::vector<Plan> kPlans =
      plans_named({"sop", "asop", "pilot-2x1", "pilot-2x2", "pilot-2x12"});
  return kPlans;
}

TEST(PricePilots, ASizeThatIsSurelyBehindIsPricedOnTheFirstModelsOnly) {
  const Simulation simulation(places(), sizes_to_price(), {.run = {.threads = 1}});
  const PricedSizes found = priced(simulation, {1}, 256);
  ASSERT_EQ(found.curve.sizes.size(), 3u);
  EXPECT_EQ(found.curve.worlds, 256);
  EXPECT_EQ(found.curve.reference, 1u);
  EXPECT_EQ(found.plans.front(), 1u);
  EXPECT_EQ(found.curve.sizes[*found.curve.best].worlds, 256);
  EXPECT_EQ(found.curve.sizes[2].steps, 12);
  EXPECT_EQ(found.curve.sizes[2].worlds, kCurveRounds[0]);
  const Outcomes all = simulation.run(std::vector<std::size_t>{1, 2, 3, 4}, 1'000, 256,
                                      std::numeric_limits<double>::infinity(), "");
  // By hand, from a run of all plans in all models: what is earned more than asop, in each.
  const std::vector<double> asop = all.sums(0, Objective::total);
  const auto nets = [&](const PilotSize& size) {
    std::vector<double> net = all.sums(size.plan - 1, Objective::total);
    for (std::size_t w = 0; w < net.size(); ++w) net[w] -= asop[w];
    return net;
  };
  const auto mean_of = [](const std::vector<double>& numbers, std::int64_t count) {
    return std::accumulate(numbers.begin(), numbers.begin() + count, 0.0) / static_cast<double>(count);
  };
  const std::vector<double> best = nets(found.curve.sizes[*found.curve.best]);
  for (const PilotSize& size : found.curve.sizes) {
    const std::vector<double> own = nets(size);
    const double behind = mean_of(best, size.worlds) - mean_of(own, size.worlds);
    EXPECT_NEAR(size.net.mean, mean_of(best, 256) - behind, 1e-9) << size.steps;
    EXPECT_NEAR(size.net.mean, size.worth->mean - size.forgone->mean - size.cost.mean, 1e-9);
    EXPECT_LE(size.net.mean, found.curve.sizes[*found.curve.best].net.mean);
  }
}

// How far the net value of a dropped size lies from that in a great many models, in its standard errors: over
// 60 sets of models the root of the mean square is 1, within the error of 60 (.09).
TEST(PricePilots, StandardErrorsOfDroppedSizesAreRight) {
  const Simulation simulation(places(), sizes_to_price(), {.run = {.threads = 1}});
  const Outcomes many = simulation.run(std::vector<std::size_t>{1, 4}, 100'000, 20'000,
                                       std::numeric_limits<double>::infinity(), "");
  const std::vector<double> asop = many.sums(0, Objective::total), own = many.sums(1, Objective::total);
  double truth = 0, squares = 0;
  for (std::size_t w = 0; w < own.size(); ++w) truth += (own[w] - asop[w]) / 20'000;
  constexpr int kSets = 60;
  for (int set = 0; set < kSets; ++set) {
    const PricedSizes found = price_pilots(simulation, {1, 2, 3, 4}, std::vector<std::size_t>{1}, 1,
                                           set * 256, 256, Objective::total, .95);
    const PilotSize& size = found.curve.sizes[2];
    ASSERT_LT(size.worlds, 256);
    squares += std::pow((size.net.mean - truth) / size.net.standard_error, 2) / kSets;
  }
  EXPECT_NEAR(std::sqrt(squares), 1, .27);  // three errors
}

TEST(PricePilots, PlansThatAreNeededInAllModelsStay) {
  const Simulation simulation(places(), sizes_to_price(), {.run = {.threads = 1}});
  const PricedSizes found = priced(simulation, {1, 4}, 256);
  for (const PilotSize& size : found.curve.sizes) {
    if (size.plan == 4) {
      EXPECT_EQ(size.worlds, 256);
    }
  }
  EXPECT_NE(std::find(found.plans.begin(), found.plans.end(), 4u), found.plans.end());
  EXPECT_EQ(found.outcomes.plans, found.plans.size());
}

// Where nothing can be dropped intervals are those of one look at three sizes; else there is one for each
// round.
TEST(PricePilots, IntervalsCoverEverySizeAndEveryLook) {
  const Simulation simulation(places(), sizes_to_price(), {.run = {.threads = 1}});
  const auto width = [](const stats::Interval& interval) { return interval.upper - interval.lower; };
  for (const auto& [worlds, looks] : {std::pair{32, 1}, std::pair{256, 4}}) {
    const PricedSizes found = priced(simulation, {1}, worlds);
    for (const PilotSize& size : found.curve.sizes) {
      if (looks == 1) {
        EXPECT_EQ(size.worlds, 32);
      }
      const stats::Interval by_hand =
          stats::student_interval(size.net.mean, size.net.standard_error, size.worlds, 1 - .05 / (3 * looks));
      EXPECT_NEAR(width(size.net_interval), width(by_hand), 1e-9);
    }
  }
}

// Without a reference nothing is compared, and everybody stays.
TEST(PricePilots, NoCurveWithoutAReference) {
  const Simulation simulation(places(), sizes_to_price(), {.run = {.threads = 1}});
  const PricedSizes found = price_pilots(simulation, {2, 4}, {}, std::nullopt, 0, 130, Objective::total, .95);
  EXPECT_TRUE(found.curve.sizes.empty());
  EXPECT_EQ(found.plans, (std::vector<std::size_t>{2, 4}));
  EXPECT_EQ(found.outcomes.worlds, 130);
}

// The table of draws read as samples: with every policy a plan, the value of perfect information from samples
// is the exact one of `decide`.
TEST(Economics, DrawsGiveTheValueOfPerfectInformationThatDecideComputes) {
  DecideOptions options = some_plans();
  options.worlds = 4'000;
  options.plans = plans_named({"sop", "asop"});
  options.information_draws = 4'000;
  const Situation situation = places();
  const Decision decision = decide(situation, options);
  mdp::Model model{.name = "places", .mdp = two_places()};
  const std::string text = draws_table(model, situation, decision.draws,
                                       std::vector<std::string>{"sop", "asop"}, options.simulation);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "world,reward a/sure,reward a/unsure,reward b/sure,reward b/unsure,sop,asop");
  // Plans: each of the two actions in either place, for 2 units and 20 steps each.
  voi::Draws table{{"ss", "su", "us", "uu"}, std::vector<std::vector<double>>(4), "draws"};
  std::size_t at = text.find('\n') + 1;
  while (at < text.size()) {
    std::vector<double> row;
    const std::size_t end = text.find('\n', at);
    for (std::size_t i = at; i < end;) {
      const std::size_t comma = std::min(text.find(',', i), end);
      row.push_back(std::stod(text.substr(i, comma - i)));
      i = comma + 1;
    }
    ASSERT_EQ(row.size(), 7u);
    for (std::size_t plan = 0; plan < 4; ++plan)
      table.columns[plan].push_back(40 * (row[1 + plan / 2] + row[3 + plan % 2]));
    at = end + 1;
  }
  ASSERT_EQ(table.draws(), 4'000);
  const voi::SampledValue found = voi::value_of_samples(table, {.plans = table.names});
  const double error = std::hypot(found.evpi.standard_error, decision.information.total.standard_error);
  EXPECT_NEAR(found.evpi.mean, decision.information.total.mean, 3 * error);
  EXPECT_NEAR(found.evpi.mean, worth(1) + worth(.2), 4 * found.evpi.standard_error);
}

// An ensemble of four models of one state: what the second action pays depends on `demand` (+1 or -1) and not
// on `colour`; the first pays nothing. Members differ by nothing else, so worlds are the members.
struct Shop {
  Shop()
      : members({arms({0, 1}), arms({0, 1}), arms({0, -1}), arms({0, -1})}, {.3, .2, .1, .4}),
        model{.name = "shop", .mdp = members.mean()},
        situation{known(belief_of(members)), {0, 0}, 10} {
    model.members = members;
    model.parameters = {{"colour", {1, 2, 1, 2}}, {"demand", {5, 5, 3, 3}}, {"year", {7, 7, 7, 7}}};
  }
  static belief::Belief belief_of(const mdp::Members& members) {
    belief::BeliefOptions options;
    options.members = members;
    return belief::Belief(members.mean(), even_prior(members.mean(), 1e-6, 1e8), {1, 1}, options);
  }
  std::int32_t member_of(std::uint64_t world, const SimulationOptions& options) const {
    return situation.belief().ensemble()->member_of_draw(options.run.seed, world_number(world));
  }

  mdp::Members members;
  mdp::Model model;
  Situation situation;
};

// EVPPI(x) = sum_x P(x) max_d E[U_d | x] - max_d E[U_d], by counting the worlds of each value.
double evppi_by_counting(const PlanDraws& draws, const std::vector<double>& parameter) {
  std::map<double, std::vector<double>> sums;
  std::vector<double> all(draws.values.size(), 0.0);
  for (std::size_t w = 0; w < parameter.size(); ++w) {
    std::vector<double>& sum = sums.try_emplace(parameter[w], draws.values.size(), 0.0).first->second;
    for (std::size_t p = 0; p < draws.values.size(); ++p) {
      sum[p] += draws.values[p][w];
      all[p] += draws.values[p][w];
    }
  }
  double informed = 0;
  for (const auto& [value, sum] : sums) informed += *std::max_element(sum.begin(), sum.end());
  return (informed - *std::max_element(all.begin(), all.end())) / static_cast<double>(parameter.size());
}

// Plans whose worth is given: one pays by demand, one by colour and demand together, one nothing.
TEST(ParameterValue, IsThatOfCountingWorlds) {
  const Shop shop;
  const SimulationOptions options{.run = {.seed = 11}};
  const std::size_t worlds = 4'000;
  PlanDraws draws{.first_world = 100, .plans = {0, 1, 2}, .values = {}};
  draws.values.assign(3, std::vector<double>(worlds, 0.0));
  std::map<std::string, std::vector<double>> columns;
  for (std::size_t w = 0; w < worlds; ++w) {
    const std::int32_t member = shop.member_of(100 + w, options);
    for (const mdp::Parameter& parameter : shop.model.parameters)
      columns[parameter.name].push_back(parameter.value[member]);
    draws.values[1][w] = member < 2 ? 3 : -2;  // by demand
    draws.values[2][w] = member == 1 ? 3 : member == 2 ? 2 : -2;
  }
  const std::vector<ParameterValue> found = value_of_parameters(shop.model, shop.situation, draws, options);
  ASSERT_EQ(found.size(), 2u);  // the year is the same in all worlds
  EXPECT_EQ(found[0].parameter, "demand");
  EXPECT_EQ(found[1].parameter, "colour");
  for (const ParameterValue& one : found) {
    const double wanted = evppi_by_counting(draws, columns[one.parameter]);
    // The same worlds, and conditional means that are means over the worlds of either value: what is left is
    // what cross-fitting takes.
    EXPECT_NEAR(one.value, wanted, 1e-9) << one.parameter;
    EXPECT_NEAR(one.plug_in, wanted, 1e-9) << one.parameter;
    EXPECT_LE(one.interval.lower, wanted);
    EXPECT_GE(one.interval.upper, wanted);
  }
  // By hand, with weights .3 .2 .1 .4: the second plan is best, .5 * 3 - .5 * 2 = .5. Who knows the demand
  // earns .5 * 3 + 0; who knows the colour .3 * 3 - .1 * 2 = .7 where it is 1, and 0 where it is 2.
  EXPECT_NEAR(evppi_by_counting(draws, columns["demand"]), 1, .1);
  EXPECT_NEAR(evppi_by_counting(draws, columns["colour"]), .2, .1);
  draws.values.pop_back();
  EXPECT_EQ(value_of_parameters(shop.model, shop.situation, draws, options).size(), 2u);
  draws.values.pop_back();
  EXPECT_TRUE(value_of_parameters(shop.model, shop.situation, draws, options).empty());  // one plan
  EXPECT_TRUE(value_of_parameters({.name = "places", .mdp = two_places()}, places(), draws, options).empty());
}

// Through decide: who knew the demand would take the second action in half of the worlds, 2 units x 10 steps
// x .5; the policy that is deployed earns nothing. `asop` learns it after a step.
TEST(ParameterValue, OfPlansThatWereFollowed) {
  Shop shop;
  DecideOptions options = quick(plans_named({"sop", "average", "thompson"}), 400);
  const Decision decision = decide(shop.situation, options);
  const std::vector<ParameterValue> found =
      value_of_parameters(shop.model, shop.situation, decision.draws, options.simulation);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].parameter, "demand");
  const std::size_t worlds = decision.draws.values[0].size();
  for (const ParameterValue& one : found) {
    std::vector<double> column;
    for (std::uint64_t w = 0; w < worlds; ++w) {
      const auto member = shop.member_of(decision.draws.first_world + w, options.simulation);
      column.push_back(shop.model.parameters[one.parameter == "colour" ? 0 : 1].value[member]);
    }
    EXPECT_NEAR(one.value, evppi_by_counting(decision.draws, column), 3 * one.standard_error + 1e-9)
        << one.parameter;
  }
}

TEST(Tornado, IsSortedAndHasTheDecisionInTheMiddle) {
  DecideOptions options = some_plans();
  options.simulation.terms.pilot_cost = 2;
  const Situation situation = places();
  const Decision decision = decide(situation, options);
  mdp::Model model{.name = "places", .mdp = two_places(), .reward_variance = .5};
  const auto found =
      tornado(model, situation, options, decision, {}, {}, {.reward_sd = 1, .transition_strength = 50}, 64);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->left_out.empty());
  std::vector<TornadoInput> inputs;
  for (std::size_t i = 0; i < found->bars.size(); ++i) {
    const TornadoBar& bar = found->bars[i];
    inputs.push_back(bar.input);
    EXPECT_LE(bar.swing, found->bars[i > 0 ? i - 1 : 0].swing);
    for (const auto& end : {bar.low, bar.high}) {
      EXPECT_LE(end ? std::abs(end->gain - found->here.gain) : 0, bar.swing + 1e-12);
    }
    if (bar.input == TornadoInput::pilot_cost && decision.plans[found->plan].plan.kind == Kind::experiment) {
      EXPECT_NEAR(bar.low->gain - found->here.gain, 1, 1e-9);    // half of 2
      EXPECT_NEAR(bar.high->gain - found->here.gain, -2, 1e-9);  // twice
    }
  }
  for (const TornadoInput wanted :
       {TornadoInput::reward_sd, TornadoInput::transition_strength, TornadoInput::horizon,
        TornadoInput::units, TornadoInput::pilot_cost, TornadoInput::reward_variance})
    EXPECT_NE(std::find(inputs.begin(), inputs.end(), wanted), inputs.end()) << static_cast<int>(wanted);
  const auto again =
      tornado(model, situation, options, decision, {}, {}, {.reward_sd = 1, .transition_strength = 50}, 64);
  EXPECT_EQ(found->bars[0].swing, again->bars[0].swing);
}

}  // namespace economics_test
}  // namespace mindgap::decide
