#include "mindgap/command/check.h"

#include <gtest/gtest.h>

#include "command/two_places.h"

namespace mindgap::command {
namespace {

TEST(CheckCommand, SaysWhatIsInAModel) {
  const CheckAnswer answer = check({two_places()});
  EXPECT_FALSE(answer.prior.implied);  // it states no prior
  EXPECT_EQ(answer.json()["absorbing_states"], 1);
  EXPECT_NE(answer.text().find("The model is well formed."), std::string::npos);
  EXPECT_NE(answer.warnings().back().find("no prior"), std::string::npos);
  EXPECT_EQ(answer.page().title, "A model");
}

TEST(CheckCommand, SaysThatCountsOfSamplesAreTakenForHistory) {
  CheckRequest request{two_places()};
  mdp::Model& model = *request.model;
  model.reward_variance = 1;
  model.coverage.assign(static_cast<std::size_t>(model.mdp.pairs()), 4.0);
  const auto says = [&](const std::string& what) {
    return check(request).text().find(what) != std::string::npos;
  };
  EXPECT_FALSE(says("samples of a simulator"));
  model.coverage_is_sampled = true;
  EXPECT_TRUE(says("taken for observations of the real system"));
  EXPECT_NE(check(request).json()["warnings"].dump().find("reward_sd and transition_strength"),
            std::string::npos);
  model.prior = mdp::PriorSpec{.reward_sd = .1, .transition_strength = 5};
  EXPECT_FALSE(says("taken for observations of the real system"));
  EXPECT_TRUE(says("note: The model's counts are of samples of its simulator"));
  EXPECT_FALSE(says("odds"));
  model.prior->odds = 2;
  EXPECT_TRUE(says("odds 2 is stated, but changes nothing"));
}

TEST(CheckCommand, DrawsFromThePrior) {
  CheckRequest request{two_places()};
  request.model->reward_variance = 1;
  request.model->prior = mdp::PriorSpec{.reward_sd = .1, .transition_strength = 5};
  request.draws = 8;
  EXPECT_EQ(check(request).prior.implied->draws, 8);
  EXPECT_EQ(check(request).prior.implied->steps, 0);
  request.model->mdp = request.model->mdp.with_discount(1);
  EXPECT_EQ(check(request).prior.implied->steps, kCheckedSteps);
  request.draws = 0;
  EXPECT_FALSE(check(request).prior.implied);
}

}  // namespace
}  // namespace mindgap::command
