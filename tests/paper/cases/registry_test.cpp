#include "paper/cases/registry.h"

#include <gtest/gtest.h>

#include <set>

#include "mindgap/base/error.h"

namespace mindgap::cases {
namespace registry_test {

TEST(CaseRegistry, NamesAreUniqueAndFound) {
  std::set<std::string> names;
  for (const CaseInfo& info : all_cases()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(&find_case(info.name), &info);
  }
  EXPECT_THROW(find_case("no such case"), InvalidArgument);
}

}  // namespace registry_test
}  // namespace mindgap::cases
