#include "mindgap/mdp/findings.h"

#include <gtest/gtest.h>

#include "mindgap/mdp/builder.h"

namespace mindgap::mdp {
namespace findings_test {

// Start in a, which leads to b and c; b is absorbing, c and d lead to each other, e to everything. Nothing
// leads to e. Action 1 is used in b alone, action 2 nowhere.
Mdp five_states() {
  MdpBuilder builder(0.9, 5, 3);
  const auto add = [&](std::int32_t state, std::int32_t action, const std::vector<std::int32_t>& next) {
    builder.set_reward(state, action, 1);
    for (const std::int32_t to : next)
      builder.add_transition(state, action, to, 1 / static_cast<double>(next.size()));
  };
  add(0, 0, {1, 2});
  add(1, 0, {1});
  add(1, 1, {1});
  add(2, 0, {3});
  add(3, 0, {2});
  add(4, 0, {0, 4});
  return builder.build();
}

TEST(Findings, SaysWhatIsThere) {
  const Findings found = look_at(five_states().with_start({1, 0, 0, 0, 0}));
  EXPECT_EQ(found.reachable, (std::vector<std::uint8_t>{1, 1, 1, 1, 0}));
  EXPECT_EQ(found.unreachable, (std::vector<std::int32_t>{4}));
  EXPECT_EQ(found.absorbing, (std::vector<std::int32_t>{1}));
  EXPECT_EQ(found.components.count, 4);  // a, b, c with d, e
  EXPECT_EQ(found.components.of_state[2], found.components.of_state[3]);
  EXPECT_EQ(found.closed_components, 2);  // b, and c with d
  EXPECT_EQ(found.unused_actions, (std::vector<std::int32_t>{2}));
  EXPECT_EQ(found.certain_rows, 4);   // of 6: b's two, c's and d's
  EXPECT_EQ(found.row_sum_error, 0);  // halves and ones add up exactly
}

TEST(Findings, NothingIsUnreachableFromAUniformStart) {
  const Findings found = look_at(five_states());
  EXPECT_TRUE(found.unreachable.empty());
  EXPECT_EQ(found.reachable, std::vector<std::uint8_t>(5, 1));
}

TEST(Findings, RowsThatSumToOneOnlyNearlyAreMeasured) {
  MdpBuilder builder(0.9, 2, 1);
  for (const std::int32_t s : {0, 1}) builder.set_reward(s, 0, 0);
  builder.add_transition(0, 0, 0, 0.5);
  builder.add_transition(0, 0, 1, 0.5 + 1e-10);
  builder.add_transition(1, 0, 1, 1 - 3e-10);
  // The sums are 1 + 1e-10 and 1 - 3e-10, each rounded once.
  EXPECT_NEAR(look_at(builder.build()).row_sum_error, 3e-10, 1e-15);
}

}  // namespace findings_test
}  // namespace mindgap::mdp
