#include "mindgap/trial/open_case.h"

#include <gtest/gtest.h>

#include "mindgap/base/error.h"
#include "trial/fake_case.h"

namespace mindgap::trial {
namespace open_case_test {

// A case that says who was brought to it.
class Guests final : public FakeCase {
 public:
  bool takes_others() const override { return true; }
  std::vector<double> run_other(const OtherPlanner& planner, std::uint64_t trial,
                                std::span<const std::int64_t> horizons) const override {
    return {static_cast<double>(planner.name.size()), static_cast<double>(trial),
            static_cast<double>(horizons.size())};
  }
  std::vector<CaseWarning> warnings() const override { return {ImpossibleRows{1, 2, .5}}; }
};

const std::vector<std::int64_t> kHorizons = {10, 20};

TEST(OpenCase, RunsItsOwnAndThoseBroughtToIt) {
  const Guests on;
  const OpenCase open(on, {{"mine", {}}, {"yours", {}, true, "a friend's"}});
  EXPECT_EQ(open.run("asop", 3, kHorizons), on.run("asop", 3, kHorizons));
  EXPECT_EQ(open.run("yours", 3, kHorizons), (std::vector<double>{5, 3, 2}));
  EXPECT_EQ(open.default_planners(), (std::vector<std::string>{"oracle", "sop", "asop", "mine", "yours"}));
  ASSERT_EQ(open.planners().size(), 6);
  EXPECT_EQ(open.planners()[4].description, "the user's own");
  EXPECT_EQ(open.planners()[5].description, "a friend's");
  EXPECT_EQ(open.warnings().size(), 1);
  EXPECT_EQ(open.settings(), on.settings());
}

TEST(OpenCase, RefusesNamesThatAreTakenAndCasesThatTakeNobody) {
  const Guests on;
  EXPECT_THROW(OpenCase(on, {{"asop", {}}}), InvalidArgument);
  const FakeCase closed;
  EXPECT_THROW(OpenCase(closed, {{"mine", {}}}), InvalidArgument);
  EXPECT_NO_THROW(OpenCase(closed, {}));
}

}  // namespace open_case_test
}  // namespace mindgap::trial
