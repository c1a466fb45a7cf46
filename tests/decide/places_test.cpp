#include "mindgap/decide/places.h"

#include <gtest/gtest.h>

namespace mindgap::decide {
namespace {

mdp::ObservationLog two_units(std::vector<std::int32_t> next_state) {
  mdp::ObservationLog log;
  log.units = mdp::NameTable({"a", "b"});
  log.unit = {0, 1, 0};
  log.step = {0, 0, 1};
  log.pair = {0, 0, 0};
  log.reward = {0, 0, 0};
  log.next_state = std::move(next_state);
  return log;
}

// The last step of each unit says where it is; where that is missing, nothing does.
TEST(Places, AfterALog) {
  const std::optional<Places> found = places_after(two_units({2, 1, 3}), 2);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->state, (std::vector<std::int32_t>{3, 1}));
  EXPECT_EQ(found->names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(places_after(two_units({mdp::ObservationLog::kNoState, 1, 3}), 2)->state, found->state);
  EXPECT_FALSE(places_after(two_units({2, 1, mdp::ObservationLog::kNoState}), 2));
  EXPECT_FALSE(places_after(two_units({2, 1, 3}), 1));
  EXPECT_FALSE(places_after(two_units({2, 1, 3}), 3));
}

}  // namespace
}  // namespace mindgap::decide
