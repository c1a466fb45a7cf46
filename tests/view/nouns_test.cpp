#include "mindgap/view/nouns.h"

#include <gtest/gtest.h>

namespace mindgap::view {
namespace nouns_test {

mdp::About vans() {
  mdp::About about;
  about.reward_unit = "positive tests";
  about.step_unit = "day";
  about.unit = "van";
  return about;
}

TEST(Nouns, AsTheOwnerCallsThem) {
  const Nouns nouns(vans());
  EXPECT_EQ(nouns.steps(100), "100 days");
  EXPECT_EQ(nouns.units(1), "1 van");
  EXPECT_EQ(nouns.rewards("705"), "705 positive tests");
  EXPECT_EQ(nouns.reward(), "positive tests");
}

TEST(Nouns, OrTheUsualOnes) {
  const Nouns nouns({});
  EXPECT_EQ(nouns.steps(1), "1 step");
  EXPECT_EQ(nouns.units(8), "8 units");
  EXPECT_EQ(nouns.rewards("705"), "705");
}

// Whoever states a plural gets no second s, and other scripts none at all.
TEST(Nouns, OfAnyForm) {
  mdp::About about;
  about.step_unit = "weeks";
  about.unit = "\xe8\xbd\xa6";
  EXPECT_EQ(Nouns(about).steps(2), "2 weeks");
  EXPECT_EQ(Nouns(about).steps(1), "1 week");
  EXPECT_EQ(Nouns(about).units(3), "3 \xe8\xbd\xa6");
}

TEST(Plans, InPlainWords) {
  const Nouns nouns(vans());
  const auto words = [&](const char* name) { return in_words(decide::plan_from_string(name), nouns); };
  EXPECT_EQ(words("sop"), "deploy as is");
  EXPECT_EQ(words("asop"), "deploy and keep updating");
  EXPECT_EQ(words("pilot-8x10"), "8 vans for 10 days, then update");
  EXPECT_EQ(words("thompson"), "each van tries a model that may be true");
  for (const char* name : {"thompson-shared", "beb-2", "ids", "adaptive-8x10"}) {
    EXPECT_FALSE(words(name).empty());
    EXPECT_EQ(words(name).find(name), std::string::npos) << name;
  }
}

}  // namespace nouns_test
}  // namespace mindgap::view
