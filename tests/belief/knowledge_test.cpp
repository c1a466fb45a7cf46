#include "mindgap/belief/knowledge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::belief {
namespace knowledge_test {

// One state, one action, a reward of 1.
mdp::Model one_pair() {
  mdp::MdpBuilder builder(.9, 1, 1);
  builder.set_reward(0, 0, 1);
  builder.add_transition(0, 0, 0, 1);
  mdp::Model model{.name = "one", .mdp = builder.build()};
  model.prior = mdp::PriorSpec{.reward_sd = 1, .transition_strength = 2};
  model.reward_variance = 1;
  return model;
}

// What is refused, or nothing.
std::string refusal(const std::function<void()>& deed) {
  try {
    deed();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

struct Bad {
  double value;
  const char* said;
};

TEST(Knowledge, OverridesAreInTheirDomains) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  const auto expect_refused = [](std::optional<double> PriorOverrides::*number, const std::string& name,
                                 const std::vector<Bad>& all) {
    for (const Bad& bad : all) {
      PriorOverrides overrides;
      overrides.*number = bad.value;
      const std::string said = "prior: " + name + " is " + bad.said;
      const auto gather = [&] { gather_knowledge(one_pair(), std::nullopt, std::nullopt, overrides); };
      EXPECT_EQ(refusal(gather).substr(0, said.size()), said);
      EXPECT_EQ(refusal([&] { check_overrides(overrides); }).substr(0, said.size()), said);
    }
  };
  const std::vector<Bad> never = {{-1, "-1"}, {nan, "nan"}, {infinite, "inf"}, {-infinite, "-inf"}};
  for (const auto& [number, name] : {std::pair{&PriorOverrides::reward_sd, "reward_sd"},
                                     {&PriorOverrides::transition_strength, "transition_strength"},
                                     {&PriorOverrides::odds, "odds"},
                                     {&PriorOverrides::drift_sd, "drift_sd"}})
    expect_refused(number, name, never);
  expect_refused(&PriorOverrides::transition_strength, "transition_strength", {{0, "0"}});
  expect_refused(&PriorOverrides::odds, "odds", {{.5, "0.5"}});
}

TEST(Knowledge, NumbersOfAModelMadeByHandAreInTheirDomains) {
  const auto said = [](const mdp::PriorSpec& prior) {
    mdp::Model model = one_pair();
    model.prior = prior;
    return refusal([&] { gather_knowledge(model, std::nullopt, std::nullopt); });
  };
  EXPECT_EQ(said({.reward_sd = 0, .odds = 1, .drift_sd = 0}), "");  // the ends of the domains
  EXPECT_EQ(said({.reward_sd = -1}), "prior: reward_sd is -1, but must be zero or more");
  EXPECT_EQ(said({.pair_reward_sd = {-2}}), "prior: reward_sd[0] is -2, but must be zero or more");
  EXPECT_EQ(said({.transition_strength = 0}), "prior: transition_strength is 0, but must be positive");
  EXPECT_EQ(said({.pair_transition_strength = {-3}}),
            "prior: transition_strength is -3, but must be positive");
  EXPECT_EQ(said({.reward_sd = 1, .drift_sd = -1}), "prior: drift_sd is -1, but must be zero or more");
  EXPECT_NE(said({.reward_sd = 1, .odds = .5}).find("prior: odds is 0.5"), std::string::npos);
}

TEST(Knowledge, TheModelsCoverageCountsUnlessAnotherIsGiven) {
  mdp::Model model = one_pair();
  const auto source = [&](const std::optional<std::vector<double>>& coverage) {
    const Knowledge known = gather_knowledge(model, coverage, std::nullopt);
    return std::pair{known.source, known.coverage};
  };
  using Counts = std::vector<double>;
  EXPECT_EQ(source({}), std::pair(PriorSource::stated, Counts{}));
  EXPECT_EQ(source(Counts{3}), std::pair(PriorSource::coverage, Counts{3}));
  model.coverage = {7};
  EXPECT_EQ(source({}), std::pair(PriorSource::coverage, Counts{7}));
  EXPECT_EQ(source(Counts{3}), std::pair(PriorSource::coverage, Counts{3}));
}

// A table as samples make it. From the first state one action leads to either of two states (4 samples), the
// other to the second (9 samples); the second was never left; the third is an end, reached 3 times.
mdp::Model sampled_table() {
  mdp::MdpBuilder builder(.9, 3, 2);
  builder.set_reward(0, 0, 1);
  builder.add_transition(0, 0, 0, .5);
  builder.add_transition(0, 0, 2, .5);
  builder.set_reward(0, 1, 2);
  builder.add_transition(0, 1, 1, 1);
  builder.set_reward(1, 0, 0);
  builder.add_transition(1, 0, 1, 1);
  builder.set_reward(2, 0, 0);
  builder.add_transition(2, 0, 2, 1);
  mdp::Model model{.name = "sampled", .mdp = builder.build(), .variance = {4, 4, 4, 0}};
  model.coverage = {4, 9, 0, 3};
  model.coverage_is_sampled = true;
  return model;
}

void expect_prior(const Knowledge& known, const std::vector<double>& variance,
                  const std::vector<double>& strength) {
  const Prior& prior = known.before.prior();
  for (std::size_t k = 0; k < variance.size(); ++k) {
    EXPECT_NEAR(prior.reward_sd[k], std::sqrt(variance[k]), 1e-14) << k;
    EXPECT_NEAR(prior.transition_strength[k], strength[k], 1e-14) << k;
  }
}

// By hand: 1.5^2 = 2.25 and v/n; (1 + 1/5) (1 + 1/4) = 1 + 1/2.
TEST(Knowledge, AStatedPriorIsAroundASampledSimulator) {
  mdp::Model model = sampled_table();
  model.prior = mdp::PriorSpec{.reward_sd = 1.5, .transition_strength = 5};
  const Knowledge known = gather_knowledge(model, std::nullopt, std::nullopt);
  expect_prior(known, {2.25 + 1, 2.25 + 4. / 9, 2.25, 0}, {2, 5, 5, 5});
  EXPECT_EQ(known.source, PriorSource::stated);
  EXPECT_EQ(known.samples, SampleCounts::precision);
  EXPECT_TRUE(known.coverage.empty());  // nobody has observed the real system
  EXPECT_EQ(known.seldom_sampled, 0);
  // There is no history that odds could be about; drift is, as ever, the least sd there is.
  model.prior->odds = 3;
  expect_prior(gather_knowledge(model, std::nullopt, std::nullopt), {3.25, 2.25 + 4. / 9, 2.25, 0},
               {2, 5, 5, 5});
  model.prior->drift_sd = 2;
  expect_prior(gather_knowledge(model, std::nullopt, std::nullopt), {4 + 1, 4 + 4. / 9, 4, 4}, {2, 5, 5, 5});
  // The same from overrides; v/n is above .25 at two pairs.
  model.prior = {};
  const Knowledge asked =
      gather_knowledge(model, std::nullopt, std::nullopt, {.reward_sd = .5, .transition_strength = 5});
  expect_prior(asked, {.25 + 1, .25 + 4. / 9, .25, 0}, {2, 5, 5, 5});
  EXPECT_EQ(asked.seldom_sampled, 2);
  EXPECT_EQ(asked.seldom_seen, 0);
}

// What is not stated is as without counts: reward_max (2), or the strength 1: 2 * 5/4 = 1 + 3/2.
TEST(Knowledge, OneNumberOfAPriorIsEnoughAroundASampledSimulator) {
  const auto known = [](const PriorOverrides& overrides) {
    return gather_knowledge(sampled_table(), std::nullopt, std::nullopt, overrides);
  };
  expect_prior(known({.transition_strength = 5}), {4 + 1, 4 + 4. / 9, 4, 0}, {2, 5, 5, 5});
  expect_prior(known({.reward_sd = 1.5}), {3.25, 2.25 + 4. / 9, 2.25, 0}, {2 / 3., 1, 1, 1});
}

// State 1 ends an episode: both its actions stay there and pay 0.
TEST(Knowledge, EndsThatOneRewardSdMakesUncertainAreCounted) {
  mdp::MdpBuilder builder(.9, 2, 2);
  for (std::int32_t a = 0; a < 2; ++a) {
    builder.set_reward(0, a, a);
    builder.add_transition(0, a, 1, 1);
    builder.set_reward(1, a, 0);
    builder.add_transition(1, a, 1, 1);
  }
  mdp::Model model{.mdp = builder.build()};
  model.reward_variance = 1;
  const auto ends = [&](const mdp::PriorSpec& prior) {
    model.prior = prior;
    return gather_knowledge(model, std::nullopt, std::nullopt).uncertain_ends;
  };
  EXPECT_EQ(ends({.reward_sd = 1, .transition_strength = 5}), 1);
  EXPECT_EQ(ends({.reward_sd = 0, .transition_strength = 5}), 0);
  EXPECT_EQ(ends({.transition_strength = 5, .pair_reward_sd = {1, 1, .5, 0}}), 0);  // as it is meant
  // All states of a bandit stay where they are, and none is an end.
  mdp::MdpBuilder arms(.9, 1, 2);
  for (std::int32_t a = 0; a < 2; ++a) {
    arms.set_reward(0, a, 0);
    arms.add_transition(0, a, 0, 1);
  }
  model.mdp = arms.build();
  EXPECT_EQ(ends({.reward_sd = 1, .transition_strength = 5}), 0);
}

TEST(Knowledge, ARewardSdPerPairIsMeantOfEndsToo) {
  mdp::Model model = sampled_table();
  model.prior = mdp::PriorSpec{.transition_strength = 5, .pair_reward_sd = {1.5, 1.5, 1.5, .25}};
  expect_prior(gather_knowledge(model, std::nullopt, std::nullopt), {3.25, 2.25 + 4. / 9, 2.25, .0625},
               {2, 5, 5, 5});
}

// Without a prior, and where the user's own counts are given, they are history's.
TEST(Knowledge, SampleCountsAreHistoryOnlyForWantOfAPrior) {
  mdp::Model model = sampled_table(), observed = model;
  observed.coverage_is_sampled = false;
  const auto same = [](const Knowledge& a, const Knowledge& b) {
    return a.before.prior().reward_sd == b.before.prior().reward_sd &&
           a.before.prior().transition_strength == b.before.prior().transition_strength &&
           a.source == b.source && a.coverage == b.coverage;
  };
  const Knowledge bare = gather_knowledge(model, std::nullopt, std::nullopt);
  EXPECT_EQ(bare.samples, SampleCounts::history);
  EXPECT_TRUE(same(bare, gather_knowledge(observed, std::nullopt, std::nullopt)));
  model.prior = observed.prior = mdp::PriorSpec{.reward_sd = 1.5, .transition_strength = 5};
  const Knowledge given = gather_knowledge(model, model.coverage, std::nullopt);
  EXPECT_EQ(given.samples, SampleCounts::none);
  EXPECT_TRUE(same(given, gather_knowledge(observed, std::nullopt, std::nullopt)));
  EXPECT_FALSE(same(given, gather_knowledge(model, std::nullopt, std::nullopt)));
}

TEST(Knowledge, TheSamplingErrorNeedsAVariance) {
  mdp::Model model = sampled_table();
  model.variance = {};
  model.prior = mdp::PriorSpec{.reward_sd = 1.5};
  EXPECT_NE(refusal([&] {
              gather_knowledge(model, std::nullopt, std::nullopt);
            }).find("the sampling error of a table made from samples needs the variance of one"),
            std::string::npos);
}

TEST(Knowledge, WhatIsMissingIsAskedFor) {
  mdp::Model model = one_pair();
  model.prior = {};
  const auto gather = [&](const std::optional<std::vector<double>>& coverage) {
    return refusal([&] { gather_knowledge(model, coverage, std::nullopt); });
  };
  EXPECT_NE(gather({}).find("[prior] in model.toml"), std::string::npos);
  EXPECT_EQ(gather({}).find("variance"), std::string::npos);  // it is there
  EXPECT_EQ(gather(std::vector<double>{1}), "");
  model.reward_variance = {};
  EXPECT_NE(gather(std::vector<double>{1}).find("reward_variance ([observation] in model.toml)"),
            std::string::npos);
  // Everything that is missing is named at once.
  EXPECT_NE(gather({}).find("[prior] in model.toml"), std::string::npos);
  EXPECT_NE(gather({}).find("reward_variance ([observation] in model.toml)"), std::string::npos);
}

// A variance of 1 in half an observation is 2, more than the sd of 1.2 squared; in a whole one it is less.
TEST(Knowledge, PartsOfAnObservationCountAsWhatTheyAre) {
  mdp::Model model = one_pair();
  model.prior->reward_sd = 1.2;
  EXPECT_EQ(gather_knowledge(model, std::vector<double>{.5}, std::nullopt).seldom_seen, 1);
  EXPECT_EQ(gather_knowledge(model, std::vector<double>{1.0}, std::nullopt).seldom_seen, 0);
}

TEST(Knowledge, ALengthAloneNeedsAKernel) {
  const auto gather = [](const mdp::Model& model, const PriorOverrides& overrides) {
    return gather_knowledge(model, std::nullopt, std::nullopt, overrides);
  };
  EXPECT_NE(refusal([&] { gather(one_pair(), {.shared_length = 2}); }).find("shared_length needs shared_sd"),
            std::string::npos);
  mdp::Model model = one_pair();
  model.prior->shared.kernel = mdp::KernelSpec{.sd = .5, .length = 1, .over = mdp::KernelOver::graph};
  EXPECT_EQ(gather(model, {.shared_length = 2}).shared.kernel->length, 2);
  EXPECT_EQ(gather(model, {.shared_length = 2}).shared.kernel->sd, .5);
  EXPECT_EQ(gather(model, {.shared_sd = 2}).shared.kernel->sd, 2);
}

// Rewards that are 0 or 1 with a mean that is known: the variance of one is m (1 - m).
TEST(Knowledge, BernoulliRewardsMayBeKnown) {
  mdp::MdpBuilder builder(.9, 1, 1);
  builder.set_reward(0, 0, .3);
  builder.add_transition(0, 0, 0, 1);
  mdp::Model model{.name = "one", .mdp = builder.build()};
  model.prior =
      mdp::PriorSpec{.reward_sd = 0, .transition_strength = 2, .rewards = mdp::RewardKind::bernoulli};
  const Knowledge known = gather_knowledge(model, std::nullopt, std::nullopt);
  ASSERT_EQ(known.variance.size(), 1u);
  EXPECT_NEAR(known.variance[0], .21, 1e-15);
  EXPECT_EQ(known.now.reward_variance(0), 0);
}

}  // namespace knowledge_test
}  // namespace mindgap::belief
