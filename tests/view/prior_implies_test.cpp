#include "mindgap/view/prior_implies.h"

#include <gtest/gtest.h>

#include "decide/situations.h"

namespace mindgap::view {
namespace {

TEST(PriorWarning, NamesTheRewardThatPromisesMost) {
  const mdp::Mdp mdp = decide::arms({1, 1});
  gap::PriorImplies implied{.simulator_best = 10, .mean = 21.5};
  implied.invented = {{.pair = 1, .value = 11.5}};
  EXPECT_EQ(prior_warning(mdp, implied), "");
  implied.too_good = true;
  const std::string said = prior_warning(mdp, implied);
  EXPECT_NE(said.find("the prior promises much"), std::string::npos) << said;
  EXPECT_NE(said.find("earns 21.5 on average"), std::string::npos) << said;
  EXPECT_NE(said.find("the 10 that it earns in the simulator"), std::string::npos) << said;
}

TEST(NotesOnPrior, NameEndsThatOneRewardSdMakesUncertain) {
  const mdp::Mdp mdp = decide::arms({1, 1});
  belief::Knowledge knowledge =
      decide::situation_of(mdp, decide::even_prior(mdp, 1, 5), 1, {0}, 10).knowledge;
  EXPECT_TRUE(notes_on_prior(knowledge).empty());
  for (const std::int64_t ends : {1, 3}) {
    knowledge.uncertain_ends = ends;
    const std::string said = notes_on_prior(knowledge).at(0);
    EXPECT_TRUE(said.starts_with(ends == 1 ? "1 state ends an episode (nothing leaves it and it pays 0)"
                                           : "3 states end an episode (nothing leaves them and they pay 0)"))
        << said;
    EXPECT_NE(said.find("State reward_sd per state-action pair"), std::string::npos) << said;
  }
}

TEST(RewardsInWords, SayWhatAKindTakesForGranted) {
  const auto both = [](const belief::RewardSupport& support) {
    return rewards_in_words(support) + " | " + reward_assumption(support);
  };
  using belief::reward_belief, belief::RewardModel;
  EXPECT_EQ(both(reward_belief(RewardModel::known_variance)->support()), " | ");
  EXPECT_EQ(both(reward_belief(RewardModel::estimated_variance)->support()), " | ");
  EXPECT_EQ(both(reward_belief(RewardModel::known_variance, {.lower = 0})->support()),
            "true mean rewards lie from 0 to inf | True mean rewards lie from 0 to inf.");
  EXPECT_EQ(both(reward_belief(RewardModel::known_variance, {-1, .75})->support()),
            "true mean rewards lie from -1 to 0.75 | True mean rewards lie from -1 to 0.75.");
  EXPECT_EQ(both(reward_belief(RewardModel::bernoulli)->support()),
            "a reward is 0 or 1 (Bernoulli) | A reward is 0 or 1, and its mean is what is not known.");
}

}  // namespace
}  // namespace mindgap::view
