#include "mindgap/belief/running_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "belief/ensembles.h"
#include "mdp/random_models.h"
#include "mindgap/belief/drawn_rows.h"

// Models that are kept up to date, or drawn, row by row: the same bits as the whole ones.
namespace mindgap::belief {
namespace running_model_test {

using mdp::Mdp;

Belief belief_on(const Mdp& mdp, const BeliefOptions& options = {}) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return {mdp,
          {std::vector<double>(pairs, .5), std::vector<double>(pairs, 4)},
          std::vector<double>(pairs, 1),
          options};
}

bool same(const mdp::Numbers& numbers, const Mdp& model) {
  return std::ranges::equal(numbers.reward, model.reward()) &&
         std::ranges::equal(numbers.probability, model.probability()) &&
         std::ranges::equal(numbers.shape.next_state(), model.next_state());
}

// Observes some moves of the simulator's, or (`off`) one it calls impossible; the pairs that were.
std::vector<std::int32_t> observe_some(Belief& belief, std::mt19937_64& bits, bool off = false) {
  std::vector<std::int32_t> seen;
  const Mdp& mdp = belief.simulator();
  for (int i = 0; i < 5; ++i) {
    const auto k = static_cast<std::int32_t>(bits() % static_cast<std::uint64_t>(mdp.pairs()));
    const auto row = mdp.row(k);
    std::int32_t next = row.next_state[bits() % row.size()];
    for (std::int32_t s = 0; off && s < mdp.states(); ++s)
      if (!row.find(s)) next = s;
    belief.observe(k, static_cast<double>(bits() % 7), next);
    seen.push_back(k);
  }
  return seen;
}

void follow(Belief belief, bool off_support) {
  std::mt19937_64 bits(3);
  RunningModel mean(belief), draw(belief, 42, 7);
  for (int look = 0; look < 8; ++look) {
    const std::vector<std::int32_t> seen = observe_some(belief, bits, off_support && look == 4);
    mean.update(belief, seen);
    draw.update(belief, seen);
    EXPECT_TRUE(same(mean.numbers(), belief.mean())) << look;
    EXPECT_TRUE(same(draw.numbers(), belief.sample(42, 7))) << look;
  }
}

TEST(RunningModel, IsTheMeanAndTheDrawBitForBit) {
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    follow(belief_on(mdp::random_mdp(seed, {.states = 9})), false);
}

TEST(RunningModel, AlsoWhereObservationsSpeakOfOtherPairsOrRowsAreDoubted) {
  const Mdp mdp = mdp::random_mdp(4, {.states = 9});
  follow(belief_on(mdp), true);
  BeliefOptions doubting;
  doubting.unseen.share = .1;
  follow(belief_on(mdp, doubting), true);
  BeliefOptions ensemble;
  ensemble.members = golden_members();
  const auto pairs = static_cast<std::size_t>(golden_members().mean().pairs());
  follow({golden_members().mean(),
          {std::vector<double>(pairs, .1), std::vector<double>(pairs, 20)},
          std::vector<double>(pairs, .25),
          ensemble},
         false);
}

TEST(DrawnRows, AreThoseOfTheWholeModelInAnyOrder) {
  std::mt19937_64 bits(9);
  BeliefOptions doubting;
  doubting.unseen.share = .1;
  const Mdp mdp = mdp::random_mdp(6, {.states = 9, .reward_low = .2, .reward_high = .8});
  for (Belief belief : {belief_on(mdp), belief_on(mdp, doubting), belief_on(mdp, {.bounds = {0, 10}}),
                        belief_on(mdp, {.rewards = RewardModel::estimated_variance})}) {
    observe_some(belief, bits);
    const Mdp whole = belief.sample(42, 11);
    DrawnRows rows(belief, 42, 11);
    EXPECT_TRUE(std::ranges::equal(rows.shape().next_state(), whole.next_state()));
    for (int i = 0; i < 100; ++i) {
      const auto k = static_cast<std::int32_t>(bits() % static_cast<std::uint64_t>(whole.pairs()));
      const DrawnRows::Pair pair = rows.of(k);
      EXPECT_EQ(pair.reward, whole.reward()[k]);
      EXPECT_TRUE(std::ranges::equal(pair.row.next_state, whole.row(k).next_state));
      EXPECT_TRUE(std::ranges::equal(pair.row.probability, whole.row(k).probability));
    }
  }
}

}  // namespace running_model_test
}  // namespace mindgap::belief
