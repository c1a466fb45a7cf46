#include "mindgap/view/plan_file.h"

#include <gtest/gtest.h>

#include "mdp/random_models.h"

namespace mindgap::view {
namespace {

TEST(PlanFile, IsComplete) {
  const mdp::Mdp mdp = mdp::random_mdp(4, {.states = 6, .actions = 2, .successors = 1});
  mdp::Model model{"m", mdp};
  model.reward_variance = .25;
  model.prior = mdp::PriorSpec{.reward_sd = .3, .transition_strength = 5};
  design::DesignOptions options;
  options.units = 3;
  options.steps = 4;
  options.target.members = 16;
  const design::Design design =
      design::design_pilot(belief::gather_knowledge(model, std::nullopt, std::nullopt), options);
  const auto plan = Json::parse(plan_json(mdp, design, options));
  std::int64_t units = 0;
  for (const auto& route : plan["routes"]) {
    units += route["units"].get<std::int64_t>();
    ASSERT_EQ(route["actions"].size(), 4u);
    for (const auto& at : route["actions"]) ASSERT_EQ(at.size(), 6u);
  }
  EXPECT_EQ(units, 3);
  // Following the plan never meets a null.
  for (std::size_t u = 0; u < 3; ++u) {
    std::int32_t state = design.unit_state[u];
    const auto& route = plan["routes"][plan["assignment"][u]["route"].get<std::size_t>()];
    for (std::size_t t = 0; t < 4; ++t) {
      const auto& name = route["actions"][t][static_cast<std::size_t>(state)];
      ASSERT_TRUE(name.is_string());
      const std::int32_t pair = mdp.find_pair(state, mdp.find_action(name.get<std::string>()));
      ASSERT_GE(pair, 0);
      state = mdp.next_state()[mdp.row_begin()[pair]];
    }
  }
}

}  // namespace
}  // namespace mindgap::view
