#include "mindgap/program/observations.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "mindgap/base/error.h"
#include "mindgap/program/tabulate.h"

namespace mindgap::program {
namespace {

Grid small_square() {
  return Grid({even_axis("x", 0, 1, 3), even_axis("y", 0, 1, 3)});
}

mdp::Mdp still(bool end) {
  return tabulate(small_square(),
                  [](auto state, auto, auto, auto&, auto next) {
                    next[0] = state[0], next[1] = state[1];
                    return Outcome{};
                  },
                  {}, {.discount = .9, .actions = {"a", "b"}, .always_end = end})
      .mdp;
}

TEST(Observations, OneStepCountsAsOneObservation) {
  const mdp::Mdp mdp = still(false);
  const double from[] = {.125, .5}, to[] = {.6, .9};  // 2 corners x 4 corners
  std::vector<mdp::Observation> seen;
  EXPECT_FALSE(spread(small_square(), mdp,
                      {.state = from, .action = 1, .reward = 3, .next_state = to, .step = 4}, seen));
  ASSERT_EQ(seen.size(), 8);
  double total = 0, x = 0, y = 0;
  std::map<std::int32_t, double> of_pair;
  std::vector<double> place(2);
  for (const mdp::Observation& one : seen) {
    total += one.weight;
    of_pair[one.pair] += one.weight;
    small_square().state_of(*one.next_state, place);
    x += one.weight * place[0];
    y += one.weight * place[1];
    EXPECT_EQ(one.reward, 3);
    EXPECT_EQ(one.step, 4);
  }
  EXPECT_NEAR(total, 1, 1e-15);
  EXPECT_NEAR(x, .6, 1e-15);  // the mean move is the one that was seen
  EXPECT_NEAR(y, .9, 1e-15);
  ASSERT_EQ(of_pair.size(), 2);
  EXPECT_NEAR(of_pair.at(mdp.find_pair(1, 1)), .75, 1e-15);  // x=0 y=.5
  EXPECT_NEAR(of_pair.at(mdp.find_pair(4, 1)), .25, 1e-15);
}

TEST(Observations, EndsAndMissingParts) {
  const double from[] = {0, 0}, to[] = {2, 0};
  std::vector<mdp::Observation> seen;
  EXPECT_FALSE(spread(small_square(), still(true),
                      {.state = from, .reward = 1, .next_state = to, .terminated = true}, seen));
  ASSERT_EQ(seen.size(), 1);
  EXPECT_EQ(seen[0].next_state, 9);
  seen.clear();
  spread(small_square(), still(false), {.state = from, .reward = 1, .next_state = to, .terminated = true},
         seen);
  ASSERT_EQ(seen.size(), 1);  // the model has no end: the reward alone
  EXPECT_FALSE(seen[0].next_state.has_value());
  seen.clear();
  EXPECT_TRUE(spread(small_square(), still(false),
                     {.state = from, .reward = std::numeric_limits<double>::quiet_NaN(), .next_state = to},
                     seen));
  ASSERT_EQ(seen.size(), 1);
  EXPECT_FALSE(seen[0].reward.has_value());
  EXPECT_EQ(seen[0].next_state, 6);
}

TEST(Observations, RefusesBadInput) {
  const double from[] = {0, 0}, bad[] = {std::numeric_limits<double>::quiet_NaN(), 0};
  std::vector<mdp::Observation> seen;
  EXPECT_THROW(spread(small_square(), still(false), {.state = from, .action = 2, .next_state = from}, seen),
               InvalidArgument);
  EXPECT_THROW(spread(small_square(), still(false), {.state = bad, .next_state = from}, seen),
               InvalidArgument);
  EXPECT_THROW(spread(small_square(), still(false), {.state = from, .next_state = bad}, seen),
               InvalidArgument);
  EXPECT_THROW(spread(small_square(), still(false), {.state = from, .next_state = {from, 1}}, seen),
               InvalidArgument);
}

}  // namespace
}  // namespace mindgap::program
