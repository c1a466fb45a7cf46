#include "mindgap/view/parameters.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mindgap/mdp/builder.h"

namespace mindgap::view {
namespace parameters_test {

mdp::Mdp one_arm(double reward) {
  mdp::MdpBuilder builder(.9, 1, 1);
  builder.set_reward(0, 0, reward);
  builder.add_transition(0, 0, 0, 1);
  return builder.build();
}

// Three members that pay 0, 1 and 2, of weight 1/4, 1/2 and 1/4; what one observation of 2 with variance 1
// says about them: likelihoods exp(-4/2), exp(-1/2), 1.
class Parameters : public testing::Test {
 protected:
  Parameters()
      : members_({one_arm(0), one_arm(1), one_arm(2)}, {.25, .5, .25}),
        model_{.name = "arms", .mdp = members_.mean()},
        ensemble_(members_, {{0.0}, {1.0}}, {1.0}) {
    model_.members = members_;
    model_.parameters = {{"mass", {10, 30, 20}}, {"length", {1, 1, 1}}};
  }

  mdp::Members members_;
  mdp::Model model_;
  belief::Ensemble ensemble_;
};

TEST_F(Parameters, BeforeAndAfterByHand) {
  std::vector<KnownParameter> known = known_parameters(model_, ensemble_);
  ASSERT_EQ(known.size(), 2U);
  EXPECT_EQ(known[0].name, "mass");
  EXPECT_NEAR(known[0].mean, 22.5, 1e-12);                                   // 10/4 + 30/2 + 20/4
  EXPECT_NEAR(known[0].sd, std::sqrt(25 + 450 + 100 - 22.5 * 22.5), 1e-12);  // E x^2 = 575
  EXPECT_EQ(known[0].lower, 10);
  EXPECT_EQ(known[0].upper, 30);
  EXPECT_EQ(known[1].sd, 0);
  ensemble_.observe({.pair = 0, .reward = 2.0});
  known = known_parameters(model_, ensemble_);
  const double a = .25 * std::exp(-2), b = .5 * std::exp(-.5), c = .25;
  EXPECT_NEAR(known[0].mean, (10 * a + 30 * b + 20 * c) / (a + b + c), 1e-12);
  EXPECT_NEAR(known[0].mean_before, 22.5, 1e-12);
  EXPECT_EQ(known[0].lower, 10);  // weight .057
  const Json json = json_of(known);
  EXPECT_EQ(json[0]["name"], "mass");
  EXPECT_EQ(json[0]["mean"], known[0].mean);
}

TEST_F(Parameters, TextTableAndPicture) {
  ensemble_.observe({.pair = 0, .reward = 2.0});
  const std::string text = parameters_text(known_parameters(model_, ensemble_));
  EXPECT_NE(text.find("mass"), std::string::npos) << text;
  EXPECT_NE(text.find("22.5"), std::string::npos) << text;
  EXPECT_EQ(parameters_text({}), "");
  const report::Figure figure = parameters_figure(model_, ensemble_);
  EXPECT_EQ(figure.data.front().table.rows.size(), 12U);  // 2 parameters x 3 members, before and now
  EXPECT_EQ(figure.data.front().table.rows[2].back(), "1");
}

}  // namespace parameters_test
}  // namespace mindgap::view
