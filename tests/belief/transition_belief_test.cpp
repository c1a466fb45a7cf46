#include "mindgap/belief/transition_belief.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/belief/belief.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::belief {
namespace transition_belief_test {

using mdp::Mdp;

// A corridor: `left` and `right` move for certain, and stay at the ends.
Mdp corridor(std::int32_t states) {
  mdp::MdpArrays arrays;
  arrays.discount = .9;
  arrays.pair_begin = {0};
  arrays.row_begin = {0};
  for (std::int32_t s = 0; s < states; ++s) {
    for (const std::int32_t to : {std::max(s - 1, 0), std::min(s + 1, states - 1)}) {
      arrays.pair_action.push_back(static_cast<std::int32_t>(arrays.pair_action.size()) % 2);
      arrays.next_state.push_back(to);
      arrays.probability.push_back(1);
      arrays.reward.push_back(s == states - 1 ? 1 : 0);
      arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
    }
    arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
  }
  return Mdp(arrays);
}

std::vector<double> mean_row(const TransitionBelief& belief, std::int32_t pair, double alpha0) {
  const auto begin = belief.shape().row_begin()[pair], end = belief.shape().row_begin()[pair + 1];
  std::vector<double> row(static_cast<std::size_t>(end - begin));
  belief.mean_row(pair, alpha0, row);
  return row;
}

double mean_of(const TransitionBelief& belief, std::int32_t pair, double alpha0, std::int32_t next) {
  const auto row = mean_row(belief, pair, alpha0);
  const auto begin = static_cast<std::size_t>(belief.shape().row_begin()[pair]);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (belief.shape().next_state()[begin + i] == next) return row[i];
  }
  return 0;
}

// In the middle of 20 states one step leads to 9, 10, 11 and two to 8 and 12.
TEST(Neighbourhood, OneStepTwoStepsAndElsewhere) {
  const Neighbourhood near(corridor(20));
  const auto states = near.states(10);
  const auto probabilities = near.near(10);
  ASSERT_EQ(states.size(), 20u);
  for (const std::size_t s : {9, 10, 11}) EXPECT_NEAR(probabilities[s].one_step, 1.0 / 3, 1e-15);
  for (const std::size_t s : {8, 12}) EXPECT_EQ(probabilities[s].two_steps, .5);
  EXPECT_EQ(probabilities[12].one_step, 0);
  EXPECT_EQ(probabilities[9].two_steps, 0);
  for (std::size_t s = 0; s < 20; ++s) EXPECT_EQ(probabilities[s].elsewhere, .05);
}

TEST(Neighbourhood, StaysShortInLargeModels) {
  const Mdp wide = mdp::random_mdp(3, {.states = 3000, .actions = 3, .successors = 5});
  const Neighbourhood near(wide);
  for (std::int32_t s = 0; s < wide.states(); ++s) {
    const auto probabilities = near.near(s);
    EXPECT_LE(probabilities.size(), 2 * Neighbourhood::kMost + Neighbourhood::kElsewhere);
    Neighbourhood::Near sum;
    for (const Neighbourhood::Near& one : probabilities) {
      sum.one_step += one.one_step;
      sum.two_steps += one.two_steps;
      sum.elsewhere += one.elsewhere;
    }
    EXPECT_NEAR(sum.one_step, 1, 1e-12);
    EXPECT_NEAR(sum.two_steps, 1, 1e-12);
    EXPECT_NEAR(sum.elsewhere, 1, 1e-12);
  }
}

// Of the row `right` of state 10 in 20 states: .2 as simulated, .4/3 one step, .1/20 elsewhere.
constexpr double kSimulated = .2 + .4 / 3 + .005, kBesides = .4 / 3 + .005;

// With rho = .2, u = 1: moving as simulated has probability 1 if the row is right and b = kSimulated if it is
// wrong, so P(wrong) = .2 b/(.8 + .2 b); a second such move has probability (1 + b)/2 if it is wrong.
TEST(TransitionBelief, WrongByHand) {
  TransitionBelief belief(corridor(20), {.share = .2});
  EXPECT_EQ(belief.wrong(21, 5, .2), .2);
  belief.observe(21, 11);
  EXPECT_NEAR(belief.wrong(21, 5, .2), .2 * kSimulated / (.8 + .2 * kSimulated), 1e-14);
  belief.observe(21, 11);
  const double twice = .2 * kSimulated * (1 + kSimulated) / 2;
  EXPECT_NEAR(belief.wrong(21, 5, .2), twice / (.8 + twice), 1e-14);
  EXPECT_NEAR(belief.refutation().share, 10.0 / 51, 1e-15);
  // The mean row is the mixture: of the state to the left, b of strength 1 against two moves.
  const double w = belief.wrong(21, 5, 10.0 / 51);
  EXPECT_NEAR(mean_of(belief, 21, 5, 9), w * kBesides / 3, 1e-15);
  EXPECT_NEAR(mean_of(belief, 21, 5, 11), 1 - w + w * (2 + kSimulated) / 3, 1e-15);
}

// What wrong rows are like is learnt from those that were refuted. In one corridor every action may go either
// way; in another it always leads to the same state far away.
TEST(TransitionBelief, RefutedRowsTellWhatWrongRowsAreLike) {
  TransitionBelief slippery(corridor(400), {}), mapped(corridor(400), {});
  for (std::int32_t s = 10; s < 60; ++s) {
    for (int i = 0; i < 6; ++i) {
      slippery.observe(2 * s, i % 2 == 0 ? s - 1 : s + 1);
      mapped.observe(2 * s, (s * 37) % 400);
    }
  }
  EXPECT_GT(slippery.wrong_rows().strength, 1.5);
  EXPECT_GT(slippery.wrong_rows().share[0] + slippery.wrong_rows().share[1], .85);
  EXPECT_LT(mapped.wrong_rows().strength, .5);
  // Of a row never tried: one step to the other side, and any state at all.
  EXPECT_GT(mean_of(slippery, 2 * 150, 5, 151), 1.5 * mean_of(mapped, 2 * 150, 5, 151));
  // Of a refuted row: counts beside u b, the latter with the shares that were learnt.
  const WrongRows& common = slippery.wrong_rows();
  const double to_left = common.strength * (common.share[0] + common.share[1] / 3);
  EXPECT_NEAR(mean_of(slippery, 2 * 30, 5, 29), (3 + to_left) / (6 + common.strength), 1e-12);
  const WrongRows untouched = TransitionBelief(corridor(400), {.share = .1, .strength = 3}).wrong_rows();
  EXPECT_EQ(untouched.strength, 3);
  EXPECT_EQ(untouched.share, WrongRows{}.share);
}

// 30 far states of a large model, each seen once: all become successors, and a second visit changes counts
// only.
TEST(TransitionBelief, SuccessorsFarAwayBecomePartOfTheRow) {
  TransitionBelief belief(corridor(5000), {});
  for (std::int32_t i = 0; i < 30; ++i) belief.observe(21, 4000 + i);
  for (std::int32_t i = 0; i < 30; ++i) EXPECT_NEAR(mean_of(belief, 21, 5, 4000 + i), 1.0 / 31, 1e-3);
  EXPECT_EQ(belief.refutation().refuted, 1);
  EXPECT_EQ(belief.refutation().off_moves, 30);
  EXPECT_LE(belief.shape().nonzeros(), 10 * belief.shape().pairs() + 40);
  const auto row = mean_row(belief, 21, 5);
  EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-12);
}

// A simulator that fails wherever it is looked at is doubted elsewhere.
TEST(TransitionBelief, RefutedRowsMakeOthersDoubtful) {
  TransitionBelief belief(corridor(200), {});
  EXPECT_FALSE(belief.doubts());
  for (std::int32_t s = 10; s < 60; ++s) belief.observe(2 * s, s + 1);  // left goes right
  EXPECT_NEAR(belief.refutation().share, 50.5 / 100, 1e-15);
  // Never tried: as likely right as wrong, and where rows are wrong here, `left` goes right.
  EXPECT_GT(mean_of(belief, 2 * 150, 5, 149), .5);
  EXPECT_LT(mean_of(belief, 2 * 150, 5, 149), .7);
  EXPECT_GT(mean_of(belief, 2 * 150, 5, 151), .1);
  TransitionBelief agrees(corridor(200), {});
  for (std::int32_t s = 10; s < 60; ++s) agrees.observe(2 * s, s - 1);
  EXPECT_FALSE(agrees.doubts());
  EXPECT_EQ(agrees.refutation().share, 0);
}

// An independent check of mean_row() and strength(): moments of many drawn rows, with rho known.
TEST(TransitionBelief, DrawsHaveTheStatedMomentsInEveryKindOfRow) {
  mdp::MdpBuilder builder(.9);
  for (const char* s : {"a", "b", "c", "d"}) builder.add_state(s);
  builder.add_action("go");
  builder.add_transition("a", "go", "b", .7);
  builder.add_transition("a", "go", "c", .3);
  builder.add_transition("b", "go", "c", 1);
  builder.add_transition("c", "go", "d", 1);
  builder.add_transition("d", "go", "a", .5);
  builder.add_transition("d", "go", "d", .5);
  for (const char* s : {"a", "b", "c", "d"}) builder.set_reward(s, "go", 0);
  Belief belief(builder.build(), {{0, 0, 0, 0}, {3, 3, 3, 3}}, {1, 1, 1, 1},
                {.unseen = {.share = .3, .rows = 1e12}});
  belief.observe({.pair = 0, .next_state = 1});
  belief.observe({.pair = 0, .next_state = 1});
  belief.observe({.pair = 1, .next_state = 0});  // refuted
  constexpr int kDraws = 40'000;
  const Mdp mean = belief.mean();
  std::vector<double> sum(static_cast<std::size_t>(mean.nonzeros())), square(sum.size());
  for (int i = 0; i < kDraws; ++i) {
    const Mdp drawn = belief.sample(11, static_cast<std::uint64_t>(i));
    ASSERT_EQ(drawn.next_state().data(), mean.next_state().data());  // one structure for all
    for (std::size_t j = 0; j < sum.size(); ++j) {
      sum[j] += drawn.probability()[j] / kDraws;
      square[j] += drawn.probability()[j] * drawn.probability()[j] / kDraws;
    }
  }
  for (std::int32_t k = 0; k < mean.pairs(); ++k) {
    double variance = 0, squares = 0;
    for (auto j = static_cast<std::size_t>(mean.row_begin()[k]);
         j < static_cast<std::size_t>(mean.row_begin()[k + 1]); ++j) {
      EXPECT_NEAR(sum[j], mean.probability()[j], 4 * .5 / std::sqrt(kDraws)) << k;
      variance += square[j] - sum[j] * sum[j];
      squares += mean.probability()[j] * mean.probability()[j];
    }
    EXPECT_NEAR(variance, (1 - squares) / (belief.transition_strength(k) + 1), .01) << k;
  }
}

// Rows that are right are the rows drawn where nothing is doubted.
TEST(TransitionBelief, DoubtLeavesRightRowsAsTheyWere) {
  const Mdp mdp = mdp::random_mdp(8, {.states = 12});
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  const Prior prior{std::vector<double>(pairs, .3), std::vector<double>(pairs, 2.0)};
  const std::vector<double> ones(pairs, 1.0);
  const Belief sure(mdp, prior, ones), doubtful(mdp, prior, ones, {.unseen = {.share = .2}});
  const Mdp one = sure.sample(5, 9), two = doubtful.sample(5, 9);
  EXPECT_TRUE(std::ranges::equal(one.reward(), two.reward()));
  int same = 0;
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    bool equal = true;
    for (std::int64_t i = one.row_begin()[k]; i < one.row_begin()[k + 1]; ++i) {
      const auto begin = two.next_state().begin() + two.row_begin()[k];
      const auto at = std::find(begin, two.next_state().end(), one.next_state()[i]);
      equal = equal && two.probability()[at - two.next_state().begin()] == one.probability()[i];
    }
    same += equal ? 1 : 0;
  }
  EXPECT_GT(same, mdp.pairs() / 2);
  EXPECT_LT(same, mdp.pairs());
}

// Copies share what they have in common and part when they see different things; threads may ask at once.
TEST(TransitionBelief, CopiesAndThreads) {
  TransitionBelief one(corridor(300), {.share = .1});
  TransitionBelief other = one;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { static_cast<void>(one.shape()); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(one.shape().next_state().data(), other.shape().next_state().data());
  const std::int64_t before = one.shape().nonzeros();
  other.observe(21, 299);
  EXPECT_EQ(other.shape().nonzeros(), before + 1);
  EXPECT_EQ(one.shape().nonzeros(), before);
}

}  // namespace transition_belief_test
}  // namespace mindgap::belief
