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

TEST(Artefact, ALineAgreesWithinBothErrorsTogether) {
  EXPECT_TRUE((Line{.published = 33, .ours = 35, .published_error = 2}).agrees());
  EXPECT_FALSE((Line{.published = 33, .ours = 35.1, .published_error = 2}).agrees());
  // hypot(3, 4) = 5
  const stats::Interval four{31, 39};
  EXPECT_TRUE((Line{.published = 30, .ours = 35, .interval = four, .published_error = 3}).agrees());
  EXPECT_FALSE((Line{.published = 29.9, .ours = 35, .interval = four, .published_error = 3}).agrees());
  // A-SOP on vending at T = 1600: 63.8 +- 1.7 here, 70.7 +- 4.1 there.
  EXPECT_FALSE(
      (Line{.published = 70.7, .ours = 63.8, .interval = stats::Interval{62.1, 65.5}, .published_error = 4.1})
          .agrees());
  EXPECT_TRUE((Line{.ours = 35}).agrees());
  EXPECT_FALSE((Line{.published = 0, .published_error = 1, .not_reproduced = true}).agrees());
}

}  // namespace artefact_test
}  // namespace mindgap::reproduce
