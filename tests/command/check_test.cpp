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
