#include "mindgap/mdp/model.h"

#include <gtest/gtest.h>

#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::mdp {
namespace model_test {

// Two states, one action each.
Model two_pairs() {
  MdpBuilder builder(.9, 2, 1);
  for (const std::int32_t s : {0, 1}) {
    builder.set_reward(s, 0, .5);
    builder.add_transition(s, 0, 1 - s, 1);
  }
  Model model{.name = "two", .mdp = builder.build()};
  model.prior = PriorSpec{.reward_sd = 1};
  return model;
}

TEST(CheckModel, LoadingsAreOfPairsAndFactorsThereAreEachOnce) {
  Model model = two_pairs();
  SharedSpec& shared = model.prior->shared;
  shared.factors = {"weather", "wear"};
  shared.loadings = {{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, -1}};
  EXPECT_NO_THROW(check_model(model));
  for (const Loading& bad : {Loading{-1, 0, 1}, {2, 0, 1}, {0, -1, 1}, {0, 2, 1}}) {
    shared.loadings = {bad};
    EXPECT_THROW(check_model(model), InvalidModel) << bad.pair << " " << bad.factor;
  }
  for (const Loading& second : {Loading{0, 1, 1}, {0, 0, 1}}) {  // twice, and in descending order
    shared.loadings = {{0, 1, 1}, second};
    EXPECT_THROW(check_model(model), InvalidModel) << second.factor;
  }
}

TEST(CheckModel, BernoulliRewardsHaveTheirOwnBounds) {
  Model model = two_pairs();
  model.prior->rewards = RewardKind::bernoulli;
  EXPECT_NO_THROW(check_model(model));
  model.prior->reward_min = .1;
  EXPECT_THROW(check_model(model), InvalidModel);
  model.prior->reward_min = 0;
  model.prior->reward_max = 1;
  EXPECT_NO_THROW(check_model(model));
  model.prior->reward_max = .9;
  EXPECT_THROW(check_model(model), InvalidModel);
}

}  // namespace model_test
}  // namespace mindgap::mdp
