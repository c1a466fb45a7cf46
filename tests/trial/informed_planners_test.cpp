#include "mindgap/trial/informed_planners.h"

#include <gtest/gtest.h>

#include <array>

#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/trial/tabular_case.h"
#include "mindgap/trial/world_case.h"
#include "mindgap/world/without_hidden_state.h"

namespace mindgap::trial {
namespace informed_planners_test {

const std::array<std::int64_t, 1> kHorizon = {100};

double mean_of(const Case& on, std::string_view planner, std::uint64_t trials) {
  double sum = 0;
  for (std::uint64_t t = 0; t < trials; ++t) sum += on.run(planner, t, kHorizon)[0];
  return sum / static_cast<double>(trials);
}

// A type that stays for 50 steps on average, and a test that tells it (tests/models/persistent): testing
// first is worth nearly 1 a step, treating at random a half. QMDP never tests, but learns the type from what
// comes of its treatments.
TEST(BeliefStatePlanner, RemembersWhatTheObservedStateForgets) {
  const auto on = make_world_case(MINDGAP_SOURCE_DIR "/tests/models/persistent", {.seed = 42, .units = 10});
  const double oracle = mean_of(*on, "oracle", 10), qmdp = mean_of(*on, "qmdp", 10),
               belief_state = mean_of(*on, "belief-state", 10);
  EXPECT_NEAR(oracle / 1000, .5, .05);
  EXPECT_GT(qmdp, 1.1 * oracle);
  EXPECT_GT(belief_state, 1.5 * oracle);
  EXPECT_GT(belief_state, qmdp);
}

TEST(BeliefStatePlanner, IsOfferedWhereThereIsAHiddenState) {
  const auto has = [](const Case& on) {
    for (const PlannerName& name : on.planners()) {
      if (name.name == "belief-state") return true;
    }
    return false;
  };
  EXPECT_TRUE(has(*make_world_case(MINDGAP_SOURCE_DIR "/tests/models/persistent", {})));
  EXPECT_FALSE(has(
      *make_world_case(MINDGAP_SOURCE_DIR "/tests/models/persistent", {.options = {{"drift-rate", ".1"}}})));
  EXPECT_THROW(
      make_world_case(MINDGAP_SOURCE_DIR "/tests/models/persistent", {.options = {{"drift-rate", "1"}}}),
      InvalidArgument);
}

Problem three_arms() {
  mdp::MdpBuilder builder(.9, 1, 3);
  for (std::int32_t a = 0; a < 3; ++a) {
    builder.set_reward(0, a, .5);
    builder.add_transition(0, a, 0, 1);
  }
  const mdp::Mdp mdp = builder.build();
  return {belief::Belief(mdp, {{.5, .5, .5}, {1, 1, 1}}, {.04, .04, .04}),
          world::without_hidden_state(mdp, .04)};
}

// Three arms that drift. The oracle knows which is best at each step; who forgets earns more than who does
// not; and without drift everything is as it was.
TEST(DriftingCase, ForgettingPays) {
  TabularCaseOptions options;
  options.name = "arms";
  options.units = 5;
  options.horizons = {100};
  const TabularCase still(options, [](std::uint64_t) { return three_arms(); });
  options.drift_rate = .05;
  const TabularCase moving(options, [](std::uint64_t) { return three_arms(); });
  EXPECT_EQ(still.run("asop-forgetting", 3, kHorizon), still.run("asop", 3, kHorizon));
  const double oracle = mean_of(moving, "oracle", 20);
  EXPECT_GT(oracle, mean_of(moving, "asop-forgetting", 20));
  EXPECT_GT(mean_of(moving, "asop-forgetting", 20), mean_of(moving, "asop", 20));
  EXPECT_GT(mean_of(moving, "asop-forgetting", 20), mean_of(moving, "sop", 20));
}

}  // namespace informed_planners_test
}  // namespace mindgap::trial
