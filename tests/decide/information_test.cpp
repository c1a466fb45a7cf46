#include "mindgap/decide/information.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "decide/situations.h"
#include "gap/golden_models.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/random.h"
#include "mindgap/gap/gap_decomposition.h"
#include "mindgap/gap/stateless.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::decide {
namespace information_test {

// What one time-dependent policy earns and how often it visits each state, from `positions`.
struct Followed {
  double value = 0;
  std::vector<double> visits;
};

Followed follow(const mdp::Mdp& mdp, const std::vector<double>& positions,
                const std::vector<std::vector<std::int32_t>>& pair) {
  std::vector<double> now = positions;
  Followed result{0, std::vector<double>(now.size(), 0.0)};
  double weight = 1;
  for (const std::vector<std::int32_t>& pairs : pair) {
    std::vector<double> next(now.size(), 0.0);
    for (std::size_t s = 0; s < now.size(); ++s) {
      result.visits[s] += weight * now[s];
      result.value += weight * now[s] * mdp.reward()[pairs[s]];
      for (std::int64_t i = mdp.row_begin()[pairs[s]]; i < mdp.row_begin()[pairs[s] + 1]; ++i)
        next[mdp.next_state()[i]] += now[s] * mdp.probability()[i];
    }
    now = next;
    weight *= mdp.discount();
  }
  return result;
}

// Every deterministic policy that may change with time, by counting through all choices.
std::vector<Followed> every_policy(const mdp::Mdp& mdp, const std::vector<double>& positions,
                                   std::int64_t steps) {
  std::vector<std::int32_t> choice(static_cast<std::size_t>(steps * mdp.states()), 0);
  std::vector<Followed> all;
  while (true) {
    std::vector<std::vector<std::int32_t>> pair(static_cast<std::size_t>(steps));
    for (std::size_t i = 0; i < choice.size(); ++i) {
      const auto s = static_cast<std::int32_t>(i) % mdp.states();
      pair[i / static_cast<std::size_t>(mdp.states())].push_back(mdp.pair_begin()[s] + choice[i]);
    }
    all.push_back(follow(mdp, positions, pair));
    std::size_t digit = 0;
    for (; digit < choice.size(); ++digit) {
      const auto s = static_cast<std::int32_t>(digit) % mdp.states();
      if (++choice[digit] < mdp.pair_begin()[s + 1] - mdp.pair_begin()[s]) break;
      choice[digit] = 0;
    }
    if (digit == choice.size()) return all;
  }
}

// The definition: mixtures of all policies form all flows, and with one constraint the best mixes two at
// most. `slack` times more visits than the deployed policy's are allowed.
InformationSplit by_enumeration(const mdp::Mdp& mdp, const mdp::Policy& deployed,
                                const std::vector<double>& positions, std::int64_t steps, double threshold,
                                double slack = 0) {
  const std::vector<std::int32_t> pairs(deployed.pair_of_state().begin(), deployed.pair_of_state().end());
  const Followed now = follow(mdp, positions, std::vector(static_cast<std::size_t>(steps), pairs));
  double all = 0, eta = 0;
  for (const double visits : now.visits) all += visits;
  const auto outside = [&](const Followed& policy) {
    double sum = 0;
    for (std::size_t s = 0; s < now.visits.size(); ++s)
      sum += now.visits[s] < threshold * all ? policy.visits[s] : 0;
    return sum;
  };
  eta = (1 + slack) * outside(now);
  InformationSplit split{now.value, now.value, now.value};
  const std::vector<Followed> policies = every_policy(mdp, positions, steps);
  for (const Followed& one : policies) {
    split.optimal = std::max(split.optimal, one.value);
    if (outside(one) > eta) continue;
    split.local = std::max(split.local, one.value);
    for (const Followed& other : policies) {
      const double beyond = outside(other) - eta;
      if (beyond <= 0) continue;
      const double share = (eta - outside(one)) / (beyond + eta - outside(one));
      split.local = std::max(split.local, (1 - share) * one.value + share * other.value);
    }
  }
  return split;
}

void expect_same(const InformationSplit& got, const InformationSplit& wanted) {
  const double scale = 1e-9 * (1 + std::abs(wanted.optimal));
  EXPECT_NEAR(got.deployed, wanted.deployed, scale);
  EXPECT_NEAR(got.local, wanted.local, scale);
  EXPECT_NEAR(got.optimal, wanted.optimal, scale);
}

// Staying home for 3 steps earns 3; going through the corridor reaches the far place at step 2 at the
// earliest: 0 + 0 + far with probability .9^2. Off home nothing is reached by who stays, so all is reach.
TEST(SplitInformation, ACorridorByHand) {
  const mdp::Mdp truth = corridor(1, 20, 1);
  const mdp::Policy home = mdp::Policy::deterministic(truth, {0, 2, 4});
  const std::vector<double> positions = {1, 0, 0};
  const InformationSplit split = split_information(truth, home, positions, 3, 1e-4);
  EXPECT_NEAR(split.deployed, 3, 1e-12);
  EXPECT_NEAR(split.local, 3, 1e-9);
  // Go; slipped (.1): 2 steps left at home are worth 2. In the corridor go on: 20 with .9.
  EXPECT_NEAR(split.optimal, .1 * 2 + .9 * .9 * 20, 1e-12);
  expect_same(split, by_enumeration(truth, home, positions, 3, 1e-4));
}

// Going out is all but harmless and pays at once: `risk` of a visit of a place that the deployed policy never
// sees. Nothing beyond eta = 0 is allowed, whatever it pays: only at the last step, after which no visit
// counts, may a unit take it. 9 + 1.5.
TEST(SplitInformation, ARareVisitIsStillAVisit) {
  for (const double risk : {1e-2, 1e-6, 1e-9}) {
    mdp::MdpBuilder builder(1, 2, 2);
    for (std::int32_t a = 0; a < 2; ++a) {
      builder.set_reward(1, a, 0);
      builder.add_transition(1, a, 1, 1);
    }
    builder.set_reward(0, 0, 1);
    builder.add_transition(0, 0, 0, 1);
    builder.set_reward(0, 1, 1.5);
    builder.add_transition(0, 1, 0, 1 - risk);
    builder.add_transition(0, 1, 1, risk);
    const mdp::Mdp truth = builder.build();
    const InformationSplit split = split_information(truth, mdp::Policy::deterministic(truth, {0, 2}),
                                                     std::vector<double>{1, 0}, 10, 1e-4);
    EXPECT_NEAR(split.deployed, 10, 1e-12);
    EXPECT_NEAR(split.local, 10.5, 1e-6) << risk;
    EXPECT_NEAR(split.optimal, 1.5 * (1 - std::pow(1 - risk, 10)) / risk, 1e-6) << risk;
  }
}

TEST(SplitInformation, SameAsTheBestOfAllPoliciesAndMixtures) {
  std::uint64_t number = 0;
  for (const double discount : {1.0, .8}) {
    for (const double threshold : {0.0, 1e-4, .1, .3, .5}) {
      for (int i = 0; i < 6; ++i) {
        base::Stream stream({1, base::Purpose::test, ++number});
        const mdp::Mdp drawn = belief::Belief(corridor(1, 1, discount, .3), even_prior(corridor(1, 1), 2, 3),
                                              std::vector<double>(6, 1.0))
                                   .sample(1, number);
        std::vector<std::int32_t> pairs;
        pairs.reserve(3);
        for (std::int32_t s = 0; s < 3; ++s)
          pairs.push_back(2 * s + static_cast<std::int32_t>(base::uniform_index(stream, 2)));
        const mdp::Policy deployed = mdp::Policy::deterministic(drawn, pairs);
        const std::vector<double> positions = {2, 0, i % 2 == 0 ? 0.0 : 1.0};
        const InformationSplit split = split_information(drawn, deployed, positions, 3, threshold);
        expect_same(split, by_enumeration(drawn, deployed, positions, 3, threshold));
        EXPECT_LE(split.deployed, split.local);
        EXPECT_LE(split.local, split.optimal + 1e-9);
      }
    }
  }
}

// Every move leaves home with probability .001 whatever is done, so all policies visit the other state alike
// but for rounding: the slope of what a visit earns was infinite there (values beyond double precision).
TEST(SplitInformation, MovesThatAreRareWhateverIsDone) {
  mdp::MdpBuilder builder(.9, 2, 2);
  for (std::int32_t a = 0; a < 2; ++a) {
    builder.set_reward(0, a, 1);
    builder.add_transition(0, a, 0, .999);
    builder.add_transition(0, a, 1, .001);
    builder.set_reward(1, a, 5);
    builder.add_transition(1, a, 0, .5);
    builder.add_transition(1, a, 1, .5);
  }
  const mdp::Mdp mdp = builder.build();
  const Situation situation = situation_of(mdp, even_prior(mdp, 1, 1), 1, {0}, 20);
  const mdp::Policy deployed = mdp::solve(situation.belief().mean()).policy;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Information known = value_of_information(situation, deployed, Objective::total, 256,
                                                   {.run = {.seed = seed, .threads = 1}});
    EXPECT_EQ(known.draws, 256);
    EXPECT_TRUE(std::isfinite(known.total.mean));
    EXPECT_GT(known.total.mean, 0);
    EXPECT_LE(known.local.mean, known.total.mean + 1e-9);
  }
}

// Probabilities from 1 down to 1e-300 and rewards of very different size, against all policies and their
// mixtures. Visits below 1e-30 are none to the library; enumeration takes each for one. Where such moves
// matter only the order is asked for.
TEST(SplitInformation, RareMovesOfAllSizes) {
  for (std::uint64_t number = 0; number < 400; ++number) {
    base::Stream stream({7, base::Purpose::test, number});
    const bool tiny = number % 4 == 3;
    const std::int32_t states = 2 + static_cast<std::int32_t>(number % 2);
    const std::int64_t steps = states == 2 ? 4 : 2;
    mdp::MdpBuilder builder(number % 3 == 0 ? 1 : .9, states, 2);
    for (std::int32_t s = 0; s < states; ++s) {
      const std::int32_t other = (s + 1) % states;
      for (std::int32_t a = 0; a < 2; ++a) {
        const double rare = std::pow(10, -(tiny ? 300 : 12) * base::uniform(stream));
        builder.set_reward(s, a, std::pow(10, 4 * base::uniform(stream) - 2));
        builder.add_transition(s, a, other, rare);
        builder.add_transition(s, a, s, 1 - rare);
      }
    }
    const mdp::Mdp truth = builder.build();
    std::vector<std::int32_t> pairs;
    pairs.reserve(static_cast<std::size_t>(states));
    for (std::int32_t s = 0; s < states; ++s)
      pairs.push_back(2 * s + static_cast<std::int32_t>(base::uniform_index(stream, 2)));
    const mdp::Policy deployed = mdp::Policy::deterministic(truth, pairs);
    std::vector<double> positions(static_cast<std::size_t>(states), 0.0);
    positions[0] = 3;
    const InformationSplit split = split_information(truth, deployed, positions, steps, 1e-4);
    EXPECT_LE(split.deployed, split.local) << number;
    EXPECT_LE(split.local, split.optimal) << number;
    if (tiny) continue;
    // Visits that differ by rounding are the same visits to the library.
    const InformationSplit least = by_enumeration(truth, deployed, positions, steps, 1e-4);
    const InformationSplit most = by_enumeration(truth, deployed, positions, steps, 1e-4, 4e-12);
    const double scale = 1e-9 * (1 + least.optimal);
    EXPECT_NEAR(split.deployed, least.deployed, scale) << number;
    EXPECT_NEAR(split.optimal, least.optimal, scale) << number;
    EXPECT_GE(split.local, least.local - scale) << number;
    EXPECT_LE(split.local, most.local + scale) << number;
  }
}

// 600 steps at discount .95 leave .95^600 = 4e-14 of the value.
TEST(SplitInformation, DiscountedOverALongHorizonIsTheGapDecomposition) {
  std::vector<double> reward(24, .3);
  for (std::int32_t s = 0; s < 24; ++s) {
    if (s % 6 >= 3) reward[s] = .1;
  }
  const mdp::Policy deployed = mdp::solve(gap::treasure(reward)).policy;
  reward[23] = 1;
  reward[16] = reward[17] = reward[22] = .7;
  const mdp::Mdp truth = gap::treasure(reward);
  const gap::GapDecomposition whole = gap::gap_decomposition(truth, deployed);
  const InformationSplit split = split_information(
      truth, deployed, std::vector<double>(truth.start().begin(), truth.start().end()), 600, 1e-4);
  EXPECT_NEAR(split.deployed, whole.deployed_value, 1e-8);
  EXPECT_NEAR(split.local, whole.local_value, 1e-6);
  EXPECT_NEAR(split.optimal, whole.optimal_value, 1e-8);
  // spec/tabular.md 5
  EXPECT_NEAR(split.deployed, 5.9999981650, 1e-8);
  EXPECT_NEAR(split.optimal, 14.7350473853, 1e-8);
  EXPECT_NEAR(split.local - split.deployed, .000221743, 1e-6);
}

// One state: knowing which of two arms is better, per unit and step E max(X, 0) = s0 psi(d0/s0), and all of
// it is local.
TEST(ValueOfInformation, OfABanditIsTheUnitNormalLoss) {
  const mdp::Mdp mdp = arms({0, -.5});
  const Situation situation = situation_of(mdp, {{0, 2}, {1, 1}}, 1, {0, 0, 0}, 4);
  const mdp::Policy deployed = mdp::Policy::deterministic(mdp, {0});
  for (const auto& [objective, steps] :
       {std::pair{Objective::total, 4.0}, {Objective::discounted, 1 + .9 + .81 + .729}}) {
    const Information known = value_of_information(situation, deployed, objective, 4000, {});
    const double wanted = 3 * steps * 2 * gap::unit_normal_loss(.25);
    EXPECT_EQ(known.draws, 4000);
    EXPECT_NEAR(known.total.mean, wanted, 4 * known.total.standard_error);
    EXPECT_DOUBLE_EQ(known.local.mean, known.total.mean);
    EXPECT_EQ(known.reach.mean, 0);
    EXPECT_LT(known.total.standard_error, wanted / 20);
  }
}

// The first draws, and then those that the whole would have had.
TEST(ValueOfInformation, MoreDrawsOfTheTotalAreTheSameDraws) {
  const mdp::Mdp mdp = corridor(1, 1);
  const Situation situation = situation_of(mdp, even_prior(mdp, 1, 5), 1, {0, 0}, 6);
  const mdp::Policy home = mdp::Policy::deterministic(mdp, {0, 2, 4});
  const Information whole =
      value_of_information(situation, home, Objective::total, 60, {.run = {.threads = 1}});
  Information some = value_of_information(situation, home, Objective::total, 20, {.run = {.threads = 1}});
  const Information before = some;
  add_draws(some, situation, home, Objective::total, 60, {.run = {.threads = 2}});
  ASSERT_EQ(some.gain.size(), 60U);
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_NEAR(some.gain[i], whole.gain[i], 1e-9) << i;
    EXPECT_NEAR(some.deployed[i], whole.deployed[i], 1e-9) << i;
  }
  EXPECT_EQ(some.draws, 20);
  EXPECT_EQ(some.total.mean, before.total.mean);
  EXPECT_EQ(some.local.mean, before.local.mean);
}

// By hand: gains 1 and 3, deployed 100 and 120, all known to a t interval of two draws. With 5 %:
// 1.05 * 1 - 5 = -3.95 and 1.05 * 3 - 6 = -2.85: mean -3.4, half-width t_1(.975) * .55 = 12.706 * .55 = 6.99.
TEST(SurelyNotWorthIt, IsAboutTheUpperEndOfTheInterval) {
  Information known;
  known.draws = 2;
  known.gain = {1, 3};
  known.deployed = {100, 120};
  EXPECT_FALSE(surely_not_worth_it(known, .05, .95));
  known.gain = {1, 1};
  known.deployed = {100, 100};
  EXPECT_TRUE(surely_not_worth_it(known, .05, .95));    // 1.05 <= 5
  EXPECT_FALSE(surely_not_worth_it(known, .009, .95));  // 1.009 > .9
  known.deployed = {-100, -100};
  EXPECT_TRUE(surely_not_worth_it(known, .05, .95));
  known.gain = {0, 0};
  EXPECT_TRUE(surely_not_worth_it(known, 0, .95));
}

TEST(ValueOfInformation, TheSameForAnyNumberOfThreadsAndStopsWhenAsked) {
  const mdp::Mdp mdp = corridor(1, 1);
  const Situation situation = situation_of(mdp, even_prior(mdp, 1, 5), 1, {0, 0}, 6);
  const mdp::Policy home = mdp::Policy::deterministic(mdp, {0, 2, 4});
  const Information one =
      value_of_information(situation, home, Objective::total, 40, {.run = {.threads = 1}});
  const Information three =
      value_of_information(situation, home, Objective::total, 40, {.run = {.threads = 3}});
  EXPECT_EQ(one.total.mean, three.total.mean);
  EXPECT_EQ(one.local.mean, three.local.mean);
  EXPECT_EQ(one.reach.standard_error, three.reach.standard_error);
  EXPECT_NEAR(one.total.mean, one.local.mean + one.reach.mean, 1e-9);
  SimulationOptions impatient{.run = {.threads = 1}};
  impatient.run.listener.stop = [] { return true; };
  EXPECT_LT(value_of_information(situation, home, Objective::total, 40, impatient).draws, 40);
}

}  // namespace information_test
}  // namespace mindgap::decide
