#include "mindgap/gap/post_pilot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mdp/random_models.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/evaluate.h"

namespace mindgap::gap {
namespace post_pilot_test {

using mdp::Mdp;

// As in residuals_test: rows of 2, 1 and 1 successors; Rmax = 2, discount .9.
Mdp three_pairs() {
  mdp::MdpArrays arrays;
  arrays.discount = .9;
  arrays.pair_begin = {0, 2, 3};
  arrays.pair_action = {0, 1, 0};
  arrays.row_begin = {0, 2, 3, 4};
  arrays.next_state = {0, 1, 0, 1};
  arrays.probability = {.5, .5, 1, 1};
  arrays.reward = {1, 2, 0};
  return Mdp(arrays);
}

// delta = 2 e^-8, n = 16: log(2/delta) = 8, so 3 sqrt(8/32) = 1.5; for m = 2, log(2^2 - 2) + log(1/delta) =
// 8, so sqrt(2 * 8/16) = 1.
TEST(PostPilot, RadiiByHand) {
  const double delta = 2 * std::exp(-8.0);
  EXPECT_NEAR(reward_radius(16, 3, delta), 1.5, 1e-14);
  EXPECT_NEAR(transition_radius(16, 2, delta), 1, 1e-14);
  EXPECT_EQ(transition_radius(16, 1, delta), 0);
  // m = 3: 2^3 - 2 = 6 sets
  EXPECT_NEAR(transition_radius(100, 3, .05), std::sqrt(2 * std::log(6 / .05) / 100), 1e-15);
  EXPECT_EQ(reward_radius(1, 3, delta), 3);      // capped at the span
  EXPECT_EQ(transition_radius(1, 5, delta), 2);  // and at 2
  // 2^100000 is no double, its log is: sqrt(2 * 1e5 log 2 / 1e9)
  EXPECT_NEAR(transition_radius(1'000'000'000, 100'000, .5), std::sqrt(2 * 100'001 * std::log(2.0) / 1e9),
              1e-13);
}

// Pairs 0 and 1 covered: N = 4 statements, each with delta/4. Pair 0 has n = 800 and two successors, pair 1
// n = 200 and one. Pair 2 has the stated errors .3 and .1.
TEST(PostPilot, BoundByHand) {
  const PostPilotBound result =
      post_pilot_bound(three_pairs(), std::vector<std::int64_t>{800, 200, 0},
                       {.reward_error = {9, 9, .3}, .transition_error = {2, 2, .1}});
  EXPECT_EQ(result.statements, 4);
  EXPECT_EQ(result.reward_span, 2);
  const double log_odds = std::log(4 / .05);
  EXPECT_NEAR(result.reward_radius[0], 2 * std::sqrt((std::log(2.0) + log_odds) / 1600), 1e-15);
  EXPECT_NEAR(result.reward_radius[1], 2 * std::sqrt((std::log(2.0) + log_odds) / 400), 1e-15);
  EXPECT_EQ(result.reward_radius[2], .3);
  EXPECT_NEAR(result.transition_radius[0], std::sqrt(2 * (std::log(2.0) + log_odds) / 800), 1e-15);
  EXPECT_EQ(result.transition_radius[1], 0);
  EXPECT_EQ(result.transition_radius[2], .1);
  EXPECT_EQ(result.reward_pair, 2);
  EXPECT_EQ(result.transition_pair, 0);
  EXPECT_EQ(result.error.reward, .3);
  EXPECT_EQ(result.error.transition, result.transition_radius[0]);
  EXPECT_NEAR(result.bound, .3 / .1 + .9 * 2 * result.error.transition / (2 * .01), 1e-11);
}

TEST(PostPilot, WithoutStatementsTheTrivialBoundHolds) {
  const PostPilotBound result = post_pilot_bound(three_pairs(), std::vector<std::int64_t>{9, 9, 0});
  EXPECT_EQ(result.error.reward, 2);
  EXPECT_EQ(result.error.transition, 2);
  EXPECT_EQ(result.reward_pair, 2);
  const PostPilotBound any =
      post_pilot_bound(three_pairs(), std::vector<std::int64_t>{0, 0, 0}, {.sign = RewardSign::any});
  EXPECT_EQ(any.statements, 0);
  EXPECT_EQ(any.error.reward, 4);
  EXPECT_EQ(any.bound, simulation_lemma_bound({4, 2}, 2, .9, RewardSign::any));
}

// A truth that may move anywhere costs more than one on the simulator's support.
TEST(PostPilot, MoreSuccessorsWiden) {
  const std::vector<std::int64_t> count{1000, 1000, 1000};
  const PostPilotBound anywhere = post_pilot_bound(three_pairs(), count, {.successors = {2, 2, 2}});
  EXPECT_EQ(post_pilot_bound(three_pairs(), count).transition_radius[1], 0);
  EXPECT_GT(anywhere.transition_radius[1], 0);
  EXPECT_EQ(anywhere.transition_radius[0], anywhere.transition_radius[1]);
}

TEST(PostPilot, ShrinksLikeTheRootOfTheCount) {
  EXPECT_NEAR(reward_radius(400, 1, .1) / reward_radius(1600, 1, .1), 2, 1e-14);
  EXPECT_NEAR(transition_radius(400, 9, .1) / transition_radius(1600, 9, .1), 2, 1e-14);
}

TEST(PostPilot, BadArguments) {
  const Mdp mdp = three_pairs();
  const std::vector<std::int64_t> good{1, 1, 1};
  EXPECT_THROW(post_pilot_bound(mdp, std::vector<std::int64_t>{1, 1}), InvalidArgument);
  EXPECT_THROW(post_pilot_bound(mdp, std::vector<std::int64_t>{1, -1, 1}), InvalidArgument);
  EXPECT_THROW(post_pilot_bound(mdp, good, {.delta = 0}), InvalidArgument);
  EXPECT_THROW(post_pilot_bound(mdp, good, {.delta = 1}), InvalidArgument);
  EXPECT_THROW(post_pilot_bound(mdp, good, {.reward_span = -1}), InvalidArgument);
  EXPECT_THROW(post_pilot_bound(mdp, good, {.successors = {1}}), InvalidArgument);
  EXPECT_THROW(post_pilot_bound(mdp, good, {.successors = {1, 0, 1}}), InvalidArgument);
  EXPECT_THROW(post_pilot_bound(mdp, good, {.reward_error = {1}}), InvalidArgument);
  EXPECT_THROW(post_pilot_bound(mdp, good, {.reward_error = {1, 1, -1}}), InvalidArgument);
  EXPECT_THROW(post_pilot_bound(mdp, good, {.transition_error = {1}}), InvalidArgument);
  EXPECT_THROW(post_pilot_bound(mdp, good, {.transition_error = {1, 1, 3}}), InvalidArgument);
  EXPECT_THROW(reward_radius(0, 1, .1), InvalidArgument);
  EXPECT_THROW(reward_radius(1, -1, .1), InvalidArgument);
  EXPECT_THROW(transition_radius(0, 2, .1), InvalidArgument);
  EXPECT_THROW(transition_radius(1, 0, .1), InvalidArgument);
  EXPECT_THROW(transition_radius(1, 2, std::nan("")), InvalidArgument);
}

// The model in which the first `covered` pairs are as a pilot of the truth saw them (rewards 0 or 1) and the
// others as simulated. Row entries the pilot did not see are dropped by the Mdp itself.
struct Refined {
  mdp::MdpArrays arrays;
  double worst_reward = 0, worst_transition = 0;  // errors over radii, largest over pairs
};

Refined refine(const mdp::MdpArrays& truth, const mdp::MdpArrays& simulator, const PostPilotBound& bound,
               std::span<const std::int64_t> count, base::Stream& stream) {
  Refined refined{simulator};
  for (std::size_t k = 0; k < count.size(); ++k) {
    const std::int64_t begin = truth.row_begin[k], end = truth.row_begin[k + 1];
    if (count[k] > 0) {
      const auto n = static_cast<double>(count[k]);
      refined.arrays.reward[k] = static_cast<double>(base::binomial(stream, count[k], truth.reward[k])) / n;
      const base::Categorical row(std::span(truth.probability).subspan(begin, end - begin));
      for (std::int64_t i = begin; i < end; ++i) refined.arrays.probability[i] = 0;
      for (std::int64_t i = 0; i < count[k]; ++i)
        refined.arrays.probability[begin + row.draw(stream)] += 1 / n;
    }
    double distance = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      distance += std::abs(refined.arrays.probability[i] - truth.probability[i]);
    }
    const double difference = std::abs(refined.arrays.reward[k] - truth.reward[k]);
    refined.worst_reward = std::max(refined.worst_reward, difference / bound.reward_radius[k]);
    refined.worst_transition = std::max(refined.worst_transition, distance / bound.transition_radius[k]);
  }
  return refined;
}

// Rewards 0 or 1; the last pair is not covered and the simulator is off there by exactly what is stated.
TEST(PostPilot, CoversTheTruth) {
  const mdp::RandomModel shape{
      .states = 3, .actions = 2, .successors = 3, .reward_low = .1, .reward_high = .9, .all_actions = true};
  mdp::MdpArrays truth = mdp::random_arrays(31, shape);
  for (std::size_t i = 0; i < truth.next_state.size(); ++i)
    truth.next_state[i] = static_cast<std::int32_t>(i % 3);
  truth.reward_max = 1;
  mdp::MdpArrays simulator = truth;
  simulator.reward[5] += .05;
  const Mdp truth_mdp(truth);
  const std::vector<std::int64_t> count{5, 10, 20, 50, 100, 0};
  const PostPilotBound bound = post_pilot_bound(
      Mdp(simulator), count,
      {.delta = .2, .reward_error = {1, 1, 1, 1, 1, .0501}, .transition_error = {2, 2, 2, 2, 2, 1e-9}});
  const auto policy = mdp::Policy::uniform(truth_mdp);
  const std::vector<double> value = mdp::evaluate(truth_mdp, policy).value;
  const int replications = 2000;
  int held = 0;
  for (int i = 0; i < replications; ++i) {
    base::Stream stream({32, base::Purpose::test, static_cast<std::uint64_t>(i)});
    const Refined refined = refine(truth, simulator, bound, count, stream);
    const bool holds = refined.worst_reward <= 1 && refined.worst_transition <= 1;
    held += holds ? 1 : 0;
    if (!holds || i >= 200) continue;
    const std::vector<double> other = mdp::evaluate(Mdp(refined.arrays), policy).value;
    for (std::size_t s = 0; s < value.size(); ++s) EXPECT_LE(std::abs(other[s] - value[s]), bound.bound);
  }
  EXPECT_GE(held, replications * (.8 - 3 * std::sqrt(.8 * .2 / replications)));
}

}  // namespace post_pilot_test
}  // namespace mindgap::gap
