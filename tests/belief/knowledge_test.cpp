#include "mindgap/belief/knowledge.h"

#include <gtest/gtest.h>

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

}  // namespace knowledge_test
}  // namespace mindgap::belief
