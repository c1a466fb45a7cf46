#include "mindgap/mdp/mdp.h"
#include "mdp/random_models.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mindgap/base/error.h"

namespace mindgap::mdp {
namespace mdp_test {

// Two states, "stay" in both, "go" only in the first.
MdpArrays two_states() {
  MdpArrays arrays;
  arrays.discount = 0.9;
  arrays.pair_begin = {0, 2, 3};
  arrays.pair_action = {0, 1, 0};
  arrays.row_begin = {0, 1, 3, 4};
  arrays.next_state = {0, 0, 1, 1};
  arrays.probability = {1, 0.25, 0.75, 1};
  arrays.reward = {0, -1, 2};
  arrays.labels.states = NameTable({"left", "right"});
  arrays.labels.actions = NameTable({"stay", "go"});
  return arrays;
}

TEST(Mdp, CarriesWhatItWasGiven) {
  const Mdp mdp(two_states());
  EXPECT_EQ(mdp.states(), 2);
  EXPECT_EQ(mdp.actions(), 2);
  EXPECT_EQ(mdp.pairs(), 3);
  EXPECT_EQ(mdp.nonzeros(), 4);
  EXPECT_EQ(mdp.reward_max(), 2);
  EXPECT_EQ(mdp.start()[1], 0.5);
  EXPECT_EQ(mdp.find_pair(0, 1), 1);
  EXPECT_EQ(mdp.find_pair(1, 1), -1);
  EXPECT_EQ(mdp.state_of_pair(2), 1);
  EXPECT_EQ(mdp.find_state("right"), 1);
  EXPECT_EQ(mdp.find_action("jump"), -1);
}

TEST(Mdp, RowsAreSortedAddedUpAndFreedOfZeros) {
  MdpArrays arrays = two_states();
  arrays.row_begin = {0, 2, 6, 7};
  arrays.next_state = {1, 0, 1, 0, 1, 0, 1};
  arrays.probability = {0, 1, 0.5, 0.125, 0.25, 0.125, 1};
  EXPECT_EQ(Mdp(arrays), Mdp(two_states()));
}

// The rows of `arrays` in memory of their own, and how many still hold it.
struct Elsewhere {
  explicit Elsewhere(const MdpArrays& arrays) : memory(std::make_shared<const MdpArrays>(arrays)) {}

  SharedRows rows() const {
    return {{memory->next_state, memory}, {memory->probability, memory}, {memory->reward, memory}};
  }
  std::shared_ptr<const MdpArrays> memory;
};

TEST(Mdp, RowsAreUsedWhereTheyLieAndKeptWhileAModelNeedsThem) {
  const Elsewhere there(two_states());
  MdpArrays arrays = two_states();
  arrays.next_state.clear(), arrays.probability.clear(), arrays.reward.clear();
  {
    const auto mdp = std::make_unique<Mdp>(arrays, there.rows());
    EXPECT_EQ(*mdp, Mdp(two_states()));
    EXPECT_EQ(mdp->next_state().data(), there.memory->next_state.data());
    EXPECT_EQ(mdp->probability().data(), there.memory->probability.data());
    EXPECT_EQ(mdp->reward().data(), there.memory->reward.data());
    const Mdp other = mdp->with_reward({1, 1, 1});
    EXPECT_EQ(other.next_state().data(), there.memory->next_state.data());
    EXPECT_GT(there.memory.use_count(), 1);
  }
  EXPECT_EQ(there.memory.use_count(), 1);
}

TEST(Mdp, RowsElsewhereAreCopiedWhereOneMustBeCleaned) {
  MdpArrays arrays = two_states();
  arrays.row_begin = {0, 1, 5, 6};
  arrays.next_state = {0, 1, 0, 1, 0, 1};  // the first row is clean
  arrays.probability = {1, 0.5, 0.125, 0.25, 0.125, 1};
  const Elsewhere there(arrays);
  const Mdp mdp(arrays, there.rows());
  EXPECT_EQ(mdp, Mdp(two_states()));
  EXPECT_EQ(there.memory->next_state, arrays.next_state);
  EXPECT_EQ(there.memory->probability, arrays.probability);
  EXPECT_EQ(mdp.reward().data(), there.memory->reward.data());
  EXPECT_EQ(there.memory.use_count(), 2);  // for the rewards alone
}

TEST(Mdp, RowsElsewhereAreCheckedLikeAnyOther) {
  MdpArrays bad = two_states();
  bad.probability[2] = 0.7;
  EXPECT_THROW(Mdp(two_states(), Elsewhere(bad).rows()), InvalidModel);
  bad = two_states();
  bad.next_state[3] = 2;
  EXPECT_THROW(Mdp(two_states(), Elsewhere(bad).rows()), InvalidModel);
  bad = two_states();
  bad.reward[0] = NAN;
  EXPECT_THROW(Mdp(two_states(), Elsewhere(bad).rows()), InvalidModel);
  bad = two_states();
  bad.probability.pop_back();
  EXPECT_THROW(Mdp(two_states(), Elsewhere(bad).rows()), InvalidModel);
}

void expect_refused(const MdpArrays& arrays, const std::string& message) {
  try {
    Mdp mdp(arrays);
    FAIL() << "accepted; wanted: " << message;
  } catch (const InvalidModel& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(Mdp, RefusesBadRows) {
  MdpArrays arrays = two_states();
  arrays.probability[1] = 0.25 + 2e-9;
  expect_refused(arrays,
                 "state 'left', action 'go': transition probabilities must sum to 1 (got '1.000000002')");
  arrays.probability[1] = -0.25;
  expect_refused(arrays, "state 'left', action 'go': a probability must be from 0 to 1 (got '-0.25')");
  arrays.probability[1] = std::nan("");
  expect_refused(arrays, "state 'left', action 'go': a probability must be from 0 to 1 (got 'nan')");
  arrays = two_states();
  arrays.next_state[3] = 2;
  expect_refused(arrays, "state 'right', action 'stay': next state 2 does not exist");
}

// Rows that begin before the last one ended, or end beyond the transitions there are: said so, and not read.
TEST(Mdp, RefusesRowsThatDoNotFollowEachOther) {
  for (const std::int64_t end : {-1, 0, 5, 1 << 30}) {
    MdpArrays arrays = two_states();
    arrays.row_begin[2] = end;  // 3, after a row that ends at 1 and before the end, 4
    expect_refused(arrays, "state 'left', action 'go': row_begin must not decrease");
  }
}

TEST(Mdp, RefusesBadRewardsStartsAndDiscounts) {
  MdpArrays arrays = two_states();
  arrays.reward[2] = INFINITY;
  expect_refused(arrays, "state 'right', action 'stay': the reward must be finite (got 'inf')");
  arrays = two_states();
  arrays.start = {0.5, 0.4};
  expect_refused(arrays, "the start probabilities must sum to 1 (got '0.9')");
  arrays = two_states();
  arrays.discount = 1.5;
  expect_refused(arrays, "the discount must be from 0 to 1 (got '1.5')");
  arrays = two_states();
  arrays.pair_begin = {0, 3, 3};
  expect_refused(arrays, "state 'left', action 'stay': the actions of a state must be in order, each once");
  expect_refused(MdpArrays{}, "the model has no states");
}

TEST(Mdp, WithProbabilityKeepsTheStructure) {
  const Mdp mdp = random_mdp(3, {.states = 4, .all_actions = true});
  std::vector<double> probability(static_cast<std::size_t>(mdp.nonzeros()));
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    const std::int64_t begin = mdp.row_begin()[k], end = mdp.row_begin()[k + 1];
    for (std::int64_t i = begin; i < end; ++i) probability[i] = 1.0 / static_cast<double>(end - begin);
  }
  const Mdp even = mdp.with_probability(probability);
  EXPECT_EQ(even.next_state().data(), mdp.next_state().data());  // shared
  EXPECT_EQ(std::vector(even.probability().begin(), even.probability().end()), probability);
  EXPECT_EQ(even.reward().data(), mdp.reward().data());

  probability[0] = 0;
  EXPECT_THROW(mdp.with_probability(probability), InvalidModel);
  probability[0] = .9;
  EXPECT_THROW(mdp.with_probability(probability), InvalidModel);
  probability.pop_back();
  EXPECT_THROW(mdp.with_probability(probability), InvalidModel);
}

}  // namespace mdp_test
}  // namespace mindgap::mdp
