#include "mindgap/base/fingerprint.h"

#include <gtest/gtest.h>

namespace mindgap::base {
namespace fingerprint_test {

// The published values of FNV-1a with 64 bits for "" and "a".
TEST(Fingerprint, PublishedValues) {
  EXPECT_EQ(Fingerprint().text(), "cbf29ce484222325");
  EXPECT_EQ(Fingerprint().add("a").text(), "af63dc4c8601ec8c");
}

TEST(Fingerprint, ContentAndOrderMatter) {
  const std::vector<double> one = {1, 2}, other = {2, 1};
  const auto of = [](const std::vector<double>& values) {
    return Fingerprint().add(std::span<const double>(values)).text();
  };
  EXPECT_EQ(of(one), of({1, 2}));
  EXPECT_NE(of(one), of(other));
  EXPECT_NE(of({0.0}), of({-0.0}));
}

}  // namespace fingerprint_test
}  // namespace mindgap::base
