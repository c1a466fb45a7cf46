#include "mindgap/voi/rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::voi::rows_test {
namespace {

belief::Belief even_belief(const mdp::Mdp& mdp, double sd, double strength) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return {mdp,
          {std::vector<double>(pairs, sd), std::vector<double>(pairs, strength)},
          std::vector<double>(pairs, 1.0)};
}

// Two rooms apart, each one state with two actions that stay there: rewards 0.3 and 0 in the first, 1 and 0
// in the second.
mdp::Mdp two_rooms() {
  mdp::MdpBuilder builder(.5);
  builder.add_state("a", {.group = "left"});
  builder.add_state("b", {.group = "right"});
  for (const char* action : {"one", "two"}) builder.add_action(action);
  for (const char* state : {"a", "b"}) {
    for (const char* action : {"one", "two"}) builder.add_transition(state, action, state, 1);
  }
  builder.set_reward("a", "one", .3);
  builder.set_reward("a", "two", 0);
  builder.set_reward("b", "one", 1);
  builder.set_reward("b", "two", 0);
  return builder.build();
}

// E max(0, N(-d, s^2)).
double loss(double d, double s) {
  const double z = d / s;
  return s * std::exp(-z * z / 2) / std::sqrt(2 * M_PI) - d * .5 * std::erfc(z / std::sqrt(2.0));
}

// A room is a choice between two normal means for `steps` steps: knowing is worth steps x units x loss.
TEST(RowsTest, rooms_in_closed_form) {
  const mdp::Mdp mdp = two_rooms();
  const belief::Belief belief = even_belief(mdp, .4, 5);
  const mdp::Policy deployed = mdp::solve(mdp).policy;
  const RowsValue found = value_of_rows(belief, deployed, {.positions = {2, 1}, .steps = 7, .draws = 4'000});
  const double s = .4 * std::sqrt(2.0);
  const double left = 14 * loss(.3, s), right = 7 * loss(1, s);
  ASSERT_EQ(found.parts.size(), 4u);
  EXPECT_EQ(found.parts[0].group, "left");
  EXPECT_TRUE(found.parts[0].rewards && !found.parts[0].transitions);
  EXPECT_NEAR(found.parts[0].value.mean, left, 4 * found.parts[0].value.standard_error);
  EXPECT_EQ(found.parts[1].group, "right");
  EXPECT_NEAR(found.parts[1].value.mean, right, 4 * found.parts[1].value.standard_error);
  EXPECT_NEAR(found.parts[2].value.mean, 0, 1e-9);  // one successor: nothing is unknown
  EXPECT_NEAR(found.rewards.mean, left + right, 4 * found.rewards.standard_error);
  EXPECT_NEAR(found.all.mean, found.rewards.mean, 1e-9);
  // Rooms do not meet: parts add up.
  EXPECT_NEAR(found.remainder.mean, 0, 1e-9);
  EXPECT_NEAR(found.idle, 0, 1e-12);
}

// A fork whose worth is in two rows together: reward and way of the same arm. Parts and all are compared with
// a sum over draws made here.
TEST(RowsTest, everything_drawn_is_perfect_information_of_the_same_draws) {
  mdp::MdpBuilder builder(.9, 3, 2);
  builder.add_transition(0, 0, 1, .5);
  builder.add_transition(0, 0, 2, .5);
  builder.add_transition(0, 1, 1, .4);
  builder.add_transition(0, 1, 2, .6);
  for (const int s : {1, 2}) {
    builder.add_transition(s, 0, 0, 1);
    builder.set_reward(s, 0, s == 1 ? 1 : .9);
  }
  builder.set_reward(0, 0, 0);
  builder.set_reward(0, 1, 0);
  const mdp::Mdp mdp = builder.build();
  const belief::Belief belief = even_belief(mdp, .5, 4);
  const mdp::Policy deployed = mdp::solve(mdp).policy;
  const RowsValue found = value_of_rows(
      belief, deployed,
      {.positions = {1, 0, 0}, .steps = 2, .discounted = true, .draws = 500, .run = {.seed = 3}});
  // Two steps from state 0: r(0,a) + .9 sum p r; the deployed action is 0.
  double all = 0, rewards = 0, transitions = 0;
  const auto worth = [](const mdp::Mdp& r, const mdp::Mdp& p) {
    const auto arm = [&](int k) {
      return r.reward()[k] +
             .9 * (p.probability()[2 * k] * r.reward()[2] + p.probability()[2 * k + 1] * r.reward()[3]);
    };
    return std::max(arm(0), arm(1)) - arm(0);
  };
  for (std::uint64_t i = 0; i < 500; ++i) {
    const mdp::Mdp drawn = belief.sample(3, i);
    all += worth(drawn, drawn) / 500;
    rewards += worth(drawn, mdp) / 500;
    transitions += worth(mdp, drawn) / 500;
  }
  ASSERT_EQ(found.parts.size(), 2u);
  EXPECT_EQ(found.parts[0].group, "");
  EXPECT_NEAR(found.all.mean, all, 1e-12);
  EXPECT_NEAR(found.rewards.mean, rewards, 1e-12);
  EXPECT_NEAR(found.transitions.mean, transitions, 1e-12);
  EXPECT_NEAR(found.remainder.mean, all - rewards - transitions, 1e-12);
  EXPECT_GE(found.parts[0].value.mean, found.parts[1].value.mean);
}

// Episodes that begin anew in one of five states, nobody knows how often in which; what is best there is
// known. Whatever the row that begins them, the deployed policy is the best one: knowing it is worth 0, and
// what rounding leaves of that (a negative worth, with an error bar) must not be stated.
TEST(RowsTest, what_cannot_change_a_choice_is_worth_nothing_at_all) {
  mdp::MdpBuilder builder(.97, 6, 2);
  for (std::int32_t i = 1; i <= 5; ++i) {
    builder.add_transition(0, 0, i, .2);
    for (std::int32_t a = 0; a < 2; ++a) {
      builder.set_reward(i, a, (a == 0 ? .1 : .07) * i);
      builder.add_transition(i, a, 0, 1);
    }
  }
  builder.set_reward(0, 0, -.3);
  const mdp::Mdp mdp = builder.build();
  const RowsValue found = value_of_rows(even_belief(mdp, 0, 3), mdp::solve(mdp).policy,
                                        {.positions = {4, 0, 0, 0, 0, 0}, .steps = 100, .draws = 64});
  EXPECT_EQ(found.transitions.mean, 0);
  EXPECT_EQ(found.transitions.standard_error, 0);
  EXPECT_EQ(found.all.mean, 0);
}

TEST(RowsTest, threads_do_not_matter_and_bad_arguments_throw) {
  const mdp::Mdp mdp = two_rooms();
  const belief::Belief belief = even_belief(mdp, .4, 5);
  const mdp::Policy deployed = mdp::solve(mdp).policy;
  RowsOptions options{.positions = {1, 1}, .steps = 3, .draws = 40, .run = {.threads = 1}};
  const RowsValue one = value_of_rows(belief, deployed, options);
  options.run.threads = 3;
  EXPECT_EQ(one.all.mean, value_of_rows(belief, deployed, options).all.mean);
  options.positions = {1};
  EXPECT_THROW(value_of_rows(belief, deployed, options), InvalidArgument);
  options.positions = {1, 1};
  options.steps = 0;
  EXPECT_THROW(value_of_rows(belief, deployed, options), InvalidArgument);
  options.steps = 3;
  options.draws = 1;
  EXPECT_THROW(value_of_rows(belief, deployed, options), InvalidArgument);
  options.draws = 1'000;
  options.run.listener.stop = [] { return true; };
  EXPECT_EQ(value_of_rows(belief, deployed, options).draws, 16);
}

}  // namespace
}  // namespace mindgap::voi::rows_test
