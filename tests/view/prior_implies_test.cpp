#include "mindgap/view/prior_implies.h"

#include <gtest/gtest.h>

#include "decide/situations.h"

namespace mindgap::view {
namespace {

TEST(PriorWarning, NamesTheRewardThatPromisesMost) {
  const mdp::Mdp mdp = decide::arms({1, 1});
  gap::PriorImplies implied{.simulator_best = 10, .mean = 21.5};
  implied.invented = {{.pair = 1, .value = 11.5}};
  EXPECT_EQ(prior_warning(mdp, implied), "");
  implied.too_good = true;
  const std::string said = prior_warning(mdp, implied);
  EXPECT_NE(said.find("the prior promises much"), std::string::npos) << said;
  EXPECT_NE(said.find("earns 21.5 on average"), std::string::npos) << said;
  EXPECT_NE(said.find("the 10 that it earns in the simulator"), std::string::npos) << said;
}

}  // namespace
}  // namespace mindgap::view
