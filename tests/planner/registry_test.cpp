#include <gtest/gtest.h>

#include <set>

#include "mindgap/base/error.h"
#include "mindgap/planner/planner.h"

namespace mindgap::planner {
namespace registry_test {

TEST(PlannerRegistry, NamesAreUniqueAndFound) {
  std::set<std::string> names;
  for (const PlannerInfo& info : planners()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(&find_planner(info.name), &info);
  }
}

TEST(PlannerRegistry, AnUnknownNameListsTheKnownOnesNearestFirst) {
  try {
    find_planner("sopp");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(std::string(error.what()).find("there is no planner 'sopp'; there are: sop"), 0u)
        << error.what();
  }
}

}  // namespace registry_test
}  // namespace mindgap::planner
