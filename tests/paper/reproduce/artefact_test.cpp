#include "paper/reproduce/artefact.h"

#include <gtest/gtest.h>

#include <set>

#include "mindgap/base/error.h"

namespace mindgap::reproduce {
namespace artefact_test {

TEST(Artefact, NamesAreUniqueAndFound) {
  std::set<std::string> names;
  for (const Artefact& artefact : artefacts()) {
    EXPECT_TRUE(names.insert(artefact.name).second) << artefact.name;
    EXPECT_EQ(&find_artefact(artefact.name), &artefact);
  }
  EXPECT_THROW(find_artefact("no such artefact"), InvalidArgument);
}

TEST(Artefact, ALineAgreesWithinItsTolerance) {
  EXPECT_TRUE((Line{.published = 33, .ours = 35, .tolerance = 2}).agrees());
  EXPECT_FALSE((Line{.published = 33, .ours = 35.1, .tolerance = 2}).agrees());
  EXPECT_TRUE((Line{.ours = 35}).agrees());
}

}  // namespace artefact_test
}  // namespace mindgap::reproduce
