#include <gtest/gtest.h>

#include "mindgap/base/error.h"
#include "planner/small_models.h"

namespace mindgap::planner {
namespace replanning_test {

// One pair with as many successors as states: states^2 nonzeros.
mdp::Mdp full(std::int32_t states) {
  mdp::MdpBuilder builder(.9, states, 1);
  for (std::int32_t s = 0; s < states; ++s) {
    builder.set_reward(s, 0, s);
    for (std::int32_t to = 0; to < states; ++to) builder.add_transition(s, 0, to, 1.0 / states);
  }
  return builder.build();
}

TEST(DefaultReplanning, EveryStepWhileThatIsCheap) {
  EXPECT_EQ(default_replanning(uneven(), 1000), 1);
  EXPECT_EQ(default_replanning(full(100), 200), 1);  // 2,000,000 is just cheap
  EXPECT_EQ(default_replanning(full(100), 201), 2);
  EXPECT_EQ(default_replanning(full(100), 601), 4);
  EXPECT_EQ(default_replanning(full(100), 1000), 5);
}

TEST(DefaultReplanning, AtLeastEveryFiveStepsAndTwentyTimesInAll) {
  EXPECT_EQ(default_replanning(full(100), 1'000'000), 5);
  EXPECT_EQ(default_replanning(full(500), 60), 3);
  EXPECT_EQ(default_replanning(full(500), 19), 1);
  EXPECT_EQ(default_replanning(full(2), 0), 1);
  EXPECT_THROW(default_replanning(full(2), -1), InvalidArgument);
}

}  // namespace replanning_test
}  // namespace mindgap::planner
