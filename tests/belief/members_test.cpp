#include "mindgap/mdp/members.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "belief/ensembles.h"
#include "mindgap/base/error.h"

namespace mindgap::belief {
namespace members_test {

using mdp::Mdp;

TEST(Members, KeepTheirNumbersOnTheUnionOfSupports) {
  const std::vector<Mdp> models = differing_models(4, 5, 9);
  const Members members(models);
  const Mdp& mean = members.mean();
  std::int32_t disagree = 0;
  for (std::int32_t k = 0; k < mean.pairs(); ++k) {
    bool same = true;
    for (std::int32_t i = 0; i < members.size(); ++i) {
      EXPECT_EQ(members.reward(i)[k], models[static_cast<std::size_t>(i)].reward()[k]);
      const mdp::Row row = models[static_cast<std::size_t>(i)].row(k);
      same = same && row.size() == mean.row(k).size();
      for (std::size_t j = 0; j < mean.row(k).size(); ++j) {
        const auto place = row.find(mean.row(k).next_state[j]);
        EXPECT_EQ(members.probability(i)[mean.row_begin()[k] + static_cast<std::int64_t>(j)],
                  place ? row.probability[*place] : 0);
      }
    }
    EXPECT_EQ(members.same_support(k), same);
    disagree += !same;
  }
  EXPECT_GT(disagree, 0);
  for (std::int32_t i = 0; i < members.size(); ++i)
    EXPECT_EQ(members.model(i), models[static_cast<std::size_t>(i)]);
  EXPECT_EQ(members.distinct(), 5);
}

TEST(Members, MeansAreWeighted) {
  const Members members = golden_members();
  EXPECT_NEAR(members.mean().reward()[0], .5 * .2 + .3 * .6 + .2 * .4, 1e-15);
  EXPECT_NEAR(members.mean().probability()[0], .5 * .9 + .3 * .6 + .2 * .8, 1e-15);
  const std::vector<double> last = {0, 0, 1};
  EXPECT_TRUE(std::ranges::equal(members.mean_reward(last), members.reward(2)));
  EXPECT_TRUE(std::ranges::equal(members.mean_probability(last), members.probability(2)));
}

TEST(Members, OneMemberAndEqualMembersAreAllowed) {
  const Mdp model = mdp::random_mdp(6);
  const Members one({model}), three({model, model, model}, {}, {"x", "y", "z"});
  EXPECT_EQ(one.mean(), model);
  EXPECT_EQ(one.distinct(), 1);
  EXPECT_EQ(three.distinct(), 1);
  EXPECT_EQ(three.weights()[1], 1.0 / 3);
  EXPECT_EQ(three.name(1), "y");
  EXPECT_EQ(one.name(0), "0");
}

// A move that only a member of weight 0 has stays in the structure.
TEST(Members, AMemberOfWeightZeroStillAddsToTheSupport) {
  const Members members({two_by_two({0, 0, 0, 0}, {1, 1, 1, 1}), two_by_two({0, 0, 0, 0}, {.5, 1, 1, 1})},
                        {1, 0});
  EXPECT_EQ(members.mean().row(0).size(), 2u);
  EXPECT_EQ(members.mean().row(1).size(), 1u);
  EXPECT_EQ(members.mean().row(0).probability[0], 1);
  EXPECT_FALSE(members.same_support(0));
  EXPECT_TRUE(members.same_support(1));
}

TEST(Members, BadArguments) {
  const std::vector<Mdp> models = {mdp::random_mdp(1), mdp::random_mdp(1)};
  for (const std::vector<double>& weights :
       {std::vector<double>{1}, {.5, .4}, {1.5, -.5}, {std::nan(""), 1}, {HUGE_VAL, 0}, {.5, .5 + 2e-9}})
    EXPECT_THROW(Members(models, weights), InvalidArgument);
  EXPECT_THROW(Members({}), InvalidArgument);
  EXPECT_THROW(Members(models, {}, {"one"}), InvalidArgument);
  EXPECT_THROW(Members(models, {}, {"one", "one"}), InvalidModel);
  EXPECT_THROW(Members({mdp::random_mdp(1), mdp::random_mdp(1, {.states = 6})}), InvalidModel);
  EXPECT_THROW(Members({models[0], models[0].with_discount(.5)}), InvalidModel);
  const Members members(models);
  EXPECT_THROW(static_cast<void>(members.mean_reward(std::vector<double>{1})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(members.mean_probability(std::vector<double>{1})), InvalidArgument);
}

}  // namespace members_test
}  // namespace mindgap::belief
